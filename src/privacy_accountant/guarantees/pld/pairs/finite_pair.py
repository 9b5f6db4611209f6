"""Any loss with finitely many values, wherever they lie: tables of probabilities, and piecewise-linear trade-off functions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

import attrs
import numpy as np

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import Real, exact, float_up, probability, real
from privacy_accountant.guarantees.pld.moments.families import Array, LossFamily, Several
from privacy_accountant.guarantees.pld.moments.point_family import PointFamily
from privacy_accountant.guarantees.pld.pairs.closed_pairs import Members, as_float
from privacy_accountant.guarantees.pld.pairs.table_pair import (
    TablePair,
    one_direction,
    read_infinity,
    read_masses,
)
from privacy_accountant.guarantees.pld.profiles.atomic import MOST_ATOMS
from privacy_accountant.numerics.enclosure import log_bounds


def _losses(value: object) -> tuple[Real, ...]:
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise InvalidParameterError("losses", "a sequence of numbers", value)
    losses = tuple(real(loss, "losses") for loss in value)
    if any(a >= b for a, b in itertools.pairwise(losses)):
        raise InvalidParameterError("losses", "in ascending order, each once", losses)
    return losses


@attrs.frozen(cache_hash=True)
class FinitePair(TablePair):
    """A pair whose loss is `losses[j]` with probability `masses[j]`, infinite with probability `infinity`.

    The losses need not lie on a lattice. A pair whose directions differ brings both: `back` is the loss of (Q, P), under Q.
    What the masses miss of 1 is counted as error.

    Attributes:
        losses: Finite losses in ascending order, exact.
        masses: Their probabilities under P.
        infinity: Probability of an infinite loss.
        back: The other direction; None states that the two have one curve.

    Raises:
        InvalidParameterError: When losses do not ascend, probabilities do not add up, or `back` has a `back` of its own.

    Example:
        >>> from privacy_accountant.guarantees.pld import PLD
        >>> pair = FinitePair.of_tables((0.9, 0.1), (0.5, 0.5))
        >>> round(PLD.of(pair, 2).get_delta(0.5), 9)
        0.436742959
    """

    losses: tuple[Real, ...] = attrs.field(converter=_losses)
    masses: tuple[Real, ...] = attrs.field(converter=read_masses)
    infinity: Real = attrs.field(default=0.0, converter=read_infinity)
    back: FinitePair | None = attrs.field(default=None, validator=one_direction)

    def __attrs_post_init__(self) -> None:
        if len(self.masses) != len(self.losses):
            raise InvalidParameterError("masses", "as many as losses", len(self.masses))
        self.check_sum()

    @classmethod
    def of_tables(cls, p: Sequence[Real], q: Sequence[Real]) -> FinitePair:
        """The pair of two distributions on the same outcomes, both directions.

        Losses are logs of ratios, rounded up to doubles.

        Args:
            p: Probabilities of the outcomes under P.
            q: Probabilities of the same outcomes under Q.

        Raises:
            InvalidParameterError: When the tables differ in length or do not add up to 1.
        """
        if len(p) != len(q):
            raise InvalidParameterError("q", "as long as p", len(q))
        forward, backward = _direction(p, q), _direction(q, p)
        return attrs.evolve(forward, back=backward)

    @classmethod
    def of_segments(cls, heights: Sequence[Real], widths: Sequence[Real], *, symmetric: bool) -> FinitePair:
        """The pair of a convex piecewise-linear trade-off function.

        On segment j the false positive rate grows by `widths[j]` while the false negative rate falls by `heights[j]`: these
        are the probabilities of outcome j under Q and under P. A false negative rate below 1 at alpha = 0 is a segment of width 0.

        Args:
            heights: What the false negative rate falls by, segment by segment.
            widths: What alpha grows by.
            symmetric: Whether f is its own inverse; otherwise both directions are kept.
        """
        forward = _direction(heights, widths)
        return forward if symmetric else attrs.evolve(forward, back=_direction(widths, heights))

    @property
    def top(self) -> Fraction | None:
        """See `DominatingPair.top`."""
        return max(
            (exact(x) for x, m in zip(self.losses, self.masses, strict=True) if m > 0), default=Fraction(0)
        )

    @property
    def has_loss(self) -> bool:
        """See `DominatingPair.has_loss`."""
        return any(x != 0 and m > 0 for x, m in zip(self.losses, self.masses, strict=True))

    def count_atoms(self, count: int) -> float:
        """See `DominatingPair.count_atoms`; sums of several are counted as if all differed, so few releases are written down."""
        size = float(math.comb(count + len(self.losses) - 1, count))
        return size if size <= MOST_ATOMS else math.inf

    def law(self, count: int) -> tuple[Array, Array, float]:
        """See `DominatingPair.law`: one release after the other, equal sums counted once."""
        losses, masses = self.arrays()
        masses = masses / masses.sum()
        total: tuple[Array, Array] = (np.zeros(1), np.ones(1))
        counts = np.zeros((1, len(losses)))
        step = np.eye(len(losses))
        for _ in range(count):
            counts = (counts[:, None, :] + step[None, :, :]).reshape(-1, len(losses))
            counts, back = np.unique(counts, axis=0, return_inverse=True)
            with np.errstate(under="ignore"):
                weight = np.multiply.outer(total[1], masses).ravel()
            total = counts @ losses, np.bincount(np.ravel(back), weight, len(counts)).astype(np.float64)
        keep = total[1] > 0
        lost = count * self.missing + len(keep) * 1e-300
        return total[0][keep], np.asarray(np.log(total[1][keep])), lost

    def arrays(self) -> tuple[Array, Array]:
        """Losses of positive probability, and the probabilities."""
        losses = np.array([as_float(x) for x in self.losses])
        masses = np.array([as_float(m) for m in self.masses])
        return losses[masses > 0], masses[masses > 0]

    @classmethod
    def family(cls, members: Members) -> LossFamily:
        """See `DominatingPair.family`."""
        return Several(tuple(_family(pair, count) for pair, count in members))


def _family(pair: FinitePair, count: int) -> PointFamily:
    losses, masses = pair.arrays()
    rest = 1 - as_float(pair.infinity)
    return PointFamily(losses, np.asarray(masses / masses.sum()), count, pair.missing / rest)


def _direction(p: Sequence[Real], q: Sequence[Real]) -> FinitePair:
    """The loss log(p / q) under p, rounded up; equal losses counted once."""
    law: dict[float, Fraction] = {}
    infinite = Fraction(0)
    for x, y in zip(p, q, strict=True):
        mass, other = exact(probability(x, "p")), exact(probability(y, "q"))
        if mass > 0 and other > 0:
            loss = float_up(log_bounds(mass / other)[1])
            law[loss] = law.get(loss, Fraction(0)) + mass
        elif mass > 0:
            infinite += mass
    ascending = sorted(law)
    return FinitePair(tuple(ascending), tuple(law[loss] for loss in ascending), infinity=infinite)
