"""To a piecewise-linear trade-off function: the common image of all forms, through supporting lines."""

from __future__ import annotations

from typing import Any

from privacy_accountant.conversions import tangents
from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import integer
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.arguments import read_array
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.mixed import Mixed
from privacy_accountant.guarantees.pld import PLD
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.registry import conversion
from privacy_accountant.guarantees.tradeoff import TradeOff
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.numerics.polyline import symmetric_above

COUNT = 128


def supported(guarantee: PrivacyGuarantee, *, count: Any = None, alphas: Any = None) -> TradeOff:
    """The polygon of supporting lines, nowhere above f.

    Args:
        guarantee: Any form with a profile.
        count: How many lines at most on either side of the diagonal, placed where the profile bends; 128 when nothing is given.
        alphas: False positive rates at which the polygon shall touch f, in the place of `count`.

    Raises:
        InvalidParameterError: When both are given, or one is out of range.
    """
    if count is not None and alphas is not None:
        raise InvalidParameterError("count", "given, or alphas instead (not both)", (count, alphas))
    if alphas is not None:
        at, _ = read_array(alphas, "alphas", "numbers in [0, 1]", 0.0, 1.0)
        return TradeOff._of(symmetric_above(tangents.touching(guarantee, at)))
    most = COUNT if count is None else integer(count, "count", "an integer >= 2", least=2)
    return TradeOff._of(symmetric_above(tangents.spread(guarantee, most)))


_DUALITY = "Dong, Roth and Su 2019, arXiv 1905.02383"
_REGION = "Zhu, Dong and Wang 2022, arXiv 2106.08567; Riess et al. 2026, arXiv 2602.04562"

conversion(GDP, TradeOff, exact=False, citation=_DUALITY)(supported)
conversion(RDP, TradeOff, exact=False, citation=_REGION)(supported)
conversion(ZCDP, TradeOff, exact=False, citation=_REGION)(supported)
conversion(Mixed, TradeOff, exact=False, citation=_DUALITY)(supported)
conversion(PLD, TradeOff, exact=False, citation=_DUALITY)(supported)


@conversion(ADP, TradeOff, exact=False, citation="Kairouz, Oh and Viswanath 2015, arXiv 1311.0776")
def corners_of_response(guarantee: ADP) -> TradeOff:
    """The three sides of randomized response; only the rounding of the corner is lost."""
    return TradeOff._of(symmetric_above(tangents.spread(guarantee, 2)))


@conversion(TradeOff, TradeOff, exact=False, citation=_DUALITY)
def fewer_corners(guarantee: TradeOff, *, count: Any = None, alphas: Any = None) -> TradeOff:
    """A curve with fewer corners, below this one; the curve itself when nothing is asked."""
    return guarantee if count is None and alphas is None else supported(guarantee, count=count, alphas=alphas)
