"""Gaussian differential privacy: as hard to attack as one unit Gaussian moved by mu."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from privacy_accountant.exact import Real, binary_up, non_negative_or_infinite
from privacy_accountant.guarantees.arguments import Array
from privacy_accountant.guarantees.attacks import least_mu, rates_above
from privacy_accountant.guarantees.derived import one_minus_up
from privacy_accountant.guarantees.routes import ClosedForm
from privacy_accountant.numerics import normal

if TYPE_CHECKING:
    from typing_extensions import Self


def _mu_field(value: object) -> Real:
    return non_negative_or_infinite(value, "mu")


@attrs.frozen(repr=False)
class GDP(ClosedForm):
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

    @classmethod
    def from_error_rates(cls, alpha: Any, beta: Any) -> Self:
        r"""The least guarantee that an attack with these error rates does not contradict: a lower bound, for auditing.

        .. math:: \mu = \max(0, -\Phi^{-1}(\alpha) - \Phi^{-1}(\beta))

        rounded down. An error rate of 0 refutes every finite mu, unless the attack is no better than chance.

        Args:
            alpha: The attack's false positive rate.
            beta: Its false negative rate.

        Raises:
            InvalidParameterError: When a rate is not in [0, 1].

        Example:
            >>> (
            ...     round(GDP.from_error_rates(alpha=0.05, beta=0.74).mu, 4),
            ...     GDP.from_error_rates(alpha=0.5, beta=0.5),
            ... )
            (1.0015, GDP(mu=0.0))
        """
        return cls(least_mu(alpha, beta))

    @classmethod
    def from_error_counts(
        cls,
        false_positives: int,
        negatives: int,
        false_negatives: int,
        positives: int,
        *,
        confidence: Any = 0.95,
    ) -> Self:
        """The mu below which an experiment refutes the guarantee, with this confidence; see `ADP.from_error_counts`.

        Args:
            false_positives: How many of the trials without the record the attack called positive.
            negatives: How many trials without the record there were.
            false_negatives: How many of the trials with the record the attack called negative.
            positives: How many trials with the record there were.
            confidence: In (0, 1).

        Raises:
            InvalidParameterError: When a count is negative or above its total, or confidence is not in (0, 1).

        Example:
            >>> GDP.from_error_counts(500, 1000, 500, 1000)
            GDP(mu=0.0)
        """
        return cls.from_error_rates(
            *rates_above(false_positives, negatives, false_negatives, positives, confidence)
        )

    def _beta(self, alpha: Array) -> Array:
        mu = binary_up(self.mu)
        if mu == 0:
            return 1.0 - alpha
        return normal.gaussian_beta(alpha, mu) if mu < math.inf else np.zeros_like(alpha)

    def _power(self, alpha: Array) -> Array:
        mu = binary_up(self.mu)
        if mu == 0:
            return alpha
        if mu == math.inf:
            return np.ones_like(alpha)
        return np.minimum(normal.gaussian_power(alpha, mu), one_minus_up(self._beta(alpha)))

    def _delta(self, epsilon: Array) -> Array:
        mu = binary_up(self.mu)
        if mu in (0.0, math.inf):
            return np.full_like(epsilon, 0.0 if mu == 0 else 1.0)
        return np.where(epsilon < math.inf, normal.gaussian_delta(epsilon, mu), 0.0)

    def _complement(self, epsilon: Array) -> Array:
        mu = binary_up(self.mu)
        if mu in (0.0, math.inf):
            return np.full_like(epsilon, 1.0 if mu == 0 else 0.0)
        return normal.gaussian_complement(epsilon, mu)

    def _epsilon(self, delta: Array) -> Array:
        mu = binary_up(self.mu)
        if mu == 0:
            return np.zeros_like(delta)
        if mu == math.inf:
            return np.where(delta < 1, math.inf, 0.0)
        inside = normal.gaussian_epsilon(np.where(delta > 0, delta, 1.0), mu)
        return np.where(delta > 0, inside, math.inf)

    def _advantage(self) -> float:
        mu = binary_up(self.mu)
        if mu in (0.0, math.inf):
            return 0.0 if mu == 0 else 1.0
        return normal.gaussian_advantage(mu)
