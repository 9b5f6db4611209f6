"""What a store must be able to do: one atomic piece of work, and the checkpoints that spare every question a scan."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterator, Mapping

import attrs

from privacy_accountant.ledger.balance import Balance
from privacy_accountant.ledger.entries import Draft, Entry

Bounds = tuple[tuple[int, ...], tuple[int, ...]]
"""Lower and upper bounds of what was charged, in units of 2**-200."""

WHOLE = ""
"""The scope of a charge that touches the whole study; a partition has a name."""


@attrs.frozen
class Head:
    """A study's checkpoint: where its chain ends and what it has spent, so that opening needs no scan.

    Attributes:
        sequence: Number of entries.
        hash: Hash of the last entry.
        settings: The study's fixed settings, as canonical JSON.
        low: Lower bounds of the balance, in units of 2**-200.
        high: Upper bounds of the balance, in the same units.
        worst: For each component the partition that was charged most of it, the first by name of several; where costs do
            not add up, the partitions whose charges no other's include. Empty while no partition was named.
    """

    sequence: int
    hash: str
    settings: str
    low: tuple[int, ...]
    high: tuple[int, ...]
    worst: tuple[str, ...] = ()


@attrs.frozen
class Charge:
    """A request to reserve in one study.

    Attributes:
        study: Name of the study.
        draft: A `Kind.RESERVE` with its cost.
        check: Called with the balance before the charge; what it raises refuses the charge.
    """

    study: str
    draft: Draft
    check: Callable[[Balance], None]


@attrs.frozen
class Reserved:
    """What became of a request to reserve.

    Attributes:
        entry: The reserve.
        resolution: Its post, fail or void; None while it is pending.
        repeated: Whether the key was there already, so that nothing was charged.
        balance: The balance after it that it had to fit: of its partitions, or of the worst ones. Its counts are there where
            costs do not add up.
        around: The entries that charge the accounts around the study, the outermost first.
    """

    entry: Entry
    resolution: Entry | None
    repeated: bool
    balance: Balance
    around: tuple[int, ...] = ()


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
    def count(self, study: str, cost: str, times: int, scope: str = WHOLE) -> None:
        """Add to the count of a distinct cost, of the whole study or of a partition."""

    @abc.abstractmethod
    def counts(self, study: str, scope: str = WHOLE) -> Mapping[str, int]:
        """How often each distinct cost was charged, to the whole study or to a partition."""

    @abc.abstractmethod
    def counted(self, study: str) -> Iterator[tuple[str, str, int]]:
        """The counts of all partitions, as (partition, cost, count)."""

    @abc.abstractmethod
    def total(self, study: str, partition: str) -> Bounds | None:
        """What was charged to a partition alone, None when it was never named."""

    @abc.abstractmethod
    def set_total(self, study: str, partition: str, total: Bounds, *, before: Bounds | None) -> None:
        """Store what was charged to a partition alone in place of what was there before, None for a new one."""

    @abc.abstractmethod
    def totals(self, study: str) -> Iterator[tuple[str, Bounds]]:
        """What was charged to each partition that was ever named."""

    @abc.abstractmethod
    def set_pending(self, study: str, sequence: int) -> None:
        """Mark a reserve as pending."""

    @abc.abstractmethod
    def clear_pending(self, study: str, sequence: int) -> bool:
        """Clear the mark; False when there was none."""

    @abc.abstractmethod
    def pending(self, study: str) -> tuple[int, ...]:
        """The pending reserves, in order."""
