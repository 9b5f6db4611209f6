"""Renyi divergences of a pair with finitely many losses: every order, the best rho, and the mean as the limit at order 1.

The pair has masses p_i under P and q_i under Q, none of them 0, and losses l_i = log(p_i / q_i). With s = order - 1 the moment is
S(s) = sum p e^{sl}, and since sum p e^{-l} = 1,

    S - 1 = sum p [(e^{sl} - 1 - sl) + s (e^{-l} - 1 + l)],

a sum of non-negative terms that keeps every digit of a small divergence.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privacy_accountant.numerics.renyi.constraint import m, w

Array = NDArray[np.float64]

_UNIT = 2.0**-53
_STEEP = 300.0
_FINEST = 1e-12
_GRID = 4096
_AT_ONCE = 1 << 20


def _curvature(x: Array) -> Array:
    """e^x - 1 - x, for x of moderate size."""
    size = np.abs(x)
    return np.where(x >= 0, np.exp(np.minimum(size, 2 * _STEEP)) * w(size), m(size))


def log_moments(p: Array, q: Array, losses: Array, s: Array) -> Array:
    """Upper bounds on log S at each s > 0: (order - 1) times the divergence.

    Args:
        p: Masses under P, positive.
        q: Masses under Q, positive.
        losses: log(p / q), with the digits of small ones.
        s: Orders minus one.
    """
    base = float(np.sum(np.where(losses >= 0, p * m(np.abs(losses)), q * w(np.abs(losses)))))
    rows = max(1, _AT_ONCE // len(losses))
    pieces = [_log_moments(p, losses, base, s[i : i + rows]) for i in range(0, len(s), rows)]
    slack = 1 + (256 + 4 * len(losses)) * _UNIT
    return np.concatenate(pieces) * slack + 5e-324


def _log_moments(p: Array, losses: Array, base: float, s: Array) -> Array:
    exponents = np.multiply.outer(s, losses)
    most = exponents.max(axis=1)
    with np.errstate(under="ignore"):
        steep = most + np.log(np.exp(exponents - most[:, None]) @ p)
        gentle = np.log1p(_curvature(np.minimum(exponents, _STEEP)) @ p + s * base)
    # Round-off of the exponent, which the logarithm of a large moment hands on.
    return np.where(most > _STEEP, steep * (1 + 16 * _UNIT) + 64 * _UNIT, gentle)


def renyi(p: Array, q: Array, losses: Array, order_minus_one: float) -> float:
    """Upper bound on the Renyi divergence of one order.

    Example:
        >>> import math
        >>> e = math.e
        >>> p, q = np.array([1, e]) / (1 + e), np.array([e, 1]) / (1 + e)
        >>> round(renyi(p, q, np.array([-1.0, 1.0]), 1.0), 6)
        0.735326
    """
    return float(
        log_moments(p, q, losses, np.array([order_minus_one]))[0] / order_minus_one * (1 + 2 * _UNIT)
    )


def concentration(p: Array, q: Array, losses: Array) -> float:
    """An upper bound on the least rho with a divergence of at most rho times the order, at every order above 1.

    log S is convex in s and 0 at 0, so between two points of a grid it is below its chord, and the largest value of
    chord / (s (s + 1)) there is known in closed form. Beyond the grid a divergence is at most the largest loss.

    Example:
        >>> import math
        >>> e = math.e
        >>> p, q = np.array([1, e]) / (1 + e), np.array([e, 1]) / (1 + e)
        >>> round(concentration(p, q, np.array([-1.0, 1.0])), 5), round(math.tanh(0.5), 5)
        (0.46212, 0.46212)
    """
    top = float(losses.max())
    if top <= 0:
        return 0.0
    least = float(log_moments(p, q, losses, np.array([_FINEST]))[0]) / _FINEST
    last = max(2.0, 2 * top / max(least, 5e-324))
    s = np.geomspace(_FINEST, min(last, 1e300), _GRID)
    best = _over_chords(s, log_moments(p, q, losses, s))
    return max(best, least, top / (1 + float(s[-1]))) * (1 + 8 * _UNIT)


def _over_chords(s: Array, k: Array) -> float:
    """The largest of chord / (s (s + 1)) over all intervals of the grid."""
    slope = np.diff(k) / np.diff(s)
    start = np.minimum(k[:-1] - slope * s[:-1], 0.0)
    slope = np.maximum(slope, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        turn = (-start + np.sqrt(start * start - start * slope)) / slope
    turn = np.clip(np.nan_to_num(turn, nan=0.0, posinf=0.0), s[:-1], s[1:])
    inside = (k[:-1] + slope * (turn - s[:-1])) / (turn * (turn + 1))
    return float(max(np.max(inside), np.max(k / (s * (s + 1)))))
