"""Cumulative distributions, enclosed: what the look-up tables are made of.

The integers of a symmetric law are taken in the order 0, 1, -1, 2, -2, ..., those of a half line in the
order 0, 1, 2, ...; F(j) is the probability of the first j + 1 of them. `enclose(bits)` bounds
`floor(2**bits F(j))` for j = 0, 1, ... up to the first j with 1 - F(j) < 2**-bits; what lies beyond is
asked for with more bits. F(j) < 1 always, so no upper bound exceeds 2**bits - 1: a scale of 1e-300 has a
table of one entry.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate
from typing import TypeAlias

import attrs

from privacy_accountant.noise.enclosures import Bounds, normal_within
from privacy_accountant.numerics.enclosure import exp_minus

Steps: TypeAlias = tuple[list[int], list[int]]
"""Lower and upper bounds on floor(2**bits F(j)), both non-decreasing in j."""

CELL_GUARD = 32
"""Further bits for cells: bounds are then nearly always equal, which is a matter of speed only."""


class Cumulative(ABC):
    """A distribution on the integers, or on the non-negative ones."""

    __slots__ = ()

    signed: bool

    @abstractmethod
    def enclose(self, bits: int) -> Steps:
        """Bounds on floor(2**bits F(j)) up to the first j with 1 - F(j) < 2**-bits."""


def _steps(lows: list[int], highs: list[int], bits: int) -> Steps:
    """Bounds made monotone (F is, so an earlier lower bound holds later too) and kept below 1."""
    top = (1 << bits) - 1
    low = list(accumulate(lows, max))
    high = list(accumulate(reversed(highs), min, initial=top))[:0:-1]
    return low, high


@attrs.frozen
class Weights(Cumulative):
    """P(k) proportional to exp(-(a |k| + b k**2)): discrete Laplace (b = 0) and discrete Gaussian (a = 0).

    Fixed point with guard bits to spare, p = bits + guard. Three lower bounds are carried: of the weight
    g = exp(-(a k + b k**2)), of its next ratio h = exp(-(a + b (2k + 1))), and of r = exp(-2 b), by which h
    shrinks. In units of 2**-p, h and r begin at most 3 low. A product of numbers <= 1 is as low as its
    factors together, plus 1 for the shift: h is at most 4 (k + 1) low, hence g at most 4 (k + 1)**2.

    The weights from k on sum to at most g / (1 - exp(-y)) <= g (1 + 1/y) on one side, with
    y = a + b (2k + 1), as the ratios only fall. The sums end once this rest is below 2**(guard / 2) units,
    which it comes to at scales up to 128: weights fade within k = 90 p, and twice 4 (k + 1)**2 (1 + 1/y) is
    then below 2**(2 log2(p) + 24), less than half the guard that `enclose` gives.
    """

    a: Fraction
    b: Fraction
    signed: bool

    def enclose(self, bits: int) -> Steps:
        """Partial sums over the total, both enclosed."""
        sums, errors, total_low, total_high = self._sums(bits, 72 + 4 * bits.bit_length())
        low, high = [], []
        for partial, error in zip(sums, errors, strict=True):
            low.append((partial << bits) // total_high)
            high.append(((partial + error) << bits) // total_low)
            if (total_high - partial) << bits < total_low:
                break
        return _steps(low, high, bits)

    def _sums(self, bits: int, guard: int) -> tuple[list[int], list[int], int, int]:
        """Lower bounds on the partial sums, how low each may be, bounds on the total, in units of 2**-p."""
        p, small = bits + guard, guard // 2
        weight, (ratio, _), (shrink, _) = 1 << p, exp_minus(self.a + self.b, p), exp_minus(2 * self.b, p)
        sums: list[int] = []
        errors: list[int] = []
        partial = error = k = 0
        while True:
            slack = 4 * (k + 1) ** 2
            if not weight >> small:
                y = self.a + self.b * (2 * k + 1)
                rest = int((weight + slack) * (1 + 1 / y) * (1 + self.signed)) + 1
                if not rest >> small:
                    return sums, errors, partial, partial + error + rest
            for _ in range(1 + (self.signed and k > 0)):
                partial, error = partial + weight, error + slack
                sums.append(partial)
                errors.append(error)
            weight, ratio, k = weight * ratio >> p, ratio * shrink >> p, k + 1


@attrs.frozen
class RoundedCells(Cumulative):
    """A symmetric real variable, rounded to the nearest integer: the mass of the cells [k - 1/2, k + 1/2)."""

    signed = True

    @abstractmethod
    def within(self, bits: int) -> Iterator[Bounds]:
        """Bounds on 2**bits P(|Z| <= k) for k = 0, 1, 2, ..."""

    def enclose(self, bits: int) -> Steps:
        """F at -k is P(|Z| <= k); F at k lies half way between P(|Z| <= k - 1) and P(|Z| <= k)."""
        low, high = [], []
        before_low = before_high = 0
        for k, (now_low, now_high) in enumerate(self.within(bits + CELL_GUARD)):
            if k:
                low.append((before_low + now_low) >> (CELL_GUARD + 1))
                high.append((before_high + now_high) >> (CELL_GUARD + 1))
            low.append(now_low >> CELL_GUARD)
            high.append(now_high >> CELL_GUARD)
            if (1 << bits + CELL_GUARD) - now_low < 1 << CELL_GUARD:
                break
            before_low, before_high = now_low, now_high
        return _steps(low, high, bits)


@attrs.frozen
class LaplaceCells(RoundedCells):
    """The Laplace distribution of a rational scale: P(|Z| <= k) = 1 - exp(-(k + 1/2) / scale)."""

    scale: Fraction

    def within(self, bits: int) -> Iterator[Bounds]:
        """The tail falls by exp(-1/scale) a step; its lower bound is at most 4 (k + 1) low (see Weights)."""
        one = 1 << bits
        (tail, _), (ratio, _) = exp_minus(1 / (2 * self.scale), bits), exp_minus(1 / self.scale, bits)
        slack = 4
        while True:
            yield max(one - tail - slack, 0), one - tail
            tail, slack = tail * ratio >> bits, slack + 4


@attrs.frozen
class GaussianCells(RoundedCells):
    """The Gaussian distribution of a rational sigma."""

    sigma: Fraction

    def within(self, bits: int) -> Iterator[Bounds]:
        """P(|Z| <= k) = P(|N| <= (k + 1/2) / sigma)."""
        odd, unit = 1, 1 / (4 * self.sigma * self.sigma)
        while True:
            yield normal_within(odd * odd * unit, bits)
            odd += 2
