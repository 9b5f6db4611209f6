"""What can be asked of a ledger, in consistent readings, whatever keeps it."""

from __future__ import annotations

import abc
import contextlib
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TypeVar

from privacy_accountant.errors import LedgerError
from privacy_accountant.ledger.balance import Balance
from privacy_accountant.ledger.book import Book, Partition, existing
from privacy_accountant.ledger.checkpoints import trusted
from privacy_accountant.ledger.entries import Entry
from privacy_accountant.ledger.forks import watch
from privacy_accountant.ledger.sealing import Sealer
from privacy_accountant.ledger.transaction import Head, Transaction

T = TypeVar("T")


class Reader(abc.ABC):
    """A ledger of studies that can be read. Safe from threads.

    Args:
        sealer: How entries are hashed.
    """

    def __init__(self, sealer: Sealer | None = None) -> None:
        self.lock = threading.RLock()
        self.sealer = sealer or Sealer()
        watch(self)

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """Where the ledger is, for people."""

    @property
    def location(self) -> str | None:
        """Where another process finds the same ledger; None when none can."""
        return None

    @property
    def address(self) -> str | None:
        """The location without what is secret in it; two recorders of one address keep one ledger."""
        return self.location

    @abc.abstractmethod
    def transaction(self, *, write: bool) -> AbstractContextManager[Transaction]:
        """Begin a transaction; it commits at the end of the block and rolls back when the block raises."""

    @abc.abstractmethod
    def close(self) -> None:
        """Give back what the store holds open; a second call does nothing."""

    @abc.abstractmethod
    def forked(self) -> None:
        """Called in the child process after a fork, before anything else runs there."""

    def studies(self) -> tuple[str, ...]:
        """The studies that the ledger holds."""
        with self.snapshot() as work:
            return work.studies()

    def find(self, study: str) -> Head | None:
        """A study's checkpoint, None when the ledger has no such study.

        Raises:
            LedgerCorruptedError: When it is not what the hashed entries say; see `trusted`.
            LedgerError: When it is sealed with a key and there is none, or the other way round.
        """
        with self.snapshot() as work:
            return trusted(work, study, self.sealer)

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[Transaction]:
        """One consistent reading of the store."""
        self._refuse_reentry()
        with self.lock, self.transaction(write=False) as work:
            yield work

    def ask(self, study: str, question: Callable[[Balance], T], partition: Partition = None) -> T:
        """Put a question to the balance as of now, pending reserves included; the balance is valid during the call only.

        Args:
            study: Name of the study.
            question: Called with the balance that a release has to fit beside.
            partition: The partitions that it touches; None for all of them.
        """
        with self.snapshot() as work:
            return question(Book(work, study, self.sealer).balance(partition))

    def entries(self, study: str) -> tuple[Entry, ...]:
        """Every entry of a study, in order."""
        with self.snapshot() as work:
            existing(work, study)
            return tuple(work.entries(study, 0))

    def overview(self, study: str) -> tuple[Balance, tuple[Entry, ...]]:
        """The balance that a release of all partitions has to fit beside, and every entry, in one consistent reading."""
        with self.snapshot() as work:
            return Book(work, study, self.sealer).after(None), tuple(work.entries(study, 0))

    def pending(self, study: str) -> tuple[Entry, ...]:
        """The reserves that nothing has resolved: in flight in some process, or left by a crash. They count as spent."""
        with self.snapshot() as work:
            existing(work, study)
            found = (work.entry(study, sequence) for sequence in work.pending(study))
            return tuple(entry for entry in found if entry is not None)

    def _refuse_reentry(self) -> None:
        """Refuse a signal handler, or what a check calls, that uses the ledger in the middle of its own thread's transaction."""
        if self.lock._is_owned():  # type: ignore[attr-defined]
            raise LedgerError(
                f"{self.name}: the ledger is in the middle of a transaction of this very thread"
            )
