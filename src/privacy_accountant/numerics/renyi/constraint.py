"""The Renyi constraint on one attack, without cancellation.

An attack with false positive rate ``q`` and power ``p >= q`` meets an (order, r) Renyi bound when

    S(p, q) = p (p/q)^s + (1-p) ((1-p)/(1-q))^s <= e^(s r),        s = order - 1

and likewise with the roles of the two error rates exchanged.  Everything here is written in two loss values

    A = log(p/q) >= 0,   B = log((1-q)/(1-p)) >= 0,   t = A + B   (the log odds ratio)

and in the two functions m and w below, because S - 1, evaluated as it stands, keeps no digit of a small
divergence.  With them S - 1 is a sum of non-negative terms, and the Kullback-Leibler limit (order 1) is an
ordinary point.
"""

from __future__ import annotations

from math import factorial
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]

KL_LIMIT = 1e-30
"""An ``order - 1`` so small that every formula here equals its Kullback-Leibler limit to the last digit."""

_TERMS = 19
_M = tuple((-1.0) ** k / factorial(k) for k in range(2, _TERMS + 2))
_W = tuple((-1.0) ** k * (k - 1) / factorial(k) for k in range(2, _TERMS + 2))
_FEW = 6


def _series(x: Array, coefficients: tuple[float, ...]) -> Array:
    total = np.full_like(x, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        total *= x
        total += coefficient
    return total * (x * x)


def m(x: Array) -> Array:
    """``x - 1 + e^-x`` for x >= 0, within 32 half-ulps."""
    return np.where(x < 1, _series(np.minimum(x, 1), _M), x + np.expm1(-x))


def w(x: Array) -> Array:
    """``1 - (1 + x) e^-x`` for x >= 0, within 32 half-ulps."""
    return np.where(x < 1, _series(np.minimum(x, 1), _W), -np.expm1(-x) - np.minimum(x, 800) * np.exp(-x))


def rough_m(x: Array) -> Array:
    """`m` to twelve digits, faster: enough wherever an error enters squared."""
    return np.where(x < 0.01, _series(x, _M[:_FEW]), x + np.expm1(-x))


def rough_w(x: Array) -> Array:
    """`w` to twelve digits, faster: enough wherever an error enters squared."""
    return np.where(x < 0.01, _series(x, _W[:_FEW]), -np.expm1(-x) - np.minimum(x, 800) * np.exp(-x))


def divergence(A: Array, B: Array, p: Array, cq: Array) -> Array:
    """The Kullback-Leibler divergence ``p A - (1-p) B`` as a sum of non-negative terms, to twelve digits."""
    return p * rough_m(A) + cq * rough_w(B)


def excess(A: Array, B: Array, p: Array, cp: Array, kl: Array, s: Array) -> Array:
    """``(S - 1) e^(-s A) / s`` to twelve digits, from the point and its `divergence` ``kl``.

    All terms are non-negative, and the first alone remains as s -> 0.
    """
    decay = np.exp(-s * A)
    return decay * kl + (p * rough_w(s * A) + decay * cp * rough_m(s * B)) / s


def fine_excess(A: Array, B: Array, p: Array, cp: Array, cq: Array, s: Array) -> tuple[Array, Array]:
    """`divergence` and `excess` to nearly every digit."""
    decay = np.exp(-s * A)
    kl = p * m(A) + cq * w(B)
    return kl, decay * kl + (p * w(s * A) + decay * cp * m(s * B)) / s


def log_allowance(s: Array, r: Array) -> Array:
    """``log((e^(s r) - 1) / s)``, what `excess` times ``e^(s A)`` is compared with; finite for huge s r."""
    return s * r + np.log(-np.expm1(-s * r) / s)


def point(A: Array, B: Array) -> tuple[Array, Array, Array]:
    """``p``, ``1 - p`` and ``1 - q`` of the attack with loss values A and B, each with its own digits."""
    z = -np.expm1(-(A + B))
    ca = -np.expm1(-A)
    return -np.expm1(-B) / z, np.exp(-B) * ca / z, ca / z
