"""Trade-off functions of Renyi guarantees: beta as a lower bound, and the power as an upper bound.

A guarantee given by Renyi bounds allows exactly the attacks (alpha, beta) whose two Bernoulli laws meet every
bound in both directions (Zhu, Dong and Wang 2022, arXiv 2106.08567, App. F.1; Riess et al. 2026,
arXiv 2602.04562).  Which direction binds is the same at every order: the first where alpha <= beta, the
second beyond the fixed point.  Each alone is valid, so a wrong side costs tightness, never safety.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from privacy_accountant.numerics.renyi.constraint import Array
from privacy_accountant.numerics.renyi.fixed_point import curve_fixed_point, zcdp_fixed_point
from privacy_accountant.numerics.renyi.search import Touching, attack_at, search_orders, search_zcdp
from privacy_accountant.numerics.renyi.tangent import beta_beyond, power_and_beta

_CHUNK = 4096  # so that the arrays of one Newton step stay in the cache
_LEAST_BOUND = 1e-20

NO_BOUND = 1e15
"""A Renyi bound so large that it may be taken to say nothing."""

_LEAST_ALPHA = 1e-300
_LARGEST_ORDER = 1e12

Search = Callable[[Array, Array, bool], Touching]


def one_minus_below(alpha: Array) -> Array:
    """``1 - alpha`` rounded down."""
    rest: Array = 1 - alpha
    return np.where(1 - rest < alpha, np.nextafter(rest, 0), rest)


def not_minute(bound: float) -> float:
    """A positive bound too small for the searches, replaced by a larger one."""
    return max(bound, _LEAST_BOUND) if bound > 0 else bound


def informative(orders: Sequence[float], epsilons: Sequence[float]) -> tuple[Array, Array]:
    """``order - 1`` and the bound, as columns, of those Renyi bounds that say anything.

    A divergence grows with its order, so a bound at a huge order is one at the largest order that is searched.
    """
    least: dict[float, float] = {}
    for order, r in zip(orders, epsilons, strict=True):
        if r < NO_BOUND:
            s = min(float(order) - 1.0, _LARGEST_ORDER)
            least[s] = min(least.get(s, NO_BOUND), not_minute(float(r)))
    both = np.array(list(least.items()), dtype=np.float64).reshape(-1, 2)
    return both[:, :1], both[:, 1:]


def _side(search: Search, left: bool, alpha: Array) -> tuple[Array, Array]:
    rest: Array = 1 - alpha
    A, s, r = search(alpha, rest, left)
    B = attack_at(A, left, alpha, rest)[0]
    if left:
        power, beta = power_and_beta(A, B, s, r, alpha)
        return beta, power
    beta = beta_beyond(A, B, s, r, alpha)
    return beta, np.nextafter(1 - beta, 1)


def _trade_off(alpha: Array, e: float, search: Search, orders: int) -> tuple[Array, Array]:
    """Both bounds from a boundary search and the fixed point ``1/(1 + e^e)``."""
    chunk = max(_CHUNK // orders, 64)
    beta, power = np.where(alpha <= 0, 1.0, 0.0), np.where(alpha <= 0, 0.0, 1.0)
    with np.errstate(all="ignore"):
        known = np.maximum(alpha, _LEAST_ALPHA)  # beta falls with alpha
        logit = np.log1p(-known) - np.log(known)
        inside = (alpha > 0) & (alpha < 1)
        for left in (True, False):
            where = np.flatnonzero(inside & ((logit >= e) == left))
            for start in range(0, len(where), chunk):
                part = where[start : start + chunk]
                low, high = _side(search, left, known[part])
                beta[part] = np.minimum(np.nan_to_num(low, nan=0.0), one_minus_below(alpha[part]))
                power[part] = np.clip(np.nan_to_num(high, nan=1.0), alpha[part], 1.0)
    return beta, power


def zcdp_beta(alpha: Array, rho: float) -> tuple[Array, Array]:
    """The trade-off function of zCDP.

    Args:
        alpha: False positive rates in [0, 1], one-dimensional.
        rho: zCDP parameter in [0, inf].

    Returns:
        A lower bound on beta and, with its own digits, an upper bound on the power 1 - beta.

    Example:
        >>> import numpy as np
        >>> zcdp_beta(np.array([0.01, 0.1]), 0.5)[0].round(6)
        array([0.875411, 0.516272])
    """
    if rho == 0:
        return one_minus_below(alpha), alpha.copy()
    if rho >= NO_BOUND:
        return np.zeros_like(alpha), np.ones_like(alpha)
    rho = not_minute(rho)
    return _trade_off(alpha, zcdp_fixed_point(rho), lambda a, ca, left: search_zcdp(a, ca, left, rho), 1)


def rdp_curve_beta(alpha: Array, orders: Sequence[float], epsilons: Sequence[float]) -> tuple[Array, Array]:
    """The trade-off function of finitely many Renyi bounds jointly.

    The least beta that meets all bounds is the largest of the least betas of each.

    Args:
        alpha: False positive rates in [0, 1], one-dimensional.
        orders: Renyi orders, each above 1.
        epsilons: Renyi bounds at those orders, in [0, inf]; an infinite one says nothing.

    Returns:
        A lower bound on beta and, with its own digits, an upper bound on the power 1 - beta.

    Example:
        >>> import numpy as np
        >>> rdp_curve_beta(np.array([0.001, 0.1]), [2.0, 8.0], [1.0, 4.0])[0].round(6)
        array([0.957569, 0.50675 ])
    """
    s, r = informative(orders, epsilons)
    if not len(s):
        return np.zeros_like(alpha), np.ones_like(alpha)
    if (r == 0).any():
        return one_minus_below(alpha), alpha.copy()
    e, _ = curve_fixed_point(s[:, 0], r[:, 0])
    return _trade_off(alpha, e, lambda a, ca, left: search_orders(a, ca, left, s, r), len(s))


def rdp_beta(alpha: Array, order: float, epsilon: float) -> tuple[Array, Array]:
    """The trade-off function of one Renyi bound; see `rdp_curve_beta`.

    Example:
        >>> import numpy as np
        >>> rdp_beta(np.array([0.01, 0.1]), order=2.0, epsilon=1.0)[0].round(6)
        array([0.859574, 0.50675 ])
    """
    return rdp_curve_beta(alpha, [order], [epsilon])
