"""Gaussian differential privacy: as hard to attack as one unit Gaussian moved by mu."""

from __future__ import annotations

import math

import attrs
import numpy as np

from privacy_accountant.exact import Real, float_up, non_negative_or_infinite
from privacy_accountant.guarantees.arguments import Array
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.numerics import normal


def _mu_field(value: object) -> Real:
    return non_negative_or_infinite(value, "mu")


@attrs.frozen(repr=False)
class GDP(PrivacyGuarantee):
    r"""Gaussian differential privacy with parameter :math:`\mu` (Dong, Roth and Su 2019, arXiv 1905.02383).

    Every attack does no better than telling :math:`N(0, 1)` from :math:`N(\mu, 1)`:

    .. math::

        f(\alpha) &= \Phi(-\Phi^{-1}(\alpha) - \mu) \\
        \delta(\varepsilon) &= \Phi(\tfrac{\mu}{2} - \tfrac{\varepsilon}{\mu}) -
            e^{\varepsilon}\Phi(-\tfrac{\mu}{2} - \tfrac{\varepsilon}{\mu})

    evaluated through Mills ratios, since the difference loses its digits for small :math:`\mu` (Balle and Wang 2018, arXiv
    1805.06530, for the profile). The advantage is :math:`\operatorname{erf}(\mu / \sqrt 8)`. Composition adds :math:`\mu^2`.

    Attributes:
        mu: The distance, at least 0; infinity is legal and promises nothing.

    Raises:
        InvalidParameterError: When mu is negative or not a number.

    Example:
        >>> release = GDP(mu=1.0)
        >>> round(release.advantage, 6), round(release.beta(0.01), 6)
        (0.382925, 0.907638)
    """

    mu: Real = attrs.field(converter=_mu_field)

    def _beta(self, alpha: Array) -> Array:
        mu = float_up(self.mu)
        if mu == 0:
            return 1.0 - alpha
        return normal.gaussian_beta(alpha, mu) if mu < math.inf else np.zeros_like(alpha)

    def _delta(self, epsilon: Array) -> Array:
        mu = float_up(self.mu)
        if mu in (0.0, math.inf):
            return np.full_like(epsilon, 0.0 if mu == 0 else 1.0)
        return np.where(epsilon < math.inf, normal.gaussian_delta(epsilon, mu), 0.0)

    def _complement(self, epsilon: Array) -> Array:
        mu = float_up(self.mu)
        if mu in (0.0, math.inf):
            return np.full_like(epsilon, 1.0 if mu == 0 else 0.0)
        return normal.gaussian_complement(epsilon, mu)

    def _epsilon(self, delta: Array) -> Array:
        mu = float_up(self.mu)
        if mu == 0:
            return np.zeros_like(delta)
        if mu == math.inf:
            return np.where(delta < 1, math.inf, 0.0)
        inside = normal.gaussian_epsilon(np.where(delta > 0, delta, 1.0), mu)
        return np.where(delta > 0, inside, math.inf)

    def _advantage(self) -> float:
        mu = float_up(self.mu)
        return normal.gaussian_advantage(mu) if mu < math.inf else 1.0
