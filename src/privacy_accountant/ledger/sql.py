"""A ledger in a SQL database, through SQLAlchemy Core."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, Row

from privacy_accountant.codec.numbers import decode_integer, encode_integer
from privacy_accountant.errors import InvalidParameterError, LedgerCorruptedError
from privacy_accountant.ledger import schema
from privacy_accountant.ledger.entries import Entry, canonical, digest, read
from privacy_accountant.ledger.transaction import WHOLE, Bounds, Head, Transaction


class SqlTransaction(Transaction):
    """The ledger's tables, on a connection that is inside a transaction.

    Args:
        connection: The connection.
        locking: Whether reading a checkpoint locks it until the end of the transaction.
    """

    def __init__(self, connection: Connection, *, locking: bool = False) -> None:
        self._connection = connection
        self._get_head = schema.GET_HEAD_TO_WRITE if locking else schema.GET_HEAD

    def _run(self, statement: Any, **values: Any) -> Any:
        return self._connection.execute(statement, values)

    def studies(self) -> tuple[str, ...]:
        """The studies that the ledger holds."""
        return tuple(row.study for row in self._run(schema.LIST_STUDIES))

    def head(self, study: str) -> Head | None:
        """The checkpoint of a study."""
        row = self._run(self._get_head, in_study=study).first()
        if row is None:
            return None
        low, high = _total(row, study)
        return Head(row.sequence, row.hash, row.settings, low, high, _names(row.worst, study))

    def set_head(self, study: str, head: Head, *, before: Head | None) -> None:
        """Store a checkpoint; the balance only when it has changed."""
        state = {"sequence": head.sequence, "hash": head.hash, "settings": head.settings}
        state["worst"] = canonical(head.worst)
        if before is None:
            self._run(schema.ADD_STUDY, study=study, **state)
            self.set_total(study, WHOLE, (head.low, head.high), before=None)
            return
        self._run(schema.SET_STUDY, in_study=study, **state)
        if (head.low, head.high) != (before.low, before.high):
            self.set_total(study, WHOLE, (head.low, head.high), before=(before.low, before.high))

    def append(self, entry: Entry) -> None:
        """Store an entry; a place that is taken is an error of the database."""
        self._run(
            schema.ADD_ENTRY,
            study=entry.study,
            sequence=entry.sequence,
            kind=entry.kind.value,
            key=entry.draft.key,
            refers_to=entry.draft.refers_to,
            body=entry.body,
            hash=entry.hash,
        )

    def entry(self, study: str, sequence: int) -> Entry | None:
        """One entry."""
        return _entry(self._run(schema.GET_ENTRY, in_study=study, in_sequence=sequence).first())

    def keyed(self, study: str, key: str) -> Entry | None:
        """The last reserve that carries a key."""
        return _entry(self._run(schema.GET_KEYED, in_study=study, in_key=key).first())

    def resolution(self, study: str, sequence: int) -> Entry | None:
        """The entry that resolves a reserve."""
        return _entry(self._run(schema.GET_RESOLUTION, in_study=study, in_sequence=sequence).first())

    def amendment(self, study: str) -> Entry | None:
        """The last amendment of a study."""
        return _entry(self._run(schema.GET_AMENDMENT, in_study=study).first())

    def entries(self, study: str, after: int) -> Iterator[Entry]:
        """The entries with a sequence above `after`, in order."""
        for row in self._run(schema.LIST_ENTRIES, in_study=study, in_sequence=after):
            yield _read(row)

    def count(self, study: str, cost: str, times: int, scope: str = WHOLE) -> None:
        """Add to the count of a distinct cost; a count that falls to zero goes."""
        this = {"in_study": study, "in_scope": scope, "in_cost_hash": digest(cost)}
        found = self._run(schema.ADD_TO_COUNT, times=times, **this).rowcount
        if not found:
            values = {"cost_hash": this["in_cost_hash"], "cost": cost, "count": times}
            self._run(schema.ADD_COUNT, study=study, scope=scope, **values)
        elif times < 0:
            self._run(schema.DROP_COUNT, **this)

    def counts(self, study: str, scope: str = WHOLE) -> Mapping[str, int]:
        """How often each distinct cost was charged."""
        found = self._run(schema.LIST_COUNTS, in_study=study, in_scope=scope)
        return {row.cost: row.count for row in found}

    def counted(self, study: str) -> Iterator[tuple[str, str, int]]:
        """The counts of all partitions."""
        for row in self._run(schema.LIST_ALL_COUNTS, in_study=study):
            yield row.scope, row.cost, row.count

    def total(self, study: str, partition: str) -> Bounds | None:
        """What was charged to a partition alone."""
        row = self._run(schema.GET_TOTAL, in_study=study, in_scope=partition).first()
        return None if row is None else _total(row, study)

    def set_total(self, study: str, partition: str, total: Bounds, *, before: Bounds | None) -> None:
        """Store what was charged to a partition alone."""
        low, high = map(_text, total)
        if before is None:
            self._run(schema.ADD_TOTAL, study=study, scope=partition, low=low, high=high)
        else:
            self._run(schema.SET_TOTAL, in_study=study, in_scope=partition, low=low, high=high)

    def totals(self, study: str) -> Iterator[tuple[str, Bounds]]:
        """What was charged to each partition."""
        for row in self._run(schema.LIST_TOTALS, in_study=study):
            yield row.scope, _total(row, study)

    def set_pending(self, study: str, sequence: int) -> None:
        """Mark a reserve as pending."""
        self._run(schema.ADD_PENDING, study=study, sequence=sequence)

    def clear_pending(self, study: str, sequence: int) -> bool:
        """Clear the mark."""
        return bool(self._run(schema.DROP_PENDING, in_study=study, in_sequence=sequence).rowcount)

    def pending(self, study: str) -> tuple[int, ...]:
        """The pending reserves, in order."""
        return tuple(row.sequence for row in self._run(schema.LIST_PENDING, in_study=study))


def _entry(row: Row[Any] | None) -> Entry | None:
    return None if row is None else _read(row)


def _read(row: Row[Any]) -> Entry:
    """Read an entry and check that the columns by which it is found say what its body says."""
    entry = read(row.body, row.hash, row.sequence)
    if (entry.kind.value, entry.draft.key, entry.draft.refers_to) != (row.kind, row.key, row.refers_to):
        raise LedgerCorruptedError(
            f"entry {row.sequence} is filed under what it does not say", entry=row.sequence
        )
    return entry


def _text(bounds: tuple[int, ...]) -> str:
    return canonical([encode_integer(bound) for bound in bounds])


def _total(row: Any, study: str) -> Bounds:
    try:
        low, high = (tuple(map(decode_integer, json.loads(text))) for text in (row.low, row.high))
    except (TypeError, ValueError, InvalidParameterError):
        raise LedgerCorruptedError(f"{study}: the checkpoint cannot be read") from None
    return low, high


def _names(text: str, study: str) -> tuple[str, ...]:
    try:
        names = json.loads(text)
    except (TypeError, ValueError):
        names = None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise LedgerCorruptedError(f"{study}: the checkpoint cannot be read")
    return tuple(names)
