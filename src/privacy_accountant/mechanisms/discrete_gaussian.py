"""Discrete Gaussian noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import attrs

from privacy_accountant.codec import tagged
from privacy_accountant.errors import InvalidAggregateError
from privacy_accountant.exact import Real, canonical, exact
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.pld import PLD, DiscreteGaussianPair
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.mechanisms.additive import (
    IntegerNoise,
    read_integer_sensitivity,
    read_optional_neighbors,
    read_sigma,
)
from privacy_accountant.mechanisms.gaussian import gaussian_price
from privacy_accountant.neighbors import Neighbors, Sensitivity, norm_l2_squared
from privacy_accountant.noise import DiscreteGaussianLaw

WIDEST = 10**300
"""The curve of a larger sigma squared is out of a float's range; rho is not."""


@tagged("DiscreteGaussian")
@attrs.frozen(repr=False)
class DiscreteGaussian(IntegerNoise):
    r"""Discrete Gaussian noise on integer aggregates.

    Each entry gets an independent integer k with probability proportional to :math:`e^{-k^2/2\sigma^2}`. It satisfies zCDP
    with :math:`\rho = \Delta_2^2 / 2\sigma^2` for vectors of any length (Canonne, Kamath and Steinke 2020, arXiv 2004.00010)
    and is *not* :math:`\Delta_2/\sigma`-GDP.

    Its own curve is tighter, and known when the sensitivity is stated by counting: if at most m entries move, each by at most
    c, moving m of them by c is the worst. The likelihood ratio of a shift grows with the output, so the best test of every
    shift rejects large outputs, and rejects more often when the shift is larger; composing keeps that order (Dong, Roth and Su
    2019, arXiv 1905.02383). The guarantee is then the m-fold composition of the shift by c. Of a bound on the L2 norm alone no
    shift is the worst for every attack, and the account is in zCDP.

    Attributes:
        sigma: The parameter of the law (close to its standard deviation above 1); the decimal that was typed.
        sensitivity: How far one entry moves, a whole number, or a `Sensitivity` for vectors in which several may move.
        neighbors: The relation under which the sensitivity was stated; None for the study's.

    Raises:
        InvalidParameterError: When sigma is not positive and finite, or the sensitivity is not a positive whole number.

    Example:
        >>> from privacy_accountant import ZCDP, DiscreteGaussian, Sensitivity
        >>> round(DiscreteGaussian(sigma=1, sensitivity=1).guarantee().advantage, 6)
        0.398942
        >>> cells = DiscreteGaussian(sigma=2, sensitivity=Sensitivity(per_value=1, values=4))
        >>> round(cells.guarantee().advantage, 6), round(cells.guarantee(ZCDP).advantage, 6)
        (0.381086, 0.479098)
    """

    noise_parameter: ClassVar[str] = "sigma"

    sigma: Real = attrs.field(converter=read_sigma)
    sensitivity: Real | Sensitivity = attrs.field(converter=read_integer_sensitivity)
    neighbors: Neighbors | None = attrs.field(default=None, kw_only=True, converter=read_optional_neighbors)

    def __attrs_post_init__(self) -> None:
        norm_l2_squared(self.sensitivity, "DiscreteGaussian")

    @property
    def _shift_squared(self) -> Fraction:
        return norm_l2_squared(self.sensitivity, "DiscreteGaussian")

    @property
    def _worst_shift(self) -> tuple[int, int] | None:
        """How far each of how many entries moves in the worst case; None when no shift is the worst."""
        counted = self.sensitivity if isinstance(self.sensitivity, Sensitivity) else None
        if counted is not None and counted.per_value is not None and counted.values is not None:
            return int(exact(counted.per_value)), counted.values
        # A bare number is of one entry (see `_require`), and so is an integer vector of squared norm below 2.
        if counted is None or self._shift_squared < 2:
            return math.isqrt(int(self._shift_squared)), 1
        return None

    def _native(self) -> PrivacyGuarantee:
        variance, worst = exact(self.sigma) ** 2, self._worst_shift
        if worst is None or variance > WIDEST:
            return ZCDP(canonical(self._shift_squared / (2 * variance)))
        shift, entries = worst
        return PLD.of(DiscreteGaussianPair(variance, shift)).self_compose(entries)

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
