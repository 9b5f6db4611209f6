"""Which order binds.

For zCDP(rho) every order counts, and the best one has a geometry of its own.  With softplus
l(u) = log(1 + e^u) and the three logits

    a = logit q,   b = logit p = a + t,   c = b + s t = logit of p tilted by e^(s loss)

log S = s (s+1) t^2 l[a, b, c], where l[...] is a divided difference.  So zCDP(rho) says exactly that

    t^2 l[a, b, c] <= rho   for every c >= b

and the binding order has l[a, b, c, c] = 0, that is l[b, c, c] = l[a, b, c], or c = b (order 1, the
Kullback-Leibler divergence) when already l[b, b, b] <= l[a, b, b], which reads Var(loss) <= 2 KL.  The third
derivative of softplus is odd with one change of sign, so the divided difference rises and then falls with c,
and it is past its top at the reflection c = -(a+b)/2.
"""

from __future__ import annotations

import numpy as np

from privacy_accountant.numerics.renyi.constraint import KL_LIMIT, Array, divergence

_NEAR = 1e-4


def order_pressure(A: Array, B: Array, p: Array, cp: Array, W: Array, s: Array) -> tuple[Array, Array]:
    """``G = l[b, c, c] - l[a, b, c]``, positive where a higher order binds harder, and its slope in c.

    Args:
        A: Loss value log(p/q).
        B: Loss value log((1-q)/(1-p)).
        p: Power.
        cp: Its complement.
        W: `excess` of the point at s.
        s: Order minus one.
    """
    t = A + B
    sigma = s * t
    # Log of the tilted p over p, which is 1 - cp (1 - e^-sigma) or, where that cancels, p + cp e^-sigma.
    rise = -np.where(
        (sigma < 1) | (p > 0.5), np.log1p(cp * np.expm1(-sigma)), np.log(p + cp * np.exp(-sigma))
    )
    grown = s * A
    logS = np.where(grown < 30, np.log1p(s * W * np.exp(np.minimum(grown, 30))), grown - rise)
    mean = logS / (sigma * (sigma + t))
    tilted = np.minimum(p * np.exp(rise), 1)
    ctilted = cp * np.exp(rise - sigma)
    touch = divergence(rise, sigma - rise, tilted, cp) / (sigma * sigma)
    G = touch - mean
    bend = np.where(sigma < _NEAR, p * cp * (cp - p) / 3, (tilted * ctilted - 2 * touch) / sigma)
    return G, bend - G / (sigma + t)


def best_order(
    A: Array, B: Array, p: Array, cp: Array, kl: Array, W: Array, *, s: Array
) -> tuple[Array, Array]:
    """One safeguarded Newton step of the order towards the binding one, and its size in logits."""
    t = A + B
    sigma = s * t
    G, slope = order_pressure(A, B, p, cp, W, s)
    # c lies between b and the reflection -(a+b)/2; the sign of G says on which side of the present one.
    top = np.maximum(t / 2 - 2 * np.log(p / cp), 2 * KL_LIMIT)
    low, high = np.where(G > 0, np.minimum(sigma, top), 0.0), np.where(G > 0, top, np.minimum(sigma, top))
    new = np.where(slope < 0, np.clip(sigma - G / slope, low, high), (low + high) / 2)
    new = np.where(p * cp * (t * t) <= 2 * kl, 0.0, new)
    return np.maximum(new / t, KL_LIMIT), np.abs(new - sigma)
