"""Parts with Renyi bounds and parts that are pairs: each in its own currency (see `Mixed`).

What has only a rho, or divergences at some orders, is added there; pairs stay pairs, since a pair says more than its Renyi bound.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from privacy_accountant.composition import concentrated, renyi
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.mixed import Mixed
from privacy_accountant.guarantees.pld import PLD
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.registry import composition, power, total
from privacy_accountant.guarantees.tradeoff import TradeOff
from privacy_accountant.guarantees.zcdp import ZCDP


@composition(ZCDP, TradeOff)
@composition(ZCDP, GDP)
@composition(ZCDP, ADP)
@composition(ZCDP, PLD)
@composition(RDP, TradeOff)
@composition(RDP, GDP)
@composition(RDP, ADP)
@composition(RDP, PLD)
def set_beside(first: ZCDP | RDP, second: PrivacyGuarantee) -> ZCDP | RDP | Mixed:
    """The pairs of the second beside the divergences of the first."""
    losses = second.to(PLD)
    return Mixed(losses, first) if losses.parts else first


@composition(RDP, ZCDP)
def add_divergences(first: ZCDP | RDP, second: ZCDP | RDP) -> ZCDP | RDP:
    """The sum in rho, or at the orders of the one that is known at orders only."""
    if isinstance(first, ZCDP) and isinstance(second, ZCDP):
        return concentrated.add_rho((first, second))
    orders = (first if isinstance(first, RDP) else second).to(RDP).orders
    return renyi.add_curves(
        [part if isinstance(part, RDP) else part.to(RDP, orders=orders) for part in (first, second)]
    )


@total(Mixed, rank=-1)
def add_mixed(guarantees: Sequence[Mixed]) -> Mixed:
    """Pairs to pairs, divergences to divergences."""
    return Mixed(
        PLD().union(*(guarantee.losses for guarantee in guarantees)),
        functools.reduce(add_divergences, (guarantee.divergences for guarantee in guarantees)),
    )


@composition(Mixed, RDP)
@composition(Mixed, ZCDP)
@composition(Mixed, GDP)
@composition(Mixed, ADP)
@composition(Mixed, PLD)
@composition(Mixed, TradeOff)
def add_to_mixed(first: Mixed, second: PrivacyGuarantee) -> Mixed:
    """Each part of the other to where it belongs."""
    if isinstance(second, (ZCDP, RDP)):
        return Mixed(first.losses, add_divergences(first.divergences, second))
    return Mixed(first.losses.union(second.to(PLD)), first.divergences)


@power(Mixed)
def repeat_mixed(guarantee: Mixed, count: int) -> Mixed:
    """Both components `count` times."""
    divergences = guarantee.divergences.self_compose(count)
    return Mixed(guarantee.losses.times(count), divergences)  # type: ignore[arg-type]
