"""Mechanisms on a random sample of fixed size, without replacement."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import NDArray

from privacy_accountant.codec import tagged
from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import canonical, integer
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.pld import PLD, FixedSizeGaussianPair, GaussianPair
from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.mechanisms.sampled import Sampled, one_pair
from privacy_accountant.neighbors import Neighbors
from privacy_accountant.noise.bernoulli import uniform
from privacy_accountant.noise.entropy import operating_system

if TYPE_CHECKING:
    from typing_extensions import Self


@tagged("FixedSizeSampled")
@attrs.frozen(repr=False)
class FixedSizeSampled(Sampled):
    r"""A mechanism on a uniformly random sample of exactly `size` of `population` records, without replacement.

    The relation is the exchange of one record for another: the population's size is public and stays. With q = size / population, every
    mechanism that is (epsilon, delta)-DP on the sample is :math:`(\log(1 + q(e^\varepsilon - 1)),\ q\delta)`-DP (Balle, Barthe and Gaboardi
    2018, arXiv 1807.01647), at every epsilon at once: so for the Gaussian mechanism the whole curve is known, and its composition is
    certified (Zhu, Dong and Wang 2022, arXiv 2106.08567). The bound covers every choice of the other records. It is larger than that of
    Poisson sampling: where a record is in the sample another one is not, so that both move the aggregate, and the sensitivity is that of an
    exchange, for sums twice the clipping bound.

    Attributes:
        mechanism: What is released about the sample; its sensitivity is that of exchanging one record of it for another.
        size: How many records are in the sample.
        population: How many there are, public.

    Raises:
        InvalidParameterError: When the size is not from 1 to one less than the population, or the mechanism does not fit.

    Example:
        >>> from privacy_accountant import FixedSizeSampled, Laplace
        >>> once = FixedSizeSampled(Laplace(scale=1, sensitivity=1), size=10, population=100)
        >>> round(once.guarantee().get_epsilon(0.0), 6)
        0.158565
        >>> int(once.draw_sample().sum())
        10
    """

    neighbors = Neighbors.REPLACE_ONE

    mechanism: Mechanism = attrs.field()
    size: int = attrs.field()
    population: int = attrs.field()

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        integer(self.population, "population", "an integer >= 2", least=2)
        integer(self.size, "size", "an integer from 1 to population - 1", least=1)
        if self.size >= self.population:
            raise InvalidParameterError("size", "an integer from 1 to population - 1", self.size)

    @property
    def _rate(self) -> Fraction:
        return Fraction(self.size, self.population)

    def _native(self) -> PrivacyGuarantee:
        pair = one_pair(self.mechanism)
        if isinstance(pair, GaussianPair):
            return PLD.of(FixedSizeGaussianPair(canonical(self._rate), pair.mu_squared))
        epsilon, delta = self.price(ADP)
        return ADP(canonical(epsilon), canonical(delta))

    def draw_sample(self) -> NDArray[np.bool_]:
        """Which records are in the sample: each set of `size` records is equally likely; from the operating system's entropy.

        The result is as secret as the records are.
        """
        mask = np.zeros(self.population, dtype=np.bool_)
        few = min(self.size, self.population - self.size)
        # Floyd's way: a draw among the first j + 1 takes j itself when it meets one that is taken.
        for j in range(self.population - few, self.population):
            drawn = uniform(j + 1, operating_system)
            mask[j if mask[drawn] else drawn] = True
        return mask if few == self.size else ~mask

    @classmethod
    def calibrate(  # type: ignore[override]
        cls, target: Any, *, mechanism: type[Mechanism], size: int, population: int, **given: Any
    ) -> Self:
        """The least noise of a mechanism on a sample of fixed size with which equal releases meet a target; see `PoissonSampled.calibrate`.

        Args:
            target: As for `Mechanism.calibrate`.
            mechanism: The class of the mechanism.
            size: As for the class.
            population: As for the class.
            **given: `sensitivity`, `releases`, `with_other` and further parameters of the mechanism.
        """
        return cls._calibrated(mechanism, target, {"size": size, "population": population}, given)
