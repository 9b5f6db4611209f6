"""Moment function of the loss of bounded range: its density is proportional to e^{l/2} on [-eps, eps].

With w = z + 1/2 it is M(z) = sinh(w eps) / (2 w sinh(eps / 2)), even in w. See `moments` and `ratios` for what is wanted of it.
"""

from __future__ import annotations

import numpy as np

from privacy_accountant.numerics.contour.moments import LEAST_W, Array, Moments
from privacy_accountant.numerics.contour.ratios import UNIT, Complex

_NEARLY_FLAT = 1e-2


def bounded_range_moments(w: float, epsilon: Array) -> Moments:
    """log M and two derivatives in w >= 0; the derivatives by series where w eps is small."""
    w = max(w, LEAST_W)
    x = np.exp(-2 * w * epsilon)
    gap = -np.expm1(-2 * w * epsilon)
    value = (w - 0.5) * epsilon + np.log(gap / (2 * w) / -np.expm1(-epsilon))
    small = w * epsilon < _NEARLY_FLAT
    first = np.where(small, w * epsilon**2 / 3, epsilon * (1 + x) / gap - 1 / w)
    second = np.where(small, epsilon**2 / 3, 1 / w**2 - 4 * epsilon**2 * x / gap**2)
    return value, first, np.maximum(second, 0.0)


def bounded_range_ratio(w: float, omega: Array, epsilon: Array) -> tuple[Complex, Array]:
    """y for sinh((w + i omega) eps) w / (sinh(w eps) (w + i omega)) = e^{i omega eps} (1 + y), and a bound on its error.

    With x = e^{-2 w eps}, y = -(i omega (1 - x) + w x (e^{-2 i omega eps} - 1)) / ((1 - x) (w + i omega)). Both terms are at most
    omega / |w + i omega|, because x / (1 - x) <= 1 / (2 w eps) and |e^{-2 i omega eps} - 1| <= 2 omega eps; so are, in units of
    UNIT, the errors that the rounding of the angle 2 omega eps and of the exponent 2 w eps makes, X e^-X / (1 - e^-X)^2 <= 1/X.
    Elementary functions are assumed right within a few ulp; 32 pays for all of it.
    """
    half = np.sin(omega * epsilon)
    turn = -2 * half * half - 1j * np.sin(2 * omega * epsilon)
    share = np.exp(-2 * w * epsilon) / -np.expm1(-2 * w * epsilon)
    y = -(1j * omega + w * share * turn) / (w + 1j * omega)
    return np.asarray(y), np.asarray(32 * UNIT * omega / np.hypot(w, omega) + 0 * epsilon)
