"""Integer noise: the discrete Laplace and the discrete Gaussian as dominating pairs."""

from __future__ import annotations

import math
from fractions import Fraction

import attrs
import numpy as np

from privacy_accountant.exact import Real, canonical, exact, integer, positive
from privacy_accountant.guarantees.pld.moments.families import (
    DISCRETE_LAPLACE,
    Array,
    LossFamily,
    Several,
    SymmetricFamily,
)
from privacy_accountant.guarantees.pld.moments.integer_gaussian import DiscreteGaussianFamily
from privacy_accountant.guarantees.pld.pairs.closed_pairs import (
    DominatingPair,
    Members,
    RandomizedResponsePair,
)
from privacy_accountant.guarantees.pld.profiles.atomic import MOST_ATOMS, MOST_CONVOLVED
from privacy_accountant.numerics.contour.atoms import POWER_LOST, power_law

_REACH = 39.0
"""Sigmas that are summed on either side: what lies beyond is below 1e-330."""


def _scale(value: object) -> Real:
    return positive(value, "scale")


def _variance(value: object) -> Real:
    return positive(value, "sigma_squared")


def _sensitivity(value: object) -> int:
    return integer(value, "sensitivity", "an integer >= 1", least=1)


def _told_apart(exponent: Fraction) -> DominatingPair | None:
    """Randomized response that errs with probability e^{-exponent} or more; log((1-p)/p) is above this exponent less 1."""
    return RandomizedResponsePair(canonical(exponent - 1)) if exponent > 3 else None


@attrs.frozen(cache_hash=True)
class DiscreteLaplacePair(DominatingPair):
    r"""Integer noise with probabilities proportional to :math:`e^{-|k|/\text{scale}}`, moved by `sensitivity`.

    Its losses are :math:`\{D, D-2, \dots, -D\} / \text{scale}`. At sensitivity 1 it is randomized response, with advantage
    :math:`\tanh(1 / 2\,\text{scale})`: more than the continuous Laplace has.

    Attributes:
        scale: The noise's scale, exact.
        sensitivity: The integer D.

    Example:
        >>> DiscreteLaplacePair(2, 3).top
        Fraction(3, 2)
    """

    scale: Real = attrs.field(converter=_scale)
    sensitivity: int = attrs.field(converter=_sensitivity)

    @property
    def top(self) -> Fraction | None:
        """See `DominatingPair.top`."""
        return self.sensitivity / exact(self.scale)

    @property
    def lattice(self) -> tuple[Fraction, Fraction] | None:
        """See `DominatingPair.lattice`."""
        return 2 / exact(self.scale), self.sensitivity / exact(self.scale)

    def floor(self) -> DominatingPair | None:
        """See `DominatingPair.floor`: whether the output is nearer to one center errs with probability at most q^{D/2} on either side."""
        return _told_apart(self.sensitivity / exact(self.scale) / 2)

    def count_atoms(self, count: int) -> float:
        """See `DominatingPair.count_atoms`."""
        size = count * self.sensitivity + 1
        return size if size <= (MOST_ATOMS if count == 1 else MOST_CONVOLVED) else math.inf

    def law(self, count: int) -> tuple[Array, Array, float]:
        """See `DominatingPair.law`.

        With q = e^{-1/scale} and x the output less the smaller center: x >= D has mass 1/(1+q), x <= 0 has q^D/(1+q), and
        each x between has (1-q)/(1+q) q^{D-x}.
        """
        rate = float(1 / exact(self.scale))
        x = np.arange(self.sensitivity + 1.0)
        logs = math.log(-math.expm1(-rate)) - (self.sensitivity - x) * rate
        logs[0], logs[-1] = -self.sensitivity * rate, 0.0
        logs -= math.log1p(math.exp(-rate))
        if count == 1:
            return (2 * x - self.sensitivity) * rate, logs, 0.0
        with np.errstate(under="ignore"):
            masses = power_law(np.exp(logs), count)
        index = np.flatnonzero(masses)
        losses = np.asarray((2.0 * index - count * self.sensitivity) * rate)
        return losses, np.asarray(np.log(masses[index])), len(masses) * POWER_LOST

    @classmethod
    def family(cls, members: Members) -> LossFamily:
        """See `DominatingPair.family`."""
        rate = np.array([float(1 / exact(pair.scale)) for pair, _ in members])
        shift = np.array([float(pair.sensitivity) for pair, _ in members])
        counts = np.array([float(count) for _, count in members])
        return SymmetricFamily(DISCRETE_LAPLACE, (rate, shift), rate * shift, counts)


