"""Pairs without a closed moment function: a lattice of losses from above, another one from below."""

from __future__ import annotations

import abc
import functools
from fractions import Fraction

import attrs
import numpy as np

from privacy_accountant.guarantees.pld.moments.families import Array, LossFamily, Several
from privacy_accountant.guarantees.pld.moments.lattice_family import LatticeFamily
from privacy_accountant.guarantees.pld.pairs.closed_pairs import DominatingPair, Members
from privacy_accountant.numerics.contour.grids import HalfCells, connect_the_dots, contract

_SLACK = 1e-12
"""Bound on the relative error of a mass."""


@attrs.frozen(eq=False)
class Grid:
    """Probabilities of losses `step * index`, and of an infinite one."""

    step: float
    index: Array
    masses: Array
    infinity: float


class GridPair(DominatingPair):
    """A continuous pair, known through the probabilities of small cells of its loss.

    Composition takes a lattice law that dominates it (connect the dots) for upper bounds and one that it dominates (a
    contraction) for lower bounds, each composed by contours: the interval contains the truth. A pair says which direction it
    is; `reversed` is the other.
    """

    __slots__ = ()

    @abc.abstractmethod
    def half_cells(self) -> HalfCells:
        """Probabilities of half cells under P and Q, right within 1e-12 of each, or of the tail beyond them."""

    @property
    def top(self) -> Fraction | None:
        """See `DominatingPair.top`: that of the dominating lattice."""
        grid = _upper(self)
        return Fraction(grid.step) * int(grid.index[-1])

    @property
    def infinity_mass(self) -> Fraction:
        """See `DominatingPair.infinity_mass`: what lies above the dominating lattice."""
        return Fraction(_upper(self).infinity)

    @property
    def lattice(self) -> tuple[Fraction, Fraction] | None:
        """See `DominatingPair.lattice`."""
        return Fraction(_upper(self).step), Fraction(0)

    @property
    def dominated(self) -> DominatingPair:
        """See `DominatingPair.dominated`."""
        return LowerPair(self)

    @classmethod
    def family(cls, members: Members) -> LossFamily:
        """See `DominatingPair.family`."""
        return Several(tuple(_family(_upper(pair), count) for pair, count in members))


@attrs.frozen(cache_hash=True)
class LowerPair(DominatingPair):
    """What a `GridPair` dominates; it serves lower bounds and is never part of a guarantee."""

    pair: GridPair

    @property
    def is_symmetric(self) -> bool:
        """See `DominatingPair.is_symmetric`."""
        return self.pair.is_symmetric

    def reversed(self) -> DominatingPair:
        """See `DominatingPair.reversed`."""
        return self.pair.reversed().dominated

    @property
    def top(self) -> Fraction | None:
        """See `DominatingPair.top`."""
        grid = _lower(self.pair)
        return Fraction(grid.step) * int(grid.index[-1])

    @property
    def lattice(self) -> tuple[Fraction, Fraction] | None:
        """See `DominatingPair.lattice`."""
        return Fraction(_lower(self.pair).step), Fraction(0)

    @classmethod
    def family(cls, members: Members) -> LossFamily:
        """See `DominatingPair.family`."""
        return Several(tuple(_family(_lower(member.pair), count) for member, count in members))


@functools.lru_cache(maxsize=16)
def _cells(pair: GridPair) -> HalfCells:
    return pair.half_cells()


@functools.lru_cache(maxsize=16)
def _upper(pair: GridPair) -> Grid:
    cells = _cells(pair)
    masses, infinity = connect_the_dots(cells)
    return _grid(cells, masses, infinity)


@functools.lru_cache(maxsize=16)
def _lower(pair: GridPair) -> Grid:
    cells = _cells(pair)
    return _grid(cells, contract(cells), 0.0)


def _grid(cells: HalfCells, masses: Array, infinity: float) -> Grid:
    there = np.flatnonzero(masses > 0)
    return Grid(cells.step, np.asarray(cells.first + there, dtype=np.float64), masses[there], infinity)


def _family(grid: Grid, count: int) -> LatticeFamily:
    total = float(grid.masses.sum())
    missing = abs(total + grid.infinity - 1) / total + _SLACK
    return LatticeFamily(grid.step * grid.index, grid.masses / total, count, missing, grid.step, grid.index)
