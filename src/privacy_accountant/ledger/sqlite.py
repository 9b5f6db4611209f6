"""The ledger in one SQLite file: write-ahead log, full sync, one writer at a time, readable by its owner only."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.engine import URL
from sqlalchemy.exc import DatabaseError
from sqlalchemy.pool import NullPool

from privacy_accountant.errors import LedgerError
from privacy_accountant.ledger.database import DatabaseRecorder
from privacy_accountant.ledger.prepared import PreparedTransaction
from privacy_accountant.ledger.sealing import Sealer
from privacy_accountant.ledger.transaction import Transaction

_BROKEN = ("malformed", "not a database")


class SqliteRecorder(DatabaseRecorder):
    """A recorder on a SQLite file.

    Safe from threads and from other processes on the same host: a writer takes the file's write lock before it reads, and a
    commit has reached the disk when it returns. A forked child opens its own connection.

    Args:
        path: The file; one file holds many studies.
        create: Whether to create a ledger where there is none, with mode 0600.
        patience: Seconds to wait for other writers.
        sealer: How entries are hashed.

    Raises:
        LedgerError: When the file cannot be opened or holds something else or a later schema.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        create: bool = True,
        patience: float = 30.0,
        sealer: Sealer | None = None,
    ) -> None:
        super().__init__(sealer)
        self._path = Path(path).absolute()
        self._patience = patience
        self._create = create
        self._claim(create)
        try:
            with self.lock, self._guard():
                connection = self._connect()
                with connection.begin():
                    connection.exec_driver_sql("BEGIN IMMEDIATE" if create else "BEGIN")
                    current = self._require_schema(connection, create)
                if not current:
                    with connection.begin():
                        connection.exec_driver_sql("BEGIN IMMEDIATE")
                        self._migrate(connection)
        except BaseException:
            self.close()
            raise

    @property
    def name(self) -> str:
        """The file."""
        return str(self._path)

    @property
    def location(self) -> str:
        """The file."""
        return str(self._path)

    @contextlib.contextmanager
    def transaction(self, *, write: bool) -> Iterator[Transaction]:
        """A transaction; a writing one has the write lock from its first moment."""
        with self._guard():
            connection = self._connect()
            driver: Any = connection.connection.driver_connection
            # An interrupt may strike anywhere, in a rollback as well: what is left of the last transaction goes first.
            if driver.in_transaction:
                driver.rollback()
            try:
                driver.execute("BEGIN IMMEDIATE" if write else "BEGIN")
                yield PreparedTransaction(connection)
                driver.execute("COMMIT")
            except BaseException:
                driver.rollback()
                raise

    def _claim(self, create: bool) -> None:
        """Create the file before SQLite does, so that nobody else can ever read it."""
        try:
            if create:
                os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600))
        except OSError as error:
            raise LedgerError(f"{self._path}: {error.strerror}") from None
        if not self._path.is_file():
            raise LedgerError(f"{self._path}: no ledger is here; one is created when a budget is given")

    def _make_engine(self) -> Engine:
        return create_engine(
            URL.create("sqlite", database=str(self._path)),
            poolclass=NullPool,
            hide_parameters=True,
            connect_args={"isolation_level": None, "timeout": self._patience, "check_same_thread": False},
        )

    def _set_up(self, connection: Connection) -> None:
        # Before anything of the file is changed: it may be somebody else's.
        self._require_ours(connection, self._create)
        deadline = time.monotonic() + self._patience
        while not _in_wal(connection, last_try=time.monotonic() > deadline):
            time.sleep(0.01)
        _pragma(connection, "synchronous=FULL")
        _pragma(connection, "foreign_keys=ON")
        connection.rollback()

    @property
    def _driver_error(self) -> type[Exception]:
        return sqlite3.Error

    def _is_broken(self, error: object) -> bool:
        return any(word in str(error) for word in _BROKEN)


def _pragma(connection: Connection, text: str) -> Any:
    # PRAGMA takes no parameters; every text here is a literal of this module.
    result = connection.exec_driver_sql(f"PRAGMA {text}")
    return result.scalar() if result.returns_rows else None


def _in_wal(connection: Connection, *, last_try: bool) -> bool:
    """Whether the file keeps a write-ahead log, after trying to make it so: that alone does not wait for other connections."""
    try:
        if _pragma(connection, "journal_mode") == "wal" or _pragma(connection, "journal_mode=WAL") == "wal":
            return True
    except DatabaseError as error:
        if last_try or "locked" not in str(error.orig):
            raise
        return False
    raise LedgerError("the file system cannot keep SQLite's write-ahead log; put the ledger on a local disk")
