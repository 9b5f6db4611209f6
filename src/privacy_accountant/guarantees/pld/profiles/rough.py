"""Losses beyond the arithmetic of doubles: simple bounds instead of an integral, valid and not sharp.

No useful release is here: these are epsilons above a hundred millions, Gaussians so narrow that nothing is hidden, more releases than a
double counts, or losses so small that their squares underflow.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from privacy_accountant.exact import Real, canonical, float_up
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.pld.moments.families import UNIT, Array
from privacy_accountant.guarantees.pld.pairs.dominating import DominatingPair
from privacy_accountant.guarantees.pld.profiles.curves import Curve
from privacy_accountant.guarantees.pld.profiles.infinity import Infinity
from privacy_accountant.guarantees.pld.profiles.profile import TINY, Bounds, Profile
from privacy_accountant.guarantees.pld.profiles.simple_profiles import ClosedProfile
from privacy_accountant.guarantees.zcdp import ZCDP

Parts: TypeAlias = tuple[tuple[DominatingPair, int], ...]

LARGEST, LEAST = Fraction(10) ** 8, Fraction(1, 10**30)
"""Sizes of a composed loss between these are left to contours."""
_MOST_RELEASES, _ENOUGH = 10**15, 10**6
_UP, _DOWN = 1 + 8 * UNIT, 1 - 8 * UNIT


def size_of(parts: Parts) -> Fraction:
    """About how large the composed loss is, above `LARGEST` when there are too many releases to be counted in doubles."""
    if sum(count for _, count in parts) > _MOST_RELEASES:
        return 2 * LARGEST
    return sum((_size(pair) * count for pair, count in parts), Fraction(0))


def _size(pair: DominatingPair) -> Fraction:
    """The largest loss; where there is none, mu or mu^2, whichever is larger."""
    top, back = pair.top, pair.reversed().top
    if top is not None and back is not None:
        return max(abs(top), abs(back))
    square = 2 * (pair.rho or Fraction(0))
    return max(square, Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator) + 1))


def profile(infinity: Infinity, top: Fraction | None, finite: Parts, below: Profile | None) -> RoughProfile:
    """What can be said at once: the largest loss or the total rho from above, and something dominated from below.

    Args:
        infinity: The mass at infinite loss.
        top: The largest finite loss.
        finite: The parts that have finite losses.
        below: A profile that lies below.
    """
    rhos = [(pair.rho, count) for pair, count in finite]
    known = [rho * count for rho, count in rhos if rho is not None]
    curves: list[Curve] = []
    if len(known) == len(rhos):
        curves.append(ConcentratedCurve(infinity, canonical(sum(known, Fraction(0)))))
    backs = [(pair.reversed().top, count) for pair, count in finite]
    if top is not None and all(back is not None for back, _ in backs):
        back = sum((b * n for b, n in backs if b is not None), Fraction(0))
        curves.append(PureCurve(infinity, float_up(max(top, back))))
    return RoughProfile(infinity, top, LeastCurve(curves or [PureCurve(infinity, math.inf)]), below)


def below(parts: Parts) -> Parts:
    """What is left in range of the part that tells most: a composition that the whole one dominates."""
    floors = [(floor, count) for pair, count in parts if (floor := pair.floor()) is not None]
    if not floors:
        return ()
    pair, count = max(floors, key=lambda part: _size(part[0]) * min(part[1], _MOST_RELEASES))
    copies = math.floor(_ENOUGH / max(_size(pair), LEAST)) if _size(pair) * count >= LEAST else 1
    return ((pair, max(1, min(count, _MOST_RELEASES, copies))),)


def log_moment(finite: Parts, c: float) -> float:
    """Upper bound on log E[e^{cL}]: that of rho-zCDP, where there is one; for -1 <= c <= 0 the moment of a pair is at most 1."""
    rhos = [pair.rho for pair, _ in finite]
    total = sum((rho * n for rho, (_, n) in zip(rhos, finite, strict=True) if rho is not None), Fraction(0))
    if c in (-1.0, 0.0) or (None not in rhos and -1 < c < 0):
        return 0.0
    return float_up(total * Fraction(c) * (Fraction(c) + 1)) if None not in rhos else math.inf


class PureCurve(Curve):
    """Losses of at most `end`, and some mass at infinity: all that (epsilon, delta)-DP says.

    delta(e) = m + (1 - m)(1 - e^{e - end}): the finite losses need not be a pair of their own.
    """

    def __init__(self, infinity: Infinity, end: float) -> None:
        self._infinity, self._end = infinity, end

    def beta(self, alpha: Array) -> Array:
        """See `Curve.beta`."""
        return ADP(self._end, self._infinity.high)._beta(alpha)

    def _below(self, e: Array) -> Array:
        """e - end, and 0 from the end on."""
        return np.where(
            e < self._end, np.minimum(e, self._end if self._end < math.inf else 0.0) - self._end, 0.0
        )

    def delta(self, e: Array) -> Array:
        """See `Curve.delta`."""
        m = self._infinity.high
        with np.errstate(under="ignore"):
            more = (1 - m) * -np.expm1(self._below(e))
        return np.where(e < self._end, np.clip((m + more) * _UP, TINY, 1.0), m)

    def complement(self, e: Array) -> Array:
        """See `Curve.complement`."""
        with np.errstate(under="ignore"):
            left = np.exp(self._below(e)) * (_DOWN - 4 * UNIT * min(self._end, 1e15))
        return np.asarray(self._infinity.rest_low * np.where(e < self._end, np.maximum(left, 0.0), 1.0))

    def epsilon(self, delta: Array) -> Array:
        """See `Curve.epsilon`: the largest loss."""
        within = np.where(delta >= self._infinity.high, self._end, math.inf)
        return np.where(delta >= 1, 0.0, within)


class ConcentratedCurve(Curve):
    """rho-zCDP of the finite losses, and some mass m at infinity: f(alpha) = (1 - m) f_rho(alpha / (1 - m))."""

    def __init__(self, infinity: Infinity, rho: Real) -> None:
        self._infinity, self._form = infinity, ZCDP(rho)

    def beta(self, alpha: Array) -> Array:
        """See `Curve.beta`."""
        rest = self._infinity.rest_low
        if rest == 0:
            return np.zeros_like(alpha)
        inner = self._form._beta(np.minimum(alpha / rest * _UP, 1.0))
        return np.asarray(np.minimum(rest * inner * _DOWN, 1 - alpha))

    def delta(self, e: Array) -> Array:
        """See `Curve.delta`."""
        m = self._infinity.high
        more = self._form._delta(e)
        return np.where(more > 0, np.clip((m + (1 - m) * more) * _UP, TINY, 1.0), m)

    def complement(self, e: Array) -> Array:
        """See `Curve.complement`."""
        return np.asarray(self._infinity.rest_low * self._form._complement(e) * _DOWN)

    def epsilon(self, delta: Array) -> Array:
        """See `Curve.epsilon`."""
        m, rest = self._infinity.high, self._infinity.rest_low
        left = np.clip((delta - m) / max(rest, TINY) * _DOWN - 4 * UNIT * delta * (m > 0), 0.0, 1.0)
        return np.where(delta < m, math.inf, np.where(delta >= 1, 0.0, self._form._epsilon(left)))


class LeastCurve(Curve):
    """Several bounds on one release: the best of them, question by question."""

    def __init__(self, curves: list[Curve]) -> None:
        self._curves = curves

    def beta(self, alpha: Array) -> Array:
        """See `Curve.beta`."""
        return np.asarray(np.max([curve.beta(alpha) for curve in self._curves], axis=0))

    def delta(self, e: Array) -> Array:
        """See `Curve.delta`."""
        return np.asarray(np.min([curve.delta(e) for curve in self._curves], axis=0))

    def complement(self, e: Array) -> Array:
        """See `Curve.complement`."""
        return np.asarray(np.max([curve.complement(e) for curve in self._curves], axis=0))

    def epsilon(self, delta: Array) -> Array:
        """See `Curve.epsilon`."""
        return np.asarray(np.min([curve.epsilon(delta) for curve in self._curves], axis=0))


class RoughProfile(ClosedProfile):
    """An upper bound in closed form, and something dominated from below."""

    def __init__(self, infinity: Infinity, top: Fraction | None, curve: Curve, below: Profile | None) -> None:
        super().__init__(infinity, top, curve)
        self._below = below

    def bounds(self, e: Array, tolerance: float) -> Bounds:
        """See `Profile.bounds`."""
        high, room = self.swift(e)
        low, room_high = np.full_like(e, self.infinity.low), np.full_like(e, self.infinity.rest_high)
        if self._below is not None:
            part = self._below.bounds(e, tolerance)
            low, room_high = np.maximum(low, part.delta_low), np.minimum(room_high, part.room_high)
        return Bounds(np.minimum(low, high), high, room, np.maximum(room_high, room), np.zeros_like(e))

    def epsilon(self, delta: float, tolerance: float) -> tuple[float, float]:
        """See `Profile.epsilon`."""
        if delta >= float(self.swift(np.zeros(1))[0][0]):
            return 0.0, 0.0
        if delta < self.infinity.low:
            return math.inf, math.inf
        high = float(self.curve.epsilon(np.array([delta]))[0])
        if delta >= self.infinity.high:
            high = min(high, self.top_high)
        low = 0.0 if self._below is None else self._below.epsilon(delta, tolerance)[0]
        return min(low, high), high

    def swift(self, e: Array) -> tuple[Array, Array]:
        """See `Profile.swift`."""
        inside = e < self.top_high
        high = np.where(inside, self.curve.delta(e), self.infinity.high)
        return high, np.where(inside, self.curve.complement(e), self.infinity.rest_low)
