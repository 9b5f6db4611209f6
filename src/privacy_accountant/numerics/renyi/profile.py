"""Where a line of given slope touches the region of one order, or of zCDP: the privacy profile.

delta(epsilon), the least intercept of a line of slope e^epsilon above the region, is D of `tangent.line` at a
point (A, B) of that slope,

    A = epsilon + psi(A + B),   psi(t) = log(o (1 - e^(-s t)) / (s (1 - e^(-o t)))),   0 < psi' < 1/2,

on the boundary S = e^(s r).  Every (B, s) on this curve gives a valid bound; B = infinity is that of Canonne,
Kamath and Steinke 2020 (arXiv 2004.00010, Cor. 13), the best B does better, and B = 0 is as good as the best
when delta is tiny.  For slopes below that of the corner the line touches at the fixed point, in closed form.
"""

from __future__ import annotations

import numpy as np

from privacy_accountant.numerics.renyi.constraint import (
    KL_LIMIT,
    Array,
    fine_excess,
    log_allowance,
    point,
)
from privacy_accountant.numerics.renyi.orders import best_order
from privacy_accountant.numerics.renyi.search import zcdp_bound
from privacy_accountant.numerics.renyi.tangent import U, line, log_line, log_slope, slope_offset

_STEPS = 60
_CLOSE = 1e-6
_LEAST_B = 1e-300
_DEEP = -600.0
# Beyond the corner the closed form is no bound; just below it the search is one, and hardly looser.
ROUNDED_CORNER = 1 - 1e-9

Touch = tuple[Array, Array, Array]
"""A, B and order - 1 where a line touches."""

Profile = tuple[Array, Array, Array]
"""Upper bound on log delta, lower bound on 1 - delta, and the log of the touching attack's alpha."""


def _psi(t: Array, s: Array) -> tuple[Array, Array]:
    """psi, with its digits only where it is not small, and its derivative."""
    y, v = -np.expm1(-s * t) / s, -np.expm1(-(1 + s) * t)
    return np.log(y * (1 + s) / v), np.exp(-s * t) / y - (1 + s) * np.exp(-(1 + s) * t) / v


def _slope_curve(epsilon: Array, B: Array, t: Array, s: Array, steps: int) -> tuple[Array, Array]:
    """``t`` and ``psi'(t)`` where the slope is e^epsilon: Newton on a convex function."""
    for _ in range(steps):
        psi, dpsi = _psi(t, s)
        new = np.maximum(t - (t - psi - epsilon - B) / (1 - dpsi), epsilon + B)
        done = np.abs(new - t) <= 1e-15 * t
        t = new
        if done.all():
            break
    return t, dpsi


def touch_order(epsilon: Array, s: Array, r: Array, e: Array, A: Array, B: Array) -> tuple[Array, Array]:
    """A and B where the line of slope e^epsilon touches the region of one order; A and B start the search.

    Newton in log B on ``log((S-1)/(e^(s r) - 1))`` along the curve of constant slope, bracketed by the fixed
    point, where B = e.
    """
    low, high = np.zeros_like(B), np.full_like(B, e)
    B = np.clip(B, _LEAST_B, high)
    t = A + B
    for _ in range(_STEPS):
        t, dpsi = _slope_curve(epsilon, B, t, s, 3)
        A = t - B
        p, cp, cq = point(A, B)
        _, W = fine_excess(A, B, p, cp, cq, s)
        outside = s * A + np.log(W) - log_allowance(s, r)
        low, high = np.where(outside < 0, B, low), np.where(outside < 0, high, B)
        relative = (1 - dpsi) * np.exp(-B) / -np.expm1(-B) - np.exp(-t) / -np.expm1(-t)
        growth = relative - np.exp(epsilon - A) * (relative - dpsi)
        pull = (1 + s) * (-np.expm1(-s * t) / s) * p * growth / W * B / (1 - dpsi)
        step = np.clip(outside / pull, -5, 5)
        new = np.maximum(B * np.exp(-np.where(np.isfinite(step), step, np.sign(outside))), _LEAST_B)
        new = np.where(
            new > high, np.sqrt(B) * np.sqrt(high), np.where(new < low, np.sqrt(B) * np.sqrt(low), new)
        )
        done = (np.abs(step) < _CLOSE) | (np.abs(new - B) <= 1e-15 * B)
        B = new
        if done.all():
            break
    t, _ = _slope_curve(epsilon, B, t, s, _STEPS)
    t = np.maximum(t - (t - slope_offset(t, s) - epsilon - B) / (1 - dpsi), epsilon + B)
    return t - B, B


