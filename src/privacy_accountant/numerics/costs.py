"""Directed rational bounds on the costs of mechanisms: a rho, a Renyi divergence.

A cost that enters a budget is a rational number at or above the true one. Each function here encloses a transcendental cost
between two rationals whose distance is at most 2**-220 of it.

Notation: eps = sensitivity / scale of a pure mechanism, o a Renyi order, e = exp(-eps).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from privacy_accountant.exact import exact, float_up, grain_up
from privacy_accountant.numerics.enclosure import Interval, exp_bounds, log_bounds, sharpen

_COARSE = Fraction(1, 1 << 140)
_ZERO: Interval = (Fraction(0), Fraction(0))


def pure_rho(epsilon: Fraction) -> Interval:
    """Enclose eps tanh(eps/2), the zCDP parameter of pure eps-DP (Harrison and Manurangsi 2025, arXiv 2510.25746)."""
    if epsilon == 0:
        return _ZERO

    def enclose(bits: int) -> Interval:
        low, high = exp_bounds(-epsilon, bits)
        return epsilon * (1 - high) / (1 + high), epsilon * (1 - low) / (1 + low)

    return sharpen(enclose, epsilon)


def laplace_rho(epsilon: Fraction) -> Interval:
    """Enclose eps + exp(-eps) - 1, the Kullback-Leibler divergence of two Laplace laws eps scales apart."""
    if epsilon == 0:
        return _ZERO

    def enclose(bits: int) -> Interval:
        low, high = exp_bounds(-epsilon, bits)
        return epsilon - (1 - low), epsilon - (1 - high)

    return sharpen(enclose, epsilon)


def discrete_laplace_rho(epsilon: Fraction, shift: int) -> Interval:
    r"""Enclose the Kullback-Leibler divergence of two discrete Laplace laws `shift` apart, eps = shift / scale.

    With t = exp(-1/scale) it is :math:`\frac1{scale}\left(shift - \frac{2t(1 - t^{shift})}{1 - t^2}\right)`.
    """
    if epsilon == 0:
        return _ZERO
    rate = epsilon / shift

    def enclose(bits: int) -> Interval:
        low, high = exp_bounds(-rate, bits)
        end_low, end_high = exp_bounds(-epsilon, bits)
        least = 2 * low * (1 - end_high) / (1 - low * low)
        most = 2 * high * (1 - end_low) / (1 - high * high)
        return rate * (shift - most), rate * (shift - least)

    return sharpen(enclose, rate)


def pure_renyi(epsilon: Fraction, order: Fraction) -> Interval:
    r"""Enclose the Renyi divergence of eps-randomized response, the largest of any eps-DP pair.

    It is :math:`\varepsilon + \frac{1}{o-1}\log\frac{1 + e^{-(2o-1)\varepsilon}}{1 + e^{-\varepsilon}}`.
    """

    def ratio(bits: int) -> Interval:
        once, far = exp_bounds(-epsilon, bits), exp_bounds(-(2 * order - 1) * epsilon, bits)
        return (1 + far[0]) / (1 + once[1]), (1 + far[1]) / (1 + once[0])

    return _renyi(epsilon, order, ratio, min(epsilon, order - 1))


def laplace_renyi(epsilon: Fraction, order: Fraction) -> Interval:
    r"""Enclose the Renyi divergence of two Laplace laws eps scales apart (Mironov 2017, arXiv 1702.07476).

    It is :math:`\varepsilon + \frac{1}{o-1}\log\frac{o + (o-1)e^{-(2o-1)\varepsilon}}{2o-1}`.
    """

    def ratio(bits: int) -> Interval:
        low, high = exp_bounds(-(2 * order - 1) * epsilon, bits)
        return (order + (order - 1) * low) / (2 * order - 1), (order + (order - 1) * high) / (2 * order - 1)

    return _renyi(epsilon, order, ratio, min(epsilon, order - 1))


def discrete_laplace_renyi(epsilon: Fraction, shift: int, order: Fraction) -> Interval:
    r"""Enclose the Renyi divergence of two discrete Laplace laws `shift` apart, eps = shift / scale.

    With t = exp(-1/scale) and r = t^(2o-1) it is
    :math:`\varepsilon + \frac{1}{o-1}\log\frac{1 + (1-t)(r - r^{shift})/(1-r) + r^{shift}}{1 + t}`.
    """
    rate = epsilon / shift

    def ratio(bits: int) -> Interval:
        t, r = exp_bounds(-rate, bits), exp_bounds(-(2 * order - 1) * rate, bits)
        last = exp_bounds(-(2 * order - 1) * epsilon, bits) if shift > 1 else r
        between = _ZERO
        if shift > 1:
            between = (1 - t[1]) * (r[0] - last[1]) / (1 - r[0]), (1 - t[0]) * (r[1] - last[0]) / (1 - r[1])
        return (1 + between[0] + last[0]) / (1 + t[1]), (1 + between[1] + last[1]) / (1 + t[0])

    return _renyi(epsilon, order, ratio, min(rate, order - 1))


def _renyi(
    epsilon: Fraction, order: Fraction, ratio: Callable[[int], Interval], smallest: Fraction
) -> Interval:
    """Enclose eps + log(ratio) / (order - 1)."""
    if epsilon == 0:
        return _ZERO

    def enclose(bits: int) -> Interval:
        # The ratio is between 1/2 and 2: as a dyadic number it stays short, and the sum decides what was lost.
        low, high = ratio(bits)
        low, high = (
            Fraction(math.floor(low * (1 << bits)), 1 << bits),
            Fraction(math.ceil(high * (1 << bits)), 1 << bits),
        )
        return (
            epsilon + log_bounds(low, bits)[0] / (order - 1),
            epsilon + log_bounds(high, bits)[1] / (order - 1),
        )

    return sharpen(enclose, smallest)


def cost_above(bounds: Interval) -> Fraction:
    """The enclosed cost rounded up to a multiple of 2**-200; where that is coarse, below 2**-140, to the next float.

    Example:
        >>> cost = cost_above(laplace_rho(Fraction(1)))
        >>> float(cost), cost.denominator.bit_length() <= 201
        (0.36787944117144233, True)
    """
    high = bounds[1]
    return grain_up(high, Fraction(0)) if high >= _COARSE else exact(float_up(high))
