"""Directed rational bounds on what selection and randomized response cost: a rho, a Renyi divergence.

Notation: x = exp(-eps), k the number of categories, o a Renyi order, h(s) = (1 - x^s) / s.

An eps-bounded-range release has, for some t in [0, eps], no more loss than the two-point pair with losses t and t - eps (Dong, Durfee
and Rogers 2020, arXiv 1909.13830). At order o the moment of that pair is e^{ot} (a e^{-t} + b) with a > 0 > b, which is largest at
e^{-t} = h(o-1) x / h(o), a point within the range. What is enclosed is the divergence there, so it is attained.
"""

from __future__ import annotations

from fractions import Fraction

from privacy_accountant.numerics.costs import _renyi
from privacy_accountant.numerics.enclosure import Interval, exp_bounds, log_bounds, sharpen

_ZERO: Interval = (Fraction(0), Fraction(0))


def category_mean(epsilon: Fraction, categories: int) -> Interval:
    """Enclose eps (1 - x) / (1 + (k-1) x), the Kullback-Leibler divergence of k-ary randomized response.

    It is the zCDP parameter for k <= 6 (Harrison and Manurangsi 2025, arXiv 2510.25746).
    """
    if epsilon == 0:
        return _ZERO

    def enclose(bits: int) -> Interval:
        low, high = exp_bounds(-epsilon, bits)
        return (
            epsilon * (1 - high) / (1 + (categories - 1) * high),
            epsilon * (1 - low) / (1 + (categories - 1) * low),
        )

    return sharpen(enclose, epsilon)


def category_renyi(epsilon: Fraction, categories: int, order: Fraction) -> Interval:
    r"""Enclose the Renyi divergence of k-ary randomized response.

    It is :math:`\varepsilon + \frac{1}{o-1}\log\frac{1 + (k-2)x^{o} + x^{2o-1}}{1 + (k-1)x}`.
    """

    def ratio(bits: int) -> Interval:
        once, power = exp_bounds(-epsilon, bits), exp_bounds(-order * epsilon, bits)
        far, others = exp_bounds(-(2 * order - 1) * epsilon, bits), categories - 2
        return (
            (1 + others * power[0] + far[0]) / (1 + (categories - 1) * once[1]),
            (1 + others * power[1] + far[1]) / (1 + (categories - 1) * once[0]),
        )

    return _renyi(epsilon, order, ratio, min(epsilon, order - 1))


def bounded_range_rho(epsilon: Fraction) -> Interval:
    """Enclose y - 1 - log y at y = eps / (e^eps - 1), the zCDP parameter of eps-bounded range.

    It is the largest Kullback-Leibler divergence of the two-point pairs, and bounds D_o / o at every order (Harrison and Manurangsi
    2025, arXiv 2510.25746); eps^2 / 8 (Cesar and Rogers 2021, arXiv 2004.07223) is above it.
    """
    if epsilon == 0:
        return _ZERO

    def enclose(bits: int) -> Interval:
        low, high = exp_bounds(-epsilon, bits)
        log = log_bounds(epsilon, bits)
        # -log y = eps - log eps + log(1 - x); as x grows y grows and log(1 - x) falls, so each has its own end.
        y = epsilon * low / (1 - low), epsilon * high / (1 - high)
        return (
            y[0] - 1 + epsilon - log[1] + log_bounds(1 - high, bits)[0],
            y[1] - 1 + epsilon - log[0] + log_bounds(1 - low, bits)[1],
        )

    return sharpen(enclose, min(epsilon, epsilon**2))


def bounded_range_renyi(epsilon: Fraction, order: Fraction) -> Interval:
    r"""Enclose the largest Renyi divergence of any eps-bounded-range pair.

    It is :math:`\varepsilon + \frac{1}{o-1}\log\frac{1-x^{o}}{o(1-x)} + \log\frac{(o-1)(1-x^{o})}{o(1-x^{o-1})}`.
    """
    if epsilon == 0:
        return _ZERO

    def enclose(bits: int) -> Interval:
        one, near, far = (
            tuple(1 - end for end in reversed(exp_bounds(-power * epsilon, bits)))
            for power in (Fraction(1), order - 1, order)
        )
        first = far[0] / (order * one[1]), far[1] / (order * one[0])
        second = (order - 1) * far[0] / (order * near[1]), (order - 1) * far[1] / (order * near[0])
        return (
            epsilon + log_bounds(first[0], bits)[0] / (order - 1) + log_bounds(second[0], bits)[0],
            epsilon + log_bounds(first[1], bits)[1] / (order - 1) + log_bounds(second[1], bits)[1],
        )

    return sharpen(enclose, min(epsilon, epsilon**2) * min(order - 1, Fraction(1)))
