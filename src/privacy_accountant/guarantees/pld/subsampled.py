"""Poisson subsampling: every record takes part with a probability of its own draw; the two directions differ."""

from __future__ import annotations

import abc
import math

import attrs
import numpy as np
from scipy.special import ndtr

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import Real, exact, positive, real
from privacy_accountant.guarantees.pld.families import UNIT, Array
from privacy_accountant.guarantees.pld.grid_pair import GridPair
from privacy_accountant.guarantees.pld.pairs import DominatingPair, as_float
from privacy_accountant.numerics.contour.grids import HalfCells

_PER_WIDTH, _MOST_CELLS = 100, 1 << 18
_REACH = 13.4
"""Sigmas on either side; beyond them lies less than 1e-40."""


def _sampling(value: object) -> Real:
    rule = "a number in (0, 1)"
    probability = real(value, "sampling", rule=rule)
    if not 0 < probability < 1:
        raise InvalidParameterError("sampling", rule, value)
    return probability


def _mu_squared(value: object) -> Real:
    return positive(value, "mu_squared")


def _epsilon(value: object) -> Real:
    return positive(value, "epsilon")


class SubsampledPair(GridPair):
    """A mechanism on a sample: (1 - q) A + q B against A, where A and B are what it releases without and with the record.

    `removal` says which of them is P: with the record (True) or without it. Both belong to the release under
    add-or-remove-one, and a composition takes the worse at the end.
    """

    __slots__ = ()

    sampling: Real
    removal: bool

    @property
    def is_symmetric(self) -> bool:
        """See `DominatingPair.is_symmetric`."""
        return False

    def reversed(self) -> DominatingPair:
        """See `DominatingPair.reversed`."""
        return attrs.evolve(self, removal=not self.removal)  # type: ignore[misc]

    @abc.abstractmethod
    def span(self) -> tuple[float, float, float]:
        """Least and largest log B/A that matter, and about the standard deviation of the loss."""

    @abc.abstractmethod
    def between(self, ratio: Array) -> tuple[Array, Array, Array]:
        """Probabilities under A and B of log B/A between neighbours of `ratio`, and bounds on their relative errors."""

    @abc.abstractmethod
    def outside(self, low: float, high: float) -> tuple[float, float, float, float]:
        """A and B below `low`, A and B above `high`, in terms of log B/A."""

    def half_cells(self) -> HalfCells:
        """See `GridPair.half_cells`."""
        q = as_float(self.sampling)
        least, largest, width = self.span()
        ends = np.array([_mixed(q, least), _mixed(q, largest)])
        step = max(width / _PER_WIDTH, float(ends[1] - ends[0]) / _MOST_CELLS)
        first, last = math.floor(ends[0] / step), math.ceil(ends[1] / step)
        loss = np.arange(2 * first, 2 * last + 1) * (step / 2)
        with np.errstate(divide="ignore", invalid="ignore"):
            # log B/A from the loss log(1 - q + q B/A)
            ratio = np.log(np.maximum(np.expm1(loss) + q, 0.0)) - math.log(q)
        without, with_it, error = self.between(ratio)
        tails = self.outside(float(ratio[0]), float(ratio[-1]))
        mixture = (1 - q) * without + q * with_it
        below = tails[0], (1 - q) * tails[0] + q * tails[1]
        above = tails[2], (1 - q) * tails[2] + q * tails[3]
        slack = error + 64 * UNIT * (1 + np.abs(loss[:-1]) + np.abs(loss[1:]))
        if self.removal:
            return HalfCells(step, first, mixture, without, slack, below[1], above[1])
        turn = slice(None, None, -1)
        return HalfCells(step, -last, without[turn], mixture[turn], slack[turn], above[0], below[0])


def _mixed(q: float, ratio: float) -> float:
    """log(1 - q + q e^ratio)."""
    return float(np.logaddexp(math.log1p(-q), math.log(q) + ratio))


