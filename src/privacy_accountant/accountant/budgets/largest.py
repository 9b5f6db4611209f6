"""The largest amount that keeps a promise, when no formula gives it."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import Real, canonical, exact

Excess = Callable[[Real], float]
"""How far an amount overshoots, on a scale of logarithms: at most 0 exactly when it keeps the promise."""

_DIGITS = 12
_WIDEST = 1000.0
_FIRST_STEP = 0.125


def largest(excess: Excess, near: float = 1.0) -> Fraction:
    """The largest number that does not overshoot, to twelve digits, rounded down and checked as it is returned.

    Args:
        excess: What grows with the number.
        near: A guess; a good one saves questions, each of which may cost a conversion.

    Raises:
        InvalidParameterError: When no number overshoots.
    """

    @functools.cache
    def at(exponent: float) -> float:
        return excess(2.0 ** float(exponent))

    ends = _bracket(at, math.log2(near))
    if ends is None:
        return Fraction(0)
    # Root finders take a while to load, and most budgets need none.
    from privacy_accountant.calibration.search import last_bits  # noqa: PLC0415

    return _rounded_down(2.0 ** last_bits(at, *ends), excess)


def overshoot(have: Real, most: Real) -> float:
    """log(have / most), with an exact sign."""
    if have == math.inf:
        return math.inf
    amount, limit = exact(have), exact(most)
    if amount <= limit:
        return -math.inf if amount == 0 else min(_log(amount) - _log(limit), 0.0)
    return math.inf if limit <= 0 else max(_log(amount) - _log(limit), math.ulp(0.0))


def _log(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator)


def _bracket(at: Callable[[float], float], start: float) -> tuple[float, float] | None:
    """Two powers of two, of which the first keeps the promise and the second does not; None when none keeps it."""
    step, here = _FIRST_STEP, max(min(start, _WIDEST / 2), -_WIDEST / 2)
    grows = at(here) <= 0
    while abs(here) < _WIDEST:
        beyond = min(here + step, _WIDEST) if grows else max(here - step, -_WIDEST)
        if (at(beyond) <= 0) is not grows:
            return (here, beyond) if grows else (beyond, here)
        here, step = beyond, 2 * step
    if grows:
        raise InvalidParameterError("budget", "a target that something exceeds", "one that everything meets")
    return None


def _rounded_down(number: float, excess: Excess) -> Fraction:
    step = 1
    while True:
        digits = Context(prec=_DIGITS, rounding=ROUND_FLOOR).create_decimal(Decimal(number))
        candidate = digits - step * Decimal(1).scaleb(digits.adjusted() - _DIGITS + 1) if step > 1 else digits
        result = Fraction(candidate)
        if result <= 0 or excess(canonical(result)) <= 0:
            return max(result, Fraction(0))
        step *= 2
