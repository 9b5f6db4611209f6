"""Guarantees that dominating pairs describe: their privacy losses add, as a union of multisets.

An (epsilon, delta) pair becomes its randomized response, a GDP its Gaussian and a piecewise-linear curve the finite pair of its
sides, so nothing is lost (Kairouz, Oh and Viswanath 2015, arXiv 1311.0776; Zhu, Dong and Wang 2022, arXiv 2106.08567). GDPs alone
stay a GDP.
"""

from __future__ import annotations

from collections.abc import Sequence

from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.pld import PLD
from privacy_accountant.guarantees.registry import composition, power, total
from privacy_accountant.guarantees.tradeoff import TradeOff


@total(PLD, rank=2)
@total(ADP, rank=4)
@total(TradeOff, rank=5)
def unite(guarantees: Sequence[ADP | GDP | PLD | TradeOff]) -> PLD:
    """All pairs of all."""
    return PLD().union(*(guarantee.to(PLD) for guarantee in guarantees))


@composition(GDP, ADP)
@composition(PLD, ADP)
@composition(PLD, GDP)
@composition(PLD, TradeOff)
@composition(GDP, TradeOff)
@composition(ADP, TradeOff)
def unite_two(first: PLD | GDP | ADP, second: ADP | GDP | TradeOff) -> PLD:
    """All pairs of both."""
    return unite((first, second))


@power(ADP)
@power(TradeOff)
def repeat_pair(guarantee: ADP | TradeOff, count: int) -> ADP | TradeOff | PLD:
    """`count` equal pairs; one is itself."""
    return guarantee if count == 1 else guarantee.to(PLD).times(count)


@power(PLD)
def repeat(guarantee: PLD, count: int) -> PLD:
    """Every pair `count` times as often."""
    return guarantee.times(count)
