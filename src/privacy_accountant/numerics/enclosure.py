"""Proved bounds on exponentials and logarithms of exact rationals: the one place where they are taken.

The elementary functions are the decimal module's, which round correctly, in a context that is ours in every respect; everything
between them is exact rational arithmetic. So the bounds need no error analysis but the one beside `exp_minus`.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from typing import TypeAlias

from privacy_accountant.exact import canonical, float_up

Interval: TypeAlias = tuple[Fraction, Fraction]

BITS = 220
"""Relative accuracy of an enclosure: high - low <= 2**-BITS * low."""

_FLOOR = 4096
_SINGLE = 64
_DIGITS_PER_BIT = math.log10(2)
_ZERO: Interval = (Fraction(0), Fraction(0))


def exp_minus(x: Fraction, bits: int) -> tuple[int, int]:
    """Integers `(low, high)`, at most 3 apart, with low <= 2**bits exp(-x) <= high; x >= 0.

    Proof. With p = bits: for x > p, 2**p exp(-x) < 2**p exp(-p) < 1. Otherwise d digits are kept, d >= 0.302 p + 7. The
    quotient is off by at most a relative 5 * 10**-d, hence exp(-x) by a relative 5 p 10**-d; exp and product are each rounded
    once more. Together the decimal v is off by less than 2**p (5 p + 11) 10**-d, at most (5 p + 11) 10**(-7 - 0.0009 p) < 1,
    because 0.302 - 0.0009 > log10(2). So the truth lies between floor(v) - 1 and floor(v) + 2.

    Example:
        >>> low, high = exp_minus(Fraction(1), 20)
        >>> low <= 2**20 / 2.718281828459045 <= high, high - low
        (True, 3)
    """
    one = 1 << bits
    if x <= 0:
        return one, one
    if x > bits:
        return 0, 1
    context = own_context(int(bits * 0.302) + 8)
    quotient = context.divide(Decimal(x.numerator), Decimal(x.denominator))
    value = int(context.multiply(context.exp(context.minus(quotient)), Decimal(one)))
    return max(value - 1, 0), min(value + 2, one)


def exp_bounds(x: Fraction, bits: int = BITS) -> Interval:
    """Enclose exp(x) to a relative 2**-bits; below -4096 the lower end is 0 and the upper exp(-4096).

    Example:
        >>> low, high = exp_bounds(Fraction(-1))
        >>> float(low), high - low < Fraction(1, 2**220)
        (0.36787944117144233, True)
    """
    if x == 0:
        return Fraction(1), Fraction(1)
    if x < -_FLOOR:
        return Fraction(0), exp_bounds(Fraction(-_FLOOR), bits)[1]
    whole = max(0, x.numerator.bit_length() - x.denominator.bit_length() + 1)
    context = own_context(_digits(bits + whole))
    low, high = _decimals(x, context.prec)
    return Fraction(context.next_minus(context.exp(low))), Fraction(context.next_plus(context.exp(high)))


def log_bounds(x: Fraction, bits: int = BITS) -> Interval:
    """Enclose log(x), x > 0, to a relative 2**-bits; log(1) is exact.

    Example:
        >>> low, high = log_bounds(Fraction(2))
        >>> float(low), high - low < Fraction(1, 2**220)
        (0.6931471805599453, True)
    """
    if x == 1:
        return _ZERO
    near_one = max(0, x.denominator.bit_length() - (x.numerator - x.denominator).bit_length() + 1)
    context = own_context(_digits(bits + near_one))
    low, high = _decimals(x, context.prec)
    return Fraction(context.next_minus(context.ln(low))), Fraction(context.next_plus(context.ln(high)))


def log_up(x: Fraction) -> float:
    """The float next above log(x), x > 0.

    Example:
        >>> log_up(Fraction(1)), log_up(Fraction(1, 2))
        (0.0, -0.6931471805599453)
    """
    return float_up(canonical(log_bounds(x, _SINGLE)[1]))


def own_context(digits: int, rounding: str = ROUND_HALF_EVEN) -> decimal.Context:
    """A decimal context of so many digits that takes nothing from the program's, which may round, trap or overflow differently."""
    return decimal.Context(
        prec=digits,
        rounding=rounding,
        Emin=decimal.MIN_EMIN,
        Emax=decimal.MAX_EMAX,
        capitals=1,
        clamp=0,
        flags=[],
        traps=[decimal.InvalidOperation, decimal.DivisionByZero, decimal.Overflow],
    )


def _digits(bits: int) -> int:
    return math.ceil((bits + 8) * _DIGITS_PER_BIT)


def _decimals(x: Fraction, digits: int) -> tuple[Decimal, Decimal]:
    """The decimals of so many digits next to x on either side."""
    ends = []
    for rounding in (ROUND_FLOOR, ROUND_CEILING):
        context = own_context(digits, rounding)
        ends.append(context.divide(Decimal(x.numerator), Decimal(x.denominator)))
    return ends[0], ends[1]


def sharpen(enclose: Callable[[int], Interval], smallest: Fraction) -> Interval:
    """Evaluate an enclosure at more and more bits, until what cancellation has left is accurate.

    Args:
        enclose: The enclosure as a function of its working bits.
        smallest: The smallest positive number on which it depends: its size says how much cancels.
    """
    lost = max(0, smallest.denominator.bit_length() - smallest.numerator.bit_length() + 1)
    bits = BITS + 32 + 2 * lost
    while True:
        low, high = enclose(bits)
        if (high - low) * (1 << BITS) <= low:
            return low, high
        bits *= 2
