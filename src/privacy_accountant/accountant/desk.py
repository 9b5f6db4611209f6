"""The two phases of a release: reserve durably, then touch the data, draw, and post."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import attrs

from privacy_accountant.accountant import flights
from privacy_accountant.accountant.enforcement import Quote
from privacy_accountant.accountant.history import read_mechanism
from privacy_accountant.accountant.lazy import reopen
from privacy_accountant.accountant.records import Spent
from privacy_accountant.accountant.refusals import refusal
from privacy_accountant.accountant.settings import Settings, current
from privacy_accountant.accountant.stores import Store, manifest, read_location
from privacy_accountant.accountant.treatment import Treatment
from privacy_accountant.codec import Json
from privacy_accountant.codec.answers import decode_answer
from privacy_accountant.errors import (
    InvalidParameterError,
    LedgerError,
    NeighborsMismatchError,
    ReleaseFailedError,
)
from privacy_accountant.ledger import Balance, Draft, Entry, Kind, Recorder, Reserved
from privacy_accountant.mechanisms.base import Mechanism

_STANDS_FOR = ("label", "shape", "reading", "finish")
"""What a key stands for besides the mechanism: never the value."""


class _NotAdmittedError(Exception):
    """Carries the balance that a release does not fit out of the transaction that found it."""

    def __init__(self, balance: Balance) -> None:
        super().__init__()
        counts = dict(balance.counts())
        self.balance = attrs.evolve(balance, counts=lambda: counts)


@attrs.frozen
class Desk:
    """Where releases of one study are charged and posted.

    Attributes:
        recorder: The ledger.
        study: Name of the study in it.
        settings: The study's terms.
    """

    recorder: Recorder
    study: str
    settings: Settings

    def quote(self, mechanism: object) -> Quote:
        """What a release costs; refuses what no budget could make right.

        Raises:
            InvalidParameterError: When it is not a mechanism.
            NeighborsMismatchError: When its sensitivity was stated under another relation than the study's.
            UnsupportedConversionError: When it has no finite cost in the study's currency.
        """
        if not isinstance(mechanism, Mechanism) or not _is_frozen(mechanism):
            raise InvalidParameterError(
                "mechanism", "a frozen mechanism such as Gaussian(sigma=4, sensitivity=1)", mechanism
            )
        if mechanism.neighbors is not None and mechanism.neighbors is not self.settings.neighbors:
            raise NeighborsMismatchError(mechanism.neighbors, self.settings.neighbors)
        return self.settings.enforcer.quote(mechanism)

    def reserve(
        self, quote: Quote, *, label: str, key: str | None, shape: Json, treatment: Treatment | None = None
    ) -> Reserved:
        """Charge a release durably, or find the one that has its key.

        Raises:
            BudgetExceededError: When it does not fit; nothing is charged.
            InvalidParameterError: When the key was used for something else.
        """

        def check(balance: Balance) -> None:
            if not current(balance).enforcer.admits(balance, quote):
                raise _NotAdmittedError(balance)

        written = {} if treatment is None else treatment.write()
        draft = Draft(
            Kind.RESERVE,
            mechanism=quote.written,
            cost=quote.cost,
            label=label,
            key=key,
            shape=shape,
            **written,
        )
        try:
            reserved = self.recorder.reserve(self.study, draft, check)
        except _NotAdmittedError as refused:
            # The search for what fits needs no lock on the ledger, and the error no trace of how it was found.
            balance = refused.balance
        else:
            if reserved.repeated:
                _require_same(reserved, quote, draft)
            return reserved
        settings = current(balance)
        raise refusal(self.study, settings.budget, settings.enforcer, balance, quote)

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
            self.recorder.resolve(self.study, Draft(Kind.POST, refers_to=entry, **kept.fields()))
            posted = True
        except KeyboardInterrupt:
            interrupted = True
        except BaseException:  # noqa: BLE001, S110 - every way of failing looks the same from outside
            pass
        if posted:
            flights.end(reserved.entry.hash)
            return answer
        recorded = False
        with contextlib.suppress(LedgerError):
            self.recorder.resolve(self.study, Draft(Kind.FAIL, refers_to=entry))
            recorded = True
            flights.end(reserved.entry.hash)
        # Raised outside the handlers, so that the cause does not hang on the error as its context.
        raise KeyboardInterrupt if interrupted else ReleaseFailedError(self.study, entry, recorded)

    def post_without_answer(self, reserved: Reserved) -> None:
        """Post a spend, whose noise is drawn elsewhere."""
        self.recorder.resolve(self.study, Draft(Kind.POST, refers_to=reserved.entry.sequence))

    def void(self, entry: int, reason: str) -> None:
        """Give the cost of a pending release back; never of one that is in flight in this process."""

        def check(reserve: Entry | None) -> None:
            if reserve is not None and not flights.ground(reserve.hash):
                raise LedgerError(
                    f"{self.study}: entry {entry} is in flight in this process, or failed in it: its data was touched"
                )

        self.recorder.resolve(self.study, Draft(Kind.VOID, refers_to=entry, reason=reason), check)

    def spent_after(self, reserved: Reserved) -> Spent:
        """What had been charged right after a reserve."""
        head = reserved.head
        balance = Balance(head.low, head.high, lambda: reserved.counts, head.settings)
        return Spent(current(balance).enforcer.components(balance))

    def stored(self, reserved: Reserved) -> Any:
        """The answer that a repeated key stands for.

        Raises:
            LedgerError: When its release is pending: it is never drawn again.
            ReleaseFailedError: When it failed.
            InvalidParameterError: When it was voided.
        """
        entry, resolution = reserved.entry.sequence, reserved.resolution
        key = reserved.entry.draft.key
        if resolution is None:
            raise LedgerError(
                f"{self.study}: key {key!r} is pending (entry {entry}): in flight elsewhere, or left by a crash; it stays"
                " spent and is not drawn again"
            )
        if resolution.kind is Kind.FAIL:
            raise ReleaseFailedError(self.study, entry)
        if resolution.kind is Kind.VOID:
            raise InvalidParameterError("key", f"a new one (entry {entry} under it was voided)", key)
        stored = read_location(resolution.draft.stored)
        if stored is None or stored.location is None:
            return decode_answer(resolution.draft.answer)
        return reopen(stored, manifest(stored))


def _is_frozen(mechanism: Mechanism) -> bool:
    """Whether it stays what it was when it was charged; told by setting each field to what it is."""
    cls = type(mechanism)
    if cls.__setattr__ is object.__setattr__:
        return False
    for name in [field.name for field in attrs.fields(cls)] if attrs.has(cls) else vars(mechanism):
        try:
            setattr(mechanism, name, getattr(mechanism, name))
        except AttributeError:
            continue
        return False
    try:
        hash(mechanism)
    except TypeError:
        return False
    return True


def _require_same(reserved: Reserved, quote: Quote, draft: Draft) -> None:
    """A key stands for one mechanism, label and shape; the value is never compared."""
    held = reserved.entry.draft
    same_mechanism = held.mechanism == quote.written or read_mechanism(held.mechanism) == quote.mechanism
    same_rest = all(getattr(held, name) == getattr(draft, name) for name in _STANDS_FOR)
    if not (same_mechanism and same_rest):
        rule = f"new, or used with the mechanism, label and shape of entry {reserved.entry.sequence}, which has it"
        raise InvalidParameterError("key", rule, draft.key)
