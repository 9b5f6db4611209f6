"""Whether a composition of privacy losses is certified to lie below a declared one, pair by pair."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from privacy_accountant.exact import Real, exact
from privacy_accountant.guarantees.pld import PLD
from privacy_accountant.guarantees.pld.pairs.bounded_range import BoundedRangePair
from privacy_accountant.guarantees.pld.pairs.category_pair import CategoryPair
from privacy_accountant.guarantees.pld.pairs.closed_pairs import (
    DominatingPair,
    GaussianPair,
    LaplacePair,
    RandomizedResponsePair,
)
from privacy_accountant.guarantees.pld.pairs.discrete import DiscreteLaplacePair

_PURE = (RandomizedResponsePair, LaplacePair, DiscreteLaplacePair, BoundedRangePair, CategoryPair)


def dominated(parts: Mapping[PLD, int], budget: PLD) -> bool:
    """Whether every attack on the composed parts does at most as well as on the budget: sound, not complete.

    Composition keeps domination, so it is enough to find for each pair a pair of the budget that dominates it, each used
    once; pairs of the budget that are left over only add risk. Gaussians compose into one, so they are compared in sum.
    """
    claim: Counter[DominatingPair] = Counter()
    for loss, count in parts.items():
        for pair, times in loss.parts:
            claim[pair] += times * count
    allowed = Counter(dict(budget.parts))
    if not _at_most(_mu_squared(claim), _mu_squared(allowed)):
        return False
    others = [(pair, count) for pair, count in claim.items() if not isinstance(pair, GaussianPair)]
    free = [[pair, count] for pair, count in allowed.items() if not isinstance(pair, GaussianPair)]
    return all(
        _take(pair, count, free)
        for pair, count in sorted(others, key=lambda part: _reach(part[0]), reverse=True)
    )


def _take(pair: DominatingPair, count: int, free: list[list[Any]]) -> bool:
    """Use up `count` dominating pairs, those of the same kind first; the largest claims choose first."""
    for same_kind in (True, False):
        for slot in free:
            if count and slot[1] and (type(slot[0]) is type(pair)) == same_kind and _below(pair, slot[0]):
                used = min(count, slot[1])
                slot[1] -= used
                count -= used
    return count == 0


def _below(pair: DominatingPair, other: DominatingPair) -> bool:
    """Whether one pair is dominated by another.

    Laplace and discrete Laplace noise of a larger scale is noise of the smaller scale plus more independent noise (the ratio
    of their characteristic functions is a mixture of a point mass and a law of the same kind); k-ary randomized response with a smaller
    epsilon is that with a larger one, randomized once more; a range holds every shorter one. Randomized response dominates
    everything with losses within its own.
    """
    if pair == other:
        return True
    if isinstance(other, RandomizedResponsePair):
        delta = pair.delta if isinstance(pair, RandomizedResponsePair) else 0.0
        return (
            isinstance(pair, _PURE)
            and _at_most(_epsilon(pair), other.epsilon)
            and _at_most(delta, other.delta)
        )
    if type(pair) is type(other) and isinstance(pair, (LaplacePair, BoundedRangePair)):
        return _at_most(pair.epsilon, _epsilon(other))
    if isinstance(pair, CategoryPair) and isinstance(other, CategoryPair):
        return pair.categories == other.categories and _at_most(pair.epsilon, other.epsilon)
    if isinstance(pair, DiscreteLaplacePair) and isinstance(other, DiscreteLaplacePair):
        return pair.sensitivity == other.sensitivity and _at_most(other.scale, pair.scale)
    return False


def _mu_squared(pairs: Mapping[DominatingPair, int]) -> Real:
    squares = [(pair.mu_squared, count) for pair, count in pairs.items() if isinstance(pair, GaussianPair)]
    if any(square == math.inf for square, _ in squares):
        return math.inf
    return sum((exact(square) * count for square, count in squares), Fraction(0))


def _epsilon(pair: DominatingPair) -> Real:
    if isinstance(pair, (LaplacePair, RandomizedResponsePair, BoundedRangePair, CategoryPair)):
        return pair.epsilon
    return pair.top or Fraction(0)


def _reach(pair: DominatingPair) -> tuple[bool, Fraction]:
    epsilon = _epsilon(pair)
    return epsilon == math.inf, Fraction(0) if epsilon == math.inf else exact(epsilon)


def _at_most(one: Real, other: Real) -> bool:
    return other == math.inf or (one != math.inf and exact(one) <= exact(other))
