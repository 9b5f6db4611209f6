"""To zero-concentrated differential privacy: one rho for every Renyi order."""

from __future__ import annotations

from privacy_accountant.conversions import corners
from privacy_accountant.conversions.components import compose_in
from privacy_accountant.conversions.parts import rho, total
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.mixed import Mixed
from privacy_accountant.guarantees.pld import PLD
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.registry import conversion, no_conversion
from privacy_accountant.guarantees.tradeoff import TradeOff
from privacy_accountant.guarantees.zcdp import ZCDP


@conversion(ADP, ZCDP, exact=False, citation="Harrison and Manurangsi 2025, arXiv 2510.25746")
def pure_to_zcdp(guarantee: ADP) -> ZCDP:
    """rho = eps tanh(eps/2), attained by randomized response; there is none when delta > 0."""
    return ZCDP(total(guarantee, "ZCDP", rho))


@conversion(GDP, ZCDP, exact=False, citation="Bun and Steinke 2016, arXiv 1605.02065")
def gaussian_to_zcdp(guarantee: GDP) -> ZCDP:
    """rho = mu^2 / 2, exactly."""
    return ZCDP(total(guarantee, "ZCDP", rho))


@conversion(PLD, ZCDP, exact=False, citation="Bun and Steinke 2016, arXiv 1605.02065")
def losses_to_zcdp(guarantee: PLD) -> ZCDP:
    """The sum of the parts' rho; each part's is attained."""
    return ZCDP(total(guarantee, "ZCDP", rho))


@conversion(TradeOff, ZCDP, exact=False, citation="van Erven and Harremoes 2014, arXiv 1206.2459")
def corners_to_zcdp(guarantee: TradeOff) -> ZCDP:
    """The least rho over all orders, from above: (order - 1) times a divergence is convex; there is none when f(0) < 1."""
    return ZCDP(corners.rho(guarantee))


@conversion(Mixed, ZCDP, exact=False, citation="Bun and Steinke 2016, arXiv 1605.02065, Lemma 1.7")
def mixed_to_zcdp(guarantee: Mixed) -> ZCDP:
    """The sum of both components' rho, where both have one."""
    return compose_in(guarantee, ZCDP)


no_conversion(
    RDP,
    ZCDP,
    "bounds at finitely many orders leave larger orders unbounded, so no finite rho follows from them; "
    "convert the mechanism itself to ZCDP, or compose in RDP at these orders",
)
