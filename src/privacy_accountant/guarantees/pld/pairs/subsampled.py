"""Poisson subsampling: every record takes part with a probability of its own draw; the two directions differ."""

from __future__ import annotations

import abc
import math
from fractions import Fraction

import attrs
from scipy.special import ndtr

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import Real, exact, positive, real, sqrt_up
from privacy_accountant.guarantees.pld.moments.families import LossFamily, Several
from privacy_accountant.guarantees.pld.moments.gaussian_mixture import GaussianMixture
from privacy_accountant.guarantees.pld.moments.gaussian_variants import CroppedMixture
from privacy_accountant.guarantees.pld.moments.laplace_mixture import LaplaceMixture
from privacy_accountant.guarantees.pld.moments.mixture import Mixture
from privacy_accountant.guarantees.pld.moments.mixture_family import MixtureFamily
from privacy_accountant.guarantees.pld.pairs.closed_pairs import (
    DominatingPair,
    GaussianPair,
    LaplacePair,
    Members,
)
from privacy_accountant.guarantees.pld.pairs.gridded_gaussian import GriddedGaussianPair
from privacy_accountant.guarantees.pld.profiles.curves import Curve, GaussianCurve, LaplaceCurve
from privacy_accountant.guarantees.pld.profiles.sampled_curves import SampledCurve
from privacy_accountant.numerics.enclosure import exp_bounds, log_bounds

_LONGEST = Fraction(4000)


def read_sampling(value: object, field: str = "sampling") -> Real:
    """The probability of a record to take part, strictly between 0 and 1."""
    rule = "a number in (0, 1)"
    probability = real(value, field, rule=rule)
    if not 0 < probability < 1:
        raise InvalidParameterError(field, rule, value)
    return probability


def amplified(epsilon: Fraction, sampling: Fraction) -> Fraction:
    """log(1 + q (e^eps - 1)) from above, to about 2^-230 of it (Balle, Barthe and Gaboardi 2018, arXiv 1807.01647)."""
    if epsilon == 0:
        return epsilon
    if epsilon > _LONGEST:  # log(1 + x) <= log x + 1/x, and 1/x is below every grain unless q is as small
        rare = sampling.denominator.bit_length() > _LONGEST
        return epsilon if rare else epsilon + log_bounds(sampling)[1] + Fraction(1, 1 << 1000)
    lost = max(0, epsilon.denominator.bit_length() - epsilon.numerator.bit_length())
    return log_bounds(1 + sampling * (exp_bounds(epsilon, 256 + lost)[1] - 1))[1]


def _mu_squared(value: object) -> Real:
    return positive(value, "mu_squared")


def _epsilon(value: object) -> Real:
    return positive(value, "epsilon")


