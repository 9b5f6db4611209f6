"""Composition theorems of approximate DP by name, as a paper or a regulator may ask for them.

`ADP.compose` is tighter: it keeps the whole privacy loss of the parts. These keep only a pair (epsilon, delta).
"""

from __future__ import annotations

import math
from fractions import Fraction

from privacy_accountant.exact import Real, canonical, exact, float_up, integer, probability
from privacy_accountant.guarantees.adp import ADP

_UP = 1 + 2.0**-48
"""Pays for the rounding of a dozen operations and elementary functions."""
_LARGEST, _LEAST = 709.0, 1e-300
_CERTAIN = Fraction(1000)
"""e^-1000 of a probability is nothing."""


def basic(guarantee: ADP, count: int) -> ADP:
    """Basic composition: epsilons add, deltas add up to 1; exact (Dwork et al. 2006, EUROCRYPT).

    Args:
        guarantee: What each release guarantees.
        count: How many releases.

    Raises:
        InvalidParameterError: When count is not an integer of at least 1.

    Example:
        >>> basic(ADP(epsilon=0.1, delta=1e-6), 10)
        ADP(epsilon=1.0, delta=1e-05)
    """
    times = integer(count, "count", "an integer >= 1", least=1)
    if guarantee.epsilon == math.inf:
        return guarantee
    return ADP(
        canonical(times * exact(guarantee.epsilon)),
        canonical(min(Fraction(1), times * exact(guarantee.delta))),
    )


def advanced(guarantee: ADP, count: int, *, slack: Real) -> ADP:
    r"""Advanced composition with the constants of Kairouz, Oh and Viswanath (2015, arXiv 1311.0776, Theorem 3.4).

    With :math:`a = k\varepsilon\tanh(\varepsilon/2)` the epsilon is the least of

    .. math::

        k\varepsilon, \qquad a + \varepsilon\sqrt{2k\log(e + \sqrt{k\varepsilon^2}/\tilde\delta)}, \qquad
        a + \varepsilon\sqrt{2k\log(1/\tilde\delta)}

    and the delta is :math:`1 - (1-\delta)^k(1-\tilde\delta)`; both are rounded up.

    Args:
        guarantee: What each release guarantees.
        count: How many releases, k.
        slack: The additional delta that the theorem may use, in [0, 1]; 0 leaves basic composition.

    Raises:
        InvalidParameterError: When count is not an integer of at least 1 or slack is not in [0, 1].

    Example:
        >>> round(advanced(ADP(epsilon=0.1), 100, slack=1e-6).epsilon, 6)
        5.756106
    """
    times = integer(count, "count", "an integer >= 1", least=1)
    allowed = probability(slack, "slack")
    if guarantee.epsilon == math.inf:
        return guarantee
    plain, delta = basic(guarantee, times), _delta(guarantee, times, allowed)
    if allowed == 0:
        return ADP(plain.epsilon, delta)
    bound = _kairouz(float_up(guarantee.epsilon), times, exact(allowed)) * _UP
    if bound == math.inf or exact(plain.epsilon) <= Fraction(bound):
        return ADP(plain.epsilon, delta)
    return ADP(float_up(Fraction(bound)), delta)


def _kairouz(epsilon: float, times: int, slack: Fraction) -> float:
    """The lesser of the theorem's two bounds other than k eps; every product as a sum of logarithms, since k may be any integer."""
    log_slack = math.log(slack.numerator) - math.log(slack.denominator)
    if epsilon == 0:
        return 0.0
    log_times, log_epsilon = math.log(times), math.log(epsilon)
    ratio = log_times / 2 + log_epsilon - log_slack
    logarithm = min(-log_slack, max(1.0, ratio) + math.log1p(math.exp(-abs(ratio - 1.0))))
    drift = _product(log_times, log_epsilon, math.log(math.tanh(max(epsilon, _LEAST) / 2)))
    spread = _product(log_epsilon, math.log(2 * logarithm) / 2, log_times / 2) if logarithm > 0 else 0.0
    return drift + spread


def _product(*logs: float) -> float:
    """What has these logarithms, each right to a few ulp, from above."""
    total = math.fsum(logs)
    return (
        math.exp(total) * (1 + sum(4 + abs(log) for log in logs) * 2.0**-51) if total < _LARGEST else math.inf
    )


def _delta(guarantee: ADP, times: int, slack: Real) -> Real:
    """1 - (1 - delta)^k (1 - slack), rounded up; exactly slack when delta is 0."""
    if guarantee.delta == 0:
        return slack
    delta, more = float_up(guarantee.delta), float_up(slack)
    if 1.0 in (delta, more):
        return 1.0
    kept = float(max(times * Fraction(math.log1p(-delta)), -_CERTAIN))
    return min(1.0, float_up(Fraction(-math.expm1(kept + math.log1p(-more)) * _UP)))
