"""To Renyi differential privacy at given orders."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from privacy_accountant.conversions import corners
from privacy_accountant.conversions.components import compose_in
from privacy_accountant.conversions.parts import renyi, total
from privacy_accountant.exact import Real, canonical, exact
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.mixed import Mixed
from privacy_accountant.guarantees.pld import PLD
from privacy_accountant.guarantees.rdp import RDP, read_orders
from privacy_accountant.guarantees.registry import conversion
from privacy_accountant.guarantees.tradeoff import TradeOff
from privacy_accountant.guarantees.zcdp import ZCDP


def _divergences(guarantee: PrivacyGuarantee, orders: Any) -> RDP:
    at = read_orders(orders)
    return RDP(at, [_divergence(guarantee, exact(order)) for order in at])


def _divergence(guarantee: PrivacyGuarantee, order: Fraction) -> Real:
    return total(guarantee, "RDP", lambda pair: renyi(pair, order))


@conversion(ADP, RDP, exact=False, citation="Mironov 2017, arXiv 1702.07476")
def pure_to_rdp(guarantee: ADP, *, orders: Any) -> RDP:
    """log(p^o q^(1-o) + q^o p^(1-o)) / (o - 1) with p/q = e^eps, attained by randomized response; none when delta > 0."""
    return _divergences(guarantee, orders)


@conversion(GDP, RDP, exact=False, citation="Dong, Roth and Su 2019, arXiv 1905.02383, Corollary B.6")
def gaussian_to_rdp(guarantee: GDP, *, orders: Any) -> RDP:
    """order mu^2 / 2, exactly."""
    return _divergences(guarantee, orders)


@conversion(PLD, RDP, exact=False, citation="Mironov 2017, arXiv 1702.07476")
def losses_to_rdp(guarantee: PLD, *, orders: Any) -> RDP:
    """The sum of the parts' divergences, each rounded up."""
    return _divergences(guarantee, orders)


@conversion(ZCDP, RDP, exact=False, citation="Bun and Steinke 2016, arXiv 1605.02065")
def concentrated_to_rdp(guarantee: ZCDP, *, orders: Any) -> RDP:
    """rho times the order, exactly."""
    at = read_orders(orders)
    bounds = [
        math.inf if guarantee.rho == math.inf else canonical(exact(guarantee.rho) * exact(order))
        for order in at
    ]
    return RDP(at, bounds)


@conversion(TradeOff, RDP, exact=False, citation="Dong, Roth and Su 2019, arXiv 1905.02383")
def corners_to_rdp(guarantee: TradeOff, *, orders: Any) -> RDP:
    """A finite sum over the sides, rounded up; there is none when f(0) < 1."""
    at = read_orders(orders)
    return RDP(at, [corners.renyi(guarantee, exact(order)) for order in at])


@conversion(RDP, RDP, exact=False, citation="van Erven and Harremoes 2014, arXiv 1206.2459")
def to_other_orders(guarantee: RDP, *, orders: Any = None) -> RDP:
    """The same bounds read at other orders, by the convexity of (order - 1) r; nothing is said above the largest order."""
    return guarantee if orders is None else guarantee.at(read_orders(orders))


@conversion(Mixed, RDP, exact=False, citation="Mironov 2017, arXiv 1702.07476, Proposition 1")
def mixed_to_rdp(guarantee: Mixed, *, orders: Any) -> RDP:
    """The sum of both components' divergences, where both have one."""
    return compose_in(guarantee, RDP, orders=orders)
