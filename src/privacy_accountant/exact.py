"""Exact numbers: a parameter means the decimal that was typed.

`0.1` is one tenth in budgets, scales and noise alike, not the binary fraction next to it. A number is kept as a `float`
when the float's shortest decimal is exactly that number and as a `Fraction` otherwise, so equal numbers are stored equal.
Whatever leaves this exactness (a square root, a float for numpy) is rounded in a direction that the caller names.
"""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, SupportsFloat, TypeAlias

from privacy_accountant.errors import InvalidParameterError

Real: TypeAlias = float | Fraction
RealLike: TypeAlias = int | float | Fraction | Decimal | SupportsFloat

GRAIN = 200
"""Transcendental costs are rounded up to a multiple of 2**-GRAIN."""

_TOO_LARGE = 2**1024
_MOST_DIGITS = 4000
_MOST_BITS = 13_000
_LONG, _KEPT = 2048, 320


def real(value: object, field: str, rule: str = "a finite number", *, infinite: bool = False) -> Real:
    """Read a number as the decimal that was typed.

    Args:
        value: An int, float, Fraction, Decimal or numpy integer or float64. Booleans, strings, NaN and float32 are refused:
            a float32 has no decimal that its owner typed.
        field: Name for the error.
        rule: What the value must be, for the error.
        infinite: Whether plus infinity is allowed.

    Returns:
        A float when its shortest decimal is exactly the number, else a Fraction.

    Raises:
        InvalidParameterError: When `value` is not such a number.

    Example:
        >>> from decimal import Decimal
        >>> real(Decimal("0.10"), "epsilon"), real(Fraction(1, 3), "epsilon"), real(2, "epsilon")
        (0.1, Fraction(1, 3), 2.0)
    """
    if isinstance(value, (bool, str, bytes)):
        raise InvalidParameterError(field, rule, value)
    if isinstance(value, float):
        number = float(value)
        if math.isfinite(number) or (infinite and number == math.inf):
            return number + 0.0
        raise InvalidParameterError(field, rule, value)
    kind = type(value)
    if kind.__module__ == "numpy" and hasattr(value, "dtype") and getattr(value, "ndim", None) == 0:
        return _numpy_real(value, field, rule, infinite)
    if isinstance(value, Decimal):
        return _decimal_real(value, field, rule, infinite)
    if isinstance(value, numbers.Rational):
        return _bounded(Fraction(value), field, rule)
    raise InvalidParameterError(field, rule, value)


def _decimal_real(value: Decimal, field: str, rule: str, infinite: bool) -> Real:
    if value.is_nan():
        raise InvalidParameterError(field, rule, value)
    if value.is_infinite():
        return real(float(value), field, rule, infinite=infinite)
    if abs(value.adjusted()) > _MOST_DIGITS:  # before it becomes a fraction, which would not end
        raise InvalidParameterError(
            field, f"{rule} of at most {_MOST_DIGITS} digits", f"exponent {value.adjusted()}"
        )
    return _bounded(Fraction(value), field, rule)


def _bounded(value: Fraction, field: str, rule: str) -> Real:
    """A number that fits on a page: longer ones cannot be printed in an error, a receipt or a ledger."""
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    if bits > _MOST_BITS:
        raise InvalidParameterError(field, f"{rule} of at most {_MOST_DIGITS} digits", f"{bits} bits")
    return canonical(value)


def _numpy_real(value: Any, field: str, rule: str, infinite: bool) -> Real:
    kind = value.dtype.kind
    if kind in "iu":
        return canonical(Fraction(int(value)))
    if kind == "f" and value.dtype.itemsize < 8:
        raise InvalidParameterError(
            field,
            f"{rule} with a decimal of its own (a {value.dtype} has none: pass float(str(x)) or a Decimal)",
            value,
        )
    if kind == "f":
        return real(float(value), field, rule, infinite=infinite)
    raise InvalidParameterError(field, rule, value)


def canonical(value: Fraction) -> Real:
    """The stored form of an exact number: a float when its shortest decimal is exactly that number."""
    if -_TOO_LARGE < value < _TOO_LARGE:
        nearest = float(value)
        if math.isfinite(nearest) and exact(nearest) == value:
            return nearest + 0.0
    return value


def exact(value: Real | int) -> Fraction:
    """The exact number behind a stored one: `exact(0.1) == Fraction(1, 10)`."""
    if isinstance(value, Fraction):
        return value
    return Fraction(Decimal(repr(value))) if isinstance(value, float) else Fraction(value)


def is_infinite(value: Real) -> bool:
    """Whether a stored number is infinity, without comparing a long fraction with a float."""
    return isinstance(value, float) and math.isinf(value)