class SubsampledPair(DominatingPair):
    """A mechanism on a sample: (1 - q) A + q B against A, where A and B are what it releases without and with the record.

    `removal` says which of them is P: with the record (True) or without it. Both belong to the release under
    add-or-remove-one, and a composition takes the worse at the end. That the mixture dominates is Theorem 11 of Zhu, Dong and Wang 2022,
    arXiv 2106.08567, for every pair (B, A) that dominates the mechanism.
    """

    __slots__ = ()

    sampling: Real
    removal: bool

    @property
    @abc.abstractmethod
    def whole(self) -> DominatingPair:
        """The mechanism's own pair (B, A); it is symmetric."""

    @abc.abstractmethod
    def mixture(self) -> Mixture:
        """The outputs and their likelihood ratios."""

    @property
    def odds(self) -> tuple[float, float]:
        """q and 1 - q, each rounded on its own."""
        return float(exact(self.sampling)), float(1 - exact(self.sampling))

    @property
    def is_symmetric(self) -> bool:
        """See `DominatingPair.is_symmetric`."""
        return False

    def reversed(self) -> DominatingPair:
        """See `DominatingPair.reversed`."""
        return attrs.evolve(self, removal=not self.removal)  # type: ignore[misc]

    @property
    def infinity_mass(self) -> Fraction:
        """See `DominatingPair.infinity_mass`: with the record, what reveals it and is sampled."""
        return exact(self.sampling) * self.whole.infinity_mass if self.removal else Fraction(0)

    @property
    def top(self) -> Fraction | None:
        """See `DominatingPair.top`, from above by less than a double shows: log(1 + q (e^t - 1)), or -log(1 + q (e^-t - 1))."""
        most, q = self.whole.top, exact(self.sampling)
        if self.removal:
            return None if most is None else amplified(most, q)
        hidden = self.whole.infinity_mass > 0 or most is None or most > _LONGEST
        least = Fraction(0) if hidden or most is None else exp_bounds(-most)[0]
        return log_bounds(1 / (1 - q + q * least))[1]

    @property
    def rho(self) -> Fraction | None:
        """See `DominatingPair.rho`: sampling adds nothing."""
        return self.whole.rho

    def log_moment(self, c: float) -> float:
        """See `DominatingPair.log_moment`: never above the mechanism's own, which serves where there are no sums."""
        own = super().log_moment(c)
        return min(own, self.whole.log_moment(c)) if c > 0 else own

    @classmethod
    def family(cls, members: Members) -> LossFamily:
        """See `DominatingPair.family`."""
        return Several(tuple(MixtureFamily(pair.mixture(), pair.removal, count) for pair, count in members))


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
        >>> bool(low <= 0.718035662 and 0.718035661 <= high <= low * 1.0001)
        True
    """

    sampling: Real = attrs.field(converter=read_sampling)
    mu_squared: Real = attrs.field(converter=_mu_squared)
    removal: bool = attrs.field(default=True)

    @property
    def whole(self) -> DominatingPair:
        """See `SubsampledPair.whole`."""
        return GaussianPair(self.mu_squared)

    def mixture(self) -> Mixture:
        """See `SubsampledPair.mixture`."""
        return GaussianMixture(*self.odds, sqrt_up(exact(self.mu_squared)))

    def curve(self) -> Curve | None:
        """See `DominatingPair.curve`."""
        even = ndtr(-sqrt_up(exact(self.mu_squared)) / 2)
        return SampledCurve(
            GaussianCurve(self.mu_squared), *self.odds, removal=self.removal, even=float(even)
        )

    def cropped(self, reach: float) -> DominatingPair:
        """See `DominatingPair.cropped`: without the record large outputs lower the loss, and nothing is in the way."""
        return CroppedGaussianPair(self.sampling, self.mu_squared, reach=reach) if self.removal else self

    @property
    def gridded(self) -> DominatingPair:
        """See `DominatingPair.gridded`."""
        return GriddedGaussianPair(self.sampling, self.mu_squared, self.removal)


@attrs.frozen(cache_hash=True)
class CroppedGaussianPair(SubsampledGaussianPair):
    """The same with the record, outputs beyond `reach` told with an infinite loss; it serves bounds and is never part of a guarantee."""

    reach: float = attrs.field(default=13.4, kw_only=True)

    @property
    def _cropped(self) -> CroppedMixture:
        mu = sqrt_up(exact(self.mu_squared))
        return CroppedMixture(*self.odds, mu, mu + self.reach)

    @property
    def infinity_mass(self) -> Fraction:
        """See `DominatingPair.infinity_mass`."""
        return Fraction(self._cropped.lost)

    def mixture(self) -> Mixture:
        """See `SubsampledPair.mixture`."""
        return self._cropped

    def cropped(self, reach: float) -> DominatingPair:
        """See `DominatingPair.cropped`."""
        del reach
        return self

    def curve(self) -> Curve | None:
        """See `DominatingPair.curve`."""
        return None


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
        >>> bool(low <= 1.17420730 <= high <= low * 1.0001)
        True
    """

    sampling: Real = attrs.field(converter=read_sampling)
    epsilon: Real = attrs.field(converter=_epsilon)
    removal: bool = attrs.field(default=True)

    @property
    def whole(self) -> DominatingPair:
        """See `SubsampledPair.whole`."""
        return LaplacePair(self.epsilon)

    def mixture(self) -> Mixture:
        """See `SubsampledPair.mixture`."""
        return LaplaceMixture(*self.odds, float(exact(self.epsilon)))

    def curve(self) -> Curve | None:
        """See `DominatingPair.curve`."""
        even = math.exp(-float(exact(self.epsilon)) / 2) / 2
        return SampledCurve(LaplaceCurve(self.epsilon), *self.odds, removal=self.removal, even=even)
