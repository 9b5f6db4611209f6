"""Checking a study's ledger from its first entry to its last."""

from __future__ import annotations

from collections import Counter

import attrs

from privacy_accountant.errors import InvalidParameterError, LedgerCorruptedError, LedgerError
from privacy_accountant.ledger.balance import Balance, add, increments
from privacy_accountant.ledger.book import Partition
from privacy_accountant.ledger.checkpoints import tally
from privacy_accountant.ledger.entries import GENESIS, RESOLUTIONS, Entry, Kind, canonical
from privacy_accountant.ledger.partitions import worst_of
from privacy_accountant.ledger.recorder import Recorder
from privacy_accountant.ledger.sealing import Sealer
from privacy_accountant.ledger.transaction import Head, Transaction


@attrs.frozen
class Verification:
    """What a successful check found.

    Attributes:
        ok: True; a ledger that does not add up raises instead.
        entries: Number of entries.
        head: Hash of the last entry. Whoever keeps it elsewhere can tell later whether the ledger was replaced by an older copy.
    """

    ok: bool
    entries: int
    head: str


def verify(recorder: Recorder, study: str, *, against: str | None = None) -> Verification:
    """Recompute the chain of hashes and every balance of a study, in one consistent reading.

    Args:
        recorder: The ledger.
        study: Name of the study.
        against: The hash of an entry that the ledger must contain, such as a head that was kept elsewhere. A ledger that was
            restored from an older copy does not.

    Raises:
        LedgerCorruptedError: Names the first entry that does not agree, or none when only a checkpoint is wrong.
    """
    with recorder.snapshot() as work:
        head = work.head(study)
        if head is None:
            raise LedgerError(f"the ledger holds no study {study!r}")
        if (objection := recorder.sealer.objection(head.settings)) is not None:
            raise LedgerError(f"{study}: {objection}")
        replay = Replay(study, recorder.sealer)
        for entry in work.entries(study, 0):
            replay.take(entry)
        replay.compare(head, work)
    return replay.found(against)


@attrs.define
class Part:
    """What the entries charged to one partition."""

    low: tuple[int, ...]
    high: tuple[int, ...]
    counts: Counter[str] = attrs.field(factory=Counter)