def sum_up(amounts: Iterable[Fraction]) -> Fraction:
    """The sum of non-negative rationals: exact while it is short, else rounded up.

    Many amounts without a common denominator add up to a number that has the digits of all of them. Where the denominator would
    pass 2048 bits (and that of the longest amount) each amount is rounded up to a multiple of 2**-320 times a power of two near
    the largest. Neither the order nor equal amounts change the result: they share their denominators.

    Example:
        >>> sum_up([Fraction(1, 3), Fraction(1, 6)])
        Fraction(1, 2)
        >>> long = [Fraction(1, 10**9 + 2 * i + 1) for i in range(200)]
        >>> 0 < sum_up(long) / sum(long) - 1 < 2**-300
        True
    """
    each = list(amounts)
    bottoms = {amount.denominator for amount in each}
    most = max([_LONG, *(bottom.bit_length() for bottom in bottoms)])
    common = 1
    for bottom in bottoms:
        common = math.lcm(common, bottom)
        if common.bit_length() > most:
            return _short_sum(each)
    return Fraction(sum(amount.numerator * (common // amount.denominator) for amount in each), common)


def _short_sum(amounts: Sequence[Fraction]) -> Fraction:
    parts = [(amount.numerator, amount.denominator) for amount in amounts if amount]  # zeros have no size
    size = max(top.bit_length() - bottom.bit_length() for top, bottom in parts)
    shift = max(_KEPT - size, 0)
    return Fraction(-sum((-top << shift) // bottom for top, bottom in parts), 1 << shift)


def integer(value: object, field: str, rule: str = "an integer", *, least: int | None = None) -> int:
    """Read an integer; booleans and floats are refused, even whole ones.

    Raises:
        InvalidParameterError: When `value` is not an integer of at least `least`.
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise InvalidParameterError(field, rule, value)
    whole = int(value)
    if least is not None and whole < least:
        raise InvalidParameterError(field, rule, value)
    return whole


def float_up(value: Real) -> float:
    """A float for an exact number, from above.

    A stored float is returned as it is: whoever asks a question with the same float means the same decimal, so the two must
    meet. A fraction is rounded to a float at or above it, both as a binary number and by the float's decimal.
    """
    return _directed(value, math.inf)


def float_down(value: Real) -> float:
    """A float for an exact number, from below; see `float_up`."""
    return _directed(value, -math.inf)


def binary_up(value: Real) -> float:
    """A float that is at or above an exact number as a binary number too, for where a rounding in an exponent would show.

    Example:
        >>> binary_up(0.1), binary_up(0.3)
        (0.1, 0.30000000000000004)
    """
    return value if is_infinite(value) else _directed(exact(value), math.inf)  # type: ignore[return-value]


def binary_down(value: Real) -> float:
    """A float that is at or below an exact number as a binary number too; see `binary_up`."""
    return value if is_infinite(value) else _directed(exact(value), -math.inf)  # type: ignore[return-value]


def _directed(value: Real, towards: float) -> float:
    if isinstance(value, float):
        return value
    short = operator.lt if towards > 0 else operator.gt
    try:
        near = float(value)
    except OverflowError:
        near = math.inf if value > 0 else -math.inf
    if math.isinf(near):
        return near if (near > 0) == (towards > 0) else math.copysign(math.nextafter(math.inf, 0.0), near)
    top, bottom = value.numerator, value.denominator
    while any(short(x * bottom, top * y) for x, y in _meanings(near)):
        near = math.nextafter(near, towards)
        if math.isinf(near):
            break
    return near


def _meanings(number: float) -> tuple[tuple[int, int], tuple[int, int]]:
    """What a finite float stands for, as a binary number and by its shortest decimal."""
    return number.as_integer_ratio(), Decimal(repr(number)).as_integer_ratio()


def sqrt_up(value: Fraction) -> float:
    """A float at or above the square root of a non-negative rational."""
    return float_up(_root(value, ceil=True))


def sqrt_down(value: Fraction) -> float:
    """A float at or below the square root of a non-negative rational."""
    return float_down(_root(value, ceil=False))


def root_up(value: Fraction) -> Real:
    """The square root of a non-negative rational: exact when it is rational, else a float above it."""
    top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if top * top == value.numerator and bottom * bottom == value.denominator:
        return canonical(Fraction(top, bottom))
    return sqrt_up(value)


def _root(value: Fraction, *, ceil: bool) -> Fraction:
    """The square root: exact when rational, else within a relative 2**-120 on the side that is asked for."""
    top, bottom = value.numerator, value.denominator
    shift = max(0, 240 - top.bit_length() - bottom.bit_length()) // 2 + 1
    scaled = top * bottom << 2 * shift
    whole = math.isqrt(scaled)
    if ceil and whole * whole != scaled:
        whole += 1
    return Fraction(whole, bottom << shift)


def grain_up(low: Fraction, error: Fraction) -> Fraction:
    """The multiple of 2**-GRAIN at or above any number within `error` above `low`."""
    scaled = (low + error) * (1 << GRAIN)
    return Fraction(math.ceil(scaled), 1 << GRAIN)


def reader(
    rule: str, holds: Callable[[Fraction], bool], *, infinite: bool = False
) -> Callable[[object, str], Real]:
    """A converter that reads an exact number and checks a rule on its exact value; infinity passes when allowed."""

    def read(value: object, field: str) -> Real:
        number = real(value, field, rule, infinite=infinite)
        if not (isinstance(number, float) and math.isinf(number)) and not holds(exact(number)):
            raise InvalidParameterError(field, rule, value)
        return number

    return read


positive = reader("a positive finite number", lambda x: x > 0)
non_negative = reader("a finite number >= 0", lambda x: x >= 0)
non_negative_or_infinite = reader("a number >= 0", lambda x: x >= 0, infinite=True)
probability = reader("a number in [0, 1]", lambda x: 0 <= x <= 1)
order = reader("a finite number > 1", lambda x: x > 1)
