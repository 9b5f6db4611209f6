"""Single privacy loss distributions to and from dp-accounting, which is loaded only when one of these is called.

Its composed grids are not certified (their round-off can fall on the unsafe side at small deltas), so what is exchanged should be
single releases; composition is done here.
"""

from __future__ import annotations

import math
from typing import Any

import attrs
import numpy as np

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import positive
from privacy_accountant.guarantees.pld.form import PLD
from privacy_accountant.guarantees.pld.moments.families import Array
from privacy_accountant.guarantees.pld.pairs.lattice_pair import LatticePair
from privacy_accountant.guarantees.pld.profiles.assemble import directions
from privacy_accountant.guarantees.pld.profiles.profile import LINE_TOLERANCE

_TAIL = 1e-15
_MOST_POINTS = 1 << 22


def from_dp_accounting(losses: Any) -> PLD:
    """A dp-accounting privacy loss distribution as one pair on its lattice, both directions kept.

    The masses are taken as they stand: its pessimistic estimates round losses up, and what they truncate is mass at infinity.
    "Remove" becomes the forward direction and "add" its back; a symmetric one needs no back.

    Args:
        losses: A `dp_accounting.pld.privacy_loss_distribution.PrivacyLossDistribution`.

    Returns:
        A PLD of one `LatticePair`.

    Raises:
        InvalidParameterError: When it is not such an object, is an optimistic estimate, or its probabilities do not add up.
    """
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution  # noqa: PLC0415 (loaded when asked for)

    if not isinstance(losses, PrivacyLossDistribution):
        raise InvalidParameterError(
            "losses", "a dp-accounting PrivacyLossDistribution", type(losses).__name__
        )
    forward = _pair(losses._pmf_remove)
    if losses._symmetric:
        return PLD.of(forward)
    return PLD.of(attrs.evolve(forward, back=_pair(losses._pmf_add)))


def to_dp_accounting(form: PLD, *, value_discretization_interval: float = 1e-4) -> Any:
    """A pessimistic dp-accounting privacy loss distribution of this form, by connecting the dots between certified deltas.

    The profile of what comes out is that of `form` at every multiple of the interval (up to the certified gap, from above) and
    the chord in e^epsilon between them, hence an upper bound everywhere; composing it there is no longer certified.

    Args:
        form: The form.
        value_discretization_interval: Distance of lattice points.

    Returns:
        A `dp_accounting.pld.privacy_loss_distribution.PrivacyLossDistribution`.

    Raises:
        InvalidParameterError: When the interval is not positive, or so small that the lattice would hold millions of points.
    """
    from dp_accounting.pld import pld_pmf  # noqa: PLC0415 (loaded when asked for)
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution  # noqa: PLC0415

    step = float(positive(value_discretization_interval, "value_discretization_interval"))
    profiles = directions(form.parts)
    reach = max(
        profile.epsilon(max(_TAIL, 2 * profile.infinity.high), LINE_TOLERANCE)[1] for profile in profiles
    )
    if not reach / step < _MOST_POINTS:
        rule = f"so large that {_MOST_POINTS} points reach an epsilon of {reach:.3g}"
        raise InvalidParameterError("value_discretization_interval", rule, step)
    points = np.arange(0, max(math.ceil(reach / step), 1) + 1)
    e: Array = np.asarray(points * step, dtype=np.float64)
    halves = [profile.swift_bounds(e) for profile in profiles]
    masses = []
    for i in range(len(profiles)):
        ahead, behind = halves[i][0], halves[-1 - i][1]
        deltas = np.concatenate((_negative(e[1:], behind[1:])[::-1], ahead))
        index = np.concatenate((-points[1:][::-1], points))
        masses.append(pld_pmf.create_pmf_pessimistic_connect_dots(step, index, np.minimum.accumulate(deltas)))
    return PrivacyLossDistribution(*masses)


def _negative(size: Array, room: Array) -> Array:
    """delta(-e) = 1 - e^-e (1 - delta(e)) of the other direction."""
    return np.clip(1 - np.exp(-size) * room, 0.0, 1.0)


def _pair(pmf: Any) -> LatticePair:
    if not pmf._pessimistic_estimate:
        raise InvalidParameterError("losses", "a pessimistic estimate", "an optimistic one")
    if hasattr(pmf, "_loss_probs"):
        pmf = pmf.to_dense_pmf()
    masses = np.maximum(np.asarray(pmf._probs, dtype=np.float64), 0.0)
    there = np.flatnonzero(masses)
    first, last = (int(there[0]), int(there[-1])) if len(there) else (0, 0)
    return LatticePair(
        float(pmf._discretization),
        int(pmf._lower_loss) + first,
        [float(m) for m in masses[first : last + 1]],
        infinity=float(pmf._infinity_mass),
    )
