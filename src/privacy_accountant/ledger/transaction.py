"""What a store must be able to do: one atomic piece of work, and the checkpoints that spare every question a scan."""

from __future__ import annotations

import abc
from collections.abc import Iterator, Mapping

import attrs

from privacy_accountant.ledger.entries import Entry


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
    def amendment(self, study: str) -> Entry | None:
        """The last amendment of a study."""

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
