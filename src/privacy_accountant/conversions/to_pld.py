"""To privacy loss distributions: the forms that one dominating pair describes exactly."""

from __future__ import annotations

from privacy_accountant.conversions.parts import parts_of
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.pld import PLD
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.registry import conversion, no_conversion
from privacy_accountant.guarantees.zcdp import ZCDP


@conversion(ADP, PLD, exact=True, citation="Kairouz, Oh and Viswanath 2015, arXiv 1311.0776")
def response_to_losses(guarantee: ADP) -> PLD:
    """(epsilon, delta) randomized response, which dominates every release with this guarantee."""
    return PLD.of(*parts_of(guarantee)[0])


@conversion(GDP, PLD, exact=True, citation="Dong, Roth and Su 2019, arXiv 1905.02383")
def gaussian_to_losses(guarantee: GDP) -> PLD:
    """Two unit normals at distance mu."""
    return PLD.of(*parts_of(guarantee)[0])


_THROUGH_THE_PROFILE = (
    "it would have to go through its profile, with a loss at each composition that is not built yet; "
    "beta, get_delta and to(ADP, delta=...) work directly, and {own} composes with {own}, GDP and pure ADP"
)
no_conversion(RDP, PLD, _THROUGH_THE_PROFILE.format(own="RDP"))
no_conversion(ZCDP, PLD, _THROUGH_THE_PROFILE.format(own="ZCDP"))
