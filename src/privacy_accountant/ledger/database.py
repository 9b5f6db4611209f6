"""What the recorders on a SQL database share: one connection, the schema's version, errors that quote nothing."""

from __future__ import annotations

import abc
import contextlib
from collections.abc import Iterator
from typing import Any, NoReturn

from sqlalchemy import Connection, Engine, inspect
from sqlalchemy.exc import SQLAlchemyError

from privacy_accountant.errors import LedgerCorruptedError, LedgerError
from privacy_accountant.ledger import schema
from privacy_accountant.ledger.recorder import Recorder
from privacy_accountant.ledger.sealing import Sealer


class DatabaseRecorder(Recorder):
    """A recorder on one connection to a SQL database, opened when it is first needed.

    Args:
        sealer: How entries are hashed.
    """

    def __init__(self, sealer: Sealer | None) -> None:
        super().__init__(sealer)
        self._engine: Engine | None = None
        self._connection: Connection | None = None
        self._closed = False

    @abc.abstractmethod
    def _make_engine(self) -> Engine:
        """An engine that opens connections to the database and keeps none."""

    @abc.abstractmethod
    def _set_up(self, connection: Connection) -> None:
        """Make a new connection as durable as the ledger promises."""

    @property
    @abc.abstractmethod
    def _driver_error(self) -> type[Exception]:
        """What the driver raises where SQLAlchemy does not stand in between."""

    @abc.abstractmethod
    def _is_broken(self, error: object) -> bool:
        """Whether an error of the driver says that what is stored cannot be read."""

    def close(self) -> None:
        """Close the connection, once no thread is in a transaction."""
        with self.lock:
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

    def _connect(self) -> Connection:
        if self._closed:
            raise LedgerError(f"{self.name}: the ledger is closed")
        if self._connection is not None and self._connection.invalidated:
            # The server went away and may be back: what it forgot about the connection is set up again.
            self._connection.close()
            self._connection = None
        if self._connection is None:
            self._engine = self._make_engine()
            connection = self._engine.connect()
            try:
                self._set_up(connection)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _require_schema(self, connection: Connection, create: bool) -> bool:
        """Check that the ledger's tables are there and of a version that this code knows, or create them.

        Returns:
            Whether they are of this version; else `_migrate` brings them to it.
        """
        if not self._require_ours(connection, create):
            schema.metadata.create_all(connection, checkfirst=False)
            connection.execute(schema.SET_VERSION, {"version": schema.VERSION})
        version = connection.execute(schema.GET_VERSION).scalar()
        if version != schema.VERSION and version not in schema.MIGRATIONS:
            raise LedgerError(
                f"{self.name}: schema version {version}; this version reads up to {schema.VERSION}"
            )
        return bool(version == schema.VERSION)

    def _migrate(self, connection: Connection) -> None:
        """Bring older tables to this version, in a transaction that nobody else can write beside."""
        version = connection.execute(schema.GET_VERSION_TO_WRITE).scalar_one()
        for step in range(version, schema.VERSION):
            for statement in schema.MIGRATIONS[step]:
                connection.execute(statement)
        connection.execute(schema.RAISE_VERSION, {"version": schema.VERSION})

    def _require_ours(self, connection: Connection, create: bool) -> bool:
        """Whether the ledger's tables are there; refuses a database where they are not and must not be created."""
        tables = set(inspect(connection).get_table_names())
        if schema.schema.name in tables:
            return True
        if self._is_foreign(tables):
            raise LedgerError(f"{self.name}: this is not a ledger")
        if not create:
            raise LedgerError(f"{self.name}: no ledger is here; one is created when a budget is given")
        return False

    def _is_foreign(self, tables: set[str]) -> bool:
        """Whether a database that has these tables, and no ledger, is somebody else's."""
        return bool(tables)

    @contextlib.contextmanager
    def _guard(self) -> Iterator[None]:
        """Turn the database's errors into the ledger's; what the statement held is never quoted."""
        try:
            yield
        except UnicodeDecodeError:
            # A damaged schema: not even the driver's own message about it can be read.
            raise LedgerCorruptedError(f"{self.name}: what is stored is not text") from None
        except (SQLAlchemyError, self._driver_error) as error:
            original: Any = getattr(error, "orig", None if isinstance(error, SQLAlchemyError) else error)
            text = self._told(original) if original is not None else type(error).__name__
            kind = LedgerCorruptedError if self._is_broken(original) else LedgerError
            raise kind(f"{self.name}: {text}") from None

    def _told(self, error: Any) -> str:
        """What the driver says went wrong, in one line and without what was to be stored."""
        return str(error)


_abandoned: list[Any] = []
