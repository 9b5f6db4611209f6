"""Epsilon at a given delta: the profile inverted, checked at the epsilon that is returned.

Newton on log delta, whose slope is -e^epsilon alpha / delta, inside a bracket; log delta is concave, so from above the steps stay
above.  For delta beyond 1/2 it is 1 - delta that is inverted, since log delta has no digits there.
Whatever the search found is then enlarged until the certified bound itself meets the target.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from privacy_accountant.numerics.renyi.constraint import Array
from privacy_accountant.numerics.renyi.delta import ProfileOf, rdp_profile_of, zcdp_profile_of
from privacy_accountant.numerics.renyi.tangent import TINY, U
from privacy_accountant.numerics.renyi.tradeoff import NO_BOUND, informative

_STEPS = 40
_DOUBLINGS = 100
# Evaluated again in other company, the bound may differ by a few roundings; the target must still be met.
_GUARD = 64 * U


def _shortfall(profile: ProfileOf, epsilon: Array, delta: Array) -> tuple[Array, Array]:
    """How far the certified bound is above the target (positive: above), and minus its slope in epsilon."""
    log_delta, complement, log_alpha = profile(epsilon)
    log_target, log_rest, log_mass = np.log(delta), np.log(1 - delta), epsilon + log_alpha
    large = delta > 0.5
    gap = np.where(
        large,
        log_rest + _GUARD * (1 + epsilon) - np.log(complement),
        log_delta - log_target + _GUARD * (1 + np.abs(log_target)),
    )
    return gap, np.where(large, np.exp(log_mass) / complement, np.exp(log_mass - log_delta))


def _invert(profile: ProfileOf, delta: Array, start: Array) -> Array:
    """Least epsilon >= 0 with a certified delta, for delta in (0, 1)."""
    epsilon, low, high = start, np.zeros_like(start), np.full_like(start, np.inf)
    for _ in range(_STEPS):
        gap, rate = _shortfall(profile, epsilon, delta)
        low = np.where(gap > 0, np.maximum(low, epsilon), low)
        high = np.where(gap <= 0, np.minimum(high, epsilon), high)
        step = np.where(np.isfinite(gap) & (rate > 0), gap / rate, np.where(gap > 0, 1 + epsilon, 0.0))
        new = np.maximum(epsilon + np.clip(step, -epsilon, 1 + epsilon), 0)
        astray = np.isfinite(high) & (
            (new < low) | (new > high)
        )  # where a search found no root, steps may go in circles
        new = np.where(astray, np.where(low < high, (low + high) / 2, high), new)
        moved, epsilon = np.abs(new - epsilon), new
        if (moved <= 32 * U * epsilon).all():
            break
    for doubling in range(_DOUBLINGS):
        above = ~(_shortfall(profile, epsilon, delta)[0] <= 0)
        if not above.any():
            return np.minimum(epsilon, high)
        epsilon = np.where(above, epsilon * (1 + 2.0**doubling * U) + TINY, epsilon)
    return np.where(above, high, np.minimum(epsilon, high))


def _with_ends(profile: ProfileOf, delta: Array, start: Callable[[Array], Array]) -> Array:
    result = np.where(delta > 0, 0.0, np.inf)
    inside = np.flatnonzero((delta > 0) & (delta < 1))
    if len(inside):
        with np.errstate(all="ignore"):
            result[inside] = _invert(profile, delta[inside], start(np.log(delta[inside])))
    return result


def zcdp_epsilon(delta: Array, rho: float) -> Array:
    """Least epsilon >= 0 at which zCDP(rho) certifies delta; infinite at delta 0.

    Args:
        delta: In [0, 1], one-dimensional.
        rho: zCDP parameter in [0, inf].

    Example:
        >>> import numpy as np
        >>> zcdp_epsilon(np.array([1e-6]), 0.5).round(6)
        array([5.221534])
    """
    if rho == 0:
        return np.zeros_like(delta)
    if rho >= NO_BOUND:
        return np.where(delta < 1, np.inf, 0.0)
    return _with_ends(zcdp_profile_of(rho), delta, lambda log_delta: rho + 2 * np.sqrt(-rho * log_delta))


def rdp_curve_epsilon(delta: Array, orders: Sequence[float], epsilons: Sequence[float]) -> Array:
    """Least epsilon >= 0 at which the Renyi bounds jointly certify delta; infinite at delta 0.

    Args:
        delta: In [0, 1], one-dimensional.
        orders: Renyi orders, each above 1.
        epsilons: Renyi bounds at those orders, in [0, inf]; an infinite one says nothing.

    Example:
        >>> import numpy as np
        >>> rdp_curve_epsilon(np.array([1e-6]), [2.0, 8.0], [1.0, 4.0]).round(6)
        array([5.54305])
    """
    s, r = informative(orders, epsilons)
    if not len(s):
        return np.where(delta < 1, np.inf, 0.0)
    if (r == 0).any():
        return np.zeros_like(delta)

    def start(log_delta: Array) -> Array:
        least: Array = np.min(r - log_delta / s, axis=0)
        return least

    return _with_ends(rdp_profile_of(orders, epsilons), delta, start)


def rdp_epsilon(delta: Array, order: float, epsilon_r: float) -> Array:
    """`rdp_curve_epsilon` of a single order, whose Renyi bound is ``epsilon_r``."""
    return rdp_curve_epsilon(delta, [order], [epsilon_r])
