"""Approximate differential privacy: the pair (epsilon, delta)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from privacy_accountant.exact import Real, exact, float_down, float_up, non_negative_or_infinite, probability
from privacy_accountant.guarantees.arguments import Array
from privacy_accountant.guarantees.attacks import least_epsilon, rates_above
from privacy_accountant.guarantees.derived import one_minus_up
from privacy_accountant.guarantees.routes import ClosedForm

if TYPE_CHECKING:
    from typing_extensions import Self

_ROUND = 2.0**-50
"""Pays for the few roundings of a closed form, elementary functions within an ulp or two assumed."""


def _exponent_round(epsilon: float) -> float:
    """Pays for them where e^eps is a factor: what the decimal of eps lies from its float is an error of the exponent."""
    return _ROUND * (1 + epsilon / 4)


def _epsilon_field(value: object) -> Real:
    return non_negative_or_infinite(value, "epsilon")


def _delta_field(value: object) -> Real:
    return probability(value, "delta")


@attrs.frozen(repr=False)
class ADP(ClosedForm):
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

    @classmethod
    def from_error_rates(cls, alpha: Any, beta: Any, delta: Any = 0.0) -> Self:
        r"""The least guarantee at this delta that an attack with these error rates does not contradict: a lower bound, for auditing.

        .. math:: \varepsilon = \max\Bigl(0, \log\frac{1-\delta-\beta}{\alpha}, \log\frac{1-\delta-\alpha}{\beta}\Bigr)

        rounded down (Kairouz, Oh and Viswanath 2015, arXiv 1311.0776). An error rate of 0 refutes every finite epsilon, unless
        delta alone allows it.

        Args:
            alpha: The attack's false positive rate.
            beta: Its false negative rate.
            delta: The delta of the guarantee.

        Raises:
            InvalidParameterError: When a number is not in [0, 1].

        Example:
            >>> ADP.from_error_rates(alpha=0.25, beta=0.25, delta=0.5)
            ADP(epsilon=0.0, delta=0.5)
            >>> round(ADP.from_error_rates(alpha=0.01, beta=0.9).epsilon, 4)
            2.3026
        """
        return cls(least_epsilon(alpha, beta, delta), delta)

    @classmethod
    def from_error_counts(
        cls,
        false_positives: int,
        negatives: int,
        false_negatives: int,
        positives: int,
        *,
        delta: Any = 0.0,
        confidence: Any = 0.95,
    ) -> Self:
        """The epsilon below which an experiment refutes the guarantee, with this confidence.

        Both error rates are replaced by Clopper-Pearson upper bounds, each of half the remaining error. If the release does have
        (epsilon, delta), the result exceeds that epsilon in at most a share 1 - confidence of all experiments.

        Args:
            false_positives: How many of the trials without the record the attack called positive.
            negatives: How many trials without the record there were.
            false_negatives: How many of the trials with the record the attack called negative.
            positives: How many trials with the record there were.
            delta: The delta of the guarantee.
            confidence: In (0, 1).

        Raises:
            InvalidParameterError: When a count is negative or above its total, or confidence is not in (0, 1).

        Example:
            >>> ADP.from_error_counts(0, 1000, 500, 1000).epsilon > 4
            True
        """
        alpha, beta = rates_above(false_positives, negatives, false_negatives, positives, confidence)
        return cls.from_error_rates(alpha, beta, delta)

    def _beta(self, alpha: Array) -> Array:
        epsilon, room = float_up(self.epsilon), float_down(1 - exact(self.delta))
        if epsilon == math.inf:
            return np.zeros_like(alpha)
        with np.errstate(over="ignore", under="ignore"):
            steep = np.where(alpha > 0, np.exp(epsilon) * np.where(alpha > 0, alpha, 1.0), 0.0)
            flat = math.exp(-epsilon) * (room - alpha) * (1 - _exponent_round(epsilon))
        if epsilon == 0:
            return np.maximum(room - alpha, 0.0)
        # The line meets 1 - delta exactly at alpha = 0; elsewhere its rounding is paid for.
        line = np.where(steep > 0, np.nextafter(room - steep * (1 + _exponent_round(epsilon)), -1.0), room)
        return np.maximum(np.maximum(line, flat), 0.0)

    def _power(self, alpha: Array) -> Array:
        epsilon, delta = float_up(self.epsilon), float_up(self.delta)
        if epsilon == math.inf:
            return np.ones_like(alpha)
        with np.errstate(over="ignore", under="ignore"):
            # The second term is 0 only at alpha = 0.
            more = np.where(alpha > 0, np.exp(epsilon) * np.where(alpha > 0, alpha, 1.0), 0.0)
            more *= 1 + _exponent_round(epsilon)
        line = np.where(more > 0, (delta + more) * (1 + _ROUND), delta)
        return np.minimum(line, one_minus_up(self._beta(alpha)))

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
            inside = room * (math.exp(-bound) + np.exp(-gap)) / (1 + math.exp(-bound))
            inside *= 1 - _exponent_round(min(bound, 1e4))
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
