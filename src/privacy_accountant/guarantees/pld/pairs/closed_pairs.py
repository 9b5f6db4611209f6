"""Dominating pairs, written down exactly: what one release can reveal at worst.

A pair is a few exact numbers, never a grid. Its curve is evaluated when it is asked for; composed pairs meet in `PLD`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import ClassVar

import attrs
import numpy as np

from privacy_accountant.exact import Real, canonical, exact, non_negative_or_infinite, probability
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.pld.moments.families import (
    LAPLACE,
    RANDOMIZED_RESPONSE,
    Array,
    Kernel,
    LossFamily,
    SymmetricFamily,
)
from privacy_accountant.guarantees.pld.pairs.dominating import DominatingPair, Members, as_float, rho_of_pure
from privacy_accountant.guarantees.pld.profiles.curves import (
    Curve,
    GaussianCurve,
    LaplaceCurve,
    ResponseCurve,
)
from privacy_accountant.numerics.contour import atoms

__all__ = [
    "DominatingPair",
    "EpsilonPair",
    "GaussianPair",
    "LaplacePair",
    "Members",
    "RandomizedResponsePair",
    "as_float",
    "pair_of",
]


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

    @property
    def rho(self) -> Fraction | None:
        """See `DominatingPair.rho`."""
        return exact(self.mu_squared) / 2 if self.mu_squared < math.inf else None

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


class EpsilonPair(DominatingPair):
    """A symmetric pair whose losses reach from -epsilon to epsilon, and what all such pairs share."""

    __slots__ = ()

    epsilon: Real
    kernel: ClassVar[Kernel]

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

    @property
    def rho(self) -> Fraction | None:
        """See `DominatingPair.rho`; what is at infinity does not count."""
        return rho_of_pure(exact(self.epsilon)) if self.epsilon < math.inf else None

    @classmethod
    def family(cls, members: Members) -> LossFamily:
        """See `DominatingPair.family`."""
        total: dict[float, float] = {}
        for pair, count in members:
            epsilon = as_float(pair.epsilon)
            if epsilon > 0:
                total[epsilon] = total.get(epsilon, 0.0) + count
        epsilons = np.array(list(total), dtype=np.float64)
        counts = np.array(list(total.values()), dtype=np.float64)
        return SymmetricFamily(cls.kernel, (epsilons,), epsilons, counts)


@attrs.frozen(cache_hash=True)
class LaplacePair(EpsilonPair):
    """Laplace noise of scale 1 moved by epsilon: the Laplace mechanism, epsilon = L1 sensitivity / scale.

    Attributes:
        epsilon: The distance, exact; infinity promises nothing.

    Example:
        >>> LaplacePair(0.5).top
        Fraction(1, 2)
    """

    kernel = LAPLACE

    epsilon: Real = attrs.field(converter=_epsilon)

    def curve(self) -> Curve | None:
        """See `DominatingPair.curve`."""
        return LaplaceCurve(self.epsilon)


@attrs.frozen(cache_hash=True)
class RandomizedResponsePair(EpsilonPair):
    """Randomized response at epsilon that tells all with probability delta: it dominates every (epsilon, delta)-DP release.

    Attributes:
        epsilon: Its finite loss, exact; infinity promises nothing.
        delta: Its mass at infinite loss, exact.

    Example:
        >>> RandomizedResponsePair(0.1, 1e-6).infinity_mass
        Fraction(1, 1000000)
    """

    kernel = RANDOMIZED_RESPONSE

    epsilon: Real = attrs.field(converter=_epsilon)
    delta: Real = attrs.field(default=0.0, converter=_delta)

    @property
    def infinity_mass(self) -> Fraction:
        """See `DominatingPair.infinity_mass`."""
        return exact(self.delta) if self.epsilon < math.inf else Fraction(1)

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


def pair_of(guarantee: object) -> DominatingPair | None:
    """The pair that describes a guarantee exactly: Gaussian for GDP, randomized response for ADP; None for other forms."""
    if isinstance(guarantee, GDP):
        square = math.inf if guarantee.mu == math.inf else canonical(exact(guarantee.mu) ** 2)
        return GaussianPair(square)
    if isinstance(guarantee, ADP):
        return RandomizedResponsePair(guarantee.epsilon, guarantee.delta)
    return None
