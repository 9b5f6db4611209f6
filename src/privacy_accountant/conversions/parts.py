"""What one dominating pair costs in the currencies that add up: rho, a Renyi divergence, mu squared.

The costs are exact rationals, or rounded up where they are transcendental; so sums of them are exact, and the same parts cost
the same in whatever order they came. A new pair enters itself with `rho.register`, `renyi.register` or `mu_squared.register`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import cast

import numpy as np

from privacy_accountant.errors import UnsupportedConversionError
from privacy_accountant.exact import Real, canonical, exact, float_up, is_infinite, sum_up
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.pld import (
    PLD,
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    DominatingPair,
    GaussianPair,
    LaplacePair,
    RandomizedResponsePair,
    pair_of,
)
from privacy_accountant.guarantees.pld.pairs.finite_pair import FinitePair
from privacy_accountant.numerics import costs, finite
from privacy_accountant.numerics.costs import cost_above
from privacy_accountant.numerics.gaussian_mu import symmetric_mu, vertices_mu

_MOST_VERTICES = 1 << 20

_MASS_AT_INFINITY = (
    "with delta > 0 the privacy loss is infinite with positive probability, so no finite {target} bounds it; read beta, "
    "get_delta or to(ADP, delta=...) directly, and compose it as it is, with every other form"
)


def parts_of(guarantee: PrivacyGuarantee) -> tuple[tuple[DominatingPair, int], ...]:
    """The dominating pairs of a PLD, or the one pair that describes an ADP or a GDP exactly, with their counts."""
    if isinstance(guarantee, PLD):
        return tuple(guarantee.parts)
    pair = pair_of(guarantee)
    if pair is None:
        raise UnsupportedConversionError(
            type(guarantee).__name__, "PLD", "it is not described by dominating pairs"
        )
    return ((pair, 1),)


def total(guarantee: PrivacyGuarantee, target: str, cost: Callable[[DominatingPair], Real]) -> Real:
    """The sum of the parts' costs; infinite when one part reveals everything.

    Raises:
        UnsupportedConversionError: When a part has some mass at infinite loss, or no such cost.
    """
    parts = parts_of(guarantee)
    masses = [pair.infinity_mass for pair, _ in parts]
    if 1 in masses:
        return math.inf
    if any(masses):
        raise UnsupportedConversionError(
            type(guarantee).__name__, target, _MASS_AT_INFINITY.format(target=target)
        )
    known = [(cost(pair), count) for pair, count in parts]
    if any(is_infinite(each) for each, _ in known):
        return math.inf
    return canonical(sum_up(exact(each) * count for each, count in known))


def _unknown(pair: DominatingPair, target: str, remedy: str) -> UnsupportedConversionError:
    return UnsupportedConversionError(
        type(pair).__name__, target, f"no bound is proved for this pair; {remedy}"
    )


@functools.singledispatch
def rho(pair: DominatingPair) -> Fraction:
    """The least known rho with a Renyi divergence of at most rho times the order, at every order above 1."""
    raise _unknown(pair, "ZCDP", "to(RDP, orders=...) takes one order at a time")


@rho.register
def _(pair: GaussianPair) -> Fraction:
    return exact(pair.mu_squared) / 2


@rho.register
def _(pair: LaplacePair) -> Fraction:
    return cost_above(costs.laplace_rho(exact(pair.epsilon)))


@rho.register
def _(pair: RandomizedResponsePair) -> Fraction:
    return cost_above(costs.pure_rho(exact(pair.epsilon)))


@rho.register
def _(pair: DiscreteLaplacePair) -> Fraction:
    return cost_above(costs.discrete_laplace_rho(pair.sensitivity / exact(pair.scale), pair.sensitivity))


@rho.register
def _(pair: DiscreteGaussianPair) -> Fraction:
    return pair.sensitivity**2 / (2 * exact(pair.sigma_squared))


@rho.register
def _(pair: FinitePair) -> Fraction:
    """The search over orders, from above and to about four digits, in the worse direction."""
    if pair.reversed().infinity_mass > 0:
        raise UnsupportedConversionError(type(pair).__name__, "ZCDP", _MASS_AT_INFINITY.format(target="ZCDP"))
    return max(_concentration(direction) for direction in (pair, pair.reversed()))


def _concentration(pair: DominatingPair) -> Fraction:
    losses, masses = cast("FinitePair", pair).arrays()
    p = masses * (1 + 2.0**-50)
    bound = finite.concentration(p, p * np.exp(-losses) * (1 + 2.0**-50), losses)
    return exact(float_up(Fraction(bound)))


@functools.singledispatch
def renyi(pair: DominatingPair, order: Fraction) -> Real:
    """An upper bound on the Renyi divergence of the pair, in the worse direction; infinite where its moment is."""
    worst = max(direction.log_moment(float_up(order - 1)) for direction in (pair, pair.reversed()))
    return worst if worst == math.inf else float_up(Fraction(worst) / (order - 1))


@renyi.register
def _(pair: GaussianPair, order: Fraction) -> Fraction:
    return order * exact(pair.mu_squared) / 2


@renyi.register
@functools.lru_cache(maxsize=4096)
def _(pair: LaplacePair, order: Fraction) -> Fraction:
    return cost_above(costs.laplace_renyi(exact(pair.epsilon), order))


@renyi.register
@functools.lru_cache(maxsize=4096)
def _(pair: RandomizedResponsePair, order: Fraction) -> Fraction:
    return cost_above(costs.pure_renyi(exact(pair.epsilon), order))


@renyi.register
@functools.lru_cache(maxsize=4096)
def _(pair: DiscreteLaplacePair, order: Fraction) -> Fraction:
    epsilon = pair.sensitivity / exact(pair.scale)
    return cost_above(costs.discrete_laplace_renyi(epsilon, pair.sensitivity, order))


@renyi.register
def _(pair: DiscreteGaussianPair, order: Fraction) -> Fraction:
    return order * rho(pair)


@functools.singledispatch
def mu_squared(pair: DominatingPair) -> Fraction:
    """The square of the least known mu whose Gaussian trade-off function is nowhere above the pair's."""
    raise _unknown(pair, "GDP", "beta, get_delta and to(ZCDP) may still work")


