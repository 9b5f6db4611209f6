"""Gaussian guarantees: mu squared adds (Dong, Roth and Su 2019, arXiv 1905.02383, Corollary 3.3)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from privacy_accountant.exact import exact, is_infinite, root_up, sum_up
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.registry import power, total


@total(GDP, rank=3)
def add_squares(guarantees: Sequence[GDP]) -> GDP:
    """The root of the sum of squares: exact when it is rational and its square short, else rounded up."""
    if any(is_infinite(guarantee.mu) for guarantee in guarantees):
        return GDP(math.inf)
    return GDP(root_up(sum_up(exact(guarantee.mu) ** 2 for guarantee in guarantees)))


@power(GDP)
def scale_square(guarantee: GDP, count: int) -> GDP:
    """sqrt(count) mu."""
    if is_infinite(guarantee.mu):
        return guarantee
    return GDP(root_up(count * exact(guarantee.mu) ** 2))
