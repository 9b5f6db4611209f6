"""The ledger in a PostgreSQL database: serialisable transactions, run again when another writer came first."""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from privacy_accountant.errors import MissingExtraError
from privacy_accountant.ledger.database import DatabaseRecorder
from privacy_accountant.ledger.sealing import Sealer
from privacy_accountant.ledger.sql import SqlTransaction
from privacy_accountant.ledger.transaction import Transaction

T = TypeVar("T")

_AGAIN = frozenset(("40001", "40P01", "23505", "42P07"))
"""Serialisation failure, deadlock, and what a race to create the same thing looks like: the next attempt sees what won."""

_UNFINISHED = frozenset((1, 2, 3))
"""What libpq says of a connection on which a transaction is active, open, or failed."""

_BROKEN = frozenset(("XX001", "XX002"))
_LONGEST_PAUSE = 0.25


class PostgresRecorder(DatabaseRecorder):
    """A recorder on a PostgreSQL database, for studies that several hosts share.

    Every write is one serialisable transaction that locks the study's checkpoint first; when the database reports that another
    writer came first (SQLSTATE 40001), the whole step runs again on what is there now. Distributed databases that speak the same
    protocol report conflicts in the same way. A forked child opens its own connection.

    Args:
        url: The database, as `postgresql+psycopg://user@host/name`.
        create: Whether to create the tables where there are none.
        patience: Seconds for which conflicts are retried.
        sealer: How entries are hashed.

    Raises:
        LedgerError: When the database cannot be reached or holds a later schema.
        MissingExtraError: When psycopg is not installed.
    """

    def __init__(
        self, url: URL, *, create: bool = True, patience: float = 30.0, sealer: Sealer | None = None
    ) -> None:
        super().__init__(sealer)
        self._url = url.set(drivername="postgresql+psycopg")
        self._patience = patience
        try:
            self.write(lambda _: self._prepare(self._connect(), create))
        except BaseException:
            self.close()
            raise

    @property
    def name(self) -> str:
        """The database, without a password."""
        return self._url.render_as_string(hide_password=True)

    @property
    def location(self) -> str:
        """The URL as it was given: with the password, if one was written into it."""
        return self._url.render_as_string(hide_password=False)

    def write(self, script: Callable[[Transaction], T]) -> T:
        """Run a script in one serialisable transaction, again and again while other writers come first."""
        self._refuse_reentry()
        deadline = time.monotonic() + self._patience
        pause = 0.002
        with self.lock, self._guard():
            while True:
                try:
                    with self._begin(write=True) as work:
                        return script(work)
                except DBAPIError as error:
                    if _state(error.orig) not in _AGAIN or time.monotonic() > deadline:
                        raise
                # Jitter, so that writers who met once do not meet again; it decides nothing that anyone could want to guess.
                time.sleep(random.uniform(0, pause))  # noqa: S311
                pause = min(2 * pause, _LONGEST_PAUSE)

    @contextlib.contextmanager
    def transaction(self, *, write: bool) -> Iterator[Transaction]:
        """A transaction: a consistent snapshot to read, serialisable to write."""
        with self._guard(), self._begin(write=write) as work:
            yield work

    @property
    def address(self) -> str:
        """The URL without a password."""
        plain = self._url.set(password=None).difference_update_query(("password",))
        return plain.render_as_string(hide_password=False)

    def _prepare(self, connection: Connection, create: bool) -> None:
        if not self._require_schema(connection, create):
            self._migrate(connection)

    @contextlib.contextmanager
    def _begin(self, *, write: bool) -> Iterator[Transaction]:
        connection = self._connect()
        driver: Any = connection.connection.driver_connection
        if driver.info.transaction_status in _UNFINISHED:
            # An interrupt struck where not even a rollback was possible: the server takes back what it hears no more of.
            connection.invalidate()
            connection = self._connect()
        level: Any = "SERIALIZABLE" if write else "REPEATABLE READ"
        connection.execution_options(isolation_level=level, postgresql_readonly=not write)
        with connection.begin():
            yield SqlTransaction(connection, locking=write)

    def _make_engine(self) -> Engine:
        try:
            return create_engine(self._url, poolclass=NullPool, hide_parameters=True)
        except ImportError:
            raise MissingExtraError("a ledger on PostgreSQL", "postgres") from None

    def _set_up(self, connection: Connection) -> None:
        # A server may be configured to acknowledge commits that it could still lose.
        connection.exec_driver_sql("SET SESSION synchronous_commit TO on")
        connection.commit()

    def _is_foreign(self, tables: set[str]) -> bool:
        """A database is shared by many programs: other tables are nobody's concern."""
        del tables
        return False

    @property
    def _driver_error(self) -> type[Exception]:
        return DBAPIError

    def _is_broken(self, error: object) -> bool:
        return _state(error) in _BROKEN

    def _told(self, error: Any) -> str:
        # The detail of a message quotes rows; its first line does not.
        primary = getattr(getattr(error, "diag", None), "message_primary", None)
        return str(primary or (str(error).splitlines() or [type(error).__name__])[0])


def _state(error: object) -> str | None:
    state = getattr(error, "sqlstate", None)
    return state if isinstance(state, str) else None
