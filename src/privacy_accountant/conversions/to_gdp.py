"""To Gaussian differential privacy: the least proved mu whose trade-off function is nowhere above the source's."""

from __future__ import annotations

import math

from privacy_accountant.conversions import concentrated, corners
from privacy_accountant.conversions.components import compose_in
from privacy_accountant.conversions.parts import mu_squared, total
from privacy_accountant.exact import exact, root_up
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.mixed import Mixed
from privacy_accountant.guarantees.pld import PLD
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.registry import conversion, no_conversion
from privacy_accountant.guarantees.tradeoff import TradeOff
from privacy_accountant.guarantees.zcdp import ZCDP


def _gaussian(guarantee: PrivacyGuarantee) -> GDP:
    square = total(guarantee, "GDP", mu_squared)
    return GDP(math.inf if square == math.inf else root_up(exact(square)))


@conversion(ADP, GDP, exact=False, citation="Dong, Roth and Su 2019, arXiv 1905.02383")
def pure_to_gaussian(guarantee: ADP) -> GDP:
    """mu = -2 Phi^-1(1 / (1 + e^eps)), attained by randomized response; there is none when delta > 0."""
    return _gaussian(guarantee)


@conversion(PLD, GDP, exact=False, citation="Dong, Roth and Su 2019, arXiv 1905.02383")
def losses_to_gaussian(guarantee: PLD) -> GDP:
    """The root of the sum of squares of the parts' mu; each part's is attained, their composition is a bound."""
    return _gaussian(guarantee)


@conversion(TradeOff, GDP, exact=False, citation="Dong, Roth and Su 2019, arXiv 1905.02383")
def corners_to_gaussian(guarantee: TradeOff) -> GDP:
    """The largest mu of any corner; there is none when f(0) < 1."""
    return GDP(corners.mu(guarantee))


@conversion(ZCDP, GDP, exact=False, citation="Sampford 1953; proof in the mathematics page")
def concentrated_to_gaussian(guarantee: ZCDP) -> GDP:
    """A proved mu, within 1e-4 of that of the attack with equal errors: corners of tangents, and a bound on what is left of them."""
    return GDP(concentrated.mu(guarantee))


no_conversion(
    RDP,
    GDP,
    "attacks of very small false positive rate escape bounds at finitely many orders, so no finite mu follows from them; "
    "convert the mechanism itself to GDP, or read beta, get_delta and advantage directly",
)


@conversion(Mixed, GDP, exact=False, citation="Dong, Roth and Su 2019, arXiv 1905.02383, Corollary 3.3")
def mixed_to_gaussian(guarantee: Mixed) -> GDP:
    """The root of the sum of squares of both components' mu, where both have one."""
    return compose_in(guarantee, GDP)
