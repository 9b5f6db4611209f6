"""dp-accounting's events, read as guarantees that are composed here."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from privacy_accountant.errors import InvalidParameterError, UnsupportedConversionError
from privacy_accountant.exact import canonical, exact, integer, non_negative, positive, probability
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.composing import compose
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.pld import (
    PLD,
    DiscreteLaplacePair,
    FinitePair,
    FixedSizeGaussianPair,
    LaplacePair,
)
from privacy_accountant.guarantees.pld.exchange import from_dp_accounting
from privacy_accountant.guarantees.pld.pairs.sampling import sampled, sampled_curve
from privacy_accountant.guarantees.pld.pairs.subsampled import amplified
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.tradeoff import TradeOff
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.interop.orders import USUAL_ORDERS
from privacy_accountant.neighbors import Neighbors, read_neighbors

NOTHING = PLD()
"""Perfect privacy: the guarantee of a release that does not happen."""
EVERYTHING = GDP(math.inf)
"""No privacy."""

_REPLACED = (Neighbors.REPLACE_ONE, Neighbors.REPLACE_SPECIAL)
_INTERVAL = 1e-3
"""Distance of losses on the grid: what connecting the dots adds is of second order, and a finer grid takes minutes there."""
_SAMPLED = (Neighbors.ADD_OR_REMOVE_ONE, Neighbors.REPLACE_SPECIAL)


def from_dp_event(event: Any, *, neighbors: Any = Neighbors.ADD_OR_REMOVE_ONE) -> PrivacyGuarantee:
    """The guarantee of a dp-accounting event, composed by the certified engine of this package.

    Events are descriptions, so nothing is lost: parameters are read as the decimals that were typed, compositions are counted and not
    expanded, and a sampled event keeps both of its directions apart. Mixtures of Gaussians and truncated samples are
    discretised by dp-accounting itself, from above, one event at a time.

    Args:
        event: A `dp_accounting.DpEvent`.
        neighbors: The relation between neighbouring data sets. Some events have a meaning only under some relations.

    Returns:
        `GDP`, `ZCDP`, `RDP` (at usual orders, for zCDP with an additive part), or a `PLD`, or what these compose to.

    Raises:
        InvalidParameterError: When it is no event, its parameters are out of range, or it has no meaning under this relation.
        UnsupportedConversionError: For events that have no guarantee here; the message names the event and what would work.

    Example:
        >>> from dp_accounting import dp_event
        >>> from_dp_event(dp_event.SelfComposedDpEvent(dp_event.GaussianDpEvent(2.0), 16))
        GDP(mu=2.0)
    """
    from dp_accounting.dp_event import DpEvent  # noqa: PLC0415 (loaded when asked for)

    if not isinstance(event, DpEvent):
        raise InvalidParameterError("event", "a dp_accounting.DpEvent", event)
    return _read(event, read_neighbors(neighbors, "neighbors"))


def _read(event: Any, neighbors: Neighbors) -> PrivacyGuarantee:
    name = type(event).__name__
    if name in _REFUSED:
        raise UnsupportedConversionError(name, "a guarantee", _REFUSED[name])
    reader = _READERS.get(name)
    if reader is None:
        known = ", ".join(sorted(_READERS))
        raise UnsupportedConversionError(name, "a guarantee", f"the events that are read are {known}")
    return reader(event, neighbors)


def _require(event: Any, neighbors: Neighbors, allowed: tuple[Neighbors, ...]) -> None:
    if neighbors not in allowed:
        names = " or ".join(relation.name for relation in allowed)
        raise InvalidParameterError("neighbors", f"{names} for a {type(event).__name__}", neighbors.name)


def _noise(event: Any) -> Fraction:
    return exact(non_negative(event.noise_multiplier, "noise_multiplier"))


def _gaussian(event: Any, neighbors: Neighbors) -> PrivacyGuarantee:
    del neighbors
    noise = _noise(event)
    return GDP(canonical(1 / noise)) if noise else EVERYTHING


def _laplace(event: Any, neighbors: Neighbors) -> PrivacyGuarantee:
    del neighbors
    noise = _noise(event)
    return PLD.of(LaplacePair(canonical(1 / noise))) if noise else EVERYTHING


def _discrete_laplace(event: Any, neighbors: Neighbors) -> PrivacyGuarantee:
    del neighbors
    rate = exact(positive(event.noise_parameter, "noise_parameter"))
    shift = integer(event.sensitivity, "sensitivity", "an integer >= 1", least=1)
    return PLD.of(DiscreteLaplacePair(canonical(1 / rate), shift))


def _randomized_response(event: Any, neighbors: Neighbors) -> PrivacyGuarantee:
    """Own bucket with probability 1 - p + p/k, any other one with p/k; a blank record gives each with 1/k."""
    _require(event, neighbors, _REPLACED)
    blur = exact(probability(event.noise_parameter, "noise_parameter"))
    buckets = integer(event.num_buckets, "num_buckets", "an integer >= 1", least=1)
    other, own = blur / buckets, 1 - blur + blur / buckets
    if buckets == 1:
        return NOTHING
    if neighbors is Neighbors.REPLACE_SPECIAL:
        blank = Fraction(1, buckets)
        return PLD.of(FinitePair.of_tables((own, 1 - own), (blank, 1 - blank)))
    rest = (buckets - 2) * other
    return PLD.of(FinitePair.of_segments((own, rest, other), (other, rest, own), symmetric=True))


def _concentrated(event: Any, neighbors: Neighbors) -> PrivacyGuarantee:
    del neighbors
    rho, xi = exact(non_negative(event.rho, "rho")), exact(non_negative(event.xi, "xi"))
    if xi == 0:
        return ZCDP(canonical(rho))
    return RDP(USUAL_ORDERS, [canonical(xi + rho * exact(order)) for order in USUAL_ORDERS])


def _composed(event: Any, neighbors: Neighbors) -> PrivacyGuarantee:
    several = [_read(one, neighbors) for one in event.events]
    return compose(*several) if several else NOTHING


def _self_composed(event: Any, neighbors: Neighbors) -> PrivacyGuarantee:
    count = integer(event.count, "count", "an integer >= 0", least=0)
    return _read(event.event, neighbors).self_compose(count) if count else NOTHING


def _tree(event: Any, neighbors: Neighbors) -> PrivacyGuarantee:
    """A record is in one node on each level of one tree, so the norm of its contribution is the root of the depth."""
    _require(event, neighbors, (Neighbors.REPLACE_SPECIAL,))
    steps = event.step_counts if isinstance(event.step_counts, (list, tuple)) else [event.step_counts]
    depths = [integer(step, "step_counts", "integers >= 0", least=0).bit_length() for step in steps]
    depth = max(depths, default=0)
    return _gaussian(event, neighbors).self_compose(depth) if depth else NOTHING


def _poisson(event: Any, neighbors: Neighbors) -> PrivacyGuarantee:
    """One release on a Poisson sample: its own pair where it has one, else its curve."""
    _require(event, neighbors, _SAMPLED)
    rate, inner = (
        probability(event.sampling_probability, "sampling_probability"),
        _read(event.event, neighbors),
    )
    if rate in (0, 1):
        return inner if rate else NOTHING
    try:
        parts = inner.to(PLD).parts
    except UnsupportedConversionError:
        parts = ()
    if inner == NOTHING:
        return NOTHING
    pair = sampled(parts[0][0], rate) if len(parts) == 1 and parts[0][1] == 1 else None
    return PLD.of(pair or sampled_curve(inner.to(TradeOff).corners, rate))


def _fixed_size(event: Any, neighbors: Neighbors) -> PrivacyGuarantee:
    """One release on a sample of fixed size, as `FixedSizeSampled` has it."""
    _require(event, neighbors, (Neighbors.REPLACE_ONE,))
    population = integer(event.source_dataset_size, "source_dataset_size", "an integer >= 1", least=1)
    size = integer(event.sample_size, "sample_size", "an integer >= 0", least=0)
    if size > population:
        raise InvalidParameterError("sample_size", f"at most source_dataset_size ({population})", size)
    inner = _read(event.event, neighbors)
    if size in (0, population) or inner == NOTHING:
        return inner if size else NOTHING
    return _on_fixed_sample(inner, Fraction(size, population))


def _on_fixed_sample(inner: PrivacyGuarantee, share: Fraction) -> PrivacyGuarantee:
    """The whole curve for a Gaussian, one point of it for the rest (Balle, Barthe and Gaboardi 2018, arXiv 1807.01647)."""
    if isinstance(inner, GDP) and inner.mu < math.inf:
        return PLD.of(FixedSizeGaussianPair(canonical(share), canonical(exact(inner.mu) ** 2)))
    pure = inner if isinstance(inner, ADP) else inner.to(ADP, delta=0)
    if pure.epsilon == math.inf:
        reason = "on a sample of fixed size only Gaussian and pure epsilon releases are read"
        raise UnsupportedConversionError("SampledWithoutReplacementDpEvent", "a guarantee", reason)
    return ADP(canonical(amplified(exact(pure.epsilon), share)), canonical(share * exact(pure.delta)))


def _discretised(event: Any, neighbors: Neighbors) -> PrivacyGuarantee:
    """One event on dp-accounting's own grid, from above; its probabilities add up to 1 within 1e-9."""
    from dp_accounting.pld.pld_privacy_accountant import PLDAccountant  # noqa: PLC0415 (loaded when asked for)
    from dp_accounting.privacy_accountant import NeighboringRelation  # noqa: PLC0415

    _require(event, neighbors, _SAMPLED)
    accountant = PLDAccountant(NeighboringRelation[neighbors.name], _INTERVAL).compose(event)
    return from_dp_accounting(accountant._pld)


