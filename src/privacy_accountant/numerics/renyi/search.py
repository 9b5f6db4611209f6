"""Finding the boundary at a known error rate: Newton, approximately.

What comes out is a point (A, B) and an order close to the boundary; the supporting line there is what is
certified (see `tangent`), and an error here costs only its square.

On the left branch (``left``: beta is the larger error) the false positive rate ``a`` is known, and the power
is sought; on the right branch the power ``ca = 1 - a`` is known, with the roles of the errors exchanged.
The unknown is A either way; Newton works on  log((S-1)/(e^(s r) - 1))  as a function of  log(e^(k A) - 1),
k = order on the left and order - 1 on the right: the slope lies between about 1 and 2, so few steps suffice.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from privacy_accountant.numerics.renyi.constraint import (
    Array,
    divergence,
    excess,
    log_allowance,
)
from privacy_accountant.numerics.renyi.orders import best_order
from privacy_accountant.numerics.renyi.tangent import U

Touching = tuple[Array, Array, Array]
"""A, order - 1 and the Renyi bound at that order: where a supporting line touches."""

_STEPS = 60
_CLOSE = 1e-5


def attack_at(A: Array, left: bool, a: Array, ca: Array) -> tuple[Array, Array, Array, Array]:
    """``B``, ``p``, ``1 - p`` and ``1 - q`` when A is given beside the known error rate."""
    if left:
        gap = np.exp(np.minimum(A + np.log(a), 0)) * -np.expm1(-A)
        B = -np.log1p(-np.minimum(gap / ca, 1 - U))
        return B, np.minimum(a + gap, 1), np.maximum(ca - gap, U * U), ca
    gap = -ca * np.expm1(-A)
    return np.log1p(gap / a), ca, a, a + gap


def zcdp_bound(s: Array, rho: float) -> Array:
    """``rho * order``, rounded up."""
    return rho * (1 + s) * (1 + 8 * U)


def _first_guess(left: bool, a: Array, ca: Array, s: Array, r: Array) -> Array:
    """A from the quadratic approximation, or from the larger term of S alone, whichever is smaller."""
    log_known = -np.log(a if left else ca)
    T = log_allowance(s, r)
    half = np.sqrt(2 * np.exp(T) / ((1 + s) * a * ca))
    if left:
        small = np.where(T > 3, np.inf, np.log1p(ca * half))
        return np.minimum(small, np.minimum(log_known, (s * r + log_known) / (1 + s)))
    large = (r + a * np.log1p(half)) / ca
    return np.minimum(np.where(half > 1, large, a * half), r + log_known / s)


def _newton(
    A: Array, left: bool, point: tuple[Array, Array, Array, Array], W: Array, s: Array, r: Array
) -> tuple[Array, Array, Array]:
    """The Newton step: the new A, the step in log(e^(k A) - 1), and the residual (positive: outside)."""
    B, p, _, _ = point
    t = A + B
    residual = s * A + np.log(W) - log_allowance(s, r)
    pull = p * ((1 + s) * -np.expm1(-s * t) / s if left else -np.expm1(-(1 + s) * t)) / W
    k = 1 + s if left else s
    kA = k * A
    remainder = -np.expm1(-kA)
    step = residual * k / (pull * remainder)
    step = np.clip(step, -20 - kA, 20 + kA)
    x = np.log(remainder) + kA - step
    return np.where(x < 30, np.log1p(np.exp(np.minimum(x, 30))), x) / k, step, residual


def _settled(A: Array, new: Array, step: Array, left: bool, cp: Array) -> npt.NDArray[np.bool_]:
    """Whether the step was small, on the left also beside 1 - p, which A moves by as much."""
    move = np.abs(new - A)
    small = np.abs(step) < _CLOSE
    return (small & (move < 1e-3 * cp) if left else small) | (move <= 1e-13 * A)


def search_orders(a: Array, ca: Array, left: bool, s: Array, r: Array) -> Touching:
    """A, order - 1 and r on the joint boundary of finitely many orders (``s`` and ``r`` are columns).

    Every step asks each order for its Newton step and follows the lowest; the largest residual over the
    orders says on which side of the joint boundary the point lies, which brackets it.
    """
    A: Array = np.fmin.reduce(_first_guess(left, a, ca, s, r), axis=0)
    low, high = np.zeros_like(a), -np.log(a) if left else np.full_like(a, np.inf)
    for _ in range(_STEPS):
        point = attack_at(A, left, a, ca)
        B, p, cp, cq = point
        kl = divergence(A, B, p, cq)
        A_each, step_each, residual = _newton(A, left, point, excess(A, B, p, cp, kl, s), s, r)
        best = np.argmin(np.where(np.isnan(A_each), np.inf, A_each), axis=0)[np.newaxis]
        new, step = np.take_along_axis(A_each, best, 0)[0], np.take_along_axis(step_each, best, 0)[0]
        outside = np.fmax.reduce(residual, axis=0)
        low, high = np.where(outside < 0, A, low), np.where(outside < 0, high, A)
        new = np.where(new < low, (A + low) / 2, np.where(new > high, (A + high) / 2, new))
        done = _settled(A, new, step, left, cp)
        A = new
        if done.all():
            break
    return A, s[best[0], 0], r[best[0], 0]


def search_zcdp(a: Array, ca: Array, left: bool, rho: float) -> Touching:
    """A, order - 1 and the Renyi bound at that order on the boundary of zCDP(rho).

    At the binding order the boundary does not move with the order, so the two Newton steps may take turns and
    still converge quadratically.
    """
    high = -np.log(a) if left else np.full_like(a, np.inf)
    # At the end the tilted mean of the loss, at most A, is rho (2 s + 1).
    most = np.maximum(high / rho - 1, 0) / 2
    A, s = _first_zcdp(a, ca, left, rho, most)
    for _ in range(_STEPS):
        point = attack_at(A, left, a, ca)
        B, p, cp, cq = point
        kl = divergence(A, B, p, cq)
        W = excess(A, B, p, cp, kl, s)
        new, step, residual = _newton(A, left, point, W, s, rho * (1 + s))
        high = np.where(residual > 0, np.minimum(high, A), high)  # outside for one order is outside for all
        new = np.where(new > high, (A + high) / 2, new)
        near = np.abs(step) < 1
        better, move = best_order(A, B, p, cp, kl, W, s=s)
        s = np.where(near, np.minimum(better, most), s)
        done = _settled(A, new, step, left, cp) & (move < _CLOSE * (1 + (A + B) * s))
        A = new
        if done.all():
            break
    return A, s, zcdp_bound(s, rho)


def _first_zcdp(a: Array, ca: Array, left: bool, rho: float, most: Array) -> tuple[Array, Array]:
    """Guesses from the Kearns-Saul inequality for small t (exact at 0) or from the larger term of S."""
    log_a, log_ca = np.log(a), np.log(ca)
    lam = np.maximum(np.abs(log_ca - log_a), 1e-3)
    t = np.sqrt(4 * rho * lam / np.tanh(lam / 2))
    far = np.maximum(np.sqrt((-log_a if left else -log_ca) / rho) - left, 0)
    s = np.where(t < 0.1, 2 * lam * ((log_ca > log_a) == left) / t, far)
    s = np.maximum(np.minimum(s, most), 1e-9)
    return _first_guess(left, a, ca, s, rho * (1 + s)), s
