"""Dominating pairs, written down exactly: what one release can reveal at worst.

A pair is a few exact numbers, never a grid. Its curve is evaluated when it is asked for; composed pairs meet in `PLD`.
"""

from __future__ import annotations

import abc
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import attrs
import numpy as np

from privacy_accountant.exact import Real, canonical, exact, non_negative_or_infinite, probability
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.pld.curves import Curve, GaussianCurve, LaplaceCurve, ResponseCurve
from privacy_accountant.guarantees.pld.families import (
    LAPLACE,
    RANDOMIZED_RESPONSE,
    Array,
    LossFamily,
    SymmetricFamily,
)
from privacy_accountant.numerics.contour import atoms

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
    def dominated(self) -> DominatingPair:
        """A pair that this one dominates, for lower ends of intervals; itself where what is composed is exact."""
        return self

    @abc.abstractmethod
    def curve(self) -> Curve | None:
        """The closed form of one release; None when it is summed or integrated instead."""

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


def as_float(value: Real) -> float:
    """The nearest double to a stored number."""
    return value if isinstance(value, float) else float(value)


def _epsilon(value: object) -> Real:
    return non_negative_or_infinite(value, "epsilon")


def _delta(value: object) -> Real:
    return probability(value, "delta")


def _mu_squared(value: object) -> Real:
    return non_negative_or_infinite(value, "mu_squared")


@attrs.frozen(cache_hash=True)
class GaussianPair(DominatingPair):
    """N(mu, 1) and N(0, 1): the Gaussian mechanism, mu = sensitivity / sigma. Composition adds mu^2.

    Attributes:
        mu_squared: mu^2, exact.

    Example:
        >>> from fractions import Fraction
        >>> GaussianPair(Fraction(1, 4))
        GaussianPair(mu_squared=0.25)
    """

    mu_squared: Real = attrs.field(converter=_mu_squared)

    @property
    def infinity_mass(self) -> Fraction:
        """See `DominatingPair.infinity_mass`."""
        return Fraction(int(self.mu_squared == math.inf))

    @property
    def top(self) -> Fraction | None:
        """See `DominatingPair.top`."""
        return None if self.mu_squared > 0 else Fraction(0)

    @property
    def has_loss(self) -> bool:
        """See `DominatingPair.has_loss`."""
        return 0 < self.mu_squared < math.inf

    def curve(self) -> Curve | None:
        """See `DominatingPair.curve`."""
        return GaussianCurve(self.mu_squared)

    @classmethod
    def family(cls, members: Members) -> LossFamily:
        """See `DominatingPair.family`; Gaussians are merged before, so this serves single questions only."""
        raise NotImplementedError("Gaussian pairs add up exactly; a loss sum holds their total")

    def log_moment(self, c: float) -> float:
        """See `DominatingPair.log_moment`."""
        if self.mu_squared == math.inf:
            return math.inf if c > 0 else 0.0
        value = float(exact(self.mu_squared)) * (c * c + c) / 2
        return value + 2.0**-50 * abs(value)


@attrs.frozen(cache_hash=True)
class LaplacePair(DominatingPair):
    """Laplace noise of scale 1 moved by epsilon: the Laplace mechanism, epsilon = L1 sensitivity / scale.

    Attributes:
        epsilon: The distance, exact; infinity promises nothing.

    Example:
        >>> LaplacePair(0.5).top
        Fraction(1, 2)
    """

    epsilon: Real = attrs.field(converter=_epsilon)

    @property
    def infinity_mass(self) -> Fraction:
        """See `DominatingPair.infinity_mass`."""
        return Fraction(int(self.epsilon == math.inf))

    @property
    def top(self) -> Fraction | None:
        """See `DominatingPair.top`."""
        return exact(self.epsilon) if self.epsilon < math.inf else Fraction(0)

    @property
    def has_loss(self) -> bool:
        """See `DominatingPair.has_loss`."""
        return 0 < self.epsilon < math.inf

    def curve(self) -> Curve | None:
        """See `DominatingPair.curve`."""
        return LaplaceCurve(self.epsilon)

    @classmethod
    def family(cls, members: Members) -> LossFamily:
        """See `DominatingPair.family`."""
        return _one_parameter(LAPLACE, members)


@attrs.frozen(cache_hash=True)
class RandomizedResponsePair(DominatingPair):
    """Randomized response at epsilon that tells all with probability delta: it dominates every (epsilon, delta)-DP release.

    Attributes:
        epsilon: Its finite loss, exact; infinity promises nothing.
        delta: Its mass at infinite loss, exact.

    Example:
        >>> RandomizedResponsePair(0.1, 1e-6).infinity_mass
        Fraction(1, 1000000)
    """

    epsilon: Real = attrs.field(converter=_epsilon)
    delta: Real = attrs.field(default=0.0, converter=_delta)

    @property
    def infinity_mass(self) -> Fraction:
        """See `DominatingPair.infinity_mass`."""
        return exact(self.delta) if self.epsilon < math.inf else Fraction(1)

    @property
    def top(self) -> Fraction | None:
        """See `DominatingPair.top`."""
        return exact(self.epsilon) if self.epsilon < math.inf else Fraction(0)

    @property
    def has_loss(self) -> bool:
        """See `DominatingPair.has_loss`."""
        return 0 < self.epsilon < math.inf

    @property
    def lattice(self) -> tuple[Fraction, Fraction] | None:
        """See `DominatingPair.lattice`."""
        size = exact(self.epsilon) if self.epsilon < math.inf else Fraction(0)
        return 2 * size, size

    def count_atoms(self, count: int) -> float:
        """See `DominatingPair.count_atoms`."""
        return count + 1 if self.epsilon > 0 else 1

    def law(self, count: int) -> tuple[Array, Array, float]:
        """See `DominatingPair.law`."""
        epsilon = as_float(self.epsilon)
        if epsilon == 0:
            return np.zeros(1), np.zeros(1), 0.0
        return (2 * np.arange(count + 1.0) - count) * epsilon, atoms.binomial_log_weights(count, epsilon), 0.0

    def curve(self) -> Curve | None:
        """See `DominatingPair.curve`."""
        return ResponseCurve(self.epsilon, self.delta)

    @classmethod
    def family(cls, members: Members) -> LossFamily:
        """See `DominatingPair.family`."""
        return _one_parameter(RANDOMIZED_RESPONSE, members)


def _one_parameter(kernel: Any, members: Members) -> LossFamily:
    total: dict[float, float] = {}
    for pair, count in members:
        epsilon = as_float(pair.epsilon)
        if epsilon > 0:
            total[epsilon] = total.get(epsilon, 0.0) + count
    epsilons = np.array(list(total), dtype=np.float64)
    return SymmetricFamily(kernel, (epsilons,), epsilons, np.array(list(total.values()), dtype=np.float64))


def pair_of(guarantee: object) -> DominatingPair | None:
    """The pair that describes a guarantee exactly: Gaussian for GDP, randomized response for ADP; None for other forms."""
    if isinstance(guarantee, GDP):
        square = math.inf if guarantee.mu == math.inf else canonical(exact(guarantee.mu) ** 2)
        return GaussianPair(square)
    if isinstance(guarantee, ADP):
        return RandomizedResponsePair(guarantee.epsilon, guarantee.delta)
    return None
