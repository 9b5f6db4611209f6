"""Checking a study's ledger from its first entry to its last."""

from __future__ import annotations

from collections import Counter

import attrs

from privacy_accountant.errors import LedgerCorruptedError, LedgerError
from privacy_accountant.ledger.balance import add, increments
from privacy_accountant.ledger.entries import GENESIS, RESOLUTIONS, Entry, Kind, canonical, digest
from privacy_accountant.ledger.recorder import Head, Recorder


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


def verify(recorder: Recorder, study: str) -> Verification:
    """Recompute the chain of hashes and every balance of a study, in one consistent reading.

    Raises:
        LedgerCorruptedError: Names the first entry that does not agree, or none when only a checkpoint is wrong.
    """
    with recorder.snapshot() as work:
        head = work.head(study)
        if head is None:
            raise LedgerError(f"the ledger holds no study {study!r}")
        replay = _Replay(study, size=len(head.low))
        for entry in work.entries(study, 0):
            replay.take(entry)
        replay.compare(head, dict(work.counts(study)), work.pending(study))
    return Verification(ok=True, entries=head.sequence, head=head.hash)


class _Replay:
    """The state that the entries imply, built up one by one."""

    def __init__(self, study: str, size: int) -> None:
        self.study = study
        self.head = Head(0, GENESIS, "", (0,) * size, (0,) * size)
        self.counts: Counter[str] = Counter()
        self.costs: dict[int, str] = {}
        self.pending: dict[int, None] = {}

    def take(self, entry: Entry) -> None:
        expected = self.head.sequence + 1
        self._require(
            entry.sequence == expected and entry.study == self.study, f"entry {expected} is missing", expected
        )
        self._require(
            entry.previous == self.head.hash, f"entry {expected} does not follow the one before it", expected
        )
        self._require(digest(entry.body) == entry.hash, f"entry {expected} is not what was hashed", expected)
        self._require(
            (entry.kind is Kind.OPEN) == (expected == 1), f"entry {expected} is out of order", expected
        )
        self.head = attrs.evolve(self.head, sequence=expected, hash=entry.hash)
        if entry.kind is Kind.OPEN:
            self.head = attrs.evolve(self.head, settings=canonical(entry.draft.settings))
        elif entry.kind is Kind.RESERVE:
            self._charge(expected, canonical(entry.draft.cost or ()))
        elif entry.kind in RESOLUTIONS:
            self._resolve(entry)

    def compare(self, head: Head, counts: dict[str, int], pending: tuple[int, ...]) -> None:
        self._require(
            head.sequence == self.head.sequence, "the last entries are missing", self.head.sequence + 1
        )
        self._require(head == self.head, "the checkpoint is not what the entries add up to", None)
        self._require(counts == +self.counts, "the counted costs are not those of the entries", None)
        self._require(
            sorted(pending) == sorted(self.pending), "the pending reserves are not those of the entries", None
        )

    def _charge(self, sequence: int, cost: str) -> None:
        self.costs[sequence] = cost
        self.pending[sequence] = None
        self._add(sequence, cost, 1)

    def _resolve(self, entry: Entry) -> None:
        reserve = entry.draft.refers_to or 0
        known = self.pending.pop(reserve, False) is None
        self._require(known, f"entry {entry.sequence} resolves what is not pending", entry.sequence)
        cost = self.costs.pop(reserve)
        if entry.kind is Kind.VOID:
            self._add(entry.sequence, cost, -1)

    def _add(self, sequence: int, cost: str, times: int) -> None:
        low, high = increments(cost)
        self._require(
            len(low) == len(self.head.low), f"entry {sequence} has a cost of another currency", sequence
        )
        self.counts[cost] += times
        self.head = attrs.evolve(
            self.head, low=add(self.head.low, low, times), high=add(self.head.high, high, times)
        )

    def _require(self, holds: bool, message: str, entry: int | None) -> None:
        if not holds:
            raise LedgerCorruptedError(f"{self.study}: {message}", entry=entry)
