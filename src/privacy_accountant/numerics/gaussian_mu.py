"""The Gaussian distance mu whose trade-off function passes below given attacks, rounded up.

A pair (alpha, beta) of error rates lies on or above the trade-off function of mu-GDP exactly when
mu >= -Phi^-1(alpha) - Phi^-1(beta). That function is convex, so one that is piecewise linear lies above it as soon as its
vertices do.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfinv, ndtri_exp

Array = NDArray[np.float64]

_ULP = 2.0**-52
_SLACK = 32
_NEAR_HALF = 0.9


def symmetric_mu(advantage: float, log_error: float) -> float:
    """The mu at which an attack with equal errors is on the curve: Phi(-mu/2) = exp(log_error) = (1 - advantage) / 2.

    Both numbers say the same: the advantage has the digits near 0, the logarithm near 1. Accurate to about 1e-15, rounded up by
    32 ulp.

    Example:
        >>> round(symmetric_mu(math.tanh(0.5), -math.log1p(math.e)), 6)
        1.232035
    """
    if advantage < _NEAR_HALF:  # an advantage that underflowed still has a positive mu
        mu = 2 * math.sqrt(2) * float(erfinv(advantage))
    else:
        mu = -2 * float(ndtri_exp(log_error))
    return mu * (1 + _SLACK * _ULP) + 5e-324


def vertices_mu(log_alpha: Array, log_beta: Array) -> float:
    """The least mu that lies below all vertices of a piecewise linear trade-off function, rounded up.

    Args:
        log_alpha: Logarithms of the vertices' false positive rates, each rate at most 1/2.
        log_beta: Logarithms of their false negative rates, each at most 1/2.
    """
    left, right = -ndtri_exp(log_alpha), -ndtri_exp(log_beta)
    return float(np.max(left + right + _SLACK * _ULP * (1 + np.abs(left) + np.abs(right))))


def corners_mu(log_alpha: Array, log_beta: Array, log_power: Array) -> float:
    """The least mu that lies below corners on the left of the diagonal, rounded up; 0 when there are none.

    Args:
        log_alpha: Logarithms of the corners' false positive rates, each rate at most 1/2.
        log_beta: Logarithms of their false negative rates.
        log_power: Logarithms of one minus those; where the rate is above 1/2 these have its digits.
    """
    if not len(log_alpha):
        return 0.0
    left = -ndtri_exp(log_alpha)
    right = np.where(log_power < -math.log(2), ndtri_exp(log_power), -ndtri_exp(log_beta))
    return max(0.0, float(np.max(left + right + _SLACK * _ULP * (1 + np.abs(left) + np.abs(right)))))
