"""How far a large release has come: a callback, or a bar in the terminal."""

from __future__ import annotations

import sys
from typing import Any

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.mechanisms.aggregates import Progress

_WIDTH = 30


def read_progress(value: Any, label: str) -> Progress | None:
    """A callback for progress: the caller's own, or for True a bar on the standard error stream.

    Raises:
        InvalidParameterError: When it is neither.
    """
    if value is None or value is False:
        return None
    if value is True:
        return _bar(label)
    if not callable(value):
        raise InvalidParameterError("progress", "True for a bar, or a function of (done, total)", value)

    def report(done: int, total: int) -> None:
        value(done, total)

    return report


def _bar(label: str) -> Progress:
    """A bar on one line of the standard error stream, as it is when the release begins."""
    stream = sys.stderr

    def show(done: int, total: int) -> None:
        filled = _WIDTH * done // total
        end = "\n" if done >= total else ""
        stream.write(f"\r{label}: [{'#' * filled}{'.' * (_WIDTH - filled)}] {100 * done // total:3d}%{end}")
        stream.flush()

    return show
