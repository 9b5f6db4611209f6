"""What follows from a guarantee's primitives, each once: its readings by formula, and what is found by search."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privacy_accountant.guarantees.arguments import Array

if TYPE_CHECKING:
    from privacy_accountant.guarantees.base import PrivacyGuarantee

_ROUND = 2.0**-51
_FAR = 1e4
_LARGEST_LOG = 709.0
_MOST_ODDS = 1e308
_SMALL = 2.0**-18


def two_sided_delta(guarantee: PrivacyGuarantee, epsilon: Array) -> Array:
    """The profile at every real epsilon: delta(-e) = 1 - e^-e (1 - delta(e)), as a sum that does not cancel."""
    size = np.abs(epsilon)
    right = guarantee._delta(size)
    with np.errstate(under="ignore"):
        return np.where(epsilon >= 0, right, np.minimum(-np.expm1(-size) + np.exp(-size) * right, 1.0))


def two_sided_complement(guarantee: PrivacyGuarantee, epsilon: Array) -> Array:
    """1 - delta at every real epsilon."""
    size = np.abs(epsilon)
    right = guarantee._complement(size)
    with np.errstate(under="ignore"):
        return np.where(epsilon >= 0, right, np.exp(-size) * right)


def success(guarantee: PrivacyGuarantee, baseline: Array) -> Array:
    """1 - f from above: the exact complement of f, and below 4e-6, where that has few digits left, the power in its own."""
    most = np.maximum(one_minus_up(guarantee._beta(baseline)), baseline)
    small = baseline < _SMALL
    if not small.any():
        return most
    return np.where(small, np.maximum(np.minimum(most, guarantee._power(baseline)), baseline), most)


def power(guarantee: PrivacyGuarantee, alpha: Array) -> Array:
    """1 - f from above, as a difference, and at most what the largest finite loss allows."""
    most = one_minus_up(guarantee._beta(alpha))
    steepest = float(guarantee._epsilon(np.zeros(1))[0])
    if steepest > _LARGEST_LOG:
        return most
    return np.minimum(most, up(alpha * math.exp(steepest) * (1 + _ROUND * (1 + steepest))))


def bayes_risk(guarantee: PrivacyGuarantee, prior: Array) -> Array:
    """min(pi, 1 - pi) (1 - delta(|log odds|)), from below."""
    with np.errstate(divide="ignore"):
        one, other = np.log(prior), np.log1p(-prior)
        # The complement grows with the odds, at most as fast as e^odds: their rounding is taken off.
        odds = np.maximum(np.abs(one - other) - _ROUND * np.minimum(-one - other, _FAR), 0.0)
    blind = np.minimum(prior, 1 - prior)
    complement = guarantee._complement(odds)
    return np.where(complement < 1, np.nextafter(blind * complement, 0.0), blind)


def ppv(guarantee: PrivacyGuarantee, alpha: Array, prior: float) -> Array:
    """1 / (1 + odds alpha / (1 - f)), from above; the limit at alpha = 0, and the prior itself where nothing leaks."""
    if prior in (0.0, 1.0) or guarantee._advantage() == 0:
        return np.full_like(alpha, prior)
    inside = alpha > 0
    share = np.where(inside, alpha / np.maximum(success(guarantee, alpha), np.where(inside, alpha, 1.0)), 0.0)
    if not inside.all():
        share = np.where(inside, share, math.exp(-float(guarantee._epsilon(np.zeros(1))[0])))
    odds = min((1 - prior) / prior, _MOST_ODDS)
    return np.minimum((1 + _ROUND) / (1 + odds * share), 1.0)


def least_epsilon(guarantee: PrivacyGuarantee, delta: float) -> float:
    """Bisection on the profile to the last bit; the end that the profile confirms is returned."""

    def within(epsilon: float) -> bool:
        return float(guarantee._delta(np.array([epsilon]))[0]) <= delta

    if within(0.0):
        return 0.0
    high = 1.0
    while not within(high):
        high *= 16.0
        if high > 1e300:
            return math.inf
    low = 0.0
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (low, middle) if within(middle) else (middle, high)
    return high


def up(values: Array) -> Array:
    """One ulp up, at most 1."""
    return np.minimum(np.nextafter(values, 2.0), 1.0)


def one_minus_up(values: Array) -> Array:
    """1 - x for x in [0, 1], rounded up, and only where the difference is not exact."""
    rounded = 1.0 - values
    return np.where((1.0 - rounded) - values > 0, np.nextafter(rounded, 2.0), rounded)


def one_minus_down(values: Array) -> Array:
    """1 - x for x in [0, 1], rounded down, and only where the difference is not exact."""
    rounded = 1.0 - values
    return np.where((1.0 - rounded) - values < 0, np.nextafter(rounded, -1.0), rounded)
