"""A ledger in memory: for simulations and tests. It ends with its process, and a copy of it would spend the budget twice."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import NoReturn, TypeVar

from privacy_accountant.errors import LedgerError
from privacy_accountant.ledger.entries import RESOLUTIONS, Entry, Kind
from privacy_accountant.ledger.recorder import Recorder
from privacy_accountant.ledger.transaction import Head, Transaction

K = TypeVar("K")
V = TypeVar("V")


class _Study:
    """What is kept for one study."""

    def __init__(self, head: Head) -> None:
        self.head = head
        self.entries: list[Entry] = []
        self.keys: dict[str, Entry] = {}
        self.resolutions: dict[int, Entry] = {}
        self.counts: dict[str, int] = {}
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

    @contextlib.contextmanager
    def transaction(self, *, write: bool) -> Iterator[Transaction]:  # noqa: ARG002 - memory needs no write lock of its own
        """The store itself, with a list of how to undo what was written; forgetting that list is the commit."""
        if self._unusable is not None:
            raise LedgerError(self._unusable)
        # An interrupt may strike anywhere, in the undoing as well: what is left of the last transaction goes first.
        self._work.undo()
        try:
            yield self._work
            self._work.commit()
        except BaseException:
            self._work.undo()
            raise

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
        self._undo: list[Callable[[], object]] = []

    def commit(self) -> None:
        self._undo = []

    def undo(self) -> None:
        """Take every write back. Each step may be run twice, and stays in the list until it was run."""
        while self._undo:
            self._undo[-1]()
            self._undo.pop()

    def studies(self) -> tuple[str, ...]:
        return tuple(sorted(self._studies))

    def head(self, study: str) -> Head | None:
        held = self._studies.get(study)
        return None if held is None else held.head

    def set_head(self, study: str, head: Head, *, before: Head | None) -> None:
        if before is None:
            self._undo.append(lambda: self._studies.pop(study, None))
            self._studies[study] = _Study(head)
            return
        held = self._studies[study]
        self._undo.append(lambda: setattr(held, "head", before))
        held.head = head

    def append(self, entry: Entry) -> None:
        held = self._studies[entry.study]
        length = len(held.entries)
        self._undo.append(lambda: held.entries.__delitem__(slice(length, None)))
        held.entries.append(entry)
        if entry.kind is Kind.RESERVE and entry.draft.key is not None:
            self._put(held.keys, entry.draft.key, entry)
        if entry.kind in RESOLUTIONS and entry.draft.refers_to is not None:
            self._put(held.resolutions, entry.draft.refers_to, entry)

    def entry(self, study: str, sequence: int) -> Entry | None:
        entries = self._studies[study].entries
        return entries[sequence - 1] if 0 < sequence <= len(entries) else None

    def keyed(self, study: str, key: str) -> Entry | None:
        return self._studies[study].keys.get(key)

    def resolution(self, study: str, sequence: int) -> Entry | None:
        return self._studies[study].resolutions.get(sequence)

    def amendment(self, study: str) -> Entry | None:
        amended = (entry for entry in reversed(self._studies[study].entries) if entry.kind is Kind.AMEND)
        return next(amended, None)

    def entries(self, study: str, after: int) -> Iterator[Entry]:
        return iter(self._studies[study].entries[after:])

    def count(self, study: str, cost: str, times: int) -> None:
        counts = self._studies[study].counts
        total = counts.get(cost, 0) + times
        self._put(counts, cost, total or None)

    def counts(self, study: str) -> Mapping[str, int]:
        return self._studies[study].counts

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
        before = table.get(key)
        self._undo.append(lambda: _set(table, key, before))
        _set(table, key, value)


def _set(table: dict[K, V], key: K, value: V | None) -> None:
    if value is None:
        table.pop(key, None)
    else:
        table[key] = value
