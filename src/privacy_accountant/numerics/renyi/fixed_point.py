"""Where alpha = beta: the fixed point of the trade-off, and the largest advantage.

At alpha = beta = 1/(1 + e^e) the region has a corner, and everything about it is one number e:
zCDP(rho) has  e tanh(e/2) = rho  (order 1 binds there; Harrison and Manurangsi 2025, arXiv 2510.25746), and
(order, r)-RDP has  cosh((2 s + 1) e/2) / cosh(e/2) = e^(s r)  with s = order - 1.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, expm1, inf, log, log1p, sinh, tanh

from privacy_accountant.numerics.renyi.constraint import Array
from privacy_accountant.numerics.renyi.tangent import U

_STEPS = 100


def _root_above(residual: Callable[[float], float], slack: Callable[[float], float], start: float) -> float:
    """An e > 0 with residual(e) >= slack(e): Newton in log e for the root, then up until it is certain.

    The residual increases in log e with a slope of about 1 to 2 for small e, and like e for large e.
    """
    low, high, e = 0.0, inf, start
    for _ in range(_STEPS):
        value = residual(e)
        low, high = (e, high) if value < 0 else (low, e)
        slope = (residual(e * (1 + 1e-6)) - value) / log1p(1e-6)
        new = e * exp(min(max(-value / slope, -3.0), 3.0)) if slope > 0 else 2 * e
        if not low < new < high:
            new = (low + high) / 2 if high < inf else 2 * e
        moved, e = abs(new - e), new
        if moved <= 1e-14 * e:
            break
    inflation = 8 * U
    while residual(e) < slack(e):
        e *= 1 + inflation
        inflation *= 2
    return e


def zcdp_fixed_point(rho: float) -> float:
    """The e with ``e tanh(e/2) = rho``, rounded up.

    Args:
        rho: zCDP parameter, positive and finite.
    """
    return _root_above(
        lambda e: log(e * tanh(e / 2) / rho), lambda _: 24 * U, rho if rho > 2 else (2 * rho) ** 0.5
    )


def rdp_fixed_point(s: float, r: float) -> float:
    """The e with ``cosh((2 s + 1) e/2) = e^(s r) cosh(e/2)``, rounded up.

    Args:
        s: Order minus one, positive.
        r: Renyi bound, positive and finite.
    """
    allowance = s * r + log(-expm1(-s * r) / s)

    def log_excess(e: float) -> float:
        d = -expm1(-s * e)
        return s * e + log((d * d - tanh(e / 2) * expm1(-2 * s * e)) / (2 * s))

    def slack(e: float) -> float:
        return U * (64 + 8 * (abs(allowance) + 2 * s * r + 2 * s * e + abs(log_excess(e))))

    start = r if s * r > 1 else (2 * r / (1 + s)) ** 0.5
    return _root_above(lambda e: log_excess(e) - allowance, slack, start)


def zcdp_corner(e: float) -> float:
    """Log of the slope with which the trade-off of zCDP arrives at its fixed point: ``log(sinh(e)/e)``."""
    if e > 30:
        return e - log(2 * e)
    return log1p(e * e / 6 * (1 + e * e / 20)) if e < 1e-3 else log(sinh(e) / e)


def rdp_corner(s: float, e: float) -> float:
    """The same for one order: ``e + log((s/o) (1 - e^(-2 o e)) / (1 - e^(-2 s e)))``."""
    return e + log(s / (1 + s) * expm1(-2 * (1 + s) * e) / expm1(-2 * s * e))


def curve_fixed_point(s: Array, r: Array) -> tuple[float, float]:
    """Fixed point and corner of finitely many orders jointly: the smallest e of the single ones."""
    e, binding = min(
        (rdp_fixed_point(float(one), float(bound)), float(one)) for one, bound in zip(s, r, strict=True)
    )
    return e, rdp_corner(binding, e)


def half_angle(e: float) -> float:
    """The advantage ``tanh(e/2)`` of a fixed point, rounded up."""
    return min(tanh(e / 2) * (1 + 12 * U), 1.0)
