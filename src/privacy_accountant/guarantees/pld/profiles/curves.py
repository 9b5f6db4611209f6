"""Closed forms of one release, with both ends of every value."""

from __future__ import annotations

import abc
import math

import numpy as np

from privacy_accountant.exact import Real, exact, float_up, sqrt_up
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.pld.moments.families import UNIT, Array
from privacy_accountant.guarantees.pld.profiles.profile import TINY

_ROUND = 2.0**-50
"""Pays for the few roundings of a closed form, elementary functions within an ulp or two assumed."""


_HUGE, _FAR = 1e150, 40.0


class Curve(abc.ABC):
    """f, the profile, its complement and its inverse at e >= 0, each on its safe side; `slack` says how far that may be."""

    @abc.abstractmethod
    def beta(self, alpha: Array) -> Array:
        """Lower bound on f."""

    @abc.abstractmethod
    def delta(self, e: Array) -> Array:
        """Upper bound on the profile."""

    @abc.abstractmethod
    def complement(self, e: Array) -> Array:
        """Lower bound on the complement."""

    @abc.abstractmethod
    def epsilon(self, delta: Array) -> Array:
        """Upper bound on the least e >= 0 with profile at most delta."""

    def power(self, alpha: Array) -> Array | None:
        """Upper bound on 1 - f with digits of its own; None where the difference has them."""
        del alpha
        return None

    def slack(self, e: Array) -> Array:
        """Bound on the relative distance of the upper end of the profile from the truth."""
        return np.full_like(e, 2.0**-46)


class ResponseCurve(Curve):
    """Randomized response: the curve of (epsilon, delta)-DP."""

    def __init__(self, epsilon: Real, delta: Real) -> None:
        self._form = ADP(epsilon, delta)

    def beta(self, alpha: Array) -> Array:
        """See `Curve.beta`."""
        return self._form._beta(alpha)

    def delta(self, e: Array) -> Array:
        """See `Curve.delta`."""
        return self._form._delta(_earlier(e, float_up(self._form.epsilon)))

    def complement(self, e: Array) -> Array:
        """See `Curve.complement`; a rounding of epsilon - e is a relative error of the exponential."""
        end = float_up(self._form.epsilon)
        rest = self._form._complement(e)
        return np.where(e < end, rest * (1 - 4 * UNIT * min(end, 1e15)), rest)

    def epsilon(self, delta: Array) -> Array:
        """See `Curve.epsilon`."""
        return self._form._epsilon(delta)

    def slack(self, e: Array) -> Array:
        """See `Curve.slack`; just below the end a rounding of e is a large share of what is left."""
        return _near_the_end(e, float_up(self._form.epsilon))


class GaussianCurve(Curve):
    """Two normals at distance mu."""

    def __init__(self, mu_squared: Real) -> None:
        self._mu = math.inf if mu_squared == math.inf else sqrt_up(exact(mu_squared))
        self._form = GDP(self._mu)

    def beta(self, alpha: Array) -> Array:
        """See `Curve.beta`."""
        return self._form._beta(alpha)

    def delta(self, e: Array) -> Array:
        """See `Curve.delta`."""
        return self._form._delta(e)

    def complement(self, e: Array) -> Array:
        """See `Curve.complement`."""
        return self._form._complement(e)

    def epsilon(self, delta: Array) -> Array:
        """See `Curve.epsilon`."""
        return self._form._epsilon(delta)

    def power(self, alpha: Array) -> Array | None:
        """See `Curve.power`."""
        return self._form._power(alpha)

    def slack(self, e: Array) -> Array:
        """See `Curve.slack`: a rounding of e/mu moves log delta by the distance into the tail times it."""
        mu = self._mu
        if mu in (0.0, math.inf):
            return np.zeros_like(e)
        with np.errstate(over="ignore"):
            ratio = np.minimum(e / mu, _HUGE)
        size = ratio + min(mu, _HUGE)
        tail = np.minimum(64 * UNIT * (16 + size * size), 1.0)
        # Far on the other side of the mean the profile is 1 less e^-800, and found to be 1.
        return np.where(ratio - min(mu, _HUGE) / 2 < -_FAR, 2.0**-46, tail)


class LaplaceCurve(Curve):
    """Laplace noise of scale 1 moved by epsilon."""

    def __init__(self, epsilon: Real) -> None:
        self._end = float_up(epsilon)

    def beta(self, alpha: Array) -> Array:
        """See `Curve.beta`: 1 - e^eps alpha, then e^-eps / (4 alpha), then e^-eps (1 - alpha)."""
        end = self._end
        floor = math.exp(-end)
        with np.errstate(over="ignore", under="ignore", divide="ignore"):
            log_alpha = np.log(alpha)
            steep = np.exp(np.minimum(end + log_alpha, 0.0)) * (1 + _ROUND * (1 + end))
            middle = np.exp(-end - log_alpha - math.log(4)) * (1 - _ROUND * (1 + end))
            flat = floor * (1 - alpha) * (1 - _ROUND * (1 + end))
        value = np.where(alpha >= 0.5, flat, np.where(alpha < floor / 2, 1 - steep, middle))
        value = np.where(alpha > 0, np.nextafter(value, -1.0), 1.0 if end < math.inf else 0.0)
        return np.clip(value, 0.0, 1 - alpha) if end > 0 else 1 - alpha

    def delta(self, e: Array) -> Array:
        """See `Curve.delta`: 1 - e^{(e - eps)/2}."""
        gap = self._gap(_earlier(e, self._end))
        with np.errstate(under="ignore"):
            value = -np.expm1(-gap / 2) * (1 + _ROUND)
        return np.where(gap > 0, np.clip(value, TINY, 1.0), 0.0)

    def complement(self, e: Array) -> Array:
        """See `Curve.complement`."""
        gap = self._gap(e)
        with np.errstate(under="ignore"):
            return np.where(gap > 0, np.exp(-gap / 2) * (1 - _ROUND * (1 + min(self._end, 1e15))), 1.0)

    def _gap(self, e: Array) -> Array:
        return np.where(
            e < self._end, self._end - np.minimum(e, self._end if self._end < math.inf else 0.0), 0.0
        )

    def epsilon(self, delta: Array) -> Array:
        """See `Curve.epsilon`: eps + 2 log(1 - delta)."""
        if self._end == math.inf:
            return np.where(delta < 1, math.inf, 0.0)
        with np.errstate(divide="ignore"):
            drop = 2 * np.log1p(-np.minimum(delta, 1.0))
        inside = np.maximum((self._end + drop * (1 - _ROUND)) + _ROUND * self._end, 0.0)
        return np.where(
            delta > 0,
            np.where(delta >= self.delta(np.zeros(1))[0], 0.0, np.minimum(inside, self._end)),
            self._end,
        )

    def slack(self, e: Array) -> Array:
        """See `Curve.slack`."""
        return _near_the_end(e, self._end)


def _earlier(e: Array, end: float) -> Array:
    """Thresholds below the end moved down a little: the profile there covers what a rounding of e and of the end can do.

    A question's e and a pair's epsilon mean their decimals, which differ from the doubles by half a unit in the last place.
    """
    return np.where(e < end, np.maximum(e - 4 * UNIT * end, 0.0), e) if end < math.inf else e


def _near_the_end(e: Array, end: float) -> Array:
    gap = np.maximum(end - e, 0.0) if end < math.inf else np.ones_like(e)
    size = 16 * UNIT * (end if end < math.inf else 1.0)
    return 2.0**-46 + np.minimum(1.0, size / np.where(gap > 0, gap, np.inf))
