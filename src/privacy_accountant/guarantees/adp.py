"""Approximate differential privacy: the pair (epsilon, delta)."""

from __future__ import annotations

import math

import attrs
import numpy as np

from privacy_accountant.exact import Real, exact, float_down, float_up, non_negative_or_infinite, probability
from privacy_accountant.guarantees.arguments import Array
from privacy_accountant.guarantees.base import PrivacyGuarantee

_ROUND = 2.0**-50
"""Pays for the few roundings of a closed form, elementary functions within an ulp or two assumed."""


def _epsilon_field(value: object) -> Real:
    return non_negative_or_infinite(value, "epsilon")


def _delta_field(value: object) -> Real:
    return probability(value, "delta")


@attrs.frozen(repr=False)
class ADP(PrivacyGuarantee):
    r"""Approximate differential privacy, :math:`(\varepsilon, \delta)`; pure when delta is 0.

    It is dominated by :math:`(\varepsilon, \delta)` randomized response (Kairouz, Oh and Viswanath 2015, arXiv 1311.0776):

    .. math::

        f(\alpha) &= \max(0,\ 1 - \delta - e^{\varepsilon}\alpha,\ e^{-\varepsilon}(1 - \delta - \alpha)) \\
        \delta(t) &= \delta + (1-\delta)\frac{e^{\varepsilon} - e^{t}}{1 + e^{\varepsilon}} \quad (0 \le t \le \varepsilon),
        \qquad \delta \quad (t \ge \varepsilon)

    so the advantage is :math:`\delta + (1-\delta)\tanh(\varepsilon/2)` (Humphries et al. 2020, arXiv 2010.12112). An infinite
    epsilon, or a delta of 1, is legal and promises nothing.

    Attributes:
        epsilon: The multiplicative bound, at least 0.
        delta: The additive bound, in [0, 1].

    Raises:
        InvalidParameterError: When a field is out of its range.

    Example:
        >>> release = ADP(epsilon=1.0, delta=1e-6)
        >>> round(release.advantage, 6), round(release.bayes_risk(0.5), 6)
        (0.462118, 0.268941)
    """

    epsilon: Real = attrs.field(converter=_epsilon_field)
    delta: Real = attrs.field(default=0.0, converter=_delta_field)

    def _beta(self, alpha: Array) -> Array:
        epsilon, room = float_up(self.epsilon), float_down(1 - exact(self.delta))
        if epsilon == math.inf:
            return np.zeros_like(alpha)
        with np.errstate(over="ignore", under="ignore"):
            steep = np.where(alpha > 0, np.exp(epsilon) * np.where(alpha > 0, alpha, 1.0), 0.0)
            flat = math.exp(-epsilon) * (room - alpha) * (1 - _ROUND)
        if epsilon == 0:
            return np.maximum(room - alpha, 0.0)
        # The line meets 1 - delta exactly at alpha = 0; elsewhere its rounding is paid for.
        line = np.where(steep > 0, np.nextafter(room - steep * (1 + _ROUND), -1.0), room)
        return np.maximum(np.maximum(line, flat), 0.0)

    def _gap(self, epsilon: Array) -> Array:
        """epsilon's distance below the bound, rounded up; 0 at and above it; an infinite bound is above everything.

        Rounding up pays for the subtraction, and for what the two decimals lie from their floats.
        """
        bound = float_up(self.epsilon)
        if bound == math.inf:
            return np.full_like(epsilon, math.inf)
        return np.where(epsilon < bound, bound - epsilon + math.ulp(bound), 0.0)

    def _delta(self, epsilon: Array) -> Array:
        bound, delta = float_up(self.epsilon), float_up(self.delta)
        with np.errstate(under="ignore"):
            more = (1 - delta) * -np.expm1(-self._gap(epsilon)) / (1 + math.exp(-bound))
        return np.where(more > 0, np.minimum((delta + more) * (1 + _ROUND), 1.0), delta)

    def _complement(self, epsilon: Array) -> Array:
        bound, room = float_up(self.epsilon), float_down(1 - exact(self.delta))
        gap = self._gap(epsilon)
        with np.errstate(under="ignore"):
            inside = room * (math.exp(-bound) + np.exp(-gap)) / (1 + math.exp(-bound)) * (1 - _ROUND)
        return np.where(gap > 0, inside, room)

    def _epsilon(self, delta: Array) -> Array:
        bound, least = float_up(self.epsilon), float_up(self.delta)
        share = np.clip((delta - least) / (1 - least) if least < 1 else np.ones_like(delta), 0.0, 1.0)
        part = share * (1 + math.exp(-bound))
        with np.errstate(divide="ignore"):
            less = (
                np.log1p(-np.minimum(part * (1 - _ROUND), 1.0)) if bound < math.inf else np.zeros_like(part)
            )
        inside = np.where(less < 0, np.clip((bound + less) * (1 + _ROUND), 0.0, bound), bound)
        return np.where(delta < least, math.inf, np.where(delta >= self._advantage(), 0.0, inside))
