"""The ledger in one SQLite file: write-ahead log, full sync, one writer at a time, readable by its owner only."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from sqlalchemy import Connection, Engine, create_engine, inspect
from sqlalchemy.engine import URL
from sqlalchemy.exc import DatabaseError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from privacy_accountant.errors import LedgerCorruptedError, LedgerError
from privacy_accountant.ledger import schema
from privacy_accountant.ledger.recorder import Recorder, Transaction
from privacy_accountant.ledger.sql import transaction

_BROKEN = ("malformed", "not a database")


class SqliteRecorder(Recorder):
    """A recorder on a SQLite file.

    Safe from threads and from other processes on the same host: a writer takes the file's write lock before it reads, and a
    commit has reached the disk when it returns. A forked child opens its own connection.

    Args:
        path: The file; one file holds many studies.
        create: Whether to create a ledger where there is none, with mode 0600.
        patience: Seconds to wait for other writers.

    Raises:
        LedgerError: When the file cannot be opened or holds something else or a later schema.
    """

    def __init__(self, path: str | os.PathLike[str], *, create: bool = True, patience: float = 30.0) -> None:
        super().__init__()
        self._path = Path(path).absolute()
        self._patience = patience
        self._engine: Engine | None = None
        self._connection: Connection | None = None
        self._closed = False
        self._claim(create)
        try:
            with self._guard():
                self._prepare(create)
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
        with self._guard(), transaction(self._connect(), "BEGIN IMMEDIATE" if write else "BEGIN") as work:
            yield work

    def close(self) -> None:
        """Close the connection."""
        self._closed = True
        if self._connection is not None:
            self._connection.close()
        if self._engine is not None:
            self._engine.dispose()
        self._connection = self._engine = None

    def forked(self) -> None:
        """Leave the parent's connection alone, unclosed, and open a new one at the next transaction."""
        _abandoned.append((self._connection, self._engine))
        self._connection = self._engine = None

    def __reduce__(self) -> NoReturn:
        raise LedgerError("a recorder cannot be copied; open the ledger again")

    def _claim(self, create: bool) -> None:
        """Create the file before SQLite does, so that nobody else can ever read it."""
        try:
            if create:
                os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600))
        except OSError as error:
            raise LedgerError(f"{self._path}: {error.strerror}") from None
        if not self._path.is_file():
            raise LedgerError(f"{self._path}: no ledger is here; one is created when a budget is given")

    def _connect(self) -> Connection:
        if self._closed:
            raise LedgerError(f"{self._path}: the ledger is closed")
        if self._connection is None:
            self._engine = create_engine(
                URL.create("sqlite", database=str(self._path)),
                poolclass=NullPool,
                hide_parameters=True,
                connect_args={"isolation_level": None, "timeout": self._patience, "check_same_thread": False},
            )
            self._connection = self._engine.connect()
            self._set_up(self._connection)
        return self._connection

    def _set_up(self, connection: Connection) -> None:
        deadline = time.monotonic() + self._patience
        while not _in_wal(connection, last_try=time.monotonic() > deadline):
            time.sleep(0.01)
        _pragma(connection, "synchronous=FULL")
        _pragma(connection, "foreign_keys=ON")
        connection.rollback()

    def _prepare(self, create: bool) -> None:
        connection = self._connect()
        with connection.begin():
            connection.exec_driver_sql("BEGIN IMMEDIATE" if create else "BEGIN")
            tables = set(inspect(connection).get_table_names())
            if schema.schema.name not in tables:
                if tables or not create:
                    raise LedgerError(f"{self._path}: the file is not a ledger")
                schema.metadata.create_all(connection, checkfirst=False)
                connection.execute(schema.SET_VERSION, {"version": schema.VERSION})
            version = connection.execute(schema.GET_VERSION).scalar()
        if version != schema.VERSION:
            raise LedgerError(
                f"{self._path}: schema version {version}; this version reads {schema.VERSION} only"
            )

    @contextlib.contextmanager
    def _guard(self) -> Iterator[None]:
        """Turn the database's errors into the ledger's; what the statement held is never quoted."""
        try:
            yield
        except SQLAlchemyError as error:
            text = str(getattr(error, "orig", None) or type(error).__name__)
            if any(word in text for word in _BROKEN):
                raise LedgerCorruptedError(f"{self._path}: {text}") from None
            raise LedgerError(f"{self._path}: {text}") from None


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


_abandoned: list[Any] = []
