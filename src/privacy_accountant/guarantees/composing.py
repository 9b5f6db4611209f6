"""The guarantee of several releases together."""

from __future__ import annotations

from typing import cast

from privacy_accountant.guarantees import registry
from privacy_accountant.guarantees.base import PrivacyGuarantee


def compose(*guarantees: PrivacyGuarantee) -> PrivacyGuarantee:
    """The guarantee of several releases together, all fixed in advance.

    Guarantees of one form add up by that form's own rule, all at once; then the forms meet, those that can only be kept in
    their own currency (RDP, then zCDP) first. So the order of the arguments does not matter, nor how they are grouped, but for Renyi
    bounds at different orders: composed early, they keep only the orders that they share.

    Args:
        *guarantees: At least one guarantee, in any forms.

    Returns:
        Their composition. GDP stays GDP; ADP, PLD, TradeOff and mixtures of them with GDP become a PLD, which is exact; ZCDP and RDP
        add in their own currency, and beside any other form each keeps its own (`Mixed`, which can only be bounded, and answers by
        the better of two bounds).

    Raises:
        InvalidParameterError: When there is none, or one is not a guarantee.
        UnsupportedConversionError: When two forms have no common one; the error says what would work.

    Example:
        >>> from privacy_accountant import ADP, GDP, ZCDP, compose
        >>> compose(GDP(3.0), GDP(4.0)), compose(ZCDP(0.1), GDP(1.0), ZCDP(0.2)).to(ZCDP)
        (GDP(mu=5.0), ZCDP(rho=0.8))
        >>> round(compose(ADP(0.5), GDP(1.0)).advantage, 4)
        0.4249
    """
    return cast("PrivacyGuarantee", registry.compose(guarantees))
