"""zCDP: rho adds (Bun and Steinke 2016, arXiv 1605.02065)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from privacy_accountant.exact import canonical, exact, is_infinite, sum_up
from privacy_accountant.guarantees.registry import power, total
from privacy_accountant.guarantees.zcdp import ZCDP


@total(ZCDP, rank=1)
def add_rho(guarantees: Sequence[ZCDP]) -> ZCDP:
    """The sum of all rho: exact while it is short, then from above (`exact.sum_up`)."""
    if any(is_infinite(guarantee.rho) for guarantee in guarantees):
        return ZCDP(math.inf)
    return ZCDP(canonical(sum_up(exact(guarantee.rho) for guarantee in guarantees)))


@power(ZCDP)
def scale_rho(guarantee: ZCDP, count: int) -> ZCDP:
    """count times rho, exactly."""
    return guarantee if is_infinite(guarantee.rho) else ZCDP(canonical(count * exact(guarantee.rho)))
