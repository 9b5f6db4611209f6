"""To privacy loss distributions: one dominating pair where it describes a form exactly, a pair with the same curve elsewhere."""

from __future__ import annotations

from typing import Any

from privacy_accountant.conversions import corners
from privacy_accountant.conversions.parts import parts_of
from privacy_accountant.conversions.to_tradeoff import COUNT, supported
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.mixed import Mixed
from privacy_accountant.guarantees.pld import PLD
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.registry import conversion
from privacy_accountant.guarantees.tradeoff import TradeOff
from privacy_accountant.guarantees.zcdp import ZCDP


@conversion(ADP, PLD, exact=True, citation="Kairouz, Oh and Viswanath 2015, arXiv 1311.0776")
def response_to_losses(guarantee: ADP) -> PLD:
    """(epsilon, delta) randomized response, which dominates every release with this guarantee."""
    return PLD.of(*parts_of(guarantee)[0])


@conversion(GDP, PLD, exact=True, citation="Dong, Roth and Su 2019, arXiv 1905.02383")
def gaussian_to_losses(guarantee: GDP) -> PLD:
    """Two unit normals at distance mu."""
    return PLD.of(*parts_of(guarantee)[0])


@conversion(TradeOff, PLD, exact=True, citation="Zhu, Dong and Wang 2022, arXiv 2106.08567")
def corners_to_losses(guarantee: TradeOff) -> PLD:
    """The finite pair with these sides; only the rounding of its losses is lost."""
    pair = corners.pair(guarantee)
    return PLD() if pair is None else PLD.of(pair)


@conversion(RDP, PLD, exact=False, citation="Zhu, Dong and Wang 2022, arXiv 2106.08567")
@conversion(ZCDP, PLD, exact=False, citation="Zhu, Dong and Wang 2022, arXiv 2106.08567")
def profile_to_losses(guarantee: RDP | ZCDP, *, count: Any = COUNT) -> PLD:
    """A pair with the guarantee's curve, through its supporting lines.

    Valid, and lossy twice: by what the lines leave out, and because a curve says less than the bounds it came from. Compose in
    the form's own currency first.

    Args:
        guarantee: A form that has a curve, but no pair of its own.
        count: How many supporting lines at most.
    """
    return corners_to_losses(supported(guarantee, count=count))


@conversion(Mixed, PLD, exact=False, citation="Zhu, Dong and Wang 2022, arXiv 2106.08567")
def mixed_to_losses(guarantee: Mixed, *, count: Any = COUNT) -> PLD:
    """The pairs as they are, beside one with the curve of the divergences; parameters as for those."""
    return guarantee.as_losses(count=count)
