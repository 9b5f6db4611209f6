"""From an attack back to a guarantee: the least one that the attack's error rates do not contradict.

These are lower bounds, for auditing: whatever promises less loss is refuted. They are rounded down, the other way round than
everything that protects.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from scipy.special import ndtri_exp

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import Real, canonical, exact, float_down, integer, probability, real
from privacy_accountant.numerics.binomial import rate_above
from privacy_accountant.numerics.enclosure import log_bounds
from privacy_accountant.numerics.polyline import log_of

_SLACK = 2.0**-46


def least_epsilon(alpha: Any, beta: Any, delta: Any) -> float:
    """max(0, log((1 - delta - beta) / alpha), log((1 - delta - alpha) / beta)), rounded down."""
    false_positive, false_negative = exact(probability(alpha, "alpha")), exact(probability(beta, "beta"))
    rest = 1 - exact(probability(delta, "delta"))
    return max(
        0.0,
        _log_ratio(rest - false_negative, false_positive),
        _log_ratio(rest - false_positive, false_negative),
    )


def _log_ratio(power: Fraction, error: Fraction) -> float:
    if power <= error:
        return 0.0
    return float_down(canonical(log_bounds(power / error)[0])) if error > 0 else math.inf


def least_mu(alpha: Any, beta: Any) -> float:
    """max(0, -Phi^-1(alpha) - Phi^-1(beta)), rounded down."""
    false_positive, false_negative = exact(probability(alpha, "alpha")), exact(probability(beta, "beta"))
    if false_positive + false_negative >= 1:
        return 0.0
    if 0 in (false_positive, false_negative):
        return math.inf
    left, right = _quantile(false_positive), _quantile(false_negative)
    return max(0.0, -left - right - _SLACK * (1 + abs(left) + abs(right)))


def _quantile(rate: Fraction) -> float:
    half = Fraction(1, 2)
    return float(ndtri_exp(log_of(rate))) if rate <= half else -float(ndtri_exp(log_of(1 - rate)))


def rates_above(
    false_positives: Any, negatives: Any, false_negatives: Any, positives: Any, confidence: Any
) -> tuple[Real, Real]:
    """Upper bounds on both error rates that hold together with this confidence.

    Raises:
        InvalidParameterError: When a count is negative or above its total, a total is not positive, or confidence is not in (0, 1).
    """
    level = real(confidence, "confidence", "a number in (0, 1)")
    if not 0 < exact(level) < 1:
        raise InvalidParameterError("confidence", "a number in (0, 1)", confidence)
    error = float(1 - exact(level)) / 2
    return (
        _counted("false_positives", false_positives, "negatives", negatives, error),
        _counted("false_negatives", false_negatives, "positives", positives, error),
    )


def _counted(name: str, count: Any, of: str, trials: Any, error: float) -> float:
    total = integer(trials, of, "an integer >= 1", least=1)
    counted = integer(count, name, "an integer >= 0", least=0)
    if counted > total:
        raise InvalidParameterError(name, f"at most {of} ({total})", count)
    return rate_above(counted, total, error)
