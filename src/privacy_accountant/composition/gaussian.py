"""Gaussian guarantees: mu squared adds (Dong, Roth and Su 2019, arXiv 1905.02383, Corollary 3.3)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from privacy_accountant.exact import exact, exact_sum, root_up
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.registry import power, total


@total(GDP, rank=3)
def add_squares(guarantees: Sequence[GDP]) -> GDP:
    """The root of the sum of squares: exact when it is rational, else rounded up once."""
    if any(guarantee.mu == math.inf for guarantee in guarantees):
        return GDP(math.inf)
    return GDP(root_up(exact_sum(exact(guarantee.mu) ** 2 for guarantee in guarantees)))


@power(GDP)
def scale_square(guarantee: GDP, count: int) -> GDP:
    """sqrt(count) mu."""
    if guarantee.mu == math.inf:
        return guarantee
    return GDP(root_up(count * exact(guarantee.mu) ** 2))