def touch_zcdp(epsilon: Array, rho: float, e: float) -> Touch:
    """A, B and order - 1 where the line of slope e^epsilon touches the region of zCDP(rho).

    For each order the line touches somewhere, and there some order binds most: the one that binds at its own
    touching point is sought, by secants within a bracket.
    """
    s = tail_order(epsilon, rho)
    log_delta = s * (rho * (1 + s) - epsilon - np.log1p(1 / s)) - np.log1p(s)
    A, B = epsilon + np.log1p(1 / s), np.full_like(epsilon, _LEAST_B)
    active = np.flatnonzero(log_delta > _DEEP)  # below, B = 0 and this order are as good as the best
    B[active] = -np.log1p(-np.minimum(np.exp(log_delta[active]), 0.9))
    low, high = np.zeros_like(s), np.full_like(s, np.inf)
    old_s, old_f = np.full_like(s, np.nan), np.full_like(s, np.nan)
    for _ in range(_STEPS):
        if not len(active):
            break
        i = active
        A[i], B[i] = touch_order(epsilon[i], s[i], rho * (1 + s[i]), np.full_like(s[i], e), A[i], B[i])
        p, cp, cq = point(A[i], B[i])
        kl, W = fine_excess(A[i], B[i], p, cp, cq, s[i])
        better, move = best_order(A[i], B[i], p, cp, kl, W, s=s[i])
        f = better - s[i]
        low[i], high[i] = np.where(f > 0, s[i], low[i]), np.where(f > 0, high[i], s[i])
        secant = s[i] - f * (s[i] - old_s[i]) / (f - old_f[i])
        inside = (secant > low[i]) & (secant < high[i])
        fallback = np.where((better >= low[i]) & (better <= high[i]), better, (low[i] + high[i]) / 2)
        done = move <= _CLOSE * (1 + s[i] * (A[i] + B[i]))
        old_s[i], old_f[i] = s[i], f
        s[i] = np.where(done, s[i], np.where(inside, secant, np.maximum(fallback, KL_LIMIT)))
        active = i[~done]
    return A, B, s


def tail_order(epsilon: Array, rho: float) -> Array:
    """The best order - 1 for B = infinity, ``rho (2 s + 1) + log(s/(1+s)) = epsilon``."""
    s = np.maximum((epsilon - rho) / (2 * rho), np.exp(np.minimum(epsilon - rho, 0)))
    for _ in range(_STEPS):
        residual = rho * (2 * s + 1) - np.log1p(1 / s) - epsilon
        step = np.clip(residual / (2 * rho * s + 1 / (1 + s)), -2, 2)
        s = np.maximum(s * np.exp(-step), KL_LIMIT)
        if (np.abs(step) < 1e-9).all():
            break
    return s


def certified(epsilon: Array, A: Array, B: Array, s: Array, r: Array) -> Profile:
    """What the supporting line near (A, B) proves at slope e^epsilon.

    The slope of the line actually evaluated is made at most e^epsilon, so that its intercept bounds delta.
    The complement may be far smaller than any rounding of A; near p = 1 it is taken at a point polished for
    it, and what slope is too much there is divided out.
    """
    upper = A.copy()
    for _ in range(4):
        spare = epsilon - log_slope(upper, B, s)
        upper = np.where(spare < 0, np.maximum(upper * (1 - 32 * U) + 2 * spare, upper / 2), upper)
    log_delta = np.where(epsilon >= log_slope(upper, B, s), log_line(upper, B, upper - r, s, r), 0.0)
    log_delta = np.minimum(np.nan_to_num(log_delta, nan=0.0), 0)

    A, B, lift = _polished(epsilon, A, B, s, r)
    _, _, complement = line(A, B, lift, s, r)
    spare = np.minimum(epsilon - log_slope(A, B, s), 0)
    complement = np.nan_to_num(complement * np.exp(spare) * (1 - 16 * U), nan=0.0)
    complement = np.maximum(complement, -np.expm1(log_delta) - 16 * U)
    return log_delta, np.minimum(complement, 1.0), _log_alpha(epsilon, A, B, s, log_delta)


