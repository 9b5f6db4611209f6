"""The canonical form of a composition: a multiset of pairs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import attrs

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import canonical, exact, integer
from privacy_accountant.guarantees.pld.pairs.closed_pairs import GaussianPair
from privacy_accountant.guarantees.pld.pairs.dominating import DominatingPair
from privacy_accountant.guarantees.pld.profiles.assemble import Parts

_PART_RULE = "a sequence of (DominatingPair, count) with counts >= 1"


def canonical_parts(value: object) -> Parts:
    """The canonical multiset: Gaussians merged, equal pairs counted, pairs without any loss left out, sorted."""
    if not isinstance(value, Iterable):
        raise InvalidParameterError("parts", _PART_RULE, value)
    counts: dict[DominatingPair, int] = {}
    gaussian: Fraction | None = Fraction(0)
    for item in value:
        if not isinstance(item, (tuple, list)) or len(item) != 2 or not isinstance(item[0], DominatingPair):
            raise InvalidParameterError("parts", _PART_RULE, item)
        pair, count = item[0], integer(item[1], "count", "an integer >= 1", least=1)
        if isinstance(pair, GaussianPair):
            gaussian = (
                None
                if gaussian is None or pair.infinity_mass == 1
                else gaussian + exact(pair.mu_squared) * count
            )
        elif pair.has_loss or pair.infinity_mass > 0:
            counts[pair] = counts.get(pair, 0) + count
    if gaussian is None:
        counts[GaussianPair(math.inf)] = 1
    elif gaussian > 0:
        counts[GaussianPair(canonical(gaussian))] = 1
    return tuple(sorted(counts.items(), key=_order))


def _order(part: tuple[DominatingPair, int]) -> tuple[Any, ...]:
    kind: Any = type(part[0])
    values = (getattr(part[0], field.name) for field in attrs.fields(kind))
    return (kind.__qualname__, *(v if isinstance(v, (int, float, Fraction)) else repr(v) for v in values))
