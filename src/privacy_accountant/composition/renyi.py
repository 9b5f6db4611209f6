"""RDP: divergences add order by order (Mironov 2017, arXiv 1702.07476, Proposition 1)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from privacy_accountant.exact import Real, canonical, exact, is_infinite, sum_up
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.registry import power, total


@total(RDP, rank=0)
def add_curves(guarantees: Sequence[RDP]) -> RDP:
    """The sum at all orders of all, up to the last order that all know; between its own orders a curve is interpolated."""
    last = min(exact(guarantee.orders[-1]) for guarantee in guarantees)
    known = {exact(order): order for guarantee in guarantees for order in guarantee.orders}
    orders = tuple(known[order] for order in sorted(known) if order <= last)
    curves = [guarantee.at(orders).epsilons for guarantee in guarantees]
    return RDP(orders, tuple(_sum(column) for column in zip(*curves, strict=True)))


def _sum(epsilons: Sequence[Real]) -> Real:
    if any(is_infinite(epsilon) for epsilon in epsilons):
        return math.inf
    return canonical(sum_up(exact(epsilon) for epsilon in epsilons))


@power(RDP)
def scale_curve(guarantee: RDP, count: int) -> RDP:
    """count times each divergence, exactly."""
    if count == 1:
        return guarantee
    once = guarantee.at(guarantee.orders).epsilons
    return RDP(
        guarantee.orders, tuple(math.inf if is_infinite(e) else canonical(count * exact(e)) for e in once)
    )
