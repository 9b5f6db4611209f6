"""The privacy profile of Renyi guarantees: delta as an upper bound, its complement as a lower bound.

For epsilon >= 0 these are the conjugate of the trade-off function in `tradeoff`; below zero
delta(-epsilon) = 1 - e^-epsilon (1 - delta(epsilon)).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from privacy_accountant.numerics.renyi.constraint import Array
from privacy_accountant.numerics.renyi.envelope import curve_profile
from privacy_accountant.numerics.renyi.fixed_point import (
    curve_fixed_point,
    half_angle,
    zcdp_corner,
    zcdp_fixed_point,
)
from privacy_accountant.numerics.renyi.profile import Profile, tail_order, zcdp_profile
from privacy_accountant.numerics.renyi.tail import tail_delta
from privacy_accountant.numerics.renyi.tangent import TINY, U
from privacy_accountant.numerics.renyi.tradeoff import NO_BOUND, informative, not_minute

ProfileOf = Callable[[Array], Profile]
"""Log delta (upper), 1 - delta (lower) and log alpha at each epsilon >= 0."""

_DEEP = 1e-12  # below this the closed form of the tail has more digits
_LARGEST = 1e15  # delta decreases, so a larger epsilon may be read here


def _nothing_leaks(epsilon: Array) -> Profile:
    return np.full_like(epsilon, -np.inf), np.ones_like(epsilon), np.zeros_like(epsilon)


def _everything_leaks(epsilon: Array) -> Profile:
    return np.zeros_like(epsilon), np.zeros_like(epsilon), np.full_like(epsilon, -np.inf)


def _with_ends(profile: ProfileOf) -> ProfileOf:
    """The profile with its limit at infinity, and quiet."""

    def extended(epsilon: Array) -> Profile:
        with np.errstate(all="ignore"):
            log_delta, complement, log_alpha = profile(np.minimum(epsilon, _LARGEST))
        end = np.isinf(epsilon)
        return np.where(end, -np.inf, log_delta), np.where(end, 1.0, complement), log_alpha

    return extended


def zcdp_profile_of(rho: float) -> ProfileOf:
    """The profile of zCDP(rho) on epsilon >= 0, rho in [0, inf]."""
    if rho == 0:
        return _nothing_leaks
    if rho >= NO_BOUND:
        return _everything_leaks
    rho = not_minute(rho)
    e = zcdp_fixed_point(rho)
    corner = zcdp_corner(e)
    return _with_ends(lambda epsilon: zcdp_profile(epsilon, rho, e, corner))


def rdp_profile_of(orders: Sequence[float], epsilons: Sequence[float]) -> ProfileOf:
    """The joint profile of Renyi bounds on epsilon >= 0."""
    s, r = informative(orders, epsilons)
    if not len(s):
        return _everything_leaks
    if (r == 0).any():
        return _nothing_leaks
    return _with_ends(lambda epsilon: curve_profile(epsilon, s, r))


def _delta(known: Profile, epsilon: Array) -> Array:
    """Delta at every real epsilon, from the profile at the absolute values."""
    log_delta, _, _ = known
    delta = np.where(log_delta > -np.inf, np.exp(np.maximum(log_delta, -1e4)) * (1 + 16 * U) + TINY, 0.0)
    below = -np.expm1(np.minimum(epsilon, 0)) + np.exp(np.minimum(epsilon, 0)) * delta
    return np.minimum(np.where(epsilon < 0, below * (1 + 32 * U), delta), 1.0)


def _complement(known: Profile, epsilon: Array) -> Array:
    _, complement, _ = known
    shrink = np.exp(np.minimum(epsilon, 0)) * (1 - 16 * U)
    return np.where(epsilon < 0, complement * shrink, complement)


def zcdp_log_delta(epsilon: Array, rho: float) -> Array:
    """Upper bound on log delta(epsilon) of zCDP.

    Args:
        epsilon: Non-negative, one-dimensional, infinity allowed.
        rho: zCDP parameter in [0, inf].

    Example:
        >>> import numpy as np
        >>> zcdp_log_delta(np.array([1.0, 200.0]), 0.5).round(4)
        array([-1.53750000e+00, -1.99064233e+04])
    """
    return zcdp_profile_of(rho)(epsilon)[0]


def zcdp_delta(epsilon: Array, rho: float) -> Array:
    """Upper bound on delta(epsilon) of zCDP, any real epsilon; a positive delta never underflows to 0.

    Never above Canonne, Kamath and Steinke 2020 (arXiv 2004.00010, Cor. 13).

    Example:
        >>> import numpy as np
        >>> zcdp_delta(np.array([-1.0, 0.0, 1.0, 3.0]), 0.5).round(6)
        array([0.711182, 0.479098, 0.214911, 0.00512 ])
    """
    return _zcdp_delta(zcdp_profile_of(rho)(np.abs(epsilon)), epsilon, rho)


def _zcdp_delta(known: Profile, epsilon: Array, rho: float) -> Array:
    delta = _delta(known, epsilon)
    deep = (epsilon > 0) & (delta < _DEEP) & (delta > TINY)
    if deep.any():
        far = epsilon[deep]
        with np.errstate(all="ignore"):  # a minute rho has no order that fits a double; the tail then says 1
            delta[deep] = np.minimum(delta[deep], tail_delta(far, tail_order(far, rho), rho))
    return delta


def zcdp_complement(epsilon: Array, rho: float) -> Array:
    """Lower bound on 1 - delta(epsilon) of zCDP, any real epsilon, with its own digits.

    Example:
        >>> import numpy as np
        >>> zcdp_complement(np.array([10.0]), 100.0)
        array([8.19438463e-40])
    """
    return _complement(zcdp_profile_of(rho)(np.abs(epsilon)), epsilon)


def zcdp_both(epsilon: Array, rho: float) -> tuple[Array, Array]:
    """`zcdp_delta` and `zcdp_complement`, for the price of one."""
    known = zcdp_profile_of(rho)(np.abs(epsilon))
    return _zcdp_delta(known, epsilon, rho), _complement(known, epsilon)


def rdp_curve_log_delta(epsilon: Array, orders: Sequence[float], epsilons: Sequence[float]) -> Array:
    """Upper bound on log delta(epsilon) of finitely many Renyi bounds jointly.

    This is the conjugate of the joint trade-off function, not merely the least of the single orders' deltas.

    Args:
        epsilon: Non-negative, one-dimensional, infinity allowed.
        orders: Renyi orders, each above 1.
        epsilons: Renyi bounds at those orders, in [0, inf]; an infinite one says nothing.

    Example:
        >>> import numpy as np
        >>> rdp_curve_log_delta(np.array([2.0]), [2.0, 8.0], [1.0, 4.0]).round(6)
        array([-2.709917])
    """
    return rdp_profile_of(orders, epsilons)(epsilon)[0]


def rdp_curve_delta(epsilon: Array, orders: Sequence[float], epsilons: Sequence[float]) -> Array:
    """Upper bound on delta(epsilon) of Renyi bounds jointly, any real epsilon; see `rdp_curve_log_delta`.

    Example:
        >>> import numpy as np
        >>> rdp_curve_delta(np.array([0.7]), [2.0, 64.0], [0.1, 0.9]).round(6)
        array([0.022467])
        >>> rdp_delta(np.array([0.7]), 2.0, 0.1).round(6), rdp_delta(np.array([0.7]), 64.0, 0.9).round(6)
        (array([0.025304]), array([0.132208]))
    """
    return _delta(rdp_profile_of(orders, epsilons)(np.abs(epsilon)), epsilon)


def rdp_curve_complement(epsilon: Array, orders: Sequence[float], epsilons: Sequence[float]) -> Array:
    """Lower bound on 1 - delta(epsilon) of Renyi bounds jointly, any real epsilon, with its own digits.

    Example:
        >>> import numpy as np
        >>> rdp_curve_complement(np.array([0.0, 2.0]), [2.0, 8.0], [1.0, 4.0]).round(6)
        array([0.451831, 0.933458])
    """
    return _complement(rdp_profile_of(orders, epsilons)(np.abs(epsilon)), epsilon)


def rdp_curve_both(epsilon: Array, orders: Sequence[float], epsilons: Sequence[float]) -> tuple[Array, Array]:
    """`rdp_curve_delta` and `rdp_curve_complement`, for the price of one."""
    known = rdp_profile_of(orders, epsilons)(np.abs(epsilon))
    return _delta(known, epsilon), _complement(known, epsilon)


def rdp_log_delta(epsilon: Array, order: float, epsilon_r: float) -> Array:
    """`rdp_curve_log_delta` of a single order, whose Renyi bound is ``epsilon_r``."""
    return rdp_curve_log_delta(epsilon, [order], [epsilon_r])


def rdp_delta(epsilon: Array, order: float, epsilon_r: float) -> Array:
    """`rdp_curve_delta` of a single order, whose Renyi bound is ``epsilon_r``."""
    return rdp_curve_delta(epsilon, [order], [epsilon_r])


def rdp_complement(epsilon: Array, order: float, epsilon_r: float) -> Array:
    """`rdp_curve_complement` of a single order, whose Renyi bound is ``epsilon_r``."""
    return rdp_curve_complement(epsilon, [order], [epsilon_r])


def zcdp_advantage(rho: float) -> float:
    """The largest power minus false positive rate under zCDP, rounded up.

    It is ``tanh(e/2)`` where ``e tanh(e/2) = rho``.

    Example:
        >>> round(zcdp_advantage(0.5), 6)
        0.479098
    """
    if rho == 0:
        return 0.0
    return 1.0 if rho >= NO_BOUND else half_angle(zcdp_fixed_point(max(rho, 1e-200)))


def rdp_curve_advantage(orders: Sequence[float], epsilons: Sequence[float]) -> float:
    """The largest power minus false positive rate under Renyi bounds jointly, rounded up.

    Example:
        >>> round(rdp_curve_advantage([2.0, 8.0], [1.0, 4.0]), 6)
        0.548169
    """
    s, r = informative(orders, epsilons)
    if not len(s):
        return 1.0
    if (r == 0).any():
        return 0.0
    return half_angle(curve_fixed_point(s[:, 0], r[:, 0])[0])
