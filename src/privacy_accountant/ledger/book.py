"""One study inside a transaction: its checkpoint, its balances, what is charged to them, and the entries that say so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import attrs

from privacy_accountant.errors import LedgerCorruptedError, LedgerError
from privacy_accountant.ledger.balance import Balance, add, increments, largest
from privacy_accountant.ledger.checkpoints import tally
from privacy_accountant.ledger.entries import Draft, Entry, Kind, canonical, seal
from privacy_accountant.ledger.partitions import worst_of
from privacy_accountant.ledger.sealing import Sealer
from privacy_accountant.ledger.transaction import Bounds, Head, Transaction

Partition = tuple[str, ...] | None
"""The partitions that a release touches; None for all of them."""


class Book:
    """One study inside a transaction.

    Args:
        work: The transaction.
        study: Name of the study.
        sealer: How entries are hashed.
        head: A checkpoint that is not stored yet, for a new study.

    Raises:
        LedgerError: When the ledger holds no such study.
    """

    __slots__ = ("_before", "_sealer", "_study", "_totals", "_work", "head")

    def __init__(self, work: Transaction, study: str, sealer: Sealer, head: Head | None = None) -> None:
        self._before: Head | None = None
        if head is None:
            head = self._before = existing(work, study)
        self.head = head
        self._work, self._study, self._sealer = work, study, sealer
        self._totals: dict[str, Bounds | None] = {}

    def balance(self, partition: Partition = None) -> Balance:
        """What a release of these partitions has to fit beside; one that touches all has to fit beside the worst."""
        head = self.head
        names = head.worst if partition is None else partition
        if not names:
            return Balance(head.low, head.high, self._counts, head.settings)
        return largest([self._beside(name) for name in dict.fromkeys(names)])

    def charge(self, cost: str, partition: Partition, times: int) -> None:
        """Charge a cost to partitions, or to the whole study; -1 times gives it back."""
        low, high = increments(cost)
        head = self.head
        if partition is None:
            self._work.count(self._study, cost, times)
            ends = add(head.low, low, times), add(head.high, high, times)
            self.head = Head(head.sequence, head.hash, head.settings, *ends, head.worst)
            return
        for name in partition:
            before = self._total(name)
            start = before or (_zeros(head), _zeros(head))
            total = add(start[0], low, times), add(start[1], high, times)
            self._work.set_total(self._study, name, total, before=before)
            self._totals[name] = total
            self._work.count(self._study, cost, times, name)
        self.head = attrs.evolve(head, worst=self._worst(partition, times))

    def give_back(self, sequence: int) -> None:
        """Give back what a pending reserve charged: to the study, to its partitions, or to the plan that it drew from.

        Raises:
            LedgerCorruptedError: When the entry charges nothing.
            LedgerError: When it is planned.
        """
        study, reserve = self._study, self._work.entry(self._study, sequence)
        if reserve is None or reserve.draft.cost is None:
            raise LedgerCorruptedError(f"{study}: pending entry {sequence} is no reserve", entry=sequence)
        if reserve.kind is Kind.PLAN:
            raise LedgerError(f"{study}: entry {sequence} is planned, and a plan stays declared")
        if reserve.draft.refers_to is not None:
            self._work.set_pending(study, reserve.draft.refers_to)
        else:
            self.charge(canonical(reserve.draft.cost), reserve.draft.partition, -1)

    def append(self, draft: Draft) -> Entry:
        """Write the entry that says what has been charged."""
        head = self.head
        entry = seal(
            draft,
            study=self._study,
            sequence=head.sequence + 1,
            previous=head.hash,
            balance=tally(head, self._counts, draft.partition, self._alone),
            hashed=self._sealer.digest,
        )
        self.head = Head(entry.sequence, entry.hash, head.settings, head.low, head.high, head.worst)
        # A new study is there before its first entry.
        if self._before is None:
            self.save()
        self._work.append(entry)
        return entry

    def save(self) -> None:
        """Store the checkpoint."""
        self._work.set_head(self._study, self.head, before=self._before)
        self._before = self.head

    def after(self, partition: Partition) -> Balance:
        """The balance that a release had to fit beside, for use after the transaction; counts are kept where there are no sums."""
        head = self.head
        if head.low and partition is None and not head.worst:
            return Balance(head.low, head.high, dict, head.settings)
        balance = self.balance(partition)
        if balance.low:
            return Balance(balance.low, balance.high, dict, balance.settings, balance.partition)
        return balance.kept()

    def _worst(self, changed: tuple[str, ...], times: int) -> tuple[str, ...]:
        held = self.head.worst
        if times > 0:
            found = worst_of(tuple(map(self._alone, held)), map(self._alone, changed), len(self.head.low))
        elif set(held).isdisjoint(changed):
            return held
        else:
            # Only what a steward gives back makes a partition smaller, so a search through all of them is rare.
            every = (self._of(name, total) for name, total in self._work.totals(self._study))
            found = worst_of((), every, len(self.head.low))
        return tuple(str(balance.partition) for balance in found)

    def _beside(self, name: str) -> Balance:
        """What was charged to one partition and to the whole study."""
        alone, head = self._alone(name), self.head
        return attrs.evolve(
            alone,
            low=add(head.low, alone.low, 1),
            high=add(head.high, alone.high, 1),
            counts=lambda: Counter(self._counts()) + Counter(alone.counts()),
        )

    def _alone(self, name: str) -> Balance:
        """What was charged to one partition alone."""
        return self._of(name, self._total(name))

    def _of(self, name: str, total: Bounds | None) -> Balance:
        low, high = total or (_zeros(self.head), _zeros(self.head))
        return Balance(low, high, lambda: self._work.counts(self._study, name), self.head.settings, name)

    def _total(self, name: str) -> Bounds | None:
        if name not in self._totals:
            self._totals[name] = self._work.total(self._study, name)
        return self._totals[name]

    def _counts(self) -> Mapping[str, int]:
        return {} if self._before is None else self._work.counts(self._study)


def existing(work: Transaction, study: str) -> Head:
    """The checkpoint of a study.

    Raises:
        LedgerError: When the ledger holds no such study.
    """
    head = work.head(study)
    if head is None:
        raise LedgerError(
            f"the ledger holds no study {study!r}; it holds {', '.join(work.studies()) or 'none'}"
        )
    return head


def _zeros(head: Head) -> tuple[int, ...]:
    return (0,) * len(head.low)
