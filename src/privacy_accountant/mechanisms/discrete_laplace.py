"""Discrete Laplace noise: the two-sided geometric law."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import attrs

from privacy_accountant.codec import tagged
from privacy_accountant.exact import Real, exact
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.pld import PLD, DiscreteLaplacePair
from privacy_accountant.mechanisms.additive import (
    IntegerNoise,
    read_integer_sensitivity,
    read_optional_neighbors,
    read_scale,
)
from privacy_accountant.neighbors import Neighbors, Sensitivity, norm_l1
from privacy_accountant.noise import DiscreteLaplaceLaw


@tagged("DiscreteLaplace")
@attrs.frozen(repr=False)
class DiscreteLaplace(IntegerNoise):
    r"""Discrete Laplace (two-sided geometric) noise on integer aggregates.

    Each entry gets an independent integer k with probability proportional to :math:`e^{-|k|/s}` (Ghosh, Roughgarden and
    Sundararajan 2009, arXiv 0811.2841). It is pure with :math:`\varepsilon = \Delta_1 / s` and has a curve of its own: for
    sensitivity 1 it *is* randomized response, with advantage :math:`\tanh(\varepsilon/2)`, more than the continuous law's.
    The shift of one coordinate by the whole sensitivity dominates every split of it.

    Attributes:
        scale: The scale s, in the units of the aggregate; the decimal that was typed.
        sensitivity: The L1 sensitivity of the whole vector, a whole number, or a `Sensitivity` from which it is taken.
        neighbors: The relation under which the sensitivity was stated; None for the study's.

    Raises:
        InvalidParameterError: When the scale is not positive and finite, or the sensitivity is not a positive whole number.

    Example:
        >>> from privacy_accountant import DiscreteLaplace
        >>> round(DiscreteLaplace(scale=1, sensitivity=1).guarantee().advantage, 6)
        0.462117
    """

    noise_parameter: ClassVar[str] = "scale"

    scale: Real = attrs.field(converter=read_scale)
    sensitivity: Real | Sensitivity = attrs.field(converter=read_integer_sensitivity)
    neighbors: Neighbors | None = attrs.field(default=None, kw_only=True, converter=read_optional_neighbors)

    def __attrs_post_init__(self) -> None:
        norm_l1(self.sensitivity, "DiscreteLaplace")

    @property
    def _shift(self) -> int:
        return int(norm_l1(self.sensitivity, "DiscreteLaplace"))

    def _native(self) -> PrivacyGuarantee:
        return PLD.of(DiscreteLaplacePair(exact(self.scale), self._shift))

    def _law(self) -> DiscreteLaplaceLaw:
        return DiscreteLaplaceLaw(exact(self.scale))

    def price(
        self, form: type[PrivacyGuarantee], orders: Sequence[Any] | None = None
    ) -> tuple[Fraction, ...]:
        """The exact cost of one release; see `Mechanism.price`."""
        return (self._shift / exact(self.scale), Fraction(0)) if form is ADP else super().price(form, orders)
