"""The ledger's statements on the SQLite driver itself: written by SQLAlchemy once, run many times.

A release makes a dozen small statements; what a general result object costs around each is more than the statement itself.
"""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy import ClauseElement, Connection, Select
from sqlalchemy.dialects import sqlite

from privacy_accountant.ledger.sql import SqlTransaction

_DIALECT: Any = getattr(sqlite, "dialect")()  # noqa: B009 - SQLAlchemy does not type it


class PreparedTransaction(SqlTransaction):
    """The ledger's tables on SQLite, on a connection that is inside a transaction."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._driver: Any = connection.connection.driver_connection

    def _run(self, statement: Any, **values: Any) -> Any:
        text, parameters, row = _prepared(statement, tuple(values))
        return _Result(self._driver.execute(text, parameters(values)), row)


class _Result:
    """The rows of a statement, by name, or how many it changed."""

    __slots__ = ("_cursor", "_row")

    def __init__(self, cursor: Any, row: Callable[..., Any]) -> None:
        self._cursor = cursor
        self._row = row

    @property
    def rowcount(self) -> int:
        """How many rows were changed."""
        count: int = self._cursor.rowcount
        return count

    def first(self) -> Any:
        """The first row, None when there is none."""
        found = self._cursor.fetchone()
        return None if found is None else self._row(*found)

    def __iter__(self) -> Iterator[Any]:
        return (self._row(*found) for found in self._cursor)


@functools.lru_cache(maxsize=256)
def _prepared(
    statement: ClauseElement, names: tuple[str, ...]
) -> tuple[str, Callable[[dict[str, Any]], tuple[Any, ...]], Callable[..., Any]]:
    """The text of a statement, how its parameters follow from values by name, and its kind of row."""
    compiled: Any = statement.compile(dialect=_DIALECT, column_keys=list(names))
    order = tuple(compiled.positiontup or ())
    fixed = {name: compiled.params.get(name) for name in order}

    def parameters(values: dict[str, Any]) -> tuple[Any, ...]:
        return tuple(values[name] if name in values else fixed[name] for name in order)

    columns = [column.name for column in statement.selected_columns] if isinstance(statement, Select) else []
    return str(compiled), parameters, collections.namedtuple("Row", columns)  # noqa: PYI024 - columns are known here only
