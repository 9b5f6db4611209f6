"""From a pair to the pair of the same release on a Poisson sample."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

from privacy_accountant.exact import Real, exact
from privacy_accountant.guarantees.pld.pairs.closed_pairs import (
    DominatingPair,
    GaussianPair,
    LaplacePair,
    RandomizedResponsePair,
)
from privacy_accountant.guarantees.pld.pairs.discrete import DiscreteGaussianPair, DiscreteLaplacePair
from privacy_accountant.guarantees.pld.pairs.finite_pair import FinitePair
from privacy_accountant.guarantees.pld.pairs.subsampled import (
    SubsampledGaussianPair,
    SubsampledLaplacePair,
)
from privacy_accountant.guarantees.pld.pairs.subsampled_discrete import SubsampledDiscretePair


def sampled(pair: DominatingPair, rate: Real) -> DominatingPair | None:
    """The pair of one release on a Poisson sample; None for a pair that is sampled through its curve (`sampled_curve`).

    Args:
        pair: The pair of the release itself.
        rate: Probability of a record to take part, in (0, 1).

    Example:
        >>> sampled(GaussianPair(1), 0.1)
        SubsampledGaussianPair(sampling=0.1, mu_squared=1.0, removal=True)
    """
    if isinstance(pair, GaussianPair):
        return SubsampledGaussianPair(rate, pair.mu_squared)
    if isinstance(pair, LaplacePair):
        return SubsampledLaplacePair(rate, pair.epsilon)
    if isinstance(pair, (DiscreteGaussianPair, DiscreteLaplacePair, RandomizedResponsePair)):
        return SubsampledDiscretePair(rate, pair)
    return None


def sampled_curve(corners: Sequence[tuple[Fraction, Fraction]], rate: Real) -> DominatingPair:
    """The pair of one release on a Poisson sample, from a piecewise-linear trade-off function of the release itself.

    On a side where f falls by h while alpha grows by w the sample's falls by q h + (1 - q) w (Dong, Roth and Su 2019, arXiv 1905.02383,
    Section 4); both directions are kept.

    Args:
        corners: (alpha, f(alpha)) from alpha = 0 to 1, in order; f may be below 1 at 0.
        rate: Probability of a record to take part, in (0, 1).
    """
    q = exact(rate)
    widths, heights = [], []
    if corners[0][1] < 1:
        widths.append(Fraction(0))
        heights.append(q * (1 - corners[0][1]))
    for (a, f), (b, g) in itertools.pairwise(corners):
        widths.append(b - a)
        heights.append(q * (f - g) + (1 - q) * (b - a))
    return FinitePair.of_segments(heights, widths, symmetric=False)
