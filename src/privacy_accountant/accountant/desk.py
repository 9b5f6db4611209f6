"""The two phases of a release: reserve durably, then touch the data, draw, and post."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import attrs

from privacy_accountant.accountant.enforcement import Quote
from privacy_accountant.accountant.history import read_mechanism
from privacy_accountant.accountant.records import Spent
from privacy_accountant.accountant.refusals import refusal
from privacy_accountant.accountant.settings import Settings
from privacy_accountant.codec import Json
from privacy_accountant.codec.answers import decode_answer, encode_answer
from privacy_accountant.errors import (
    InvalidParameterError,
    LedgerError,
    NeighborsMismatchError,
    ReleaseFailedError,
)
from privacy_accountant.ledger import Balance, Draft, Kind, Recorder, Reserved
from privacy_accountant.mechanisms.base import Mechanism


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
        if not isinstance(mechanism, Mechanism) or type(mechanism).__hash__ is None:
            raise InvalidParameterError(
                "mechanism", "a frozen mechanism such as Gaussian(sigma=4, sensitivity=1)", mechanism
            )
        if mechanism.neighbors is not None and mechanism.neighbors is not self.settings.neighbors:
            raise NeighborsMismatchError(mechanism.neighbors, self.settings.neighbors)
        return self.settings.enforcer.quote(mechanism)

    def reserve(self, quote: Quote, *, label: str, key: str | None, shape: Json) -> Reserved:
        """Charge a release durably, or find the one that has its key.

        Raises:
            BudgetExceededError: When it does not fit; nothing is charged.
            InvalidParameterError: When the key was used for something else.
        """
        enforcer = self.settings.enforcer

        def check(balance: Balance) -> None:
            if not enforcer.admits(balance, quote):
                raise _NotAdmittedError(balance)

        draft = Draft(
            Kind.RESERVE, mechanism=quote.written, cost=quote.cost, label=label, key=key, shape=shape
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
        raise refusal(self.study, self.settings.budget, enforcer, balance, quote)

    def publish(self, reserved: Reserved, mechanism: Mechanism, read: Callable[[], Any]) -> Any:
        """Touch the data, draw, and post the noised value before anybody sees it.

        Raises:
            ReleaseFailedError: Whatever raised; the charge stays, and the cause, which may depend on the data, is withheld.
        """
        entry = reserved.entry.sequence
        interrupted = posted = False
        answer: Any = None
        try:
            answer = mechanism.randomize(read())
            self.recorder.resolve(self.study, Draft(Kind.POST, refers_to=entry, answer=encode_answer(answer)))
            posted = True
        except KeyboardInterrupt:
            interrupted = True
        except BaseException:  # noqa: BLE001, S110 - every way of failing looks the same from outside
            pass
        if posted:
            return answer
        with contextlib.suppress(LedgerError):
            self.recorder.resolve(self.study, Draft(Kind.FAIL, refers_to=entry))
        # Raised outside the handlers, so that the cause does not hang on the error as its context.
        raise KeyboardInterrupt if interrupted else ReleaseFailedError(self.study, entry)

    def post_without_answer(self, reserved: Reserved) -> None:
        """Post a spend, whose noise is drawn elsewhere."""
        self.recorder.resolve(self.study, Draft(Kind.POST, refers_to=reserved.entry.sequence))

    def void(self, entry: int, reason: str) -> None:
        """Give the cost of a pending release back."""
        self.recorder.resolve(self.study, Draft(Kind.VOID, refers_to=entry, reason=reason))

    def spent_after(self, reserved: Reserved) -> Spent:
        """What had been charged right after a reserve."""
        head = reserved.head
        return Spent(self.settings.enforcer.components(Balance(head.low, head.high, lambda: reserved.counts)))

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
        return decode_answer(resolution.draft.answer)


def _require_same(reserved: Reserved, quote: Quote, draft: Draft) -> None:
    """A key stands for one mechanism, label and shape; the value is never compared."""
    held = reserved.entry.draft
    same_mechanism = held.mechanism == quote.written or read_mechanism(held.mechanism) == quote.mechanism
    if not (same_mechanism and held.label == draft.label and held.shape == draft.shape):
        rule = f"new, or used with the mechanism, label and shape of entry {reserved.entry.sequence}, which has it"
        raise InvalidParameterError("key", rule, draft.key)
