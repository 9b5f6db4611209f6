"""Exact choices: one candidate of many, by weights that are exponentials of exact rationals.

Two laws are drawn here. The exponential mechanism's, P(i) proportional to exp(-x_i) (McSherry and Talwar 2007), by comparing one
uniform number with the enclosed partial sums of the weights: the work is the same whichever candidate wins. And that of
permute-and-flip (McKenna and Sheldon 2020, arXiv 2010.12603): candidates in random order, each accepted with probability
exp(-x_i), the first accepted one wins.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

from privacy_accountant.noise.bernoulli import WORD, exponential_coin, uniform
from privacy_accountant.noise.enclosures import Bounds
from privacy_accountant.noise.entropy import ByteSource, integer
from privacy_accountant.numerics.enclosure import exp_minus


def proportional(exponents: Sequence[Fraction], read: ByteSource, *, word: int = WORD) -> int:
    """An index i with probability exp(-x_i) / sum of exp(-x_j), exactly.

    With bounds L_j <= C_j <= H_j on the partial sums of the weights, and R_j = C_n - C_j on what follows, the distribution
    function F_j = C_j / (C_j + R_j) grows with C_j and falls with R_j, so it lies between L_j / (L_j + H_n - H_j) and
    H_j / (H_j + L_n - L_j): each weight is enclosed on its own, so H_n - H_j and L_n - L_j bound R_j. More bits are read, and the
    weights enclosed more finely, until the uniform number lies between two of these.

    Args:
        exponents: x_i >= 0, at least one of them 0.
        read: Where the bytes come from.
        word: Bits of the uniform number read at first. Tests shrink it.

    Example:
        >>> import os
        >>> proportional([Fraction(0), Fraction(10**9)], os.urandom)
        0
    """
    drawn, bits = integer(word, read), word
    while True:
        low, high = _partial_sums(exponents, bits + len(exponents).bit_length() + 8)
        place = _place(drawn, bits, low, high)
        if place is not None:
            return place
        drawn, bits = drawn << 64 | integer(64, read), bits + 64


def _partial_sums(exponents: Sequence[Fraction], bits: int) -> tuple[list[int], list[int]]:
    """Bounds on 2**bits times the partial sums; an exponent that comes often, as one object, is enclosed once."""
    known: dict[int, Bounds] = {}
    for x in exponents:
        if id(x) not in known:
            known[id(x)] = exp_minus(x, bits)
    each = [known[id(x)] for x in exponents]
    return list(accumulate(low for low, _ in each)), list(accumulate(high for _, high in each))


def _place(drawn: int, bits: int, low: list[int], high: list[int]) -> int | None:
    """The index whose share of [0, 1) holds [drawn, drawn + 1) / 2**bits for certain; None when that is open."""
    total_low, total_high = low[-1], high[-1]

    def reaches(at: int) -> int:
        """2**bits F_at from below, rounded down."""
        return (low[at] << bits) // (low[at] + total_high - high[at])

    def starts(at: int) -> int:
        """2**bits F_at from above, rounded up."""
        return -(-(high[at] << bits) // (high[at] + total_low - low[at]))

    place = bisect_right(range(len(low)), drawn, key=reaches)
    if place == len(low) or (place > 0 and starts(place - 1) > drawn):
        return None
    return place


def permute_and_flip(exponents: Sequence[Fraction], read: ByteSource, *, word: int = WORD) -> int:
    """The index that permute-and-flip chooses, exactly: it ends, as a candidate with x = 0 is always accepted.

    Args:
        exponents: x_i >= 0, at least one of them 0.
        read: Where the bytes come from.
        word: Bits of each coin read at first. Tests shrink it.
    """
    left = list(range(len(exponents)))
    while True:
        at = uniform(len(left), read)
        left[at], left[-1] = left[-1], left[at]
        candidate = left.pop()
        if exponential_coin(exponents[candidate], read, word=word):
            return candidate
