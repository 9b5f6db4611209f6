"""Proved bounds on the transcendental numbers that decide a draw, beside the exponentials of `numerics.enclosure`.

Every function takes exact rationals and a number of bits p and returns two integers `(low, high)` with
`low <= 2**p * value <= high`. Integers and `exp_minus` only: no float, no libm.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from privacy_accountant.numerics.enclosure import exp_minus

Bounds: TypeAlias = tuple[int, int]

Threshold: TypeAlias = Callable[[int], Bounds]
"""Bounds on one number in [0, 1], at the number of bits asked for."""


def normal_within(square: Fraction, bits: int) -> Bounds:
    """Bounds on P(|N| <= x) = erf(x / sqrt(2)) of a standard normal N, given s = x**2.

    It is sqrt(2 s / pi) T with T = exp(-s/2) times the sum of s**n / (2n+1)!! (Abramowitz and Stegun
    7.1.6). Every term is positive, so a lower and an upper sum are carried side by side and nothing
    cancels. Once s <= n the terms left out are together at most the last one taken, because each is less
    than half the one before. What the start exp(-s/2) is off by grows by exp(s/2) < 2**(3 s / 4) at most:
    hence the further bits, which matter for the width of the bounds, not for their truth. For s > 2 p:
    1 - erf(x / sqrt(2)) <= exp(-s/2) < 2**-p.

    Example:
        >>> low, high = normal_within(Fraction(4), 53)
        >>> low / 2**53 <= 0.9544997361036416 <= high / 2**53
        True
    """
    one = 1 << bits
    if square > 2 * bits:
        return one - 1, one
    guard = 8 + bits.bit_length()
    p = bits + guard + int(square * 3 / 4)
    low, high = exp_minus(square / 2, p)
    factor_low = (square.numerator << p) // square.denominator
    factor_high = factor_low + 1
    sum_low, sum_high, n = low, high, 0
    while n < square or high > 1:
        odd = 2 * n + 3
        low = (low * factor_low >> p) // odd
        high = (high * factor_high >> p) // odd + 1
        sum_low, sum_high, n = sum_low + low, sum_high + high, n + 1
    sum_high += high
    root_low, root_high = _root_two_over_pi(square, bits + guard)
    return root_low * sum_low >> p + guard, min((root_high * sum_high >> p + guard) + 1, one)


def _root_two_over_pi(square: Fraction, bits: int) -> Bounds:
    """Bounds on sqrt(2 s / pi)."""
    pi_low, pi_high = pi(bits)
    top = 2 * square.numerator << 3 * bits
    least, most = top // (square.denominator * pi_high), top // (square.denominator * pi_low)
    return math.isqrt(least), math.isqrt(most) + 1


@lru_cache(maxsize=16)
def pi(bits: int) -> Bounds:
    """Bounds on pi, from pi = 16 arctan(1/5) - 4 arctan(1/239).

    Each arctan is off by less than one unit per term and one for the terms left out, and has fewer than p
    terms.
    """
    guard = 8 + bits.bit_length()
    p = bits + guard
    value, error = 16 * _arctan_inverse(5, p) - 4 * _arctan_inverse(239, p), 20 * p
    return (value - error) >> guard, ((value + error) >> guard) + 1


def _arctan_inverse(m: int, bits: int) -> int:
    power, total, n = (1 << bits) // m, 0, 0
    while power:
        total += power // (2 * n + 1) if n % 2 == 0 else -(power // (2 * n + 1))
        power, n = power // (m * m), n + 1
    return total
