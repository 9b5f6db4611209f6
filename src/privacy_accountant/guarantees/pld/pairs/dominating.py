"""What a dominating pair says about itself."""

from __future__ import annotations

import abc
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from privacy_accountant.exact import Real
from privacy_accountant.guarantees.pld.moments.families import Array, LossFamily
from privacy_accountant.guarantees.pld.profiles.curves import Curve

Members: TypeAlias = Sequence[tuple[Any, int]]
"""Pairs of one class with their counts."""


class DominatingPair(abc.ABC):
    """A pair of distributions (P, Q) that every attack on one release finds at least as hard to tell apart.

    Everything is said about the privacy loss L = log dP/dQ under P. Pairs are frozen, equal by value and hashable.
    """

    __slots__ = ()

    @property
    def is_symmetric(self) -> bool:
        """Whether (Q, P) has the same curve."""
        return True

    def reversed(self) -> DominatingPair:
        """The pair (Q, P)."""
        return self

    @property
    def infinity_mass(self) -> Fraction:
        """P(L = inf): what no epsilon removes."""
        return Fraction(0)

    @property
    @abc.abstractmethod
    def top(self) -> Fraction | None:
        """The largest finite loss; None when there is none."""

    @property
    def has_loss(self) -> bool:
        """Whether some finite loss is not 0."""
        return True

    @property
    def lattice(self) -> tuple[Fraction, Fraction] | None:
        """Step and one point of the lattice on which all finite losses lie; None when they do not."""
        return None

    def count_atoms(self, count: int) -> float:
        """Number of atoms of the finite loss of `count` releases; infinite when they cannot be written down."""
        del count
        return math.inf

    def law(self, count: int) -> tuple[Array, Array, float]:
        """Atoms, log masses (given L < inf) and left-out mass of the loss of `count` releases, if `count_atoms` allows."""
        raise NotImplementedError(f"{type(self).__name__} has no list of atoms for {count} releases")

    @property
    def rho(self) -> Fraction | None:
        """Upper bound on the zCDP parameter of the finite losses in both directions; None when there is none.

        That of randomized response at the largest loss, epsilon tanh(epsilon / 2), or more.
        """
        top, back = self.top, self.reversed().top
        if self.infinity_mass > 0 or top is None or back is None:
            return None
        return rho_of_pure(max(top, back))

    def floor(self) -> DominatingPair | None:
        """A pair with a closed form that this one dominates, far from sharp perhaps; None when there is none at hand."""
        return None if self.curve() is None else self

    @property
    def dominated(self) -> DominatingPair:
        """A pair that this one dominates, for lower ends of intervals; itself where what is composed is exact."""
        return self

    def cropped(self, reach: float) -> DominatingPair:
        """This pair with outputs about `reach` standard deviations away told at infinite loss; itself where that is of no use."""
        del reach
        return self

    @property
    def gridded(self) -> DominatingPair:
        """This pair as lattices above and below it; itself where that is of no use."""
        return self

    def curve(self) -> Curve | None:
        """The closed form of one release; None when it is summed or integrated instead."""
        return None

    @classmethod
    @abc.abstractmethod
    def family(cls, members: Members) -> LossFamily:
        """The finite losses of many pairs of this class as arrays."""

    def log_moment(self, c: float) -> float:
        """Upper bound on log E[e^{cL}]; infinite when there is mass at infinity and c > 0.

        At c = order - 1 this is (order - 1) times the Renyi divergence.
        """
        if self.infinity_mass > 0 and c > 0:
            return math.inf
        rest = math.log1p(-float(self.infinity_mass)) if self.infinity_mass < 1 else -math.inf
        k = self.family([(self, 1)]).cumulant(c)
        return rest + k.value + k.error


def rho_of_pure(epsilon: Fraction) -> Fraction:
    """Upper bound on epsilon tanh(epsilon / 2), the rho of randomized response."""
    return min(epsilon, epsilon * epsilon / 2)


def as_float(value: Real) -> float:
    """The nearest double to a stored number."""
    return value if isinstance(value, float) else float(value)
