"""What a guarantee costs, exactly, in units that add up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from privacy_accountant.errors import UnsupportedConversionError
from privacy_accountant.exact import Real, exact
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.zcdp import ZCDP


def additive_cost(
    name: str, guarantee: PrivacyGuarantee, form: type[PrivacyGuarantee], orders: Sequence[Any] | None
) -> tuple[Fraction, ...]:
    """The exact cost of one release with this guarantee; see `Mechanism.price`.

    A release that is (epsilon, delta) by itself keeps its delta beside the epsilon, and is delta-approximately
    (epsilon tanh(epsilon/2))-zCDP (Harrison and Manurangsi 2025, arXiv 2510.25746).

    Raises:
        UnsupportedConversionError: When the cost is not finite in that unit, or the unit does not add up.
    """
    amounts: tuple[Real, ...]
    if form is ADP:
        pair = guarantee if isinstance(guarantee, ADP) else guarantee.to(ADP, delta=0)
        amounts = pair.epsilon, pair.delta
    elif form is ZCDP and isinstance(guarantee, ADP):
        amounts = ADP(guarantee.epsilon).to(ZCDP).rho, guarantee.delta
    elif form is ZCDP:
        amounts = guarantee.to(ZCDP).rho, 0.0
    elif form is GDP:
        amounts = (guarantee.to(GDP).mu,)
    elif form is RDP:
        amounts = guarantee.to(RDP, orders=orders).epsilons
    else:
        raise UnsupportedConversionError(
            name, getattr(form, "__name__", repr(form)), "its costs do not add up"
        )
    if math.inf in amounts:
        raise UnsupportedConversionError(
            name, form.__name__, "one release costs infinitely much in that unit"
        )
    costs = tuple(exact(amount) for amount in amounts)
    return (costs[0] ** 2,) if form is GDP else costs