@attrs.frozen(cache_hash=True)
class SubsampledGaussianPair(SubsampledPair):
    """The Gaussian mechanism on a Poisson sample.

    Attributes:
        sampling: Probability q of a record to take part.
        mu_squared: (sensitivity / sigma)^2, exact.
        removal: Whether P is the release with the record.

    Example:
        >>> from privacy_accountant.guarantees.pld import PLD
        >>> form = PLD.of(SubsampledGaussianPair(0.01, 1), 100)
        >>> low, high = form.get_epsilon(1e-5, interval=True)
        >>> bool(low <= 0.71803566 <= high <= low * 1.001)
        True
    """

    sampling: Real = attrs.field(converter=_sampling)
    mu_squared: Real = attrs.field(converter=_mu_squared)
    removal: bool = attrs.field(default=True)

    @property
    def _mu(self) -> float:
        return math.sqrt(float(exact(self.mu_squared)))

    def span(self) -> tuple[float, float, float]:
        """See `SubsampledPair.span`."""
        mu, q = self._mu, as_float(self.sampling)
        x = np.linspace(-_REACH, _REACH + mu, 4001)
        loss = np.logaddexp(math.log1p(-q), math.log(q) + mu * x - mu * mu / 2)
        weight = np.exp(-x * x / 2) * (np.exp(loss) if self.removal else 1.0)
        weight /= weight.sum()
        width = math.sqrt(float(weight @ (loss - weight @ loss) ** 2))
        reach = _REACH + mu if self.removal else _REACH
        return mu * -_REACH - mu * mu / 2, mu * reach - mu * mu / 2, width

    def between(self, ratio: Array) -> tuple[Array, Array, Array]:
        """See `SubsampledPair.between`."""
        mu = self._mu
        with np.errstate(invalid="ignore"):
            x = ratio / mu + mu / 2
        without, first = _normal(x)
        with_it, second = _normal(x - mu)
        return without, with_it, np.minimum(first + second, 1.0)

    def outside(self, low: float, high: float) -> tuple[float, float, float, float]:
        """See `SubsampledPair.outside`."""
        mu = self._mu
        below, above = low / mu + mu / 2, high / mu + mu / 2
        return float(ndtr(below)), float(ndtr(below - mu)), float(ndtr(-above)), float(ndtr(mu - above))


def _normal(x: Array) -> tuple[Array, Array]:
    """Probabilities between neighbours without cancellation in either tail, and bounds on their relative errors."""
    a, b = x[:-1], x[1:]
    near, far = np.where(a > 0, ndtr(-a), ndtr(b)), np.where(a > 0, ndtr(-b), ndtr(a))
    mass = np.maximum(near - far, 0.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        place = np.minimum(np.abs(a), np.abs(b))
        error = np.where(mass > 0, 4 * UNIT * (8 + place * place) * near / np.where(mass > 0, mass, 1.0), 0.0)
    return mass, np.nan_to_num(error, nan=1.0, posinf=1.0)


@attrs.frozen(cache_hash=True)
class SubsampledLaplacePair(SubsampledPair):
    """The Laplace mechanism on a Poisson sample.

    Attributes:
        sampling: Probability q of a record to take part.
        epsilon: L1 sensitivity / scale, exact.
        removal: Whether P is the release with the record.

    Example:
        >>> from privacy_accountant.guarantees.pld import PLD
        >>> low, high = PLD.of(SubsampledLaplacePair(0.1, 1), 10).get_epsilon(1e-5, interval=True)
        >>> bool(low <= 1.17420730 <= high <= low * 1.001)
        True
    """

    sampling: Real = attrs.field(converter=_sampling)
    epsilon: Real = attrs.field(converter=_epsilon)
    removal: bool = attrs.field(default=True)

    def span(self) -> tuple[float, float, float]:
        """See `SubsampledPair.span`."""
        end, q = as_float(self.epsilon), as_float(self.sampling)
        ends = [_mixed(q, -end), _mixed(q, end)]
        # Atoms are rounded to the lattice, so that its step counts once and not squared.
        return -end, end, (ends[1] - ends[0]) / 160

    def between(self, ratio: Array) -> tuple[Array, Array, Array]:
        """See `SubsampledPair.between`: atoms at both ends, and A has density e^{-(l + eps)/2} / 4 between, B that times e^l."""
        end = as_float(self.epsilon)
        inner = np.clip(ratio, -end, end)
        a, b = inner[:-1], inner[1:]
        with np.errstate(under="ignore"):
            without = np.exp(-(a + end) / 2) * -np.expm1(-(b - a) / 2) / 2
            with_it = np.exp((b - end) / 2) * -np.expm1(-(b - a) / 2) / 2
            high, low = 0.5, math.exp(-end) / 2
        # An atom belongs to the half cell that holds its end.
        bottom = int(np.clip(np.searchsorted(ratio, -end, side="right") - 1, 0, len(a) - 1))
        above = int(np.clip(np.searchsorted(ratio, end, side="left") - 1, 0, len(a) - 1))
        without[bottom] += high
        with_it[bottom] += low
        without[above] += low
        with_it[above] += high
        with np.errstate(divide="ignore", invalid="ignore"):
            error = np.where(b > a, 64 * UNIT * (1 + end) / np.where(b > a, np.minimum(b - a, 1.0), 1.0), 0.0)
        return without, with_it, np.minimum(error, 1.0)

    def outside(self, low: float, high: float) -> tuple[float, float, float, float]:
        """See `SubsampledPair.outside`: nothing."""
        del low, high
        return 0.0, 0.0, 0.0, 0.0
