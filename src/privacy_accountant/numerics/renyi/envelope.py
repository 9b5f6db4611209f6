"""The joint profile of finitely many orders.

The joint trade-off function is the pointwise largest of the single ones, so its profile, as a function of
x = e^epsilon, is the lower convex envelope of the single profiles.  Where it touches one of them, that
order's line supports the joint region.  Elsewhere the best attack sits in a kink, where the boundaries of two
orders cross, and the bound is a convex combination of a steeper and a flatter supporting line; the two are moved
towards the kink until they meet in it.  Every combination on the way is a bound.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from privacy_accountant.numerics.renyi.constraint import Array, fine_excess, log_allowance, point
from privacy_accountant.numerics.renyi.fixed_point import curve_fixed_point, rdp_corner, rdp_fixed_point
from privacy_accountant.numerics.renyi.profile import (
    ROUNDED_CORNER,
    Profile,
    fixed_point_profile,
    orders_profile,
)
from privacy_accountant.numerics.renyi.search import attack_at, search_orders
from privacy_accountant.numerics.renyi.tangent import U, line, log_line, log_slope

_STEPS = 20
_CLOSE = 1e-11  # the lines meet in the kink quadratically
_TOLERANCE = 1e-9  # how far outside another order's region a touching point may lie before it is a kink
_LEAST_LOG_ALPHA = -690.0  # a kink below is not refined: alpha would underflow

Line = tuple[Array, Array, Array]
"""Log of the slope, rounded up; log of the intercept D, rounded up; its complement, rounded down."""


def curve_profile(epsilon: Array, s: Array, r: Array) -> Profile:
    """The profile of finitely many orders jointly, for epsilon >= 0 (``s`` and ``r`` are columns)."""
    joint_e, joint_corner = curve_fixed_point(s[:, 0], r[:, 0])
    joint_corner *= ROUNDED_CORNER
    result = fixed_point_profile(epsilon, np.full_like(epsilon, joint_e))
    i = np.flatnonzero(epsilon > joint_corner)
    if len(i):
        log_delta, complement, log_alpha = _beyond_corner(epsilon[i], s, r, joint_e)
        # The search may find no root where a huge order turns within a rounding: then these are left.
        corner = fixed_point_profile(np.array([joint_corner]), np.array([joint_e]))
        log_delta = np.fmin(log_delta, np.minimum(_closed_tail(epsilon[i], s, r), corner[0]))
        complement = np.fmax(complement, np.maximum(-np.expm1(log_delta) - 16 * U, corner[1]))
        result[0][i], result[1][i], result[2][i] = log_delta, complement, log_alpha
    return result


def _closed_tail(epsilon: Array, s: Array, r: Array) -> Array:
    """Log of the least of the single orders' closed bounds (Canonne, Kamath and Steinke 2020, arXiv 2004.00010, Cor. 13)."""
    size = s * (r - epsilon)
    log = size - s * np.log1p(1 / s) - np.log1p(s)
    least: Array = np.min(log + (16 + 8 * np.abs(size) + 8 * np.log1p(s)) * U, axis=0)
    return np.minimum(least, 0.0)


def _beyond_corner(epsilon: Array, s: Array, r: Array, joint_e: float) -> Profile:
    orders, count = len(s), len(epsilon)
    e = np.array(
        [rdp_fixed_point(float(one), float(bound)) for one, bound in zip(s[:, 0], r[:, 0], strict=True)]
    )
    corner = np.array([rdp_corner(float(one), float(own)) for one, own in zip(s[:, 0], e, strict=True)])
    single, touch = orders_profile(
        np.tile(epsilon, orders),
        np.repeat(s[:, 0], count),
        np.repeat(r[:, 0], count),
        np.repeat(e, count),
        np.repeat(corner, count),
    )
    log_deltas = single[0].reshape(orders, count)
    pick = np.argmin(log_deltas, axis=0) * count + np.arange(count)
    log_delta, log_alpha = single[0][pick], single[2][pick]
    complement = single[1].reshape(orders, count).max(axis=0)

    A, B = touch[0][pick], touch[1][pick]
    p, cp, cq = point(A, B)
    _, W = fine_excess(A, B, p, cp, cq, s)
    outside = np.fmax.reduce(s * A + np.log(W) - log_allowance(s, r), axis=0)
    i = np.flatnonzero((outside > _TOLERANCE) & (log_alpha > _LEAST_LOG_ALPHA))
    if len(i):
        flat = (epsilon[i], log_delta[i], complement[i])
        log_delta[i], complement[i], log_alpha[i] = _in_kink(epsilon[i], flat, log_alpha[i], s, r, joint_e)
    return log_delta, complement, log_alpha


def _line_at(log_alpha: Array, s: Array, r: Array) -> Line:
    """The supporting line of the joint region at a false positive rate."""
    alpha = np.exp(log_alpha)
    rest = -np.expm1(log_alpha)
    A, s_best, r_best = search_orders(alpha, rest, True, s, r)
    B = attack_at(A, True, alpha, rest)[0]
    _, _, complement = line(A, B, A - r_best, s_best, r_best)
    return log_slope(A, B, s_best), np.minimum(log_line(A, B, A - r_best, s_best, r_best), 0), complement


def _in_kink(epsilon: Array, flat: Line, log_alpha: Array, s: Array, r: Array, joint_e: float) -> Profile:
    """Close in on a kink from the best line of slope e^epsilon and the alpha where it touches."""
    steep, level = flat, flat
    log_delta, complement = flat[1], flat[2]
    for _ in range(_STEPS):
        new = _line_at(log_alpha, s, r)
        steeper = new[0] > epsilon
        steep = _chosen(steeper, new, steep)
        level = _chosen(~steeper, new, level)
        bound, rest = _combined(epsilon, steep, level)
        log_delta, complement = np.fmin(log_delta, bound), np.fmax(complement, rest)
        crossing = np.clip(_crossing(steep, level, log_alpha), _LEAST_LOG_ALPHA, -np.logaddexp(0, joint_e))
        moved, log_alpha = np.abs(crossing - log_alpha), crossing
        if (moved <= _CLOSE).all():
            break
    return log_delta, complement, log_alpha


def _chosen(condition: npt.NDArray[np.bool_], yes: Line, no: Line) -> Line:
    return (
        np.where(condition, yes[0], no[0]),
        np.where(condition, yes[1], no[1]),
        np.where(condition, yes[2], no[2]),
    )


def _combined(epsilon: Array, steep: Line, level: Line) -> tuple[Array, Array]:
    """The convex combination of the two lines whose slope is just below e^epsilon: log D and complement."""
    target = epsilon * (1 - 32 * U)
    spread = -np.expm1(level[0] - steep[0])
    weight = np.exp(target - steep[0]) * -np.expm1(np.minimum(level[0] - target, 0)) / spread
    weight = np.where(spread > 0, np.clip(weight, 0, 1), 0.0)
    bound = np.logaddexp(np.log(weight) + steep[1], np.log1p(-weight) + level[1])
    rest = (weight * steep[2] + (1 - weight) * level[2]) * (1 - 8 * U)
    return bound + 16 * U * (1 + np.abs(bound)), rest


def _crossing(steep: Line, level: Line, log_alpha: Array) -> Array:
    """Log of the alpha where the two lines cross; the present one when they do not."""
    rise = np.where(steep[2] < 0.5, steep[2] - level[2], np.exp(level[1]) - np.exp(steep[1]))
    crossing = np.log(rise / -np.expm1(level[0] - steep[0])) - steep[0]
    return np.where(np.isfinite(crossing), crossing, log_alpha)
