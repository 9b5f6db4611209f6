"""Any form to (epsilon, delta): one point of its privacy profile."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import float_down, float_up, non_negative_or_infinite, probability
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.mixed import Mixed
from privacy_accountant.guarantees.pld import PLD
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.registry import conversion
from privacy_accountant.guarantees.tradeoff import TradeOff
from privacy_accountant.guarantees.zcdp import ZCDP

Rule = Callable[..., ADP]


def on_profile(guarantee: PrivacyGuarantee, *, delta: Any = None, epsilon: Any = None) -> ADP:
    """The point of the profile at a delta, or at an epsilon.

    The question is asked at the float on the strict side of the decimal that was typed, and the answer is rounded up, as
    a number and as a decimal.

    Raises:
        InvalidParameterError: When neither or both of delta and epsilon are given, or one is out of range.
    """
    if (delta is None) == (epsilon is None):
        raise InvalidParameterError(
            "delta", "given, or epsilon instead (exactly one of them)", (delta, epsilon)
        )
    if epsilon is None:
        bound = probability(delta, "delta")
        return ADP(_above(guarantee.get_epsilon(float_down(bound))), bound)
    at = non_negative_or_infinite(epsilon, "epsilon")
    return ADP(at, min(1.0, _above(guarantee.get_delta(float_down(at)))))


def _above(value: float) -> float:
    """A float whose decimal is not below the binary number that was computed."""
    return float_up(Fraction(value)) if value < float("inf") else value


def _register(source: type[PrivacyGuarantee], citation: str) -> None:
    conversion(source, ADP, exact=False, citation=citation)(on_profile)


_register(GDP, "Dong, Roth and Su 2019, arXiv 1905.02383; Balle and Wang 2018, arXiv 1805.06530")
_register(RDP, "Zhu, Dong and Wang 2022, arXiv 2106.08567; Riess et al. 2026, arXiv 2602.04562")
_register(ZCDP, "Zhu, Dong and Wang 2022, arXiv 2106.08567; Riess et al. 2026, arXiv 2602.04562")
_register(PLD, "Zhu, Dong and Wang 2022, arXiv 2106.08567")
_register(Mixed, "Bun and Steinke 2016, arXiv 1605.02065; Zhu, Dong and Wang 2022, arXiv 2106.08567")
_register(TradeOff, "Dong, Roth and Su 2019, arXiv 1905.02383")


@conversion(ADP, ADP, exact=False, citation="Kairouz, Oh and Viswanath 2015, arXiv 1311.0776")
def along_the_profile(guarantee: ADP, *, delta: Any = None, epsilon: Any = None) -> ADP:
    """Another point of the profile of randomized response; the pair itself when nothing is asked."""
    return (
        guarantee
        if delta is None and epsilon is None
        else on_profile(guarantee, delta=delta, epsilon=epsilon)
    )
