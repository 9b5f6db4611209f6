"""Log moment functions of privacy losses at a real abscissa, with two derivatives.

For a loss L under P put M(z) = E[e^{zL}] and w = z + 1/2. A pair whose two directions have one curve has M(z) = M(-1-z), so
log M is an even function of w and is written here for w >= 0, free of overflow. The derivatives are with respect to w; they
only choose abscissas, so a few digits suffice there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Moments = tuple[Array, Array, Array]
"""log M and its first two derivatives, elementwise over the parameters."""

LEAST_W = 1e-8
"""Smaller |w| are moved up to this: log M is even and convex in w, so an upper bound stays one."""

_SUMMED = 4096


def randomized_response_moments(w: float, epsilon: Array) -> Moments:
    """M = cosh(w eps) / cosh(eps / 2)."""
    x = np.exp(-2 * w * epsilon)
    value = (w - 0.5) * epsilon + np.log1p(x) - np.log1p(np.exp(-epsilon))
    slope = (1 - x) / (1 + x)
    return value, epsilon * slope, epsilon * epsilon * (1 - slope * slope)


def laplace_moments(w: float, epsilon: Array) -> Moments:
    """M = e^{-eps/2} (cosh(w eps) + sinh(w eps) / (2w))."""
    w = max(w, LEAST_W)
    x = np.exp(-2 * w * epsilon)
    cosh, sinh = (1 + x) / 2, -np.expm1(-2 * w * epsilon) / 2
    scaled = cosh + sinh / (2 * w)
    turn = epsilon * cosh - sinh / w
    first = (epsilon * sinh + turn / (2 * w)) / scaled
    second = (epsilon * epsilon * scaled - turn / (w * w)) / scaled - first * first
    return (w - 0.5) * epsilon + np.log(scaled), first, np.maximum(second, 0.0)


def discrete_laplace_moments(w: float, rate: Array, shift: Array) -> Moments:
    """M = e^{-shift rate/2} (2 cosh(w shift rate) + (1-q) sinh(w (shift-1) rate) / sinh(w rate)) / (1+q), q = e^{-rate}."""
    w = max(w, LEAST_W)
    value = (w - 0.5) * shift * rate + np.log(discrete_laplace_core(w, rate, shift) / (1 + np.exp(-rate)))
    first, second = np.empty_like(rate), np.empty_like(rate)
    for i, (a, d) in enumerate(zip(rate, shift, strict=True)):
        first[i], second[i] = _discrete_laplace_slopes(w, float(a), float(d))
    return value, first, second


def discrete_laplace_core(w: float, rate: Array, shift: Array) -> Array:
    """1 + x^shift + (1-q) (x - x^shift) / (1-x) at x = e^{-2 w rate}."""
    x = np.exp(-2 * w * rate)
    inner = x * np.expm1(-2 * w * rate * (shift - 1)) / np.expm1(-2 * w * rate)
    return np.asarray(1 + np.exp(-2 * w * rate * shift) - np.expm1(-rate) * inner)


def _discrete_laplace_slopes(w: float, rate: float, shift: float) -> tuple[float, float]:
    if shift > _SUMMED:  # nearly the continuous law, and these only choose abscissas
        _, first, second = laplace_moments(w, np.array([rate * shift]))
        return float(first[0]), float(second[0])
    j = np.arange(shift + 1)
    weight = -np.expm1(-rate) * np.exp(-2 * w * rate * j)
    weight[0], weight[-1] = 1.0, np.exp(-2 * w * rate * shift)
    weight /= weight.sum()
    loss = (shift - 2 * j) * rate
    mean = weight @ loss
    return float(mean), float(weight @ (loss - mean) ** 2)
