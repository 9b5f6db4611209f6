"""The worst of several privacy losses: one that fares no better in any attack than each of them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from privacy_accountant.accountant.budgets.domination import dominated
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.pld import PLD
from privacy_accountant.guarantees.tradeoff import TradeOff

_POINTS = 200
_DEEPEST = 1e-30
_FIRST, _STEEPEST = 1e-3, 600.0


def worst_loss(losses: Sequence[PLD]) -> PrivacyGuarantee:
    """A loss that dominates all others where there is one, else a trade-off curve just below those of all.

    Profiles of partitions cross, so the worst partition is another one at another epsilon: the claim is the largest delta
    at every epsilon. The curve touches it at two hundred of them and is below it in between, on the safe side.
    """
    left = list(dict.fromkeys(losses))
    for one in left:
        if all(one is other or dominated({other: 1}, one) for other in left):
            return one
    rates = np.exp(np.linspace(0.0, _reach(left), _POINTS))
    # A profile never rises, so at a little less than the logarithm of a rate it is at least what it is there.
    epsilons = np.maximum(np.log(rates) * (1 - 1e-12) - 1e-300, 0.0)
    deltas = np.max([loss.get_delta(epsilons) for loss in left], axis=0)
    steep = [
        (Fraction(float(rate)), Fraction(float(delta))) for rate, delta in zip(rates, deltas, strict=True)
    ]
    # Both directions of a pair are covered, so each line has a mirror image.
    mirrored = [(1 / rate, 1 - (1 - delta) / rate) for rate, delta in steep]
    slopes, intercepts = zip(*steep, *mirrored, strict=True)
    return TradeOff.from_tangents(slopes=slopes, intercepts=intercepts)


def _reach(losses: Sequence[PLD]) -> float:
    """The epsilon beyond which no delta is worth a point: none falls any further."""
    epsilons = np.geomspace(_FIRST, _STEEPEST, _POINTS)
    ends = []
    for loss in losses:
        deltas = loss.get_delta(epsilons)
        ends.append(epsilons[np.argmax(deltas <= max(1.001 * deltas[-1], _DEEPEST))])
    return float(max(ends))