class Replay:
    """The state that the entries imply, built up one by one.

    Args:
        study: Name of the study.
        sealer: How its entries were hashed.
    """

    def __init__(self, study: str, sealer: Sealer) -> None:
        self.study = study
        self.sealer = sealer
        self.head = Head(0, GENESIS, "", (), ())
        self.counts: Counter[str] = Counter()
        self.parts: dict[str, Part] = {}
        self.partitions: dict[int, Partition] = {}
        self.costs: dict[int, str] = {}
        self.pending: dict[int, None] = {}
        self.planned: set[int] = set()
        self.drawn: dict[int, int] = {}
        self.hashes: set[str] = set()
        self.charged = False
        self.last: Entry | None = None

    def found(self, against: str | None) -> Verification:
        """The result, once every entry was taken.

        Raises:
            LedgerCorruptedError: When no entry has the hash that one must have.
        """
        if against is not None and not isinstance(against, str):
            raise InvalidParameterError("against", "the hash of an entry, as text", against)
        self._require(
            against is None or against in self.hashes,
            "no entry has the hash that was kept: the ledger was replaced, or restored from an older copy",
            None,
        )
        if not self.head.worst:
            self.head = attrs.evolve(self.head, worst=self._worst())
        self._require(
            not self.charged or self.last is None or self.last.balance in (None, self._tally(self.last)),
            "the last entry holds another balance than the entries add up to",
            self.head.sequence,
        )
        return Verification(ok=True, entries=self.head.sequence, head=self.head.hash)

    def take(self, entry: Entry) -> None:
        """Add the next entry; refuse one that does not follow."""
        expected = self.head.sequence + 1
        self._require(
            entry.sequence == expected and entry.study == self.study, f"entry {expected} is missing", expected
        )
        self._require(
            entry.previous == self.head.hash, f"entry {expected} does not follow the one before it", expected
        )
        self._require(
            self.sealer.holds(entry.body, entry.hash), f"entry {expected} is not what was hashed", expected
        )
        self._require(
            (entry.kind is Kind.OPEN) == (expected == 1), f"entry {expected} is out of order", expected
        )
        self.head = attrs.evolve(self.head, sequence=expected, hash=entry.hash)
        self.hashes.add(entry.hash)
        self.last = entry
        if entry.kind in (Kind.OPEN, Kind.AMEND):
            self.head = attrs.evolve(self.head, settings=canonical(entry.draft.settings))
        elif entry.kind is Kind.RESERVE and entry.draft.refers_to is not None:
            self._draw(entry, entry.draft.refers_to)
        elif entry.kind in (Kind.RESERVE, Kind.PLAN):
            self._charge(expected, canonical(entry.draft.cost or ()), entry.draft.partition)
            self.planned |= {expected} if entry.kind is Kind.PLAN else set()
        elif entry.kind in RESOLUTIONS:
            self._resolve(entry)

    def compare(self, head: Head, work: Transaction) -> None:
        """Check that the checkpoints are what the entries add up to."""
        self._require(
            head.sequence == self.head.sequence, "the last entries are missing", self.head.sequence + 1
        )
        if not self.charged:
            zeros = (0,) * len(head.low)
            self.head = attrs.evolve(self.head, low=zeros, high=zeros)
        self.head = attrs.evolve(self.head, worst=self._worst())
        self._require(head == self.head, "the checkpoint is not what the entries add up to", None)
        counts, pending = dict(work.counts(self.study)), work.pending(self.study)
        self._require(counts == +self.counts, "the counted costs are not those of the entries", None)
        self._require(
            sorted(pending) == sorted(self.pending), "the pending reserves are not those of the entries", None
        )
        self._compare_parts(work)

    def _compare_parts(self, work: Transaction) -> None:
        totals = dict(work.totals(self.study))
        wanted = {name: (part.low, part.high) for name, part in self.parts.items()}
        for name in sorted(totals.keys() | wanted.keys()):
            told = f"the balance of partition {name!r} is not what the entries add up to"
            self._require(totals.get(name) == wanted.get(name), told, None)
        counted = {(name, cost): count for name, cost, count in work.counted(self.study)}
        counts = {(name, cost): n for name, part in self.parts.items() for cost, n in (+part.counts).items()}
        self._require(
            counted == counts, "the counted costs of a partition are not those of the entries", None
        )

    def _worst(self) -> tuple[str, ...]:
        found = worst_of((), map(self._alone, self.parts), len(self.head.low))
        return tuple(str(balance.partition) for balance in found)

    def _alone(self, name: str) -> Balance:
        part = self.parts[name]
        return Balance(part.low, part.high, lambda: +part.counts, partition=name)

    def _tally(self, last: Entry) -> str:
        return tally(self.head, lambda: +self.counts, last.draft.partition, self._alone)

    def _charge(self, sequence: int, cost: str, partition: Partition) -> None:
        self.costs[sequence], self.partitions[sequence] = cost, partition
        self.pending[sequence] = None
        self._add(sequence, cost, partition, 1)

    def _draw(self, entry: Entry, plan: int) -> None:
        cost = canonical(entry.draft.cost or ())
        known = plan in self.planned and self.pending.pop(plan, False) is None and self.costs[plan] == cost
        self._require(known, f"entry {entry.sequence} draws what is not planned", entry.sequence)
        self.costs[entry.sequence] = cost
        self.pending[entry.sequence] = None
        self.drawn[entry.sequence] = plan

    def _resolve(self, entry: Entry) -> None:
        reserve = entry.draft.refers_to or 0
        known = reserve not in self.planned and self.pending.pop(reserve, False) is None
        self._require(known, f"entry {entry.sequence} resolves what is not pending", entry.sequence)
        cost = self.costs.pop(reserve)
        if entry.kind is Kind.VOID and reserve in self.drawn:
            self.pending[self.drawn[reserve]] = None
        elif entry.kind is Kind.VOID:
            self._add(entry.sequence, cost, self.partitions[reserve], -1)

    def _add(self, sequence: int, cost: str, partition: Partition, times: int) -> None:
        low, high = increments(cost)
        if not self.charged:
            zeros = (0,) * len(low)
            self.head = attrs.evolve(self.head, low=zeros, high=zeros)
        self.charged = True
        self._require(
            len(low) == len(self.head.low), f"entry {sequence} has a cost of another currency", sequence
        )
        if partition is None:
            self.counts[cost] += times
            ends = add(self.head.low, low, times), add(self.head.high, high, times)
            self.head = attrs.evolve(self.head, low=ends[0], high=ends[1])
        for name in partition or ():
            part = self.parts.setdefault(name, Part((0,) * len(low), (0,) * len(high)))
            part.counts[cost] += times
            part.low, part.high = add(part.low, low, times), add(part.high, high, times)

    def _require(self, holds: bool, message: str, entry: int | None) -> None:
        if not holds:
            raise LedgerCorruptedError(f"{self.study}: {message}", entry=entry)
