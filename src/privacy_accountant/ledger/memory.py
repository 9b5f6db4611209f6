"""A ledger in memory: for simulations and tests. It ends with its process, and a copy of it would spend the budget twice."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import NoReturn

from privacy_accountant.errors import LedgerError
from privacy_accountant.ledger.entries import RESOLUTIONS, Entry, Kind
from privacy_accountant.ledger.recorder import Head, Recorder, Transaction


class _Study:
    """What is kept for one study."""

    def __init__(self, head: Head) -> None:
        self.head = head
        self.entries: list[Entry] = []
        self.keys: dict[str, Entry] = {}
        self.resolutions: dict[int, Entry] = {}
        self.counts: dict[str, int] = {}
        self.pending: dict[int, None] = {}


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
        """The store itself: the recorder's scripts check everything before their first write, and writes cannot fail."""
        if self._unusable is not None:
            raise LedgerError(self._unusable)
        yield self._work

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

    def studies(self) -> tuple[str, ...]:
        return tuple(sorted(self._studies))

    def head(self, study: str) -> Head | None:
        held = self._studies.get(study)
        return None if held is None else held.head

    def set_head(self, study: str, head: Head, *, before: Head | None) -> None:
        if before is None:
            self._studies[study] = _Study(head)
        self._studies[study].head = head

    def append(self, entry: Entry) -> None:
        held = self._studies[entry.study]
        held.entries.append(entry)
        if entry.kind is Kind.RESERVE and entry.draft.key is not None:
            held.keys[entry.draft.key] = entry
        if entry.kind in RESOLUTIONS and entry.draft.refers_to is not None:
            held.resolutions[entry.draft.refers_to] = entry

    def entry(self, study: str, sequence: int) -> Entry | None:
        entries = self._studies[study].entries
        return entries[sequence - 1] if 0 < sequence <= len(entries) else None

    def keyed(self, study: str, key: str) -> Entry | None:
        return self._studies[study].keys.get(key)

    def resolution(self, study: str, sequence: int) -> Entry | None:
        return self._studies[study].resolutions.get(sequence)

    def entries(self, study: str, after: int) -> Iterator[Entry]:
        return iter(self._studies[study].entries[after:])

    def count(self, study: str, cost: str, times: int) -> None:
        counts = self._studies[study].counts
        total = counts.get(cost, 0) + times
        if total:
            counts[cost] = total
        else:
            counts.pop(cost, None)

    def counts(self, study: str) -> Mapping[str, int]:
        return self._studies[study].counts

    def set_pending(self, study: str, sequence: int) -> None:
        self._studies[study].pending[sequence] = None

    def clear_pending(self, study: str, sequence: int) -> bool:
        return self._studies[study].pending.pop(sequence, False) is None

    def pending(self, study: str) -> tuple[int, ...]:
        return tuple(self._studies[study].pending)
