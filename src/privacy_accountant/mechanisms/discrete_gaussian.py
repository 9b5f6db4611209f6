"""Discrete Gaussian noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import attrs

from privacy_accountant.codec import tagged
from privacy_accountant.errors import InvalidAggregateError
from privacy_accountant.exact import Real, canonical, exact, positive
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.pld import PLD, DiscreteGaussianPair
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.mechanisms.additive import (
    IntegerNoise,
    read_integer_sensitivity,
    read_optional_neighbors,
)
from privacy_accountant.mechanisms.gaussian import gaussian_price
from privacy_accountant.neighbors import Neighbors, Sensitivity, norm_l2_squared, read_sensitivity
from privacy_accountant.noise import DiscreteGaussianLaw


def _sigma(value: object) -> Real:
    return positive(value, "sigma")


def _sensitivity(value: object) -> Real | Sensitivity:
    return read_integer_sensitivity(read_sensitivity(value))


@tagged("DiscreteGaussian")
@attrs.frozen(repr=False)
class DiscreteGaussian(IntegerNoise):
    r"""Discrete Gaussian noise on integer aggregates.

    Each entry gets an independent integer k with probability proportional to :math:`e^{-k^2/2\sigma^2}`. It satisfies zCDP
    with :math:`\rho = \Delta_2^2 / 2\sigma^2` for vectors of any length (Canonne, Kamath and Steinke 2020, arXiv 2004.00010)
    and is *not* :math:`\Delta_2/\sigma`-GDP. When a single entry moves, its own curve is a finite sum and tighter; when
    several may, no single shift is the worst and the account is in zCDP.

    Attributes:
        sigma: The parameter of the law (close to its standard deviation above 1); the decimal that was typed.
        sensitivity: How far one entry moves, a whole number, or a `Sensitivity` for vectors in which several may move.
        neighbors: The relation under which the sensitivity was stated; None for the study's.

    Raises:
        InvalidParameterError: When sigma is not positive and finite, or the sensitivity is not a positive whole number.

    Example:
        >>> from privacy_accountant import DiscreteGaussian, Sensitivity
        >>> round(DiscreteGaussian(sigma=1, sensitivity=1).guarantee().advantage, 6)
        0.398942
        >>> DiscreteGaussian(sigma=2, sensitivity=Sensitivity(per_value=1, values=4)).guarantee()
        ZCDP(rho=0.5)
    """

    noise_parameter: ClassVar[str] = "sigma"

    sigma: Real = attrs.field(converter=_sigma)
    sensitivity: Real | Sensitivity = attrs.field(converter=_sensitivity)
    neighbors: Neighbors | None = attrs.field(default=None, kw_only=True, converter=read_optional_neighbors)

    def __attrs_post_init__(self) -> None:
        norm_l2_squared(self.sensitivity, "DiscreteGaussian")

    @property
    def _shift_squared(self) -> Fraction:
        return norm_l2_squared(self.sensitivity, "DiscreteGaussian")

    @property
    def _moves_one_entry(self) -> bool:
        """An integer vector of squared norm below 2 has one entry; otherwise the sensitivity must say that one entry moves."""
        if self._shift_squared < 2 or not isinstance(self.sensitivity, Sensitivity):
            return True
        return self.sensitivity.values == 1

    def _native(self) -> PrivacyGuarantee:
        variance = exact(self.sigma) ** 2
        if self._moves_one_entry:
            return PLD.of(DiscreteGaussianPair(variance, math.isqrt(int(self._shift_squared))))
        return ZCDP(canonical(self._shift_squared / (2 * variance)))

    def _require(self, shape: tuple[int | None, ...]) -> None:
        if shape and not isinstance(self.sensitivity, Sensitivity) and self._shift_squared >= 2:
            rule = "one number, or given with a Sensitivity that says how many entries of a vector may move"
            raise InvalidAggregateError("value", rule, "a vector")

    def _law(self) -> DiscreteGaussianLaw:
        return DiscreteGaussianLaw(exact(self.sigma))

    def price(
        self, form: type[PrivacyGuarantee], orders: Sequence[Any] | None = None
    ) -> tuple[Fraction, ...]:
        """The exact cost of one release: rho and Renyi divergences are rational; see `Mechanism.price`."""
        if form is GDP:
            return super().price(form, orders)
        ratio = self._shift_squared / exact(self.sigma) ** 2
        return gaussian_price(type(self).__name__, ratio, form, orders) or super().price(form, orders)