@mu_squared.register
def _(pair: GaussianPair) -> Fraction:
    return exact(pair.mu_squared)


@mu_squared.register
def _(pair: LaplacePair) -> Fraction:
    epsilon = float_up(pair.epsilon)
    if epsilon == 0:
        return Fraction(0)
    return _square(symmetric_mu(-math.expm1(-epsilon / 2), -epsilon / 2 - math.log(2)))


@mu_squared.register
def _(pair: RandomizedResponsePair) -> Fraction:
    epsilon = float_up(pair.epsilon)
    if epsilon == 0:
        return Fraction(0)
    return _square(symmetric_mu(math.tanh(epsilon / 2), -epsilon - math.log1p(math.exp(-epsilon))))


@mu_squared.register
def _(pair: DiscreteLaplacePair) -> Fraction:
    shift = pair.sensitivity
    pure = RandomizedResponsePair(canonical(shift / exact(pair.scale)))
    if shift == 1 or shift > _MOST_VERTICES:
        return mu_squared(pure)
    rate = float_up(1 / exact(pair.scale))
    below = np.arange(shift, dtype=np.float64)
    normal = math.log1p(math.exp(-rate))
    return _square(vertices_mu(-(shift - below) * rate - normal, -(below + 1) * rate - normal))


@mu_squared.register
def _(pair: DiscreteGaussianPair) -> Fraction:
    reason = (
        "the discrete Gaussian is not Gaussian differential privacy of sensitivity / sigma; ZCDP holds exactly, "
        "and beta and get_delta read its own curve"
    )
    raise UnsupportedConversionError(type(pair).__name__, "GDP", reason)


def _square(mu: float) -> Fraction:
    return exact(float_up(Fraction(mu))) ** 2
