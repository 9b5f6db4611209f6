"""Selection: the exponential mechanism and all that has bounded range, as a dominating pair."""

from __future__ import annotations

import math

import attrs
import numpy as np
from scipy.special import expit

from privacy_accountant.exact import Real, float_up, non_negative_or_infinite
from privacy_accountant.guarantees.pld.moments.families import UNIT, Array, Complex, Cumulant, LossFamily
from privacy_accountant.guarantees.pld.pairs.closed_pairs import EpsilonPair, Members, as_float
from privacy_accountant.guarantees.pld.profiles.curves import Curve, _earlier, _near_the_end
from privacy_accountant.guarantees.pld.profiles.profile import TINY
from privacy_accountant.numerics.contour import ratios
from privacy_accountant.numerics.contour.tilted import bounded_range_moments, bounded_range_ratio

_ROUND = 2.0**-50
"""Pays for the few roundings of a closed form, elementary functions within an ulp or two assumed."""


def _epsilon(value: object) -> Real:
    return non_negative_or_infinite(value, "epsilon")


@attrs.frozen(cache_hash=True)
class BoundedRangePair(EpsilonPair):
    r"""What a release of bounded range reveals at worst: losses of neighbours lie in an interval of length epsilon that holds 0.

    Where that interval lies is the adversary's choice, t above 0 and :math:`\varepsilon - t` below. For each t the worst pair has two
    outcomes, with losses t and :math:`t - \varepsilon` (Dong, Durfee and Rogers 2020, arXiv 1909.13830), and at the threshold e
    the worst t is :math:`(\varepsilon + e)/2`:

    .. math::

        \delta(e) = \frac{(e^{\varepsilon/2} - e^{e/2})^2}{e^{\varepsilon} - 1}, \qquad
        f(\alpha) = \frac{1 - \alpha}{1 + \alpha(e^{\varepsilon} - 1)} .

    That is also the curve of logistic noise moved by epsilon, so one pair has it, and a pair that dominates every single release
    dominates their composition, whatever was chosen on the way (Zhu, Dong and Wang 2022, arXiv 2106.08567). It is tight for one
    release. For many, in rho and Renyi divergences the worst *single* t counts at every order, which is less than this pair's own
    divergence: those are the tighter currencies for hundreds of selections.

    Attributes:
        epsilon: Length of the range, exact; infinity promises nothing.

    Example:
        >>> from privacy_accountant import PLD, ZCDP
        >>> one = PLD.of(BoundedRangePair(1.0))
        >>> round(one.advantage, 6), round(math.tanh(1 / 4), 6)
        (0.244919, 0.244919)
        >>> round(float(one.to(ZCDP).rho), 6)
        0.123302
    """

    epsilon: Real = attrs.field(converter=_epsilon)

    def curve(self) -> Curve | None:
        """See `DominatingPair.curve`."""
        return BoundedRangeCurve(self.epsilon)

    @classmethod
    def family(cls, members: Members) -> LossFamily:
        """See `DominatingPair.family`."""
        parts = [(as_float(pair.epsilon), float(count)) for pair, count in members if pair.has_loss]
        epsilons, counts = np.array(parts, dtype=np.float64).reshape(-1, 2).T
        return BoundedRangeFamily(epsilons, counts)


