"""What selection and randomized response cost in the currencies that add up: their pairs entered in the tables of `parts`."""

from __future__ import annotations

import functools
import math
from fractions import Fraction

import numpy as np

from privacy_accountant.conversions.parts import _square, mu_squared, renyi, rho
from privacy_accountant.exact import canonical, exact, float_up
from privacy_accountant.guarantees.pld import BoundedRangePair, CategoryPair, RandomizedResponsePair
from privacy_accountant.numerics import costs, finite, selection_costs
from privacy_accountant.numerics.costs import cost_above
from privacy_accountant.numerics.gaussian_mu import corners_mu

_PROVED = 6
"""Up to so many categories the Kullback-Leibler divergence is proved to be the zCDP parameter."""

_STEEPEST = 500.0
"""Above this epsilon the least mass nears the end of doubles, and the bound of pure DP has every digit."""


@rho.register
def _(pair: BoundedRangePair) -> Fraction:
    """The worst place of the range; less than the rho of the pair's own curve, and valid for every release of bounded range."""
    return cost_above(selection_costs.bounded_range_rho(exact(pair.epsilon)))


@rho.register
@functools.lru_cache(maxsize=256)
def _(pair: CategoryPair) -> Fraction:
    """The mean loss where that is proved to be it, else the search over orders, from above and to about four digits."""
    epsilon = exact(pair.epsilon)
    if epsilon == 0:
        return Fraction(0)
    if pair.categories <= _PROVED:
        return cost_above(selection_costs.category_mean(epsilon, pair.categories))
    pure = cost_above(costs.pure_rho(epsilon))
    if float_up(pair.epsilon) > _STEEPEST:
        return pure
    p = np.exp(pair.log_masses)
    bound = finite.concentration(p, p[::-1], float_up(pair.epsilon) * np.arange(-1.0, 2.0))
    return min(pure, exact(float_up(Fraction(bound))))


@renyi.register
@functools.lru_cache(maxsize=4096)
def _(pair: BoundedRangePair, order: Fraction) -> Fraction:
    return cost_above(selection_costs.bounded_range_renyi(exact(pair.epsilon), order))


@renyi.register
@functools.lru_cache(maxsize=4096)
def _(pair: CategoryPair, order: Fraction) -> Fraction:
    return cost_above(selection_costs.category_renyi(exact(pair.epsilon), pair.categories, order))


@mu_squared.register
def _(pair: BoundedRangePair) -> Fraction:
    """That of randomized response at eps/2, which has the same attack with equal errors.

    With alpha = 1 / (1 + e^s) the distance -Phi^-1(alpha) - Phi^-1(f(alpha)) is g(s) + g(eps - s), g the normal quantile of the
    logistic distribution: odd, and concave on the positive side, because the logistic law has the heavier tails (van Zwet 1964).
    So the sum is concave in s between 0 and eps and falls beyond, and s = eps/2 is the largest.
    """
    return mu_squared(RandomizedResponsePair(canonical(exact(pair.epsilon) / 2)))


@mu_squared.register
def _(pair: CategoryPair) -> Fraction:
    """The corners of the trade-off function are (q, 1 - p) and its mirror image; 1 - p is (k - 1) q."""
    if pair.epsilon == 0:
        return Fraction(0)
    least, _, most = pair.log_masses
    rest = least + math.log(pair.categories - 1)
    return _square(corners_mu(*(np.array([log]) for log in (least, rest, most))))
