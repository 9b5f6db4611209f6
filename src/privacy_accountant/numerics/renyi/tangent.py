"""The certified last step: supporting lines of the region, with their round-off.

S is jointly convex in (p, q) and homogeneous in its four arguments, so for *any* loss values A, B > 0 and any
order the region lies below the line  p <= D + x q  with, writing t = A + B, s = order - 1 and o = order,

    y = (1 - e^(-s t)) / s,   kappa = (1 - e^(-o t)) / (o y),   x = kappa e^A
    D = {e^(s (r-A)) (1 - e^(-s r)) / s + e^(-s A) [w(s B)/s + e^(-s B) m(B)]} / (o y)
    C = 1 - D = (1 - p0) s/o + kappa p0 + (1 - e^(s (r-A))) / (s o y),   p0 = (1 - e^-B) / (1 - e^-t)

D is a sum of positive terms, and so is C when A >= r, which holds on the boundary.  The line touches the
region where S = e^(s r); elsewhere it is as valid, and looser by the square of the distance.  So the searches
that choose A, B and s need not be trusted: only the lines below are, and each subtracts or adds what rounding may
have done.  Line by line: at slope x the privacy profile is at most D.

The constants assume elementary functions within four units in the last place (eight half-ulps); the largest
count is about 60, and 96 is allowed.
"""

from __future__ import annotations

import numpy as np

from privacy_accountant.numerics.renyi.constraint import Array, m, point, w

U = 2.0**-53
"""Half a unit in the last place of 1: the relative error of one rounding."""

TINY = 5e-324
"""The smallest positive double: what a positive bound that underflows is rounded up to."""

_COUNT = 96.0
_LEAST_LOG = 700.0  # beyond, e^-A is too near underflow to keep its digits
_FAR = 800.0  # beyond, an exponential is zero, and its relative error no longer matters


def line(A: Array, B: Array, lift: Array, s: Array, r: Array) -> tuple[Array, Array, Array]:
    """The supporting line at (A, B): ``kappa``, D rounded up, C rounded down; its slope is ``kappa e^A``.

    Args:
        A: Log ratio of power to false positive rate, positive.
        B: Log ratio of the complements, not negative.
        lift: ``A - r``, given apart because it may be far smaller than a rounding of A.
        s: Order minus one, positive.
        r: Renyi bound at that order.
    """
    t = A + B
    y = -np.expm1(-s * t) / s
    oy = (1 + s) * y
    kappa = -np.expm1(-(1 + s) * t) / oy
    z = -s * lift
    first = -np.exp(z) * np.expm1(-s * r) / s
    second = np.exp(-s * A) * (w(s * B) / s + np.exp(-s * B) * m(B))
    count = _COUNT + 2 * np.minimum(np.abs(z), _FAR) + 2 * np.minimum(s * t, _FAR)
    upper = (first + second) / oy * (1 + count * U) + TINY

    p, cp, _ = point(A, B)
    gap = -np.expm1(z) / s / oy
    positive = cp * (s / (1 + s)) + kappa * p
    error = (_COUNT + 2 * np.maximum(z, 0)) * U * (positive + np.abs(gap))
    return kappa, upper, np.maximum(positive + gap - error, 0)


def power_and_beta(A: Array, B: Array, s: Array, r: Array, alpha: Array) -> tuple[Array, Array]:
    """Upper bound on the power and lower bound on beta at a known false positive rate.

    Two routes to beta, ``1 - power`` and ``C - x alpha``; the first has the digits where the power is small,
    the second where it is not.
    """
    kappa, D, C = line(A, B, A - r, s, r)
    half = np.exp(A / 2)
    rise = kappa * half * (half * alpha)
    power = (D + rise) * (1 + _COUNT * U) + 4 * TINY
    beta = np.maximum(1 - power * (1 + 2 * U), C - rise - _COUNT * U * (C + rise))
    return power, np.maximum(beta - 4 * U * np.maximum(beta, 0), 0)


def beta_beyond(A: Array, B: Array, s: Array, r: Array, alpha: Array) -> Array:
    """Lower bound on beta where it is the smaller of the two errors, so that the roles are exchanged.

    The line reads ``1 - alpha <= D + x beta``, or ``alpha >= C - x beta``; the digits are in the second for
    small alpha and in the first for small 1 - alpha, which is exact from 1/2 on.
    """
    kappa, D, C = line(A, B, A - r, s, r)
    reach = np.where(alpha < 0.5, C - alpha - 4 * U * (C + alpha), (1 - alpha) - D - 4 * U * D)
    # The last product alone may underflow.
    beta = np.maximum(reach, 0) / kappa * (1 - _COUNT * U) * np.exp(-A) - 4 * TINY
    return np.where(A < _LEAST_LOG, np.maximum(beta, 0), 0.0)


def slope_offset(t: Array, s: Array) -> Array:
    """``-log kappa``, how far the log slope lies below A, with every digit (it may be near 0)."""
    v = -np.expm1(-(1 + s) * t)
    offset: Array = np.log1p((w(s * t) / s + np.exp(-s * t) * m(t)) / v)
    return offset


def log_slope(A: Array, B: Array, s: Array) -> Array:
    """Log of the line's slope, rounded up."""
    offset = slope_offset(A + B, s)
    st = np.minimum(s * (A + B), _FAR)
    slope: Array = A - offset + (_COUNT + st) * U * np.minimum(offset, 1) + 16 * U * (A + offset)
    return slope


def log_line(A: Array, B: Array, lift: Array, s: Array, r: Array) -> Array:
    """Upper bound on log D, also where D itself underflows."""
    st = s * (A + B)
    z = -s * lift
    log_one = np.log(-np.expm1(-s * r) / s)
    log_two = np.log(w(s * B) / s + np.exp(-s * B) * m(B))
    log_y = np.log(-np.expm1(-st) / s)
    one, two = z + log_one, log_two - s * A
    total = np.logaddexp(one, two)
    # Each addend errs in proportion to its exponent and its logarithm; a negligible addend errs negligibly.
    share = np.exp(np.minimum(two - total, 0))
    count = 2 * _COUNT + 4 * np.abs(z) + 8 * (np.abs(log_one) + np.abs(total) + np.abs(log_y))
    count += np.where(share > 0, share * (4 * st + 8 * np.abs(log_two)), 0)
    bound: Array = total - log_y - np.log1p(s) + count * U
    return bound
