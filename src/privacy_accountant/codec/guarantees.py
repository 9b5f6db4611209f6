"""Enters the guarantees, the risk target and what mechanisms share in the table of tags."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from privacy_accountant.codec.table import Json, decode, encode, enter
from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.mixed import Mixed
from privacy_accountant.guarantees.pld import PLD
from privacy_accountant.guarantees.pld.pairs.bounded_range import BoundedRangePair
from privacy_accountant.guarantees.pld.pairs.category_pair import CategoryPair
from privacy_accountant.guarantees.pld.pairs.closed_pairs import (
    GaussianPair,
    LaplacePair,
    RandomizedResponsePair,
)
from privacy_accountant.guarantees.pld.pairs.discrete import DiscreteGaussianPair, DiscreteLaplacePair
from privacy_accountant.guarantees.pld.pairs.finite_pair import FinitePair
from privacy_accountant.guarantees.pld.pairs.fixed_sample import FixedSizeGaussianPair
from privacy_accountant.guarantees.pld.pairs.lattice_pair import LatticePair
from privacy_accountant.guarantees.pld.pairs.subsampled import (
    SubsampledGaussianPair,
    SubsampledLaplacePair,
)
from privacy_accountant.guarantees.pld.pairs.subsampled_discrete import SubsampledDiscretePair
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.risk_target import Risk
from privacy_accountant.guarantees.tradeoff import TradeOff
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.neighbors import Neighbors, Sensitivity


def _write_neighbors(member: Neighbors) -> dict[str, Json]:
    return {"name": member.name}


def _read_neighbors(fields: dict[str, Json]) -> Neighbors:
    name = fields.get("name")
    if not isinstance(name, str) or name not in Neighbors.__members__:
        raise InvalidParameterError("neighbors", f"one of {', '.join(Neighbors.__members__)}", name)
    return Neighbors[name]


def _write_sensitivity(value: Sensitivity) -> dict[str, Json]:
    if value.per_value is not None:
        return {"per_value": encode(value.per_value), "values": encode(value.values)}
    norms = {"l1": value.l1, "l2_squared": value.l2_squared}
    return {name: encode(norm) for name, norm in norms.items() if norm is not None}


def _read_sensitivity(fields: dict[str, Json]) -> Sensitivity:
    values: dict[str, Any] = {name: decode(value) for name, value in fields.items()}
    if "per_value" in values:
        return Sensitivity(**values)
    l1, l2_squared = values.get("l1"), values.get("l2_squared")
    # The norms are kept squared because their root need not be rational: checked here, and put back as they were.
    norms = [norm for norm in (l1, l2_squared) if norm is not None]
    if (
        not norms
        or set(values) - {"l1", "l2_squared"}
        or not all(isinstance(n, Fraction) and n > 0 for n in norms)
    ):
        raise InvalidParameterError("sensitivity", "given with l1 and l2_squared, positive rationals", fields)
    if l1 is not None and l2_squared is not None and l2_squared > l1 * l1:
        raise InvalidParameterError("sensitivity", "given with l2_squared at most the square of l1", fields)
    result = Sensitivity.__new__(Sensitivity)
    result.__attrs_init__(l1, l2_squared, None, None)
    return result


_ENTERED = (
    (ADP, "ADP"),
    (GDP, "GDP"),
    (Mixed, "Mixed"),
    (PLD, "PLD"),
    (RDP, "RDP"),
    (Risk, "Risk"),
    (TradeOff, "TradeOff"),
    (ZCDP, "ZCDP"),
    (BoundedRangePair, "BoundedRangePair"),
    (CategoryPair, "CategoryPair"),
    (DiscreteGaussianPair, "DiscreteGaussianPair"),
    (DiscreteLaplacePair, "DiscreteLaplacePair"),
    (FinitePair, "FinitePair"),
    (GaussianPair, "GaussianPair"),
    (LaplacePair, "LaplacePair"),
    (LatticePair, "LatticePair"),
    (RandomizedResponsePair, "RandomizedResponsePair"),
    (FixedSizeGaussianPair, "FixedSizeGaussianPair"),
    (SubsampledDiscretePair, "SubsampledDiscretePair"),
    (SubsampledGaussianPair, "SubsampledGaussianPair"),
    (SubsampledLaplacePair, "SubsampledLaplacePair"),
)
for _cls, _tag in _ENTERED:
    enter(_cls, _tag)
enter(Neighbors, "Neighbors", write=_write_neighbors, read=_read_neighbors)
enter(Sensitivity, "Sensitivity", write=_write_sensitivity, read=_read_sensitivity)
