"""From symbolic parts to a profile: the simplest way of computing that answers them."""

from __future__ import annotations

import functools
import itertools
import math
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from privacy_accountant.exact import exact, float_up
from privacy_accountant.guarantees.pld.moments.families import Array
from privacy_accountant.guarantees.pld.moments.loss_sum import LossSum
from privacy_accountant.guarantees.pld.pairs.closed_pairs import (
    DominatingPair,
    GaussianPair,
    LaplacePair,
    RandomizedResponsePair,
    as_float,
)
from privacy_accountant.guarantees.pld.profiles import loud, rough
from privacy_accountant.guarantees.pld.profiles.atomic import MOST_ATOMS, AtomicLaw
from privacy_accountant.guarantees.pld.profiles.contour import Measure
from privacy_accountant.guarantees.pld.profiles.contour_profile import SMALL_MEAN, ContourProfile
from privacy_accountant.guarantees.pld.profiles.cropped_profile import REACHES, CroppedProfile
from privacy_accountant.guarantees.pld.profiles.infinity import Infinity
from privacy_accountant.guarantees.pld.profiles.lattice_profile import Lattice, LatticeProfile
from privacy_accountant.guarantees.pld.profiles.profile import Profile
from privacy_accountant.guarantees.pld.profiles.simple_profiles import (
    AtomicProfile,
    BetweenProfile,
    ClosedProfile,
    Nothing,
)
from privacy_accountant.guarantees.pld.profiles.summit import Summit
from privacy_accountant.numerics.contour import atoms as numeric_atoms

Parts: TypeAlias = tuple[tuple[DominatingPair, int], ...]

_REMEMBERED = 32
_MOST_FOLDED = 1 << 21
_MOST_LATTICE_POINTS = 1 << 40
"""A step so fine that the whole range of losses holds more points than this is no lattice in doubles."""


@functools.lru_cache(maxsize=_REMEMBERED)
def profile_of(parts: Parts, *, numeric: bool = False) -> Profile:
    """The profile of one direction of the composition of `parts`; remembered for the last few compositions.

    With `numeric` even what has a closed form, or few atoms, is integrated.
    """
    lower = tuple((pair.dominated, count) for pair, count in parts)
    if lower != parts:
        return BetweenProfile(_profile(parts), _profile(lower))
    whole = _profile(parts, numeric=numeric)
    gridded = tuple((pair.gridded, count) for pair, count in parts)
    if gridded != parts and isinstance(whole, ContourProfile):
        crops = [tuple((pair.cropped(reach), count) for pair, count in parts) for reach in REACHES]
        makers = [functools.partial(_profile, crop) for crop in crops if crop != parts]
        return CroppedProfile(whole, makers, functools.partial(profile_of, gridded))
    return whole


def _profile(parts: Parts, *, numeric: bool = False) -> Profile:
    infinity = Infinity.of([(pair.infinity_mass, count) for pair, count in parts])
    tops = [(pair.top, count) for pair, count in parts]
    top = (
        None
        if any(t is None for t, _ in tops)
        else sum((t * n for t, n in tops if t is not None), Fraction(0))
    )
    if infinity.rest_high == 0 or (top is not None and top <= 0):
        return Nothing(infinity)
    curve = parts[0][0].curve() if parts[0][1] == len(parts) == 1 else None
    if curve is not None and not numeric:
        return ClosedProfile(infinity, top, curve)
    finite = tuple((pair, count) for pair, count in parts if pair.has_loss)
    size = rough.size_of(finite)
    written = size <= rough.LARGEST and math.prod(pair.count_atoms(n) for pair, n in finite) <= MOST_ATOMS
    if written and not numeric:
        return AtomicProfile(infinity, top, _law(finite))
    if rough.LEAST <= size <= rough.LARGEST:
        if (apart := loud.split(finite)) is not None:
            return loud.LoudProfile(infinity, top, _joint_law(apart[0])[:3], _profile(apart[1]))
        return _contour_profile(infinity, top, finite)
    below = rough.below(parts)
    return rough.profile(infinity, top, finite, _profile(below) if below not in ((), parts) else None)


def directions(parts: Parts, *, numeric: bool = False) -> tuple[Profile, ...]:
    """One profile when every pair is symmetric, else one for each direction."""
    forward = profile_of(parts, numeric=numeric)
    if all(pair.is_symmetric for pair, _ in parts):
        return (forward,)
    return forward, profile_of(tuple((pair.reversed(), count) for pair, count in parts), numeric=numeric)


def is_closed(parts: Parts) -> bool:
    """Whether a closed form, or a sum over atoms, answers."""
    return all(
        isinstance(profile, (ClosedProfile, AtomicProfile, Nothing))
        and not isinstance(profile, rough.RoughProfile)
        for profile in directions(parts)
    )