_READERS: dict[str, Callable[[Any, Neighbors], PrivacyGuarantee]] = {
    "NoOpDpEvent": lambda event, neighbors: NOTHING,  # noqa: ARG005
    "NonPrivateDpEvent": lambda event, neighbors: EVERYTHING,  # noqa: ARG005
    "GaussianDpEvent": _gaussian,
    "LaplaceDpEvent": _laplace,
    "DiscreteLaplaceDpEvent": _discrete_laplace,
    "RandomizedResponseDpEvent": _randomized_response,
    "ZCDpEvent": _concentrated,
    "ComposedDpEvent": _composed,
    "SelfComposedDpEvent": _self_composed,
    "PoissonSampledDpEvent": _poisson,
    "SampledWithoutReplacementDpEvent": _fixed_size,
    "SingleEpochTreeAggregationDpEvent": _tree,
    "MixtureOfGaussiansDpEvent": _discretised,
    "TruncatedSubsampledGaussianDpEvent": _discretised,
}
_REFUSED = {
    "UnsupportedDpEvent": "it stands for something that has no description; give its guarantee as Opaque(...)",
    "SampledWithReplacementDpEvent": (
        "a record may be drawn several times, and no amplification is claimed for that here; read the event"
        " inside it, for groups of as many records as one draw may hold"
    ),
    "RepeatAndSelectDpEvent": (
        "the number of repetitions is part of the release; work out its Renyi curve (arXiv 2110.03620) and"
        " give it as RDP(orders, epsilons)"
    ),
}
