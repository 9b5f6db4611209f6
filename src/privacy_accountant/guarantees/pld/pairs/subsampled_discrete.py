"""Integer noise and pure or approximate responses on a Poisson sample: losses with atoms."""

from __future__ import annotations

import functools
import math

import attrs
import numpy as np

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import Real, exact, sqrt_up
from privacy_accountant.guarantees.pld.moments.atoms_mixture import AtomsMixture
from privacy_accountant.guarantees.pld.moments.families import Array
from privacy_accountant.guarantees.pld.moments.gaussian_variants import IntegerGaussianMixture
from privacy_accountant.guarantees.pld.moments.mixture import MOST_POINTS, Mixture
from privacy_accountant.guarantees.pld.pairs.closed_pairs import DominatingPair, RandomizedResponsePair
from privacy_accountant.guarantees.pld.pairs.discrete import DiscreteGaussianPair, DiscreteLaplacePair
from privacy_accountant.guarantees.pld.pairs.finite_pair import FinitePair
from privacy_accountant.guarantees.pld.pairs.subsampled import SubsampledPair, read_sampling
from privacy_accountant.guarantees.pld.profiles.curves import Curve
from privacy_accountant.guarantees.pld.profiles.sampled_curves import SampledCurve

_FEW, _FEW_SUMS = 8, 4096
"""Sums of so few atoms are written down while they are no more than this."""


def _discrete(_: object, field: attrs.Attribute[DominatingPair], value: object) -> None:
    kinds = (DiscreteGaussianPair, DiscreteLaplacePair, RandomizedResponsePair)
    if not isinstance(value, kinds) or value.infinity_mass == 1 or not value.has_loss:
        rule = f"a {', '.join(kind.__name__ for kind in kinds)} with some loss that is finite"
        raise InvalidParameterError(field.name, rule, value)
    if value.count_atoms(1) > MOST_POINTS:
        rule = f"a pair of at most {MOST_POINTS} atoms; at this scale continuous noise, rounded, is as good"
        raise InvalidParameterError(field.name, rule, value)


@attrs.frozen(cache_hash=True)
class SubsampledDiscretePair(SubsampledPair):
    """A discrete mechanism on a Poisson sample: integer noise, or any (epsilon, delta) release as its randomized response.

    Attributes:
        sampling: Probability q of a record to take part.
        whole: The mechanism's own pair.
        removal: Whether P is the release with the record.

    Example:
        >>> from privacy_accountant.guarantees.pld import PLD, RandomizedResponsePair
        >>> once = PLD.of(SubsampledDiscretePair(0.1, RandomizedResponsePair(1, 1e-6)))
        >>> round(once.get_epsilon(1e-7), 10)
        0.1585650787
    """

    sampling: Real = attrs.field(converter=read_sampling)
    whole: DominatingPair = attrs.field(validator=_discrete)
    removal: bool = attrs.field(default=True)

    def mixture(self) -> Mixture:
        """See `SubsampledPair.mixture`."""
        if isinstance(self.whole, DiscreteGaussianPair):
            return IntegerGaussianMixture(*self.odds, *_standard(self.whole))
        u, logs, lost = self.whole.law(1)
        delta = float(self.whole.infinity_mass)
        base = logs + math.log1p(-delta) - u
        if delta > 0:
            u, base = np.append(-np.inf, u), np.append(math.log(delta), base)
        return AtomsMixture(*self.odds, u, base, delta, 2 * lost)

    def curve(self) -> Curve | None:
        """See `DominatingPair.curve`."""
        curve = self.whole.curve()
        if curve is None or not isinstance(self.whole, RandomizedResponsePair):
            return None
        even = (1 - float(self.whole.infinity_mass)) / (1 + math.exp(float(exact(self.whole.epsilon))))
        return SampledCurve(curve, *self.odds, removal=self.removal, even=even)

    def count_atoms(self, count: int) -> float:
        """See `DominatingPair.count_atoms`."""
        size = self.whole.count_atoms(1) + (self.whole.infinity_mass > 0)
        every = math.comb(count + int(size) - 1, count) if count > 1 and size <= _FEW else size
        return (
            every
            if every <= MOST_POINTS and (count == 1 or (size <= _FEW and every <= _FEW_SUMS))
            else math.inf
        )

    def law(self, count: int) -> tuple[Array, Array, float]:
        """See `DominatingPair.law`."""
        losses, masses = _atoms(self)
        return FinitePair(losses, masses).law(count)


@functools.lru_cache(maxsize=16)
def _atoms(pair: SubsampledDiscretePair) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Losses in ascending order and their masses under P, given that the loss is finite."""
    sheet = pair.mixture().sheet(float(pair.removal))
    sign = 1.0 if pair.removal else -1.0
    losses, where = np.unique(sign * (sheet.loss + sheet.origin), return_inverse=True)
    masses = np.bincount(np.ravel(where), sheet.weight, len(losses))
    return tuple(losses.tolist()), tuple(masses.tolist())


def _standard(pair: DiscreteGaussianPair) -> tuple[float, float]:
    """mu = D / sigma and the distance 1 / sigma of neighbouring outputs."""
    variance = exact(pair.sigma_squared)
    return sqrt_up(pair.sensitivity**2 / variance), sqrt_up(1 / variance)
