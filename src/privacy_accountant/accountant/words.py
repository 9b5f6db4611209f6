"""Numbers for people: few digits, rounded to the side on which nothing looks better than it is. And lines of text from people."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import Real, exact

_DIGITS = 4
_PLAIN = range(-5, 7)
_NAMES = 5


def above(value: Real, digits: int = _DIGITS) -> str:
    """What is needed or spent: rounded up."""
    return _decimal(value, ROUND_CEILING, digits)


def below(value: Real) -> str:
    """What is left: rounded down."""
    return _decimal(value, ROUND_FLOOR, _DIGITS)


def shown(value: Real) -> str:
    """A number that was given: as it was typed when that is short, else to the nearest digit."""
    return _decimal(value, ROUND_HALF_EVEN, 12)


def names_of(names: Sequence[str]) -> str:
    """The first few of a list of names, and how many more there are."""
    more = len(names) - _NAMES
    return ", ".join(names[:_NAMES]) + (f" and {more} more" if more > 0 else "")


def _decimal(value: Real, rounding: str, digits: int) -> str:
    if value == float("inf"):
        return "inf"
    number = exact(value)
    context = Context(prec=digits, rounding=rounding)
    decimal = context.divide(Decimal(number.numerator), Decimal(number.denominator)).normalize(context)
    return (
        f"{decimal:f}" if decimal == 0 or decimal.adjusted() in _PLAIN else f"{decimal:e}".replace("e+", "e")
    )


def line_of_text(value: object, field: str) -> str:
    """Check that something is one line of text that is not blank; what comes back is a plain str, whatever was given.

    Raises:
        InvalidParameterError: When it is not.
    """
    # The methods of str itself: a subclass may say anything about its text.
    if not isinstance(value, str) or not str.strip(value) or not str.isprintable(value):
        raise InvalidParameterError(field, "a non-empty line of text", value)
    return str.__str__(value)
