"""Groups: what a guarantee for one person says about several whose records change together.

Everywhere the curve of a group of k is 1 - (1 - f) o ... o (1 - f), k times (Dong, Roth and Su 2019, arXiv 1905.02383, Theorem
2.14). For noise with a log-concave density (Gaussian, Laplace, and their discrete forms) that is the same noise moved k times
as far: an optimal test is a threshold, and thresholds compose.
"""

from __future__ import annotations

import functools
import math
from fractions import Fraction

from privacy_accountant.errors import UnsupportedConversionError
from privacy_accountant.exact import Real, canonical, exact, float_up
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.mixed import Mixed
from privacy_accountant.guarantees.pld import (
    PLD,
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    GaussianPair,
    LaplacePair,
    RandomizedResponsePair,
)
from privacy_accountant.guarantees.pld.pairs.closed_pairs import DominatingPair
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.registry import group
from privacy_accountant.guarantees.tradeoff import TradeOff
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.numerics.enclosure import exp_bounds
from privacy_accountant.numerics.polyline import repeated

_LONGEST = Fraction(4000)


@group(GDP)
def gaussian_group(guarantee: GDP, size: int) -> GDP:
    """k mu."""
    return guarantee if guarantee.mu == math.inf else GDP(canonical(size * exact(guarantee.mu)))


@group(ZCDP)
def concentrated_group(guarantee: ZCDP, size: int) -> ZCDP:
    """k^2 rho (Bun and Steinke 2016, arXiv 1605.02065, Proposition 1.9)."""
    return guarantee if guarantee.rho == math.inf else ZCDP(canonical(size**2 * exact(guarantee.rho)))


@group(ADP)
def approximate_group(guarantee: ADP, size: int) -> ADP:
    """(k eps, delta (e^{k eps} - 1) / (e^eps - 1)), the delta at most 1; the whole curve, `TradeOff`, says more."""
    if guarantee.epsilon == math.inf:
        return guarantee
    epsilon = exact(guarantee.epsilon)
    return ADP(canonical(size * epsilon), _group_delta(epsilon, exact(guarantee.delta), size))


def _group_delta(epsilon: Fraction, delta: Fraction, size: int) -> Real:
    """The sum of delta e^{j eps} for j below k, rounded up; exact at eps = 0."""
    if delta in (0, 1):
        return canonical(delta)
    if epsilon == 0:
        return canonical(min(size * delta, Fraction(1)))
    if (size - 1) * epsilon > _LONGEST:
        return 1.0
    low, high = exp_bounds(epsilon)
    whole = exp_bounds(size * epsilon)[1] - 1
    # (e^{k eps} - 1) / (e^eps - 1), or k e^{(k-1) eps} where the enclosures of a minute eps leave nothing between them.
    ratio = (
        whole / (low - 1) if (high - low) * 2**60 < low - 1 else size * exp_bounds((size - 1) * epsilon)[1]
    )
    return min(1.0, float_up(canonical(delta * ratio)))


@group(RDP)
def renyi_group(guarantee: RDP, size: int) -> RDP:
    """Doubling by the weak triangle inequality, ceil(log2 k) times, at half the orders each time.

    D_o(P || R) <= (o - 1/2) / (o - 1) D_2o(P || Q) + D_{2o-1}(Q || R) (Mironov 2017, arXiv 1702.07476, Proposition 11): valid and
    lossy; convert the mechanism itself to ZCDP or GDP for a tighter group.

    Raises:
        UnsupportedConversionError: When halving leaves no order above 1.
    """
    doubled = guarantee
    for _ in range((size - 1).bit_length()):
        orders = [exact(order) / 2 for order in doubled.orders if exact(order) > 2]
        if not orders:
            reason = (
                f"a group of {size} needs an order above {2 ** (size - 1).bit_length()}: each doubling halves the orders; "
                "convert the mechanism itself to ZCDP or GDP, or give larger orders"
            )
            raise UnsupportedConversionError("RDP", f"RDP for a group of {size}", reason)
        doubled = RDP([canonical(o) for o in orders], [_doubled(doubled, o) for o in orders])
    return doubled


def _doubled(guarantee: RDP, order: Fraction) -> Real:
    first, second = guarantee.at((canonical(2 * order - 1), canonical(2 * order))).epsilons
    if math.inf in (first, second):
        return math.inf
    return canonical((order - Fraction(1, 2)) / (order - 1) * exact(second) + exact(first))


@group(TradeOff)
def curve_group(guarantee: TradeOff, size: int) -> TradeOff:
    """1 - (1 - f) o ... o (1 - f), exactly; it has about k times as many corners."""
    return TradeOff._of(repeated(guarantee.corners, size))


@group(PLD)
def losses_group(guarantee: PLD, size: int) -> PLD:
    """Every part for the group, since all of them see its records change together."""
    return PLD(tuple((_pair_group(pair, size), count) for pair, count in guarantee.parts))


@group(Mixed)
def mixed_group(guarantee: Mixed, size: int) -> Mixed:
    """Both components for the group."""
    return Mixed(guarantee.losses.for_group(size), guarantee.divergences.for_group(size))


@functools.singledispatch
def _pair_group(pair: DominatingPair, size: int) -> DominatingPair:
    """Any pair, through its curve."""
    ((image, _),) = PLD.of(pair).to(TradeOff).for_group(size).to(PLD).parts
    return image


@_pair_group.register
def _(pair: GaussianPair, size: int) -> GaussianPair:
    return pair if pair.mu_squared == math.inf else GaussianPair(canonical(size**2 * exact(pair.mu_squared)))


@_pair_group.register
def _(pair: LaplacePair, size: int) -> LaplacePair:
    return pair if pair.epsilon == math.inf else LaplacePair(canonical(size * exact(pair.epsilon)))


@_pair_group.register
def _(pair: RandomizedResponsePair, size: int) -> DominatingPair:
    """Pure: a discrete Laplace loss k steps of eps wide; with delta: the pair of (k eps, delta_k)."""
    if pair.delta == 0 and 0 < pair.epsilon < math.inf:
        return DiscreteLaplacePair(canonical(1 / exact(pair.epsilon)), size)
    whole = approximate_group(ADP(pair.epsilon, pair.delta), size)
    return RandomizedResponsePair(whole.epsilon, whole.delta)


@_pair_group.register
def _(pair: DiscreteLaplacePair, size: int) -> DiscreteLaplacePair:
    return DiscreteLaplacePair(pair.scale, pair.sensitivity * size)


@_pair_group.register
def _(pair: DiscreteGaussianPair, size: int) -> DiscreteGaussianPair:
    return DiscreteGaussianPair(pair.sigma_squared, pair.sensitivity * size)
