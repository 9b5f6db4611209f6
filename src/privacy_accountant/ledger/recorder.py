"""The abstract recorder: what a ledger does, in terms of the few things that a store must be able to do.

The order of events is written here once: read the head, find the key, check the balance, append, update the checkpoints,
all in one transaction. A store (memory, SQL) brings transactions and storage, and no policy.
"""

from __future__ import annotations

import abc
import contextlib
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import TypeVar

import attrs

from privacy_accountant.codec import Json
from privacy_accountant.errors import InvalidParameterError, LedgerCorruptedError, LedgerError
from privacy_accountant.ledger.balance import Balance, add, empty, increments
from privacy_accountant.ledger.entries import GENESIS, RESOLUTIONS, Draft, Entry, Kind, canonical, seal

T = TypeVar("T")


@attrs.frozen
class Head:
    """A study's checkpoint: where its chain ends and what it has spent, so that opening needs no scan.

    Attributes:
        sequence: Number of entries.
        hash: Hash of the last entry.
        settings: The study's fixed settings, as canonical JSON.
        low: Lower bounds of the balance, in units of 2**-200.
        high: Upper bounds of the balance, in the same units.
    """

    sequence: int
    hash: str
    settings: str
    low: tuple[int, ...]
    high: tuple[int, ...]


@attrs.frozen
class Reserved:
    """What became of a request to reserve.

    Attributes:
        entry: The reserve.
        resolution: Its post, fail or void; None while it is pending.
        repeated: Whether the key was there already, so that nothing was charged.
        head: The checkpoint after it.
        counts: The counted costs after it where costs do not add up; empty where the head's bounds say it all.
    """

    entry: Entry
    resolution: Entry | None
    repeated: bool
    head: Head
    counts: Mapping[str, int]


class Transaction(abc.ABC):
    """One atomic piece of work on a store: all of it happens, or none."""

    @abc.abstractmethod
    def studies(self) -> tuple[str, ...]:
        """The studies that the store holds, in alphabetical order."""

    @abc.abstractmethod
    def head(self, study: str) -> Head | None:
        """The checkpoint of a study, None when there is no such study."""

    @abc.abstractmethod
    def set_head(self, study: str, head: Head, *, before: Head | None) -> None:
        """Store a checkpoint in place of the one before, None for a new study."""

    @abc.abstractmethod
    def append(self, entry: Entry) -> None:
        """Store an entry at the end of its study."""

    @abc.abstractmethod
    def entry(self, study: str, sequence: int) -> Entry | None:
        """One entry."""

    @abc.abstractmethod
    def keyed(self, study: str, key: str) -> Entry | None:
        """The last reserve that carries a key."""

    @abc.abstractmethod
    def resolution(self, study: str, sequence: int) -> Entry | None:
        """The entry that resolves a reserve."""

    @abc.abstractmethod
    def entries(self, study: str, after: int) -> Iterator[Entry]:
        """The entries with a sequence above `after`, in order."""

    @abc.abstractmethod
    def count(self, study: str, cost: str, times: int) -> None:
        """Add to the count of a distinct cost."""

    @abc.abstractmethod
    def counts(self, study: str) -> Mapping[str, int]:
        """How often each distinct cost was charged."""

    @abc.abstractmethod
    def set_pending(self, study: str, sequence: int) -> None:
        """Mark a reserve as pending."""

    @abc.abstractmethod
    def clear_pending(self, study: str, sequence: int) -> bool:
        """Clear the mark; False when there was none."""

    @abc.abstractmethod
    def pending(self, study: str) -> tuple[int, ...]:
        """The pending reserves, in order."""


