"""zCDP: rho adds (Bun and Steinke 2016, arXiv 1605.02065), and everything that has a rho joins in.

A part with delta > 0 has none; the conversion says so, and what would work.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from privacy_accountant.exact import canonical, exact
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.pld import PLD
from privacy_accountant.guarantees.registry import composition, power, total
from privacy_accountant.guarantees.zcdp import ZCDP


@total(ZCDP, rank=1)
def add_rho(guarantees: Sequence[ZCDP]) -> ZCDP:
    """The sum of all rho, exactly."""
    if any(guarantee.rho == math.inf for guarantee in guarantees):
        return ZCDP(math.inf)
    return ZCDP(canonical(sum((exact(guarantee.rho) for guarantee in guarantees), Fraction(0))))


@composition(ZCDP, GDP)
@composition(ZCDP, ADP)
@composition(ZCDP, PLD)
def join(first: ZCDP, second: GDP | ADP | PLD) -> ZCDP:
    """The sum with the rho of the other part."""
    return add_rho((first, second.to(ZCDP)))


@power(ZCDP)
def scale_rho(guarantee: ZCDP, count: int) -> ZCDP:
    """count times rho, exactly."""
    return guarantee if guarantee.rho == math.inf else ZCDP(canonical(count * exact(guarantee.rho)))
