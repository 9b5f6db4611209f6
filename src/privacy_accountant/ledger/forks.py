"""What a fork of the process must not do to a ledger: copy a transaction that is under way in another thread."""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any, Protocol

_PATIENCE = 60.0
"""Seconds for which a fork waits for one recorder: it goes on rather than never."""


class Forked(Protocol):
    """What has a lock that is held during each transaction, and something to do in a forked child."""

    lock: Any

    def forked(self) -> None:
        """Called in the child process after a fork, before anything else runs there."""


_watched: weakref.WeakSet[Forked] = weakref.WeakSet()
_held: list[Any] = []


def watch(recorder: Forked) -> None:
    """Let forks wait for a recorder's transactions, and tell it in the child that it was forked."""
    _watched.add(recorder)


def _before() -> None:
    """Wait until no transaction is under way: a child would inherit a lock on the database that nobody can release."""
    # Always in the same order: two threads may fork at once.
    locks = [recorder.lock for recorder in sorted(_watched, key=id)]
    _held.extend([lock for lock in locks if lock.acquire(timeout=_PATIENCE)])


def _in_parent() -> None:
    while _held:
        _held.pop().release()


def _in_child() -> None:
    """In a forked child no other thread is left to release a lock, and no connection may be shared with the parent."""
    _held.clear()
    for recorder in list(_watched):
        recorder.lock = threading.RLock()
        recorder.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
