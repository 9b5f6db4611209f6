"""What a law puts within a distance, enclosed, and what is read from it: probabilities, half widths.

Everything here is for people and for tests; no draw depends on it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from privacy_accountant.noise.cumulative import Steps, Weights
from privacy_accountant.noise.enclosures import Bounds, Threshold, normal_within, pi
from privacy_accountant.numerics.enclosure import exp_minus

FINEST = 1 << 14
"""Bits, beyond those of the scale, at which a comparison with a level is given up, to the safe side."""

SMALLEST_FLOAT = 1200
"""Below 2**-1200 a probability is 0.0 as a float, whatever its digits."""


def laplace_within(scale: Fraction, h: int, bits: int) -> Bounds:
    """P(|round(Z)| <= h) = 1 - exp(-(h + 1/2)/scale) of the Laplace distribution."""
    low, high = exp_minus((2 * h + 1) / (2 * scale), bits)
    return (1 << bits) - high, (1 << bits) - low


def gaussian_within(sigma: Fraction, h: int, bits: int) -> Bounds:
    """P(|round(Z)| <= h) = erf((h + 1/2) / (sigma sqrt(2))) of the Gaussian.

    Above sigma = 128 it is also a lower bound on P(|Z| <= h) of the discrete Gaussian. Let g(x) = exp(-x**2
    / (2 sigma**2)), concave up to sigma and convex beyond. The sum of all g(k) is sigma sqrt(2 pi) (1 + 2
    exp(-2 pi**2 sigma**2) + ...) (Poisson), more than the integral, by less than 10**-140000. If h + 1/2 >=
    sigma, each g(k) of the tail is at most the integral over its cell, and the total is larger: the tail is
    less likely than the Gaussian's. Otherwise each g(k) within is at least the integral over its cell, the
    one of 0 by nearly 1/(24 sigma**2), which outweighs the excess of the total.
    """
    return normal_within(((2 * h + 1) / (2 * sigma)) ** 2, bits)


def geometric_within(scale: Fraction, h: int, bits: int) -> Bounds:
    """P(|Z| <= h) = 1 - 2 r**(h + 1) / (1 + r) of the discrete Laplace, r = exp(-1/scale)."""
    one = 1 << bits
    low, high = exp_minus(1 / scale, bits)
    tail_low, tail_high = exp_minus((h + 1) / scale, bits)
    return max(one - (2 * tail_high << bits) // (one + low) - 1, 0), one - (2 * tail_low << bits) // (
        one + high
    )


@lru_cache(maxsize=8)
def _steps(square: Fraction, bits: int) -> Steps:
    return Weights(Fraction(0), square, signed=True).enclose(bits)


def weights_within(square: Fraction, h: int, bits: int) -> Bounds:
    """P(|Z| <= h) of the discrete Gaussian with weights exp(-square k**2): the enclosed sums of its table."""
    low, high = _steps(square, bits)
    one = 1 << bits
    return (low[2 * h], high[2 * h] + 1) if 2 * h < len(low) else (one - 1, one)


def gaussian_peak(sigma: Fraction, bits: int) -> Bounds:
    """P(0) of the discrete Gaussian above sigma = 128: 1/(sigma sqrt(2 pi)), to a relative 10**-140000."""
    pi_low, pi_high = pi(bits + 8)
    top = sigma.denominator**2 << 3 * bits + 8
    low, high = (math.isqrt(top // (2 * sigma.numerator**2 * value)) for value in (pi_high, pi_low))
    return max(low - 1, 0), high + 1


def times_exp_minus(factor: Bounds, x: Fraction, bits: int) -> Bounds:
    """Bounds on a product with exp(-x)."""
    low, high = exp_minus(x, bits)
    return factor[0] * low >> bits, (factor[1] * high >> bits) + 1


def to_float(value: Threshold) -> float:
    """An enclosed number in [0, 1] as a float, off by a relative 2**-60 and the float's own rounding."""
    bits = 128
    while True:
        low, high = value(bits)
        if (high - low) << 60 <= low:
            return (low + high) / (2 << bits)
        if high << SMALLEST_FLOAT < 1 << bits:
            return 0.0
        bits *= 2


def half_width(within: Callable[[int, int], Bounds], level: Fraction, start: int) -> int:
    """The least h >= 0 for which P(|Z| <= h) >= level is proved, by doubling and bisection."""
    finest = FINEST + 2 * start.bit_length()
    low, high = -1, start
    while not _reaches(within, high, level, finest):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if _reaches(within, middle, level, finest):
            high = middle
        else:
            low = middle
    return high


def _reaches(within: Callable[[int, int], Bounds], h: int, level: Fraction, finest: int) -> bool:
    bits = 96
    while bits <= finest:
        low, high = within(h, bits)
        wanted = level * (1 << bits)
        if low >= wanted:
            return True
        if high < wanted:
            return False
        bits *= 2
    return False
