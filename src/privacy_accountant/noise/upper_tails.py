"""How likely a draw is to reach a number, from above: what a release of large counts only can give away."""

from __future__ import annotations

from fractions import Fraction

from privacy_accountant.noise.laws import IntegerLaw

_ACCURATE = 64
_FINEST = 1 << 10
"""Bits at which a tail is as fine as it gets: no claim is smaller than about 2**-1024."""


def tail_above(law: IntegerLaw, least: int) -> Fraction:
    """P(Z >= least) from above, to a relative 2**-60; 1 for least <= 0, where it is at least a half.

    The laws are symmetric, so it is half of what is left outside |Z| <= least - 1. What a law puts within is known from below.

    Example:
        >>> from privacy_accountant.noise import DiscreteLaplaceLaw
        >>> round(float(tail_above(DiscreteLaplaceLaw(Fraction(1)), 4)), 10)
        0.0133898049
    """
    if least <= 0:
        return Fraction(1)
    bits = 2 * _ACCURATE
    while True:
        one: int = 1 << bits
        low, high = law._within(least - 1, bits)
        if (high - low) << _ACCURATE <= one - high or bits >= _FINEST:
            return Fraction(one - low, 2 * one)
        bits *= 2
