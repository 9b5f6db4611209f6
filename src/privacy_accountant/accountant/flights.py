"""The releases that touch data in this process at this moment: none of them may be voided, and what was voided never starts.

An entry is known by its hash, so that every handle on a ledger in this process sees the same flights. A release that failed and
could not be marked so stays in flight: whoever voided it would give back what was drawn from.
"""

from __future__ import annotations

import os
import threading

_lock = threading.Lock()
_under_way: set[str] = set()
_grounded: set[str] = set()


def begin(entry: str) -> bool:
    """Start touching the data that an entry was charged for; False when the entry is being voided."""
    with _lock:
        if entry not in _grounded:
            _under_way.add(entry)
        return entry not in _grounded


def end(entry: str) -> None:
    """The ledger says what became of it."""
    _under_way.discard(entry)


def ground(entry: str) -> bool:
    """Keep an entry from starting, so that it can be voided; False when it has started."""
    with _lock:
        if entry not in _under_way:
            _grounded.add(entry)
        return entry not in _under_way


def _in_child() -> None:
    """No thread is left in a forked child that could release the lock. What was under way stays so: its own process draws it."""
    global _lock  # noqa: PLW0603 - a lock cannot be told that nobody holds it
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