class BoundedRangeCurve(Curve):
    """The envelope over all places of the range; with g = eps - e and u = e^{-g/2} everything is free of overflow."""

    def __init__(self, epsilon: Real) -> None:
        self._end = float_up(epsilon)

    def beta(self, alpha: Array) -> Array:
        """See `Curve.beta`: 1 / (1 + e^{eps + logit alpha}), as logistic noise has it."""
        with np.errstate(divide="ignore"):
            odds = np.log(alpha) - np.log1p(-alpha)
        inside = (alpha > 0) & (alpha < 1)
        exponent = np.where(inside, self._end + np.where(inside, odds, 0.0), 0.0)
        # A relative error of the exponential moves 1 / (1 + x) by x / (1 + x) of it.
        error = _ROUND * (4 + np.minimum(self._end, 1e15) + np.abs(np.where(inside, odds, 0.0)))
        with np.errstate(under="ignore"):
            value = expit(-exponent) * np.maximum(1 - error * expit(exponent), 0.0) * (1 - 4 * UNIT)
        ends = np.where(alpha > 0, 0.0, 1.0 if self._end < math.inf else 0.0)
        return np.minimum(np.where(inside, value, ends), 1 - alpha) if self._end > 0 else 1 - alpha

    def delta(self, e: Array) -> Array:
        """See `Curve.delta`: (1 - u)^2 / (1 - e^-eps)."""
        if self._end == 0:
            return np.zeros_like(e)
        gap = self._gap(_earlier(e, self._end))
        with np.errstate(under="ignore"):
            value = np.expm1(-gap / 2) ** 2 / -math.expm1(-self._end) * (1 + 2 * _ROUND)
        return np.where(gap > 0, np.clip(value, TINY, 1.0), 0.0)

    def complement(self, e: Array) -> Array:
        """See `Curve.complement`: (u (1 - u) + u - e^-eps) / (1 - e^-eps), a sum of positive terms, where eps is not small."""
        if self._end == 0:
            return np.ones_like(e)
        if self._end < 1:
            return np.asarray(np.nextafter(1 - self.delta(e), 0.0))
        if self._end == math.inf:
            return np.where(e < math.inf, 0.0, 1.0)
        gap = self._gap(e)
        with np.errstate(under="ignore"):
            u = np.exp(-gap / 2)
            above = u * -np.expm1(-gap / 2) + u * -np.expm1(gap / 2 - self._end)
            error = _ROUND * (4 + min(self._end, 1e15))
            value = above / -math.expm1(-self._end) * (1 - error)
        return np.where(gap > 0, np.clip(value, 0.0, 1.0), 1.0)

    def _gap(self, e: Array) -> Array:
        end = self._end if self._end < math.inf else 0.0
        return np.where(e < self._end, self._end - np.minimum(e, end), 0.0)

    def epsilon(self, delta: Array) -> Array:
        """See `Curve.epsilon`: eps + 2 log(1 - sqrt(delta (1 - e^-eps)))."""
        if self._end == math.inf:
            return np.where(delta < 1, math.inf, 0.0)
        root = np.sqrt(delta * -math.expm1(-self._end)) * (1 - 2 * _ROUND)
        drop = 2 * np.log1p(-np.minimum(root, 1 - _ROUND))
        inside = np.clip(self._end + drop * (1 - _ROUND) + _ROUND * self._end, 0.0, self._end)
        found = np.where(delta >= self.delta(np.zeros(1))[0], 0.0, inside)
        return np.where(delta > 0, found, self._end)

    def slack(self, e: Array) -> Array:
        """See `Curve.slack`; the gap enters squared."""
        return np.asarray(np.minimum(2 * _near_the_end(e, self._end), 1.0))


@attrs.frozen(eq=False)
class BoundedRangeFamily(LossFamily):
    """Losses with densities proportional to e^{l/2} on [-eps, eps], with their counts."""

    epsilons: Array
    counts: Array

    def cumulant(self, c: float) -> Cumulant:
        """See `LossFamily.cumulant`."""
        w = abs(c + 0.5)
        value, first, second = bounded_range_moments(w, self.epsilons)
        n = self.counts
        error = 16 * UNIT * float(n @ (1 + (w + 0.5) * self.epsilons)) * (1 + 1e-9)
        slope = math.copysign(1.0, c + 0.5) * float(n @ first)
        return Cumulant(math.fsum(n * value), slope, float(n @ second), error)

    def log_ratio(self, c: float, index: Array, spacing: float) -> tuple[Complex, Array]:
        """See `LossFamily.log_ratio`."""
        w = abs(c + 0.5)
        omega = (index * spacing)[None, :]
        epsilon, n = self.epsilons[:, None], self.counts[:, None]
        angle = omega * epsilon
        with np.errstate(under="ignore"):
            log, inexact = ratios.log_one_plus(*bounded_range_ratio(w, omega, epsilon))
        total = (n * (log + 1j * angle)).sum(axis=0)
        error = (n * (inexact + UNIT * (len(n) + 8) * (np.abs(log) + angle))).sum(axis=0)
        return (total if c >= -0.5 else np.conj(total)), error
