r"""One release on a sample in closed form, from the closed form of the mechanism itself.

With q the probability of a record to take part, A and B the outputs without and with it, and delta the profile of (B, A), which is
symmetric (Balle, Barthe and Gaboardi 2018, arXiv 1807.01647; Zhu, Dong and Wang 2022, arXiv 2106.08567, Theorem 11):

    removal   delta_{(1-q)A + qB, A}(e) = q delta(e'),            e' = log(1 + (e^e - 1) / q)
    addition  delta_{A, (1-q)A + qB}(e) = q e^{e - e'} delta(e'),  e' = -log(1 + (e^-e - 1) / q), 0 from -log(1-q) on

and the trade-off function of removal is q f + (1-q)(1 - alpha) (Dong, Roth and Su 2019, arXiv 1905.02383, Section 4).
"""

from __future__ import annotations

import numpy as np

from privacy_accountant.guarantees.pld.moments.families import UNIT, Array
from privacy_accountant.guarantees.pld.profiles.curves import Curve
from privacy_accountant.guarantees.pld.profiles.profile import TINY

_UP, _DOWN = 1 + 16 * UNIT, 1 - 16 * UNIT
_GOLDEN = (5**0.5 - 1) / 2
_SEARCHES, _BISECTIONS = 80, 1100
_WIDEST = 700.0


class SampledCurve(Curve):
    """The curve of one direction; `beta` is that of both, as it is of the release.

    Args:
        whole: The mechanism's own symmetric curve.
        q: Probability of a record to take part.
        rest: 1 - q.
        removal: Which direction it is.
        even: Probability under A that B is the likelier one.
    """

    def __init__(self, whole: Curve, q: float, rest: float, *, removal: bool, even: float) -> None:
        self._whole, self._q, self._rest, self._removal, self._even = whole, q, rest, removal, even

    def beta(self, alpha: Array) -> Array:
        """See `Curve.beta`: below the point of slope -1 that of removal, then the line 1 - delta(0) - alpha, then the mirror image."""
        first = self._q * self._whole.beta(alpha) + self._rest * (1 - alpha)
        line = 1 - self._moved(np.zeros(1), removal=True)[0][0] - alpha
        both = np.maximum(line, self._mirrored(alpha))
        value = np.where(alpha < self._even * (1 - 1e-9), np.maximum(first * _DOWN, line), both)
        return np.asarray(np.clip(np.nextafter(value, -1.0), 0.0, 1 - alpha))

    def _mirrored(self, alpha: Array) -> Array:
        """Lower bounds e^-e (1 - delta - alpha) of the inverse function, e >= 0 chosen as well as it matters."""

        def line(e: Array) -> Array:
            high, room = self._moved(e, removal=True)
            with np.errstate(under="ignore"):
                inside = np.where(high < 0.5, (1 - alpha) * _DOWN - high, room - alpha)
                return np.asarray(np.exp(-e) * _DOWN * inside)

        low, high = np.zeros_like(alpha), np.full_like(alpha, _WIDEST)
        for _ in range(_SEARCHES):
            a, b = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
            right = line(a) < line(b)
            low, high = np.where(right, a, low), np.where(right, high, b)
        return line(low) * _DOWN

    def delta(self, e: Array) -> Array:
        """See `Curve.delta`."""
        return self._moved(e, removal=self._removal)[0]

    def complement(self, e: Array) -> Array:
        """See `Curve.complement`."""
        return self._moved(e, removal=self._removal)[1]

    def _moved(self, e: Array, *, removal: bool) -> tuple[Array, Array]:
        """Profile from above and complement from below."""
        place, factor, _ = self._place(e, removal=removal)
        inside = place < np.inf
        at = np.where(inside, place, 0.0)
        high, room = self._whole.delta(at), self._whole.complement(at)
        delta = np.where(inside & (high > 0), np.clip(factor * _UP * high, TINY, 1.0), 0.0)
        left = np.maximum(1 - factor * _UP, 0.0) + factor * _DOWN * room
        return delta, np.where(inside, np.minimum(left * _DOWN, 1.0), 1.0)

    def _place(self, e: Array, *, removal: bool) -> tuple[Array, Array, Array]:
        """e' from below, the factor, and a bound on the error of e'; e' is infinite where nothing is left."""
        q = self._q
        with np.errstate(over="ignore", divide="ignore", invalid="ignore", under="ignore"):
            if removal:
                place = np.where(e < _WIDEST, np.log1p(np.expm1(np.minimum(e, _WIDEST)) / q), e - np.log(q))
                return place * _DOWN, np.full_like(e, q), 64 * UNIT * place
            # Next to the end 1 + (e^-e - 1)/q cancels; its round-off is added, which lowers e'.
            gap = 1 + np.expm1(-e) / q
            wide = np.minimum(gap + 8 * UNIT, 1.0)
            place = np.where(gap > -8 * UNIT, np.maximum(-np.log(wide) * _DOWN, 0.0), np.inf)
            # e^-e - (1 - q) = q gap, and e^{e - e'} = gap e^e.
            factor = np.minimum(q * wide * np.exp(np.minimum(e, _WIDEST)) * _UP, 1.0)
            return place, factor, 64 * UNIT * (place + 1 / np.maximum(gap, UNIT))

    def epsilon(self, delta: Array) -> Array:
        """See `Curve.epsilon`: the inverse of removal; of addition by bisection."""
        if self._removal:
            with np.errstate(over="ignore"):
                place = self._whole.epsilon(np.minimum(delta / self._q * _DOWN, 1.0))
                near = np.log1p(self._q * np.expm1(np.minimum(place, _WIDEST)))
                value = np.where(place < _WIDEST, near, place + np.log(self._q))
            return np.maximum(value * _UP, 0.0)
        return np.array([self._least(float(d)) for d in delta])

    def _least(self, delta: float) -> float:
        low, high = 0.0, -np.log(self._rest) * _UP if self._rest < 0.5 else -np.log1p(-self._q) * _UP
        if self._at(low) <= delta:
            return 0.0
        for _ in range(_BISECTIONS):
            middle = (low + high) / 2
            if middle in (low, high):
                break
            low, high = (low, middle) if self._at(middle) <= delta else (middle, high)
        return float(high)

    def _at(self, e: float) -> float:
        return float(self.delta(np.array([e]))[0])

    def slack(self, e: Array) -> Array:
        """See `Curve.slack`: that of the mechanism at e', and what the error of e' does to it."""
        place, _, error = self._place(e, removal=self._removal)
        at = np.where(place < np.inf, place, 0.0)
        high = self._whole.delta(at)
        moved = self._whole.delta(np.maximum(at * (1 - 2e-6) - 1e-12, 0.0))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            steep = np.where(high > 0, (moved / high - 1) / (2e-6 * at + 1e-12), 0.0)
        return np.asarray(np.minimum(2 * self._whole.slack(at) + 64 * UNIT + 4 * error * (1 + steep), 1.0))
