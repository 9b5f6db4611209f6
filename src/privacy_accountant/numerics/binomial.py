"""Confidence bounds on a rate that was counted."""

from __future__ import annotations

from scipy.special import betaincinv

_UP = 1 + 1e-12


def rate_above(count: int, trials: int, error: float) -> float:
    """The Clopper-Pearson upper bound: the rate is above it in at most a share `error` of all experiments.

    Example:
        >>> round(rate_above(0, 1000, 0.05), 6), rate_above(3, 3, 0.05)
        (0.002991, 1.0)
    """
    if count >= trials:
        return 1.0
    return min(1.0, float(betaincinv(count + 1, trials - count, 1 - error)) * _UP)
