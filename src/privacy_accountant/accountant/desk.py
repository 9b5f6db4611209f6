"""The two phases of a release: reserve durably, then touch the data, draw, and post."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import attrs

from privacy_accountant.accountant import flights
from privacy_accountant.accountant.budgets.enforcement import Quote
from privacy_accountant.accountant.budgets.partitioning import Partitions, read_partition
from privacy_accountant.accountant.budgets.previews import Listed, fits
from privacy_accountant.accountant.budgets.refusals import refusal
from privacy_accountant.accountant.budgets.settings import Settings, Within, current
from privacy_accountant.accountant.chains import NotAdmittedError, charge_all, fail_all, resolve_all
from privacy_accountant.accountant.records import Spent
from privacy_accountant.accountant.results.keys import require_same, stored_answer
from privacy_accountant.accountant.results.stores import Store
from privacy_accountant.accountant.results.treatment import Treatment
from privacy_accountant.accountant.voiding import require_grounded, require_voidable
from privacy_accountant.codec import Json, encode, unregistered
from privacy_accountant.errors import (
    InvalidParameterError,
    LedgerError,
    NeighborsMismatchError,
    ReleaseFailedError,
)
from privacy_accountant.ledger import Balance, Charge, Draft, Kind, Recorder, Reserved
from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.mechanisms.registration import require_registration


@attrs.frozen
class Desk:
    """Where releases of one study are charged and posted.

    Attributes:
        recorder: The ledger.
        study: Name of the study in it.
        settings: The study's terms.
        opened: The hash of its first entry, for a study that lies within an account, or is one.
        outer: The account in which the study lies; None for none, or when it cannot be reached.
        missing: Why it cannot be reached.
    """

    recorder: Recorder
    study: str
    settings: Settings
    opened: str = ""
    outer: Desk | None = None
    missing: str | None = None

    def around(self) -> tuple[Desk, ...]:
        """The accounts in which the study lies, the outermost first.

        Raises:
            LedgerError: When one of them cannot be reached: nothing can be charged then.
        """
        if self.settings.within is None:
            return ()
        if self.outer is None:
            name = self.settings.within.study
            raise LedgerError(
                f"{self.study} lies within {name!r}, which cannot be reached ({self.missing}); open it with within="
            )
        return (*self.outer.around(), self.outer)

    def quote(self, mechanism: object, partition: object = None) -> Quote:
        """What a release costs, and which partitions; refuses what no budget could make right.

        Raises:
            InvalidParameterError: When it is not a mechanism, or the ledger lasts and the mechanism has no tag.
            NeighborsMismatchError: When its sensitivity was stated under another relation than the study's.
            UnsupportedConversionError: When it has no finite cost in the study's currency.
        """
        if not isinstance(mechanism, Mechanism) or not _is_frozen(mechanism):
            raise InvalidParameterError(
                "mechanism", "a frozen mechanism such as Gaussian(sigma=4, sensitivity=1)", mechanism
            )
        if mechanism.neighbors is not None and mechanism.neighbors is not self.settings.neighbors:
            raise NeighborsMismatchError(mechanism.neighbors, self.settings.neighbors)
        quote = self.settings.enforcer.quote(mechanism)
        if self.recorder.location is not None:
            quote = _named(quote)
        if partition is None:
            return quote
        return attrs.evolve(quote, partition=read_partition(partition, self.settings))

    def reserve(
        self, quote: Quote, *, label: str, key: str | None, shape: Json, treatment: Treatment | None = None
    ) -> Reserved:
        """Charge a release durably, or find the one that has its key.

        Raises:
            BudgetExceededError: When it does not fit; nothing is charged.
            InvalidParameterError: When the key was used for something else.
        """
        written = {} if treatment is None else treatment.write()
        draft = Draft(
            Kind.RESERVE,
            mechanism=quote.written,
            cost=quote.cost,
            label=label,
            key=key,
            shape=shape,
            partition=quote.partition,
            **written,
        )
        accounts = self.around()
        try:
            if accounts:
                reserved = self._charge_all(accounts, draft, quote)
            else:
                reserved = self.recorder.reserve(self.study, draft, self._check(quote))
        except NotAdmittedError as refused:
            # The search for what fits needs no lock on the ledger, and the error no trace of how it was found.
            full, balance = refused.where, refused.balance
        else:
            if reserved.repeated:
                require_same(reserved, quote, draft)
            return reserved

        def elsewhere(mechanism: Mechanism) -> bool:
            here = full is self or self.affords(mechanism, partition=quote.partition)
            return here and all(desk.affords(mechanism) for desk in accounts if desk is not full)

        raise refusal(
            full.study,
            full.study if full is self else f"{full.study} (around {self.study})",
            current(balance),
            balance,
            full.quote(quote.mechanism),
            elsewhere,
        )

    def affords(self, mechanism: Mechanism, count: int = 1, partition: Partitions = None) -> bool:
        """Whether this study alone, without the accounts around it, has room for releases."""
        quote = self.quote(mechanism, partition)

        def admits(held: Balance) -> bool:
            return current(held).enforcer.admits(held, quote, count)

        return self.recorder.ask(self.study, admits, quote.partition)

    def room(self, mechanism: Mechanism) -> int | None:
        """How many releases that touch all this study alone has room for; None when they are free."""
        quote = self.quote(mechanism)
        return self.recorder.ask(self.study, lambda held: current(held).enforcer.room(held, quote))

    def fits(self, listed: Listed) -> bool:
        """Whether this study alone has room for a whole list of releases that touch all."""
        return self.recorder.ask(self.study, lambda held: fits(current(held).enforcer, held, listed))

    def _check(self, quote: Quote) -> Callable[[Balance], None]:
        def check(balance: Balance) -> None:
            if not current(balance).enforcer.admits(balance, quote):
                raise NotAdmittedError(self, balance)

        return check

    def _charge_all(self, accounts: tuple[Desk, ...], draft: Draft, quote: Quote) -> Reserved:
        """Charge the accounts around the study as well: all or none in one ledger, across ledgers the outermost first."""
        if self.knows(draft.key):
            return self.recorder.reserve(self.study, draft, self._check(quote))
        steps = [(self.recorder, Charge(self.study, draft, self._check(quote)))]
        label, inner = draft.label, self
        for desk in reversed(accounts):
            label = f"{inner.study}: {label}"
            theirs = desk.quote(quote.mechanism)
            elsewhere = None if inner.recorder is desk.recorder else inner.recorder.address
            behalf = Within(inner.study, inner.opened, elsewhere).write()
            outside = Draft(
                Kind.RESERVE, mechanism=quote.written, cost=theirs.cost, label=label, behalf=behalf
            )
            steps.insert(0, (desk.recorder, Charge(desk.study, outside, desk._check(theirs))))
            inner = desk
        if any(recorder is not self.recorder for recorder, _ in steps):
            # Another ledger is only charged for what has a place in all of them as they are now.
            for recorder, charge in reversed(steps):
                recorder.ask(charge.study, charge.check, charge.draft.partition)
        made = charge_all(steps)
        return attrs.evolve(made[-1], around=tuple(one.entry.sequence for one in made[:-1]))

    def knows(self, key: str | None) -> bool:
        """Whether a release has this key already."""
        if key is None:
            return False
        with self.recorder.snapshot() as work:
            return work.keyed(self.study, key) is not None

    def publish(
        self, reserved: Reserved, treatment: Treatment, read: Callable[[], Any], store: Store | None = None
    ) -> Any:
        """Touch the data, draw, and post the noised value before anybody sees it.

        Raises:
            ReleaseFailedError: Whatever raised; the charge stays, and the cause, which may depend on the data, is withheld.
        """
        entry = reserved.entry.sequence
        if not flights.begin(reserved.entry.hash):
            raise LedgerError(f"{self.study}: entry {entry} was voided before its data was touched")
        interrupted = posted = False
        answer: Any = None
        try:
            kept = treatment.publish(read(), store, keyed=reserved.entry.draft.key is not None)
            answer = kept.answer
            self._post(reserved, **kept.fields())
            posted = True
        except KeyboardInterrupt:
            interrupted = True
        except BaseException:  # noqa: BLE001, S110 - every way of failing looks the same from outside
            pass
        if posted:
            flights.end(reserved.entry.hash)
            return answer
        recorded = fail_all(self._steps(entry, reserved.around, Draft(Kind.FAIL)))
        if recorded:
            flights.end(reserved.entry.hash)
        # Raised outside the handlers, so that the cause does not hang on the error as its context.
        raise KeyboardInterrupt if interrupted else ReleaseFailedError(self.study, entry, recorded)

    def post_without_answer(self, reserved: Reserved) -> None:
        """Post a spend, whose noise is drawn elsewhere."""
        self._post(reserved)

    def _post(self, reserved: Reserved, **fields: Json) -> None:
        """Post in the accounts around the study first: what is published was charged there, and not given back."""
        entry = reserved.entry.sequence
        if reserved.around:
            resolve_all(self._steps(entry, reserved.around, Draft(Kind.POST, **fields)))
        else:
            self.recorder.resolve(self.study, Draft(Kind.POST, refers_to=entry, **fields))

    def _steps(
        self, entry: int, around: tuple[int, ...], draft: Draft
    ) -> list[tuple[Recorder, tuple[str, Draft]]]:
        """What resolves an entry and those that charge the accounts around it, the outermost first."""
        outside = Draft(draft.kind, reason=draft.reason)
        accounts = self.around() if around else ()
        steps = [
            (desk.recorder, (desk.study, attrs.evolve(outside, refers_to=number)))
            for desk, number in zip(accounts, around, strict=True)
        ]
        return [*steps, (self.recorder, (self.study, attrs.evolve(draft, refers_to=entry)))]

    def void(self, entry: int, reason: str) -> None:
        """Give the cost of a pending release back, here and then in the accounts around; see `require_voidable`."""
        around = require_voidable(self, entry)
        steps = reversed(self._steps(entry, around, Draft(Kind.VOID, reason=reason)))
        resolve_all(steps, functools.partial(require_grounded, self.study))

    def spent_after(self, reserved: Reserved) -> Spent:
        """What had been charged right after a reserve."""
        balance = reserved.balance
        return Spent(current(balance).enforcer.components(balance))

    def stored(self, reserved: Reserved) -> Any:
        """The answer that a repeated key stands for; see `stored_answer`."""
        return stored_answer(self.study, reserved)


def _is_frozen(mechanism: Mechanism) -> bool:
    """Whether it stays what it was when it was charged; one that has no hash does not."""
    try:
        return _refuses_change(mechanism)
    except TypeError:
        return False


@functools.lru_cache(maxsize=4096)
def _refuses_change(mechanism: Mechanism) -> bool:
    """Told by setting each field to what it is."""
    cls = type(mechanism)
    if cls.__setattr__ is object.__setattr__:
        return False
    for name in [field.name for field in attrs.fields(cls)] if attrs.has(cls) else vars(mechanism):
        try:
            setattr(mechanism, name, getattr(mechanism, name))
        except AttributeError:
            continue
        return False
    return True


def _named(quote: Quote) -> Quote:
    """The quote, when a ledger can name its mechanism."""
    if unregistered(quote.written) is None:
        return quote
    # Quotes are remembered, and the class may have been registered since.
    written = encode(quote.mechanism)
    require_registration(written, quote.mechanism)
    return attrs.evolve(quote, written=written)
