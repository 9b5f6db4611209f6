"""Gaussian noise on a Poisson sample as probabilities on lattices, for the few releases and the rare samples that contours serve badly."""

from __future__ import annotations

import math

import attrs
import numpy as np
from scipy.special import ndtr

from privacy_accountant.exact import Real, exact
from privacy_accountant.guarantees.pld.moments.families import UNIT, Array
from privacy_accountant.guarantees.pld.pairs.closed_pairs import DominatingPair, as_float
from privacy_accountant.guarantees.pld.pairs.grid_pair import GridPair
from privacy_accountant.numerics.contour.grids import HalfCells

_PER_WIDTH, _MOST_CELLS = 100, 1 << 16
_REACH = 13.4
"""Sigmas on either side; beyond them lies less than 1e-40."""


@attrs.frozen(cache_hash=True)
class GriddedGaussianPair(GridPair):
    """(1 - q) A + q B against A as lattices; it serves bounds and is never part of a guarantee.

    Attributes:
        sampling: Probability q of a record to take part.
        mu_squared: (sensitivity / sigma)^2.
        removal: Whether P is the release with the record.
    """

    sampling: Real
    mu_squared: Real
    removal: bool

    @property
    def is_symmetric(self) -> bool:
        """See `DominatingPair.is_symmetric`."""
        return False

    def reversed(self) -> DominatingPair:
        """See `DominatingPair.reversed`."""
        return attrs.evolve(self, removal=not self.removal)

    @property
    def mu(self) -> float:
        """Sensitivity / sigma."""
        return math.sqrt(float(exact(self.mu_squared)))

    def half_cells(self) -> HalfCells:
        """See `GridPair.half_cells`."""
        step, (first, last) = self.layout()
        loss = np.arange(2.0 * first, 2 * last + 1) * (step / 2)
        mixture, without, slack, below, above = self.cells(loss)
        if self.removal:
            return HalfCells(step, first, mixture, without, slack, below[0], above[0])
        turn = slice(None, None, -1)
        return HalfCells(step, -last, without[turn], mixture[turn], slack[turn], above[1], below[1])

    def layout(self) -> tuple[float, tuple[int, int]]:
        """Step of the lattice of log E, and its first and last index."""
        q = as_float(self.sampling)
        least, largest, width = self._span()
        ends = _mixed(q, least), _mixed(q, largest)
        step = max(width / _PER_WIDTH, (ends[1] - ends[0]) / _MOST_CELLS)
        return step, (math.floor(ends[0] / step), math.ceil(ends[1] / step))

    def cells(self, loss: Array) -> tuple[Array, Array, Array, tuple[float, float], tuple[float, float]]:
        """Probabilities between neighbours of log E with and without the record, bounds on errors, and both below and above all."""
        q = as_float(self.sampling)
        with np.errstate(divide="ignore", invalid="ignore"):
            # log B/A from the loss log(1 - q + q B/A)
            ratio = np.log(np.maximum(np.expm1(loss) + q, 0.0)) - math.log(q)
        without, with_it, error = self._between(ratio)
        tails = self._outside(float(ratio[0]), float(ratio[-1]))
        mixture = (1 - q) * without + q * with_it
        below = (1 - q) * tails[0] + q * tails[1], tails[0]
        above = (1 - q) * tails[2] + q * tails[3], tails[2]
        return mixture, without, error + 64 * UNIT * (1 + np.abs(loss[:-1]) + np.abs(loss[1:])), below, above

    def _span(self) -> tuple[float, float, float]:
        """Least and largest log B/A that matter, and about the standard deviation of the loss."""
        mu, q = self.mu, as_float(self.sampling)
        x = np.linspace(-_REACH, _REACH + mu, 4001)
        loss = np.logaddexp(math.log1p(-q), math.log(q) + mu * x - mu * mu / 2)
        weight = np.exp(-x * x / 2) * (np.exp(loss) if self.removal else 1.0)
        weight /= weight.sum()
        width = math.sqrt(float(weight @ (loss - weight @ loss) ** 2))
        reach = _REACH + mu if self.removal else _REACH
        return mu * -_REACH - mu * mu / 2, mu * reach - mu * mu / 2, width

    def _between(self, ratio: Array) -> tuple[Array, Array, Array]:
        """Probabilities under A and B of log B/A between neighbours of `ratio`, and bounds on their relative errors."""
        mu = self.mu
        with np.errstate(invalid="ignore"):
            x = ratio / mu + mu / 2
        without, first = _normal(x)
        with_it, second = _normal(x - mu)
        return without, with_it, np.minimum(first + second, 1.0)

    def _outside(self, low: float, high: float) -> tuple[float, float, float, float]:
        """A and B below `low`, A and B above `high`, in terms of log B/A."""
        mu = self.mu
        below, above = low / mu + mu / 2, high / mu + mu / 2
        return float(ndtr(below)), float(ndtr(below - mu)), float(ndtr(-above)), float(ndtr(mu - above))


def _mixed(q: float, ratio: float) -> float:
    """log(1 - q + q e^ratio)."""
    return float(np.logaddexp(math.log1p(-q), math.log(q) + ratio))


def _normal(x: Array) -> tuple[Array, Array]:
    """Probabilities between neighbours without cancellation in either tail, and bounds on their relative errors."""
    a, b = x[:-1], x[1:]
    near, far = np.where(a > 0, ndtr(-a), ndtr(b)), np.where(a > 0, ndtr(-b), ndtr(a))
    mass = np.maximum(near - far, 0.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        place = np.minimum(np.abs(a), np.abs(b))
        error = np.where(mass > 0, 4 * UNIT * (8 + place * place) * near / np.where(mass > 0, mass, 1.0), 0.0)
    return mass, np.nan_to_num(error, nan=1.0, posinf=1.0)
