"""Groups and selection: what the exponential mechanism says about several people together."""

from __future__ import annotations

from privacy_accountant.composition.groups import _pair_group
from privacy_accountant.exact import canonical, exact
from privacy_accountant.guarantees.pld import BoundedRangePair


@_pair_group.register
def _(pair: BoundedRangePair, size: int) -> BoundedRangePair:
    """Ranges add up: neighbours of neighbours differ by the sum of two losses, whose range is at most the sum of the ranges."""
    return BoundedRangePair(canonical(size * exact(pair.epsilon)))
