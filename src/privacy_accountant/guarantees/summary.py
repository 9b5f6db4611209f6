"""One number for a whole curve, for reports: mu with its slack and its regret."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.typing import ArrayLike

from privacy_accountant.errors import InvalidParameterError, UnsupportedConversionError
from privacy_accountant.exact import Real, exact, float_up, probability
from privacy_accountant.guarantees.arguments import Answer, Array, answer
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.tradeoff import TradeOff
from privacy_accountant.numerics.gaussian_mu import corners_mu
from privacy_accountant.numerics.polyline import corner_logs

_POINTS = 20_000
_HALVINGS = 40
_UP = 1 + 2.0**-48


@attrs.frozen
class MuSummary:
    r"""A summary of a guarantee by one Gaussian curve: for reading, not for accounting.

    The guarantee's curve is not below the Gaussian one moved by the slack :math:`\kappa`,

    .. math:: f(\alpha) \ge G_\mu(\alpha + \kappa) - \kappa,

    so what this class answers holds for the guarantee. It is no `GDP`: it enters no budget and no composition, because slacks do
    not add up as :math:`\mu^2` does. The regret says how much is lost by quoting it: the least :math:`\kappa'` with
    :math:`f(\alpha + \kappa') - \kappa' \le G_\mu(\alpha)` everywhere (Gomez et al. 2025, arXiv 2503.10945).

    Attributes:
        mu: The Gaussian distance, rounded up; infinite when the slack is too small for any.
        slack: :math:`\kappa`, as it was asked for.
        regret: :math:`\kappa'`, from above, to about 1e-4.
    """

    mu: float
    slack: Real
    regret: float

    def beta(self, alpha: ArrayLike) -> Answer:
        r"""Lower bound on f: :math:`G_\mu(\alpha + \kappa) - \kappa`, at least 0."""
        slack = float_up(self.slack)

        def moved(a: Array) -> Array:
            return np.maximum(GDP(self.mu)._beta(np.minimum((a + slack) * _UP, 1.0)) - slack * _UP, 0.0)

        return answer(moved, alpha, "alpha", "a number in [0, 1]")

    def get_delta(self, epsilon: ArrayLike) -> Answer:
        r"""Upper bound on the profile at eps >= 0: :math:`\delta_\mu(\varepsilon) + \kappa(1 + e^\varepsilon)`, at most 1."""
        slack = float_up(self.slack)

        def widened(e: Array) -> Array:
            more = slack * (1 + np.exp(np.minimum(e, 700.0))) if slack > 0 else np.zeros_like(e)
            return np.minimum((GDP(self.mu)._delta(e) + more) * _UP, 1.0)

        return answer(widened, epsilon, "epsilon", "a number >= 0", 0.0, math.inf)

    @property
    def advantage(self) -> float:
        r"""The advantage is at most this, an upper bound, :math:`2\Phi(\mu/2) - 1 + 2\kappa`."""
        return min(1.0, (GDP(self.mu).advantage + 2 * float_up(self.slack)) * _UP)


def summarize_mu(guarantee: PrivacyGuarantee, *, slack: Any) -> MuSummary:
    r"""The least mu whose curve, moved by the slack, is nowhere above the guarantee's; and how much it overstates the risk.

    Args:
        guarantee: Any form.
        slack: :math:`\kappa` in [0, 1): how far the curves may be apart. With 0 only a guarantee that converts to `GDP` has a finite mu.

    Returns:
        A report value, which is no guarantee.

    Raises:
        InvalidParameterError: When slack is not in [0, 1).

    Example:
        >>> from privacy_accountant import ADP, GDP
        >>> summary = summarize_mu(ADP(epsilon=1.0, delta=1e-6), slack=1e-5)
        >>> round(summary.mu, 4), round(summary.regret, 3)
        (1.232, 0.058)
        >>> summarize_mu(GDP(mu=1.0), slack=0).mu
        1.0
    """
    kappa = exact(probability(slack, "slack"))
    if kappa == 1:
        raise InvalidParameterError("slack", "a number in [0, 1)", slack)
    mu = min(_mu_without_slack(guarantee), _mu_with_slack(guarantee, kappa))
    return MuSummary(mu, probability(slack, "slack"), _regret(guarantee, mu))


def _mu_without_slack(guarantee: PrivacyGuarantee) -> float:
    try:
        return float_up(guarantee.to(GDP).mu)
    except UnsupportedConversionError:
        return math.inf


def _mu_with_slack(guarantee: PrivacyGuarantee, kappa: Fraction) -> float:
    """At the corners of a polygon below f; between them f is a chord and the moved Gaussian curve is convex."""
    corners = [(alpha + kappa, beta + kappa) for alpha, beta in guarantee.to(TradeOff).corners]
    inner = [(alpha, beta) for alpha, beta in corners if beta < 1]
    if any(alpha == 0 for alpha, _ in inner):
        return math.inf
    return float_up(Fraction(corners_mu(*corner_logs(inner))))


def _regret(guarantee: PrivacyGuarantee, mu: float) -> float:
    """By bisection; f from above by its chords, and both curves at the worse ends of the cells of a fine grid."""
    half = np.concatenate([[0.0], np.geomspace(1e-12, 1e-3, 400), np.linspace(1e-3, 0.5, _POINTS // 2)[1:]])
    alpha = np.unique(np.concatenate([half, 1 - half]))
    beta, gaussian = guarantee._beta(alpha), GDP(mu)._beta(alpha)

    def enough(kappa: float) -> bool:
        moved = np.interp(np.minimum(alpha[:-1] + kappa, 1.0), alpha, beta) - kappa
        return bool((moved <= gaussian[1:]).all())

    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
