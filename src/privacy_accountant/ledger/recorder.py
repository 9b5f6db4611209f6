"""The abstract recorder: what a ledger does, in terms of the few things that a store must be able to do.

The order of events is written here once: read the head, find the key, check the balance, append, update the checkpoints,
all in one transaction. A store (memory, SQL) brings transactions and storage, and no policy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import attrs

from privacy_accountant.codec import Json
from privacy_accountant.errors import InvalidParameterError, LedgerError
from privacy_accountant.ledger.balance import Balance, empty
from privacy_accountant.ledger.book import Book
from privacy_accountant.ledger.entries import GENESIS, RESOLUTIONS, Draft, Entry, Kind, canonical
from privacy_accountant.ledger.planning import plan_for
from privacy_accountant.ledger.reader import Reader
from privacy_accountant.ledger.transaction import Charge, Head, Reserved, Transaction

T = TypeVar("T")


class Recorder(Reader):
    """An append-only, hash-chained ledger of studies. Safe from threads; a store says what else it is safe from."""

    def write(self, script: Callable[[Transaction], T]) -> T:
        """Run a script in one writing transaction. A store may run it again from the start when another writer came first."""
        self._refuse_reentry()
        with self.lock, self.transaction(write=True) as work:
            return script(work)

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
            book = Book(
                work, study, self.sealer, Head(0, GENESIS, canonical(settings), start.low, start.high)
            )
            book.append(Draft(Kind.OPEN, settings=settings))
            return book.head

        return self.write(script)

    def reserve(self, study: str, draft: Draft, check: Callable[[Balance], None]) -> Reserved:
        """Charge a release, or find the one that already has its key: one atomic step.

        Args:
            study: Name of the study.
            draft: A `Kind.RESERVE` with its cost, and its partitions if it does not touch all.
            check: Called with the balance before the charge; what it raises refuses the charge, and nothing is written.

        Returns:
            The reserve. With a repeated key, the earlier one and what became of it; `check` is not called.
        """
        return self.charge((Charge(study, draft, check),))[-1]

    def charge(self, charges: Sequence[Charge], within: int | None = None) -> tuple[Reserved, ...]:
        """Charge a release to a study and to the accounts around it that are in this ledger: all of them, or none.

        Args:
            charges: The outermost account first, the study last.
            within: The entry that charges the account around all of them, which is in another ledger.

        Returns:
            A reserve for each; or only the earlier one of the study, when it has the key already.
        """
        study, key = charges[-1].study, charges[-1].draft.key
        for one in charges:
            self._rehearse(one)

        def script(work: Transaction) -> tuple[Reserved, ...]:
            if key is not None:
                book = Book(work, study, self.sealer)
                if (held := work.keyed(study, key)) is not None:
                    resolution = work.resolution(study, held.sequence)
                    return (Reserved(held, resolution, True, book.after(held.draft.partition)),)
            made: list[Reserved] = []
            outer = within
            for one in charges:
                made.append(self._reserve(work, one, outer))
                outer = made[-1].entry.sequence
            return tuple(made)

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
        # Composing may take long, so it is done before the ledger is locked, too.
        check(self.ask(study, Balance.kept))

        def script(work: Transaction) -> tuple[Entry, ...]:
            book = Book(work, study, self.sealer)
            check(book.balance())
            entries = []
            for draft in drafts:
                book.charge(canonical(draft.cost), None, 1)
                entries.append(book.append(draft))
                work.set_pending(study, entries[-1].sequence)
            book.save()
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
        return self.resolve_all(((study, draft),), check)[-1]

    def resolve_all(
        self, drafts: Sequence[tuple[str, Draft]], check: Callable[[Entry | None], None] | None = None
    ) -> tuple[Entry, ...]:
        """Resolve a pending reserve of a study and those of the accounts around it that are in this ledger: all, or none.

        Args:
            drafts: For each study a post, fail or void that refers to its reserve.
            check: Called with each entry they refer to; what it raises refuses everything.

        Raises:
            LedgerError: When a reserve is not pending.
        """
        for _, draft in drafts:
            if draft.kind not in RESOLUTIONS or draft.refers_to is None:
                rule = "a post, fail or void that refers to a reserve"
                raise InvalidParameterError("draft", rule, draft.kind.value)

        def script(work: Transaction) -> tuple[Entry, ...]:
            return tuple(self._resolve(work, study, draft, check) for study, draft in drafts)

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
            book = Book(work, study, self.sealer)
            check(book.balance())
            book.append(draft)
            if draft.kind is Kind.AMEND:
                book.head = attrs.evolve(book.head, settings=canonical(draft.settings))
            book.save()
            return book.head

        return self.write(script)

    def _rehearse(self, one: Charge) -> None:
        """Make a check that may take long before the ledger is locked: one of losses that compose, and are remembered.

        It is made again under the lock, where it takes no time unless another release came between.
        """
        draft = one.draft
        if not draft.cost or isinstance(draft.cost[0], str):
            return
        with self.snapshot() as work:
            known = draft.key is not None and work.keyed(one.study, draft.key) is not None
            if known or plan_for(work, one.study, draft) is not None:
                return
            balance = Book(work, one.study, self.sealer).balance(draft.partition).kept()
        one.check(balance)

    def _reserve(self, work: Transaction, one: Charge, within: int | None) -> Reserved:
        book, draft = Book(work, one.study, self.sealer), one.draft
        # Only where costs compose instead of adding up can releases have been planned.
        plan = None if book.head.low else plan_for(work, one.study, draft)
        if plan is None:
            one.check(book.balance(draft.partition))
            book.charge(canonical(draft.cost), draft.partition, 1)
        else:
            work.clear_pending(one.study, plan.sequence)
            draft = attrs.evolve(draft, refers_to=plan.sequence)
        entry = book.append(draft if within is None else attrs.evolve(draft, within=within))
        work.set_pending(one.study, entry.sequence)
        book.save()
        return Reserved(entry, None, False, book.after(draft.partition))

    def _resolve(
        self, work: Transaction, study: str, draft: Draft, check: Callable[[Entry | None], None] | None
    ) -> Entry:
        book, sequence = Book(work, study, self.sealer), draft.refers_to or 0
        if check is not None:
            check(work.entry(study, sequence))
        if not work.clear_pending(study, sequence):
            raise LedgerError(f"{study}: entry {sequence} is not pending")
        if draft.kind is Kind.VOID:
            book.give_back(sequence)
        entry = book.append(draft)
        book.save()
        return entry
