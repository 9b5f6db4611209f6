"""A ledger in memory: for simulations and tests. It ends with its process, and a copy of it would spend the budget twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, NoReturn, TypeVar

from privacy_accountant.errors import LedgerError
from privacy_accountant.ledger.entries import RESOLUTIONS, Entry, Kind
from privacy_accountant.ledger.recorder import Recorder
from privacy_accountant.ledger.transaction import WHOLE, Bounds, Head, Transaction

K = TypeVar("K")
V = TypeVar("V")


class _Study:
    """What is kept for one study."""

    def __init__(self) -> None:
        self.entries: dict[int, Entry] = {}
        self.keys: dict[str, Entry] = {}
        self.resolutions: dict[int, Entry] = {}
        self.counts: dict[str, dict[str, int]] = {WHOLE: {}}
        self.totals: dict[str, Bounds] = {}
        self.pending: dict[int, bool] = {}


class MemoryRecorder(Recorder):
    """A recorder that keeps everything in this process. Copies, pickles and forked children of it refuse to work."""

    def __init__(self) -> None:
        super().__init__()
        self._work = _MemoryTransaction()
        self._unusable: str | None = None

    @property
    def name(self) -> str:
        """Where the ledger is."""
        return "memory"

    def transaction(self, *, write: bool) -> AbstractContextManager[Transaction]:  # noqa: ARG002 - memory needs no write lock of its own
        """The store itself, with a list of how to undo what was written; forgetting that list is the commit."""
        if self._unusable is not None:
            raise LedgerError(self._unusable)
        return self._work

    def close(self) -> None:
        """Forget everything."""
        self._unusable = "the ledger is closed"

    def forked(self) -> None:
        """Refuse: parent and child would both spend the whole budget."""
        self._unusable = (
            "a study in memory belongs to the process that opened it; use Accountant.open on a file"
        )

    def __reduce__(self) -> NoReturn:
        raise LedgerError(
            "a study in memory cannot be copied: the copy would spend the budget again; use Accountant.open"
        )


class _MemoryTransaction(Transaction):
    def __init__(self) -> None:
        self._studies: dict[str, _Study] = {}
        self._heads: dict[str, Head] = {}
        self._undo: list[tuple[dict[Any, Any], object, object]] = []

    def __enter__(self) -> Transaction:
        # An interrupt may strike anywhere, in the undoing as well: what is left of the last transaction goes first.
        self.undo()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self.undo()
        self._undo = []

    def undo(self) -> None:
        """Take every write back. Each step may be run twice, and stays in the list until it was run."""
        while self._undo:
            table, key, value = self._undo[-1]
            if value is None:
                table.pop(key, None)
            else:
                table[key] = value
            self._undo.pop()

    def studies(self) -> tuple[str, ...]:
        return tuple(sorted(self._heads))

    def head(self, study: str) -> Head | None:
        return self._heads.get(study)

    def set_head(self, study: str, head: Head, *, before: Head | None) -> None:
        if before is None:
            self._put(self._studies, study, _Study())
        self._put(self._heads, study, head)

    def append(self, entry: Entry) -> None:
        held = self._studies[entry.study]
        self._put(held.entries, entry.sequence, entry)
        if entry.kind is Kind.RESERVE and entry.draft.key is not None:
            self._put(held.keys, entry.draft.key, entry)
        if entry.kind in RESOLUTIONS and entry.draft.refers_to is not None:
            self._put(held.resolutions, entry.draft.refers_to, entry)

    def entry(self, study: str, sequence: int) -> Entry | None:
        return self._studies[study].entries.get(sequence)

    def keyed(self, study: str, key: str) -> Entry | None:
        return self._studies[study].keys.get(key)

    def resolution(self, study: str, sequence: int) -> Entry | None:
        return self._studies[study].resolutions.get(sequence)

    def amendment(self, study: str) -> Entry | None:
        newest_first = reversed(self._studies[study].entries.values())
        amended = (entry for entry in newest_first if entry.kind is Kind.AMEND)
        return next(amended, None)

    def entries(self, study: str, after: int) -> Iterator[Entry]:
        # A copy, because what reads it may go on when the transaction has ended.
        return iter(list(self._studies[study].entries.values())[after:])

    def count(self, study: str, cost: str, times: int, scope: str = WHOLE) -> None:
        counts = self._studies[study].counts.setdefault(scope, {})
        total = counts.get(cost, 0) + times
        self._put(counts, cost, total or None)

    def counts(self, study: str, scope: str = WHOLE) -> Mapping[str, int]:
        return self._studies[study].counts.get(scope, {})

    def counted(self, study: str) -> Iterator[tuple[str, str, int]]:
        for scope, counts in self._studies[study].counts.items():
            if scope != WHOLE:
                yield from ((scope, cost, count) for cost, count in counts.items())

    def total(self, study: str, partition: str) -> Bounds | None:
        return self._studies[study].totals.get(partition)

    def set_total(self, study: str, partition: str, total: Bounds, *, before: Bounds | None) -> None:
        del before
        self._put(self._studies[study].totals, partition, total)

    def totals(self, study: str) -> Iterator[tuple[str, Bounds]]:
        return iter(self._studies[study].totals.items())

    def set_pending(self, study: str, sequence: int) -> None:
        self._put(self._studies[study].pending, sequence, True)

    def clear_pending(self, study: str, sequence: int) -> bool:
        held = self._studies[study].pending
        known = sequence in held
        self._put(held, sequence, None)
        return known

    def pending(self, study: str) -> tuple[int, ...]:
        return tuple(sorted(self._studies[study].pending))

    def _put(self, table: dict[K, V], key: K, value: V | None) -> None:
        """Set a row, or remove it for None."""
        self._undo.append((table, key, table.get(key)))
        if value is None:
            table.pop(key, None)
        else:
            table[key] = value