@attrs.frozen(cache_hash=True)
class DiscreteGaussianPair(DominatingPair):
    r"""The discrete Gaussian (Canonne, Kamath and Steinke 2020, arXiv 2004.00010) in one dimension, moved by `sensitivity`.

    Its losses at the output x are :math:`(D^2 - 2Dx) / 2\sigma^2`, for every integer x: an exact lattice without ends. It is
    not Gaussian differential privacy of mu = D / sigma, although it comes close as sigma grows.

    Attributes:
        sigma_squared: The parameter sigma^2 (not the variance), exact.
        sensitivity: The integer D.

    Example:
        >>> DiscreteGaussianPair(4, 1).lattice
        (Fraction(1, 4), Fraction(1, 8))
    """

    sigma_squared: Real = attrs.field(converter=_variance)
    sensitivity: int = attrs.field(converter=_sensitivity)

    @property
    def top(self) -> Fraction | None:
        """See `DominatingPair.top`."""
        return None

    @property
    def lattice(self) -> tuple[Fraction, Fraction] | None:
        """See `DominatingPair.lattice`."""
        step = self.sensitivity / exact(self.sigma_squared)
        return step, step * self.sensitivity / 2

    @property
    def rho(self) -> Fraction | None:
        """See `DominatingPair.rho`."""
        return self.sensitivity**2 / (2 * exact(self.sigma_squared))

    def floor(self) -> DominatingPair | None:
        """See `DominatingPair.floor`: the noise reaches D/2 on one side with probability at most e^{-D^2 / 8 sigma^2}."""
        return _told_apart(self.sensitivity**2 / (8 * exact(self.sigma_squared)))

    def _reach(self) -> float:
        """Outputs beyond this distance from either center are left out."""
        return math.ceil(_REACH * math.sqrt(float(exact(self.sigma_squared)))) + 2.0

    def count_atoms(self, count: int) -> float:
        """See `DominatingPair.count_atoms`."""
        size = count * (2 * self._reach() + self.sensitivity) + 1
        return size if size <= (MOST_ATOMS if count == 1 else MOST_CONVOLVED) else math.inf

    def law(self, count: int) -> tuple[Array, Array, float]:
        """See `DominatingPair.law`; the normalizer is summed too."""
        variance, shift = float(exact(self.sigma_squared)), self.sensitivity
        reach = self._reach()
        x = np.arange(-reach, reach + shift + 1)
        exponents = -x * x / (2 * variance)
        logs = exponents - math.log(float(np.sum(np.exp(exponents[exponents > -745.0]))))
        step = shift / variance
        if count == 1:
            return step * (shift / 2 - x), logs, 1e-320
        with np.errstate(under="ignore"):
            masses = power_law(np.exp(logs), count)
        index = np.flatnonzero(masses)
        losses = np.asarray(step * (count * (shift / 2 + reach) - index))
        return losses, np.asarray(np.log(masses[index])), len(masses) * POWER_LOST

    @classmethod
    def family(cls, members: Members) -> LossFamily:
        """See `DominatingPair.family`."""
        return Several(
            tuple(
                DiscreteGaussianFamily(float(exact(pair.sigma_squared)), pair.sensitivity, count)
                for pair, count in members
            )
        )
