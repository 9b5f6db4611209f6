"""Laws with finitely many atoms: binomial weights, products and powers.

Every sum here has positive terms only, so nothing cancels.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

POWER_LOST = 1e-319
"""What a mass of `power_law` is off by through underflow, for up to 1024 atoms: some 20 products of 1024 terms each."""
_SERIES_FROM = 16
_LEAST_MEAN = 1e-290
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188)


def binomial_log_weights(count: int, odds: float) -> Array:
    """log of C(n, k) p^k (1-p)^{n-k}, k = 0..n, for p = 1 / (1 + e^-odds), by Stirling deviances (Loader 2000).

    The weight is e^{-n KL} up to a slowly varying factor; both deviances are non-negative, so the absolute error is a few ulp of
    1 + |log weight|.
    """
    n = count
    k = np.arange(n + 1, dtype=np.float64)
    low = math.exp(-abs(odds))
    big, small = 1 / (1 + low), low / (1 + low)
    p, q = (big, small) if odds >= 0 else (small, big)
    log_p, log_q = min(odds, 0.0) - math.log1p(low), min(-odds, 0.0) - math.log1p(low)
    result = np.empty(n + 1)
    result[0], result[n] = n * log_q, n * log_p
    if n > 1 and p * q > 0:
        x, y = k[1:-1], n - k[1:-1]
        log_root = 0.5 * np.log(n / (2 * math.pi * x * y))
        remainders = _stirling_error(np.array([float(n)]))[0] - _stirling_error(x) - _stirling_error(y)
        result[1:-1] = remainders - _deviance(x, n, p, log_p) - _deviance(y, n, q, log_q) + log_root
    elif n > 1:
        result[1:-1] = -math.inf
    return result


def _stirling_error(x: Array) -> Array:
    """log Gamma(x+1) - log(sqrt(2 pi x) (x/e)^x), x >= 1."""
    z = np.maximum(x, _SERIES_FROM)
    series = sum(a / z ** (2 * i + 1) for i, a in enumerate(_STIRLING))
    table = np.array(
        [
            math.lgamma(i + 1) - (i + 0.5) * math.log(i) + i - 0.5 * math.log(2 * math.pi)
            for i in range(1, _SERIES_FROM)
        ]
    )
    return np.where(x < _SERIES_FROM, table[np.minimum(x, _SERIES_FROM - 1).astype(np.int64) - 1], series)


def _deviance(x: Array, count: int, share: float, log_share: float) -> Array:
    """x log(x / mean) + mean - x >= 0 at mean = count * share, by a series where the two are close.

    The log of the share serves where the share itself nearly underflows.
    """
    mean = count * share
    v = (x - mean) / (x + mean)
    square = np.where(np.abs(v) < 0.1, v * v, 0.0)
    series = sum(square**j / (2 * j + 1) for j in range(1, 12))
    near = (x - mean) * v + 2 * x * v * series
    log_ratio = np.log(x / mean) if mean > _LEAST_MEAN else np.log(x / count) - log_share
    return np.where(np.abs(v) < 0.1, near, x * log_ratio + mean - x)


def product_law(first: tuple[Array, Array], second: tuple[Array, Array]) -> tuple[Array, Array]:
    """Atoms (losses, log weights) of the sum of two independent losses."""
    return np.add.outer(first[0], second[0]).ravel(), np.add.outer(first[1], second[1]).ravel()


def power_law(masses: Array, count: int) -> Array:
    """Masses of the sum of `count` independent equal lattice losses, by squaring; positive terms only."""
    result, square = np.ones(1), masses
    with np.errstate(under="ignore"):
        while count:
            if count & 1:
                result = np.convolve(result, square)
            count >>= 1
            if count:
                square = np.convolve(square, square)
    return result
