"""Nodes of the trapezoid rule: the pole factor, plain or folded, and the bounds for aliases and truncation.

With G(z) = M(z) / (z (z+1)) the rule of step 2 pi / T on Re z = c gives sum_j e^{cjT} B(e + jT), every term at least 0. B is
delta for c > 0; for -1 < c < 0 it is minus the integral, the complement.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]


def pole_factor(z: Complex, c: float) -> Complex:
    """1 / (z (z+1)), with the sign that makes it positive at z = c."""
    return np.asarray(math.copysign(1.0, c) / (z * (z + 1)))


def folded_pole_factor(z: Complex, c: float, step: float) -> Complex:
    """Sum of the pole factor over z + 2 pi i m / step, for losses on a lattice of that step.

    (g/2) (coth(gz/2) - coth(g(z+1)/2)), times e^{gz} for c > 0: there the caller puts e + g in the place of e, which keeps
    every factor in range.
    """
    decay = np.exp(-step * z) if c > 0 else np.exp(step * z)
    return np.asarray(step * -math.expm1(-step) / ((1 - decay) * (1 - np.exp(-step * (z + 1)))))


def truncation(omega: float, variance: float, period: float) -> float:
    """Bound on twice the sum of e^{-variance w^2/2} / w^2 over nodes w > omega of spacing 2 pi / period."""
    return period / math.pi * math.exp(-variance * omega * omega / 2) / omega


def chernoff_constant(c: float) -> float:
    """log of sup_x (1 - e^-x) e^-cx for c > 0, so that delta(e) <= M(c) e^{-ce} e^{this}."""
    return c * math.log(c / (1 + c)) - math.log1p(c)


def log_geometric(a: float) -> float:
    """log of sum_{j >= 1} e^{-ja}, a > 0."""
    return -a - math.log(-math.expm1(-a)) if a > 0 else math.inf


def alias_bound(
    e: Array, c: float, period: float, right: list[tuple[float, float]], left: list[tuple[float, float]]
) -> Array:
    """log of a bound on the sum over j != 0 of e^{cjT} B(e + jT).

    Args:
        e: Thresholds.
        c: Abscissa of the rule.
        period: T.
        right: Abscissas x > c with a bound on log M(x) (for c < 0 up to 0 exclusive); empty when nothing lies right of e + T.
        left: For c < 0: abscissas in [-1, c) with the same.

    Returns:
        One value for each e.
    """
    # B <= 1 serves the aliases on the left for c > 0, and those on the right for c < 0.
    flat = np.full_like(e, log_geometric(abs(c) * period))
    tilts = [
        log_m + (chernoff_constant(x) if x > 0 else 0.0) + log_geometric((x - c) * period) - x * e
        for x, log_m in right
    ]
    if c > 0:
        terms = [flat, np.min(tilts, axis=0)] if tilts else [flat]
    else:
        terms = [np.min([flat, *tilts], axis=0)]
    if left:
        tilts = [log_m + log_geometric((c - x) * period) - x * e for x, log_m in left]
        terms.append(np.min(tilts, axis=0))
    return np.asarray(np.logaddexp.reduce(terms, axis=0)) + 1e-9
