"""Any loss on a lattice: probabilities that were computed elsewhere, such as another accountant's discretised pair."""

from __future__ import annotations

import math
from fractions import Fraction

import attrs
import numpy as np

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import Real, exact, integer, positive, real
from privacy_accountant.guarantees.pld.moments.families import Array, LossFamily, Several
from privacy_accountant.guarantees.pld.moments.lattice_family import LatticeFamily
from privacy_accountant.guarantees.pld.pairs.closed_pairs import Members, as_float
from privacy_accountant.guarantees.pld.pairs.table_pair import (
    TablePair,
    one_direction,
    read_infinity,
    read_masses,
)
from privacy_accountant.guarantees.pld.profiles.atomic import MOST_ATOMS, MOST_CONVOLVED
from privacy_accountant.numerics.contour.atoms import POWER_LOST, power_law


def _step(value: object) -> Real:
    return positive(value, "step")


def _first(value: object) -> int:
    return integer(value, "first")


def _offset(value: object) -> Real:
    return real(value, "offset")


def _masses(value: object) -> tuple[Real, ...]:
    masses = read_masses(value)
    if not any(mass > 0 for mass in masses):
        raise InvalidParameterError("masses", "a sequence with a positive probability", masses)
    return masses


@attrs.frozen(cache_hash=True)
class LatticePair(TablePair):
    """A pair whose loss is `offset + (first + j) * step` with probability `masses[j]`, infinite with probability `infinity`.

    The masses are taken as they stand: whoever rounded a continuous loss to the lattice did so upwards. What they miss of 1 is
    counted as error. A pair whose directions differ brings both: `back` is the loss of (Q, P), under Q.

    Attributes:
        step: Distance of lattice points, exact.
        first: Index of the first mass.
        masses: Probabilities under P.
        infinity: Probability of an infinite loss.
        offset: Added to every loss, exact.
        back: The other direction; None states that the two have one curve.

    Raises:
        InvalidParameterError: When the probabilities do not add up, or `back` has a `back` of its own.

    Example:
        >>> from privacy_accountant.guarantees.pld import PLD
        >>> coin = LatticePair(step=1, first=-1, masses=(0.25, 0, 0.75))
        >>> round(PLD.of(coin).get_delta(0.0), 6)
        0.47409
    """

    step: Real = attrs.field(converter=_step)
    first: int = attrs.field(converter=_first)
    masses: tuple[Real, ...] = attrs.field(converter=_masses)
    infinity: Real = attrs.field(default=0.0, converter=read_infinity)
    offset: Real = attrs.field(default=0.0, converter=_offset)
    back: LatticePair | None = attrs.field(default=None, validator=one_direction)

    def __attrs_post_init__(self) -> None:
        self.check_sum()

    @property
    def top(self) -> Fraction | None:
        """See `DominatingPair.top`."""
        last = max(j for j, mass in enumerate(self.masses) if mass > 0)
        return (self.first + last) * exact(self.step) + exact(self.offset)

    @property
    def lattice(self) -> tuple[Fraction, Fraction] | None:
        """See `DominatingPair.lattice`."""
        return exact(self.step), exact(self.step) * self.first + exact(self.offset)

    def count_atoms(self, count: int) -> float:
        """See `DominatingPair.count_atoms`."""
        size = count * (len(self.masses) - 1) + 1
        return size if size <= (MOST_ATOMS if count == 1 else MOST_CONVOLVED) else math.inf

    def law(self, count: int) -> tuple[Array, Array, float]:
        """See `DominatingPair.law`."""
        masses: Array = np.array([as_float(m) for m in self.masses], dtype=np.float64)
        masses = power_law(masses / masses.sum(), count)
        index = np.flatnonzero(masses)
        losses = count * as_float(self.offset) + (count * self.first + index) * as_float(self.step)
        return (
            np.asarray(losses),
            np.asarray(np.log(masses[index])),
            count * self.missing + len(masses) * POWER_LOST,
        )

    def _arrays(self) -> tuple[Array, Array]:
        masses: Array = np.array([as_float(m) for m in self.masses], dtype=np.float64)
        index = np.flatnonzero(masses > 0)
        return np.asarray(self.first + index, dtype=np.float64), np.asarray(masses[index])

    @classmethod
    def family(cls, members: Members) -> LossFamily:
        """See `DominatingPair.family`."""
        return Several(tuple(_family(pair, count) for pair, count in members))


def _family(pair: LatticePair, count: int) -> LatticeFamily:
    index, masses = pair._arrays()
    step, offset = as_float(pair.step), as_float(pair.offset)
    shares = np.asarray(masses / masses.sum())
    rest = 1 - as_float(pair.infinity)
    return LatticeFamily(offset + step * index, shares, count, pair.missing / rest, step, index)
