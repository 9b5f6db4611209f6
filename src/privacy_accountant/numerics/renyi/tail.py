"""The deep tail of zCDP's profile, where one closed form is as good as the region and its exponent needs more than a double.

For every s = order - 1 > 0 (Canonne, Kamath and Steinke 2020, arXiv 2004.00010, Cor. 13),

    delta(epsilon) <= exp(s (rho (1 + s) - epsilon)) (s / (1+s))^s / (1 + s).

A double holds an exponent of some hundreds to 1e-13, which delta then shows. Here s is rounded to 26 bits, which moves the bound
only in second order, and the exponent is formed without error but its last addition.
"""

from __future__ import annotations

import numpy as np

from privacy_accountant.numerics.renyi.constraint import Array
from privacy_accountant.numerics.renyi.tangent import TINY, U

_SPLIT = 2.0**27 + 1
_BITS = 2.0**26
_LEAST, _MOST = 2.0**-20, 2.0**25  # between these 1 + s is exact


def tail_delta(epsilon: Array, s: Array, rho: float) -> Array:
    """Upper bound on delta at epsilon >= 0 from orders near 1 + s, 1 where it has nothing to say."""
    with np.errstate(all="ignore"):
        usable = (s > _LEAST) & (s < _MOST) & (rho > 1e-200) & (rho < 1e200) & (epsilon < 1e200)
        mantissa, power = np.frexp(np.where(usable, s, 1.0))
        short = np.ldexp(np.rint(mantissa * _BITS) / _BITS, power)
        high, low = _product(np.full_like(short, rho), 1 + short)
        gap, rest = _sum(high, -np.where(usable, epsilon, 0.0))
        high, error = _product(short, gap)
        low = error + short * (rest + low)
        shape = np.exp(-short * np.log1p(1 / short)) / (1 + short)
        bound = np.exp(high) * (1 + low) * shape * (1 + 24 * U) + TINY
        return np.where(usable & (np.abs(low) < 1e-6), np.minimum(bound, 1.0), 1.0)


def _product(a: Array, b: Array) -> tuple[Array, Array]:
    """a b as an unevaluated sum of two doubles, exactly (Dekker 1971)."""
    product = a * b
    a_high = _SPLIT * a - (_SPLIT * a - a)
    b_high = _SPLIT * b - (_SPLIT * b - b)
    a_low, b_low = a - a_high, b - b_high
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _sum(a: Array, b: Array) -> tuple[Array, Array]:
    """a + b as an unevaluated sum of two doubles, exactly (Knuth)."""
    total = a + b
    other = total - a
    return total, (a - (total - other)) + (b - other)
