"""How far a large release has come: a callback, or a bar in the terminal."""

from __future__ import annotations

import contextlib
import sys
from time import monotonic
from typing import Any

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.mechanisms.values.aggregates import Progress

PATIENCE = 0.5
"""Seconds that a release may take before a bar comes up that nobody asked for."""

_WIDTH = 30

_NO_STREAM = OSError, ValueError, AttributeError
"""What a stream raises that is broken, closed, or none at all."""


def read_progress(value: Any, label: str) -> Progress | None:
    """Who is told how far a release has come: for True a bar on the standard error stream, or the caller's function.

    For None it is a bar too, but only where that stream is a terminal, and only once the release has taken a while.

    Raises:
        InvalidParameterError: When it is anything else.
    """
    if value is False:
        return None
    if value is None or value is True:
        return Bar(label, asked=value is True)
    if not callable(value):
        rule = "True for a bar, False for none, or a function of (done, total)"
        raise InvalidParameterError("progress", rule, value)

    def report(done: int, total: int) -> None:
        value(done, total)

    return report


class Bar:
    """A bar on one line of the standard error stream, for one release after another.

    Showing it never fails: when it is shown the data has been touched, and a closed window must not cost a release.

    Args:
        label: What stands in front of it.
        asked: Whether it is shown at all events.
    """

    def __init__(self, label: str, *, asked: bool) -> None:
        self._label, self._asked = label, asked
        self._begun: float | None = None
        self._done, self._shown = 0, False

    def __call__(self, done: int, total: int) -> None:
        """Show that so many of so many are done."""
        now = monotonic()
        if self._begun is None or done <= self._done:  # less than before: another release
            self._begun, self._shown = now, False
        self._done = done
        with contextlib.suppress(*_NO_STREAM):
            self._shown = self._shown or self._asked or _is_due(now - self._begun)
            if self._shown:
                _write(self._label, done, total)
        if done >= total:
            self._begun = None


def _is_due(seconds: float) -> bool:
    return seconds >= PATIENCE and sys.stderr.isatty()


def _write(label: str, done: int, total: int) -> None:
    filled = _WIDTH * done // total
    end = "\n" if done >= total else ""
    sys.stderr.write(f"\r{label}: [{'#' * filled}{'.' * (_WIDTH - filled)}] {100 * done // total:3d}%{end}")
    sys.stderr.flush()
