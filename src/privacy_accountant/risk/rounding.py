"""Decimals for people, rounded to the side that never understates a risk.

A float is read as its shortest decimal, as everywhere in this package, and rounded up when it is an upper bound and down
when it is a lower one. Read back as a float, a printed number is therefore never on the wrong side of the bound.
"""

from __future__ import annotations

import decimal
import enum
import math
from decimal import Decimal

DIGITS = 3
"""Significant digits of a printed bound."""

_SMALLEST_PERCENT = 4
_SMALLEST_SHARE = 2
_EXACT = decimal.Context(prec=1000, Emin=-5000, Emax=5000)
_WORKING = decimal.Context(prec=60, rounding=decimal.ROUND_CEILING)


class Side(enum.Enum):
    """Which side of the truth a bound is on, and so the way its printed digits are rounded."""

    AT_MOST = decimal.ROUND_CEILING
    AT_LEAST = decimal.ROUND_FLOOR


def read(value: float) -> Decimal:
    """The shortest decimal of a float, exactly."""
    return Decimal(repr(float(value)))


def percent(value: float, side: Side) -> str:
    """A probability in percent, with three digits of whichever is smaller, it or what is missing to 100%.

    Example:
        >>> percent(0.0923618, Side.AT_MOST), percent(0.9076382, Side.AT_LEAST), percent(2e-9, Side.AT_MOST)
        ('9.24%', '90.76%', 'less than 0.0001%')
    """
    number, least = _part(read(value), 100, side, _SMALLEST_PERCENT)
    return f"less than {least}%" if least else f"{number}%"


def percent_above(value: float) -> str:
    """A ratio that may exceed 1 in percent, rounded up to three digits."""
    return f"{_show(_significant(_EXACT.multiply(read(value), Decimal(100)), Side.AT_MOST))}%"


def share(value: float, whole: int, side: Side) -> str:
    """A probability as so many in a hundred, a thousand, ...

    Example:
        >>> (
        ...     share(0.0923618, 100, Side.AT_MOST),
        ...     share(1e-9, 1000, Side.AT_MOST),
        ...     share(0.5, 100, Side.AT_LEAST),
        ... )
        ('9.24 in 100', 'less than 0.01 in 1,000', '50 in 100')
    """
    number, least = _part(read(value), whole, side, _SMALLEST_SHARE)
    return f"less than {least} in {whole:,}" if least else f"{_trim(number)} in {whole:,}"


def points(value: float, side: Side) -> str:
    """A difference of two probabilities in percentage points."""
    number, least = _part(read(value), 100, side, _SMALLEST_PERCENT)
    return f"less than {least} percentage points" if least else f"{_trim(number)} percentage points"


def at_most(bound: str) -> str:
    """An upper bound in a sentence."""
    return bound if bound.startswith("less than") else f"at most {bound}"


def upper_first(text: str) -> str:
    """A text that begins with a capital letter."""
    return text[:1].upper() + text[1:]


def number(value: float, side: Side) -> str:
    """A non-negative bound to three digits, or to the unit where it is large; infinity is `infinite`.

    Example:
        >>> (
        ...     number(4.377178, Side.AT_MOST),
        ...     number(1.2691e-10, Side.AT_MOST),
        ...     number(float("inf"), Side.AT_MOST),
        ... )
        ('4.38', '1.27e-10', 'infinite')
    """
    if math.isinf(value):
        return "infinite"
    return _show(_significant(read(value), side))


def factor(exponent: float) -> str:
    """`e` to a non-negative exponent, rounded up to three digits."""
    return _show(_significant(_WORKING.exp(read(exponent)).next_plus(_WORKING), Side.AT_MOST))


def label(value: float) -> str:
    """A chosen delta as it was chosen, `1e-5` for what Python writes as `1e-05`."""
    return _show(read(value), Decimal("0.01"))


def chance(value: float) -> str:
    """A chosen small probability in words, exactly where it is one in a whole number.

    Example:
        >>> chance(1e-6)
        '1 time in 1,000,000'
    """
    return f"1 time in {1 / read(value):,.0f}"


def percent_label(value: float) -> str:
    """A chosen probability in percent, exactly."""
    return f"{_trim(_plain(_EXACT.multiply(read(value), Decimal(100))))}%"


def _part(value: Decimal, whole: int, side: Side, most: int) -> tuple[str, str | None]:
    """`value` of `whole` in digits, and the smallest printable part when the value is a positive one below it."""
    part = _EXACT.multiply(value, Decimal(whole))
    smallest = Decimal(1).scaleb(-most)
    if side is Side.AT_MOST and 0 < part < smallest:
        return "", _plain(smallest)
    smaller = min(part, _EXACT.subtract(Decimal(whole), part))
    places = DIGITS - 1 - smaller.adjusted() if smaller else 0
    rounded = part.quantize(
        Decimal(1).scaleb(-min(max(places, 1), most)), rounding=side.value, context=_EXACT
    )
    return ("0" if not rounded else str(whole) if rounded == whole else _plain(rounded)), None


def _significant(value: Decimal, side: Side) -> Decimal:
    digits = max(DIGITS, value.adjusted() + 1) if value < 10**7 else DIGITS
    return decimal.Context(prec=digits, rounding=side.value, Emin=-5000, Emax=5000).plus(value)


def _show(value: Decimal, least: Decimal = Decimal("0.0001")) -> str:
    if not value:
        return "0"
    if least <= value < 10**7:
        return _trim(_plain(value))
    mantissa = _plain(value.scaleb(-value.adjusted(), context=_EXACT))
    return f"{_trim(mantissa)}e{value.adjusted()}"


def _plain(value: Decimal) -> str:
    return format(value, "f")


def _trim(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