def loss_sum(parts: Parts) -> LossSum:
    """The finite losses as arrays, one family for each class of pairs; Gaussians as their total variance."""
    gaussian = sum(
        (exact(pair.mu_squared) * n for pair, n in parts if isinstance(pair, GaussianPair)), Fraction(0)
    )
    rest = [(pair, n) for pair, n in parts if not isinstance(pair, GaussianPair)]
    groups = itertools.groupby(sorted(rest, key=_class_name), key=lambda member: type(member[0]))
    return LossSum(float(gaussian), tuple(cls.family(list(members)) for cls, members in groups))


def log_moment(parts: Parts, c: float) -> float:
    """Upper bound on log E[e^{cL}] of the finite losses, scaled to mass 1."""
    finite = tuple(part for part in parts if part[0].has_loss)
    if not rough.LEAST <= rough.size_of(finite) <= rough.LARGEST:
        return rough.log_moment(finite, c)
    k = loss_sum(finite).cumulant(c)
    return k.value + k.error


def _class_name(member: tuple[DominatingPair, int]) -> str:
    return type(member[0]).__qualname__


def _law(parts: Parts, log_share: float = 0.0) -> AtomicLaw:
    losses, logs, lost, factors, terms = _joint_law(parts)
    return AtomicLaw.of(losses, logs + log_share, factors=factors, terms=terms, lost=lost)


def _joint_law(parts: Parts) -> tuple[Array, Array, float, int, int]:
    """Atoms, log masses and left-out mass, and how many roundings are in a mass and in a loss; see `AtomicLaw.of`."""
    losses, logs, lost, factors, terms = np.zeros(1), np.zeros(1), 0.0, 1, 1
    for pair, count in parts:
        more_losses, more_logs, more_lost = pair.law(count)
        losses, logs = numeric_atoms.product_law((losses, logs), (more_losses, more_logs))
        lost += more_lost
        factors += 1 if count == 1 or isinstance(pair, RandomizedResponsePair) else 2 * len(more_logs)
        terms += 2 if count == 1 or pair.lattice is not None else len(more_logs)
    return losses, logs, lost, factors, terms


def _contour_profile(infinity: Infinity, top: Fraction | None, parts: Parts) -> Profile:
    whole = loss_sum(parts)
    limit = math.inf if top is None else float_up(top)
    measure = Measure(whole, top=limit)
    if whole.gaussian > 0:
        return ContourProfile(infinity, top, measure)
    if (lattice := _lattice(parts, limit)) is not None:
        return LatticeProfile(infinity, top, measure, lattice)
    law = None
    if (split := _split_atoms(parts)) is not None:
        atoms, share = split
        measure, law = Measure(whole, loss_sum(atoms), share, top=limit), _law(atoms, share)
    return ContourProfile(infinity, top, measure, atoms=law, summit=Summit.of(parts, top))


def _lattice(parts: Parts, limit: float) -> Lattice | None:
    """The coarsest lattice that holds all losses, when it is coarse enough to be folded."""
    points, steps, size = Fraction(0), [], 0.0
    for pair, count in parts:
        if pair.lattice is None:
            return None
        step, point = pair.lattice
        steps.append(step)
        points += point * count
        size += float(point) * count
    common = functools.reduce(_common_measure, steps)
    if common.denominator.bit_length() > 900 or float(common) * _MOST_LATTICE_POINTS < size:
        return None
    k = loss_sum(parts).cumulant(0.0)
    scale = max(min(math.sqrt(k.second), limit), 0.0 if k.first < SMALL_MEAN else 1.0)
    if 60 * scale / float(common) > _MOST_FOLDED:
        return None
    return Lattice(float(common), float(points))


def _common_measure(a: Fraction, b: Fraction) -> Fraction:
    return Fraction(
        math.gcd(a.numerator * b.denominator, b.numerator * a.denominator), a.denominator * b.denominator
    )


def _split_atoms(parts: Parts) -> tuple[Parts, float] | None:
    """The atoms of a mix of Laplace and discrete losses, as discrete pairs, and the log of their share.

    A Laplace loss has atoms at both ends, in the proportion of randomized response, of total mass (1 + e^-eps) / 2. They are
    all that is not smooth; without them the smoothing error is of first order everywhere.
    """
    if len(parts) > math.log2(MOST_ATOMS):
        return None
    atoms: dict[DominatingPair, int] = {}
    share = 0.0
    for pair, count in parts:
        twin = pair
        if isinstance(pair, LaplacePair):
            share += count * (math.log1p(math.exp(-as_float(pair.epsilon))) - math.log(2))
            twin = RandomizedResponsePair(pair.epsilon)
        elif isinstance(pair, RandomizedResponsePair):
            twin = RandomizedResponsePair(pair.epsilon)
        atoms[twin] = atoms.get(twin, 0) + count
    if math.prod(pair.count_atoms(count) for pair, count in atoms.items()) > MOST_ATOMS:
        return None
    return tuple(atoms.items()), share
