"""The abstract recorder: what a ledger does, in terms of the few things that a store must be able to do.

The order of events is written here once: read the head, find the key, check the balance, append, update the checkpoints,
all in one transaction. A store (memory, SQL) brings transactions and storage, and no policy.
"""

from __future__ import annotations

import abc
import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TypeVar

import attrs

from privacy_accountant.codec import Json
from privacy_accountant.errors import InvalidParameterError, LedgerCorruptedError, LedgerError
from privacy_accountant.ledger.balance import Balance, add, empty, increments
from privacy_accountant.ledger.checkpoints import tally, trusted
from privacy_accountant.ledger.entries import GENESIS, RESOLUTIONS, Draft, Entry, Kind, canonical, seal
from privacy_accountant.ledger.forks import watch
from privacy_accountant.ledger.planning import plan_for
from privacy_accountant.ledger.sealing import Sealer
from privacy_accountant.ledger.transaction import Head, Reserved, Transaction

T = TypeVar("T")


class Recorder(abc.ABC):
    """An append-only, hash-chained ledger of studies. Safe from threads; a store says what else it is safe from.

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

    @abc.abstractmethod
    def transaction(self, *, write: bool) -> AbstractContextManager[Transaction]:
        """Begin a transaction; it commits at the end of the block and rolls back when the block raises."""

    @abc.abstractmethod
    def close(self) -> None:
        """Give back what the store holds open; a second call does nothing."""

    @abc.abstractmethod
    def forked(self) -> None:
        """Called in the child process after a fork, before anything else runs there."""

    def write(self, script: Callable[[Transaction], T]) -> T:
        """Run a script in one writing transaction. A store may run it again from the start when another writer came first."""
        self._refuse_reentry()
        with self.lock, self.transaction(write=True) as work:
            return script(work)

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

    def create(self, study: str, settings: Json, size: int) -> Head:
        """Begin a study; when another process began it in the meantime, its head comes back and nothing is written.

        Args:
            study: Name of the study.
            settings: Its settings.
            size: How many components its costs have.
        """

        def script(work: Transaction) -> Head:
            held = work.head(study)
            if held is not None:
                return held
            start = empty(size)
            before = Head(0, GENESIS, canonical(settings), start.low, start.high)
            entry, head = self._next(before, study, Draft(Kind.OPEN, settings=settings), dict)
            work.set_head(study, head, before=None)
            work.append(entry)
            return head

        return self.write(script)

    def reserve(self, study: str, draft: Draft, check: Callable[[Balance], None]) -> Reserved:
        """Charge a release, or find the one that already has its key: one atomic step.

        Args:
            study: Name of the study.
            draft: A `Kind.RESERVE` with its cost.
            check: Called with the balance before the charge; what it raises refuses the charge, and nothing is written.

        Returns:
            The reserve. With a repeated key, the earlier one and what became of it; `check` is not called.
        """
        cost = canonical(draft.cost)
        low, high = increments(cost)

        def script(work: Transaction) -> Reserved:
            head = _existing(work, study)
            if draft.key is not None and (held := work.keyed(study, draft.key)) is not None:
                resolution = work.resolution(study, held.sequence)
                return Reserved(held, resolution, True, head, _counts(work, study, head))
            # Only where costs compose instead of adding up can releases have been planned.
            plan = None if head.low else plan_for(work, study, draft)
            if plan is None:
                check(_balance(work, study, head))
                work.count(study, cost, 1)
                ends = add(head.low, low, 1), add(head.high, high, 1)
                charged = Head(head.sequence, head.hash, head.settings, *ends)
                entry, after = self._next(charged, study, draft, lambda: work.counts(study))
            else:
                work.clear_pending(study, plan.sequence)
                drawn = attrs.evolve(draft, refers_to=plan.sequence)
                entry, after = self._next(head, study, drawn, lambda: work.counts(study))
            work.append(entry)
            work.set_pending(study, entry.sequence)
            work.set_head(study, after, before=head)
            return Reserved(entry, None, False, after, _counts(work, study, after))

        return self.write(script)

    def plan(
        self, study: str, drafts: Sequence[Draft], check: Callable[[Balance], None]
    ) -> tuple[Entry, ...]:
        """Charge planned releases, all of them or none.

        Args:
            study: Name of a study whose costs compose.
            drafts: One `Kind.PLAN` with its cost for each release.
            check: Called with the balance before the charge; what it raises refuses the whole plan.
        """

        def script(work: Transaction) -> tuple[Entry, ...]:
            before = head = _existing(work, study)
            check(_balance(work, study, head))
            entries = []
            for draft in drafts:
                work.count(study, canonical(draft.cost), 1)
                entry, head = self._next(head, study, draft, lambda: work.counts(study))
                work.append(entry)
                work.set_pending(study, entry.sequence)
                entries.append(entry)
            work.set_head(study, head, before=before)
            return tuple(entries)

        return self.write(script)

    def resolve(self, study: str, draft: Draft, check: Callable[[Entry | None], None] | None = None) -> Entry:
        """Resolve a pending reserve, once: post it, mark it failed, or void it and give its cost back.

        Args:
            study: Name of the study.
            draft: A post, fail or void that refers to the reserve.
            check: Called with the entry it refers to; what it raises refuses the resolution, and nothing is written.

        Raises:
            LedgerError: When the reserve is not pending.
        """
        reserve = draft.refers_to
        if draft.kind not in RESOLUTIONS or reserve is None:
            raise InvalidParameterError(
                "draft", "a post, fail or void that refers to a reserve", draft.kind.value
            )

        def script(work: Transaction) -> Entry:
            head = _existing(work, study)
            if check is not None:
                check(work.entry(study, reserve))
            if not work.clear_pending(study, reserve):
                raise LedgerError(f"{study}: entry {reserve} is not pending")
            void = draft.kind is Kind.VOID
            charged = _give_back(work, study, head, reserve) if void else head
            entry, after = self._next(charged, study, draft, lambda: work.counts(study))
            work.append(entry)
            work.set_head(study, after, before=head)
            return entry

        return self.write(script)

    def remark(self, study: str, draft: Draft, check: Callable[[Balance], None]) -> Head:
        """Amend the settings, or note something; neither touches the balance.

        Args:
            study: Name of the study.
            draft: A `Kind.AMEND` with the new settings, or a `Kind.NOTE`.
            check: Called with the balance as it is; what it raises refuses the entry, and nothing is written.
        """
        if draft.kind not in (Kind.AMEND, Kind.NOTE):
            raise InvalidParameterError("draft", "an amendment or a note", draft.kind.value)

        def script(work: Transaction) -> Head:
            head = _existing(work, study)
            check(_balance(work, study, head))
            entry, after = self._next(head, study, draft, lambda: work.counts(study))
            if draft.kind is Kind.AMEND:
                after = attrs.evolve(after, settings=canonical(draft.settings))
            work.append(entry)
            work.set_head(study, after, before=head)
            return after

        return self.write(script)

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[Transaction]:
        """One consistent reading of the store."""
        self._refuse_reentry()
        with self.lock, self.transaction(write=False) as work:
            yield work

    def ask(self, study: str, question: Callable[[Balance], T]) -> T:
        """Put a question to the balance as of now, pending reserves included; the balance is valid during the call only."""
        with self.snapshot() as work:
            return question(_balance(work, study, _existing(work, study)))

    def entries(self, study: str) -> tuple[Entry, ...]:
        """Every entry of a study, in order."""
        with self.snapshot() as work:
            _existing(work, study)
            return tuple(work.entries(study, 0))

    def pending(self, study: str) -> tuple[Entry, ...]:
        """The reserves that nothing has resolved: in flight in some process, or left by a crash. They count as spent."""
        with self.snapshot() as work:
            _existing(work, study)
            found = (work.entry(study, sequence) for sequence in work.pending(study))
            return tuple(entry for entry in found if entry is not None)

    def _refuse_reentry(self) -> None:
        """Refuse a signal handler, or what a check calls, that uses the ledger in the middle of its own thread's transaction."""
        if self.lock._is_owned():  # type: ignore[attr-defined]
            raise LedgerError(
                f"{self.name}: the ledger is in the middle of a transaction of this very thread"
            )

    def _next(
        self, head: Head, study: str, draft: Draft, counts: Callable[[], Mapping[str, int]]
    ) -> tuple[Entry, Head]:
        """The entry after a head whose balance is already what it will be, and the head after it."""
        entry = seal(
            attrs.evolve(draft, balance=tally(head.low, head.high, counts)),
            study=study,
            sequence=head.sequence + 1,
            previous=head.hash,
            hashed=self.sealer.digest,
        )
        return entry, Head(entry.sequence, entry.hash, head.settings, head.low, head.high)


def _existing(work: Transaction, study: str) -> Head:
    head = work.head(study)
    if head is None:
        raise LedgerError(
            f"the ledger holds no study {study!r}; it holds {', '.join(work.studies()) or 'none'}"
        )
    return head


def _balance(work: Transaction, study: str, head: Head) -> Balance:
    return Balance(head.low, head.high, lambda: work.counts(study), head.settings)


def _counts(work: Transaction, study: str, head: Head) -> Mapping[str, int]:
    return {} if head.low else dict(work.counts(study))


def _give_back(work: Transaction, study: str, head: Head, sequence: int) -> Head:
    reserve = work.entry(study, sequence)
    if reserve is None or reserve.draft.cost is None:
        raise LedgerCorruptedError(f"{study}: pending entry {sequence} is no reserve", entry=sequence)
    if reserve.kind is Kind.PLAN:
        raise LedgerError(f"{study}: entry {sequence} is planned, and a plan stays declared")
    if reserve.draft.refers_to is not None:
        work.set_pending(study, reserve.draft.refers_to)
        return head
    cost = canonical(reserve.draft.cost)
    low, high = increments(cost)
    work.count(study, cost, -1)
    return attrs.evolve(head, low=add(head.low, low, -1), high=add(head.high, high, -1))