def _log_alpha(epsilon: Array, A: Array, B: Array, s: Array, log_delta: Array) -> Array:
    """Log of the touching attack's alpha; where B underflowed, from d log delta / d epsilon at B = 0."""
    _, dpsi = _psi(A + B, s)
    rate = s / (-np.expm1(-s * A) * (1 - dpsi))
    return np.where(B > 2 * _LEAST_B, np.log(point(A, B)[0]) - A, log_delta - epsilon + np.log(rate))


def _polished(epsilon: Array, A: Array, B: Array, s: Array, r: Array) -> tuple[Array, Array, Array]:
    """A, B and ``A - r`` with the digits of the latter where p is nearly 1.

    On the boundary  e^(-s (A - r)) = 1 - (1-p) (1 - e^(-s t)),  which gives A - r without a subtraction.
    """
    lift = A - r
    for _ in range(4):
        t = A + B
        p, cp, _ = point(A, B)
        _, dpsi = _psi(t, s)
        new_lift = -np.log1p(cp * np.expm1(-s * t)) / s
        near = (p > 0.9) & (cp * (-np.expm1(-s * t) / s) < 0.1 * dpsi) & (np.abs(new_lift - lift) < 1e-3)
        new_A = r + new_lift
        new_t = t - (slope_offset(t, s) - (new_A - epsilon)) / dpsi
        near &= new_t > new_A
        lift, A, B = (
            np.where(near, new_lift, lift),
            np.where(near, new_A, A),
            np.where(near, new_t - new_A, B),
        )
    return A, B, lift


def fixed_point_profile(epsilon: Array, e: Array) -> Profile:
    """The profile of all slopes up to the corner's: ``(e^e - e^epsilon) / (1 + e^e)``."""
    gap = np.minimum(epsilon - e, -0.0)
    part = np.where(gap < -0.7, np.log1p(-np.exp(gap)), np.log(-np.expm1(gap)))
    log_delta = part - np.log1p(np.exp(-e)) + 32 * U * (1 + np.abs(part))
    complement = (np.exp(epsilon - e) + np.exp(-e)) / (1 + np.exp(-e)) * (1 - 64 * U * (1 + e))
    return np.minimum(log_delta, 0), complement, -np.logaddexp(0, e)


def orders_profile(epsilon: Array, s: Array, r: Array, e: Array, corner: Array) -> tuple[Profile, Touch]:
    """The profile of one order at each epsilon >= 0, and where its line touches.

    At the fixed point A = B = e.  All arguments are arrays of one length.
    """
    log_delta, complement, log_alpha = fixed_point_profile(epsilon, e)
    A, B = e.copy(), e.copy()
    i = np.flatnonzero(epsilon > corner * ROUNDED_CORNER)
    if len(i):
        tail = np.minimum(s[i] * (r[i] - epsilon[i] - np.log1p(1 / s[i])), 0)
        B_tail = -np.log1p(-np.minimum(np.exp(tail), 0.9))
        A_tail = epsilon[i] + np.log1p(1 / s[i])
        A[i], B[i] = touch_order(epsilon[i], s[i], r[i], e[i], A_tail, B_tail)
        log_delta[i], complement[i], log_alpha[i] = certified(epsilon[i], A[i], B[i], s[i], r[i])
    return (log_delta, complement, log_alpha), (A, B, s)


def zcdp_profile(epsilon: Array, rho: float, e: float, corner: float) -> Profile:
    """The profile of zCDP(rho) for epsilon >= 0."""
    log_delta, complement, log_alpha = fixed_point_profile(epsilon, np.full_like(epsilon, e))
    i = np.flatnonzero(epsilon > corner * ROUNDED_CORNER)
    if len(i):
        A, B, s = touch_zcdp(epsilon[i], rho, e)
        log_delta[i], complement[i], log_alpha[i] = certified(epsilon[i], A, B, s, zcdp_bound(s, rho))
    return log_delta, complement, log_alpha
