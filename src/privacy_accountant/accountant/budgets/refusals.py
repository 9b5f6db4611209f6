"""What a refusal says: what was needed, what is left, and what would still fit."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import attrs

from privacy_accountant.accountant.budgets.enforcement import Quote
from privacy_accountant.accountant.budgets.settings import Settings
from privacy_accountant.accountant.words import above
from privacy_accountant.errors import BudgetExceededError, PrivacyAccountantError
from privacy_accountant.exact import canonical, exact
from privacy_accountant.ledger import Balance
from privacy_accountant.mechanisms.base import Mechanism

_DIGITS = 3
_DOUBLINGS = 40


def refusal(
    study: str,
    named: str,
    settings: Settings,
    balance: Balance,
    quote: Quote,
    elsewhere: Callable[[Mechanism], bool],
) -> BudgetExceededError:
    """The error for a release that a balance does not admit.

    Args:
        study: Whose balance it is.
        named: What the message calls it.
        settings: The terms that it stands under.
        balance: The balance.
        quote: What was asked for.
        elsewhere: Whether a release is admitted by whatever else it is charged to.
    """
    enforcer = settings.enforcer

    def admitted(mechanism: Mechanism) -> bool:
        return enforcer.admits(balance, enforcer.quote(mechanism)) and elsewhere(mechanism)

    fits = fitting(quote.mechanism, admitted)
    return BudgetExceededError(
        f"{named}: {enforcer.shortage(balance, quote)}{_hint(quote.mechanism, fits)}",
        study=study,
        budget=settings.budget,
        spent=tuple(component.spent for component in enforcer.components(balance)),
        requested=quote.shown,
        fits=fits,
    )


def _hint(mechanism: Mechanism, fits: str | None) -> str:
    """What would still fit; nothing is said of a mechanism without one number that its noise grows with."""
    if getattr(mechanism, "noise_parameter", None) is None:
        return ""
    return f"; fits: {fits or f'no {type(mechanism).__name__} with this sensitivity'}"


def fitting(mechanism: Mechanism, admits: Callable[[Mechanism], bool]) -> str | None:
    """The least noise of the same mechanism that is admitted, to three digits and rounded up; None when none is."""
    field = getattr(mechanism, "noise_parameter", None)
    parameters: Any = mechanism
    if field is None or not attrs.has(type(parameters)):
        return None

    def enough(noise: Fraction) -> bool:
        try:
            return admits(attrs.evolve(parameters, **{field: canonical(noise)}))
        except (PrivacyAccountantError, ArithmeticError):
            return False

    start = exact(getattr(mechanism, field))
    if not enough(start * 2**_DOUBLINGS):
        return None
    few, many = 0, _DOUBLINGS
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if enough(start * 2**middle) else (middle, many)
    least = _least(enough, start * 2**few, start * 2**many)
    return f"{type(mechanism).__name__}({field} >= {above(canonical(least), _DIGITS)})"


def _least(enough: Callable[[Fraction], bool], low: Fraction, high: Fraction) -> Fraction:
    """A number in (low, high] that is enough, given that high is, within a unit of the third digit of the least."""
    size = Context().divide(Decimal(low.numerator), Decimal(low.denominator)).adjusted()
    step = Fraction(10) ** (size - _DIGITS + 1)
    first, last = math.floor(low / step), math.ceil(high / step)
    while last - first > 1:
        middle = (first + last) // 2
        first, last = (first, middle) if enough(middle * step) else (middle, last)
    return last * step
