"""Numbers for people: few digits, rounded to the side on which nothing looks better than it is."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal

from privacy_accountant.exact import Real, exact

_DIGITS = 4
_PLAIN = range(-5, 7)


def above(value: Real, digits: int = _DIGITS) -> str:
    """What is needed or spent: rounded up."""
    return _decimal(value, ROUND_CEILING, digits)


def below(value: Real) -> str:
    """What is left: rounded down."""
    return _decimal(value, ROUND_FLOOR, _DIGITS)


def shown(value: Real) -> str:
    """A number that was given: as it was typed when that is short, else to the nearest digit."""
    return _decimal(value, ROUND_HALF_EVEN, 12)


def _decimal(value: Real, rounding: str, digits: int) -> str:
    if value == float("inf"):
        return "inf"
    number = exact(value)
    context = Context(prec=digits, rounding=rounding)
    decimal = context.divide(Decimal(number.numerator), Decimal(number.denominator)).normalize(context)
    return (
        f"{decimal:f}" if decimal == 0 or decimal.adjusted() in _PLAIN else f"{decimal:e}".replace("e+", "e")
    )