class Recorder(abc.ABC):
    """An append-only, hash-chained ledger of studies. Safe from threads; a store says what else it is safe from."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        _recorders.add(self)

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """Where the ledger is, for people."""

    @property
    def location(self) -> str | None:
        """Where another process finds the same ledger; None when none can."""
        return None

    @abc.abstractmethod
    def transaction(self, *, write: bool) -> AbstractContextManager[Transaction]:
        """Begin a transaction; it commits at the end of the block and rolls back when the block raises."""

    @abc.abstractmethod
    def close(self) -> None:
        """Give back what the store holds open; a second call does nothing."""

    @abc.abstractmethod
    def forked(self) -> None:
        """Called in the child process after a fork, before anything else runs there."""

    def studies(self) -> tuple[str, ...]:
        """The studies that the ledger holds."""
        with self.snapshot() as work:
            return work.studies()

    def find(self, study: str) -> Head | None:
        """A study's checkpoint, None when the ledger has no such study.

        Raises:
            LedgerCorruptedError: When the last entry is not the one that the checkpoint names.
        """
        with self.snapshot() as work:
            head = work.head(study)
            last = None if head is None else work.entry(study, head.sequence)
        if head is not None and (last is None or last.hash != head.hash):
            raise LedgerCorruptedError(
                f"{study}: the last entry is not the one the checkpoint names", entry=head.sequence
            )
        return head

    def create(self, study: str, settings: Json, size: int) -> Head:
        """Begin a study; when another process began it in the meantime, its head comes back and nothing is written.

        Args:
            study: Name of the study.
            settings: Its fixed settings.
            size: How many components its costs have.
        """
        with self._lock, self.transaction(write=True) as work:
            held = work.head(study)
            if held is not None:
                return held
            start = empty(size)
            entry = seal(Draft(Kind.OPEN, settings=settings), study=study, sequence=1, previous=GENESIS)
            head = Head(1, entry.hash, canonical(settings), start.low, start.high)
            work.set_head(study, head, before=None)
            work.append(entry)
            return head

    def reserve(self, study: str, draft: Draft, check: Callable[[Balance], None]) -> Reserved:
        """Charge a release, or find the one that already has its key: one atomic step.

        Args:
            study: Name of the study.
            draft: A `Kind.RESERVE` with its cost.
            check: Called with the balance before the charge; what it raises refuses the charge, and nothing is written.

        Returns:
            The reserve. With a repeated key, the earlier one and what became of it; `check` is not called.
        """
        cost = canonical(draft.cost)
        low, high = increments(cost)
        with self._lock, self.transaction(write=True) as work:
            head = _existing(work, study)
            if draft.key is not None and (held := work.keyed(study, draft.key)) is not None:
                return Reserved(
                    held, work.resolution(study, held.sequence), True, head, _counts(work, study, head)
                )
            check(_balance(work, study, head))
            entry = seal(draft, study=study, sequence=head.sequence + 1, previous=head.hash)
            work.append(entry)
            work.count(study, cost, 1)
            work.set_pending(study, entry.sequence)
            after = Head(
                entry.sequence, entry.hash, head.settings, add(head.low, low, 1), add(head.high, high, 1)
            )
            work.set_head(study, after, before=head)
            return Reserved(entry, None, False, after, _counts(work, study, after))

    def resolve(self, study: str, draft: Draft) -> Entry:
        """Resolve a pending reserve, once: post it, mark it failed, or void it and give its cost back.

        Raises:
            LedgerError: When the reserve is not pending.
        """
        if draft.kind not in RESOLUTIONS or draft.refers_to is None:
            raise InvalidParameterError(
                "draft", "a post, fail or void that refers to a reserve", draft.kind.value
            )
        with self._lock, self.transaction(write=True) as work:
            head = _existing(work, study)
            if not work.clear_pending(study, draft.refers_to):
                raise LedgerError(f"{study}: entry {draft.refers_to} is not pending")
            entry = seal(draft, study=study, sequence=head.sequence + 1, previous=head.hash)
            work.append(entry)
            after = Head(entry.sequence, entry.hash, head.settings, head.low, head.high)
            if draft.kind is Kind.VOID:
                after = _give_back(work, study, after, draft.refers_to)
            work.set_head(study, after, before=head)
        return entry

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[Transaction]:
        """One consistent reading of the store."""
        with self._lock, self.transaction(write=False) as work:
            yield work

    def ask(self, study: str, question: Callable[[Balance], T]) -> T:
        """Put a question to the balance as of now, pending reserves included; the balance is valid during the call only."""
        with self.snapshot() as work:
            return question(_balance(work, study, _existing(work, study)))

    def entries(self, study: str) -> tuple[Entry, ...]:
        """Every entry of a study, in order."""
        with self.snapshot() as work:
            _existing(work, study)
            return tuple(work.entries(study, 0))

    def pending(self, study: str) -> tuple[Entry, ...]:
        """The reserves that nothing has resolved: in flight in some process, or left by a crash. They count as spent."""
        with self.snapshot() as work:
            _existing(work, study)
            found = (work.entry(study, sequence) for sequence in work.pending(study))
            return tuple(entry for entry in found if entry is not None)


def _existing(work: Transaction, study: str) -> Head:
    head = work.head(study)
    if head is None:
        raise LedgerError(
            f"the ledger holds no study {study!r}; it holds {', '.join(work.studies()) or 'none'}"
        )
    return head


def _balance(work: Transaction, study: str, head: Head) -> Balance:
    return Balance(head.low, head.high, lambda: work.counts(study))


def _counts(work: Transaction, study: str, head: Head) -> Mapping[str, int]:
    return {} if head.low else dict(work.counts(study))


def _give_back(work: Transaction, study: str, head: Head, sequence: int) -> Head:
    reserve = work.entry(study, sequence)
    if reserve is None or reserve.draft.cost is None:
        raise LedgerCorruptedError(f"{study}: pending entry {sequence} is no reserve", entry=sequence)
    cost = canonical(reserve.draft.cost)
    low, high = increments(cost)
    work.count(study, cost, -1)
    return attrs.evolve(head, low=add(head.low, low, -1), high=add(head.high, high, -1))


_recorders: weakref.WeakSet[Recorder] = weakref.WeakSet()


def _after_fork() -> None:
    """In a forked child no other thread is left to release a lock, and no connection may be shared with the parent."""
    for recorder in list(_recorders):
        recorder._lock = threading.RLock()
        recorder.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
