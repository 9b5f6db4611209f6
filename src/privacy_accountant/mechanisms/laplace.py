"""Laplace noise on integer aggregates."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import attrs

from privacy_accountant.codec import tagged
from privacy_accountant.exact import Real, canonical, exact, positive
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.pld import PLD, LaplacePair
from privacy_accountant.mechanisms.additive import IntegerNoise, read_optional_neighbors
from privacy_accountant.neighbors import Neighbors, Sensitivity, norm_l1, read_sensitivity
from privacy_accountant.noise import RoundedLaplaceLaw


def _scale(value: object) -> Real:
    return positive(value, "scale")


@tagged("Laplace")
@attrs.frozen(repr=False)
class Laplace(IntegerNoise):
    r"""Laplace noise of scale b, rounded to integers, on integer aggregates.

    Each entry gets an independent :math:`\mathrm{round}(Z)` with Z of density :math:`e^{-|z|/b}/2b`. Rounding the noise of an
    integer aggregate rounds the noisy sum, so the release is post-processing of the continuous mechanism and at most as risky.
    With :math:`\varepsilon = \Delta_1 / b` (Dwork et al. 2006) its loss is dominated by one coordinate moved by the whole
    sensitivity, whose trade-off function is closed (Dong, Roth and Su 2019, arXiv 1905.02383).

    Attributes:
        scale: The scale b, in the units of the aggregate; the decimal that was typed.
        sensitivity: The L1 sensitivity of the whole vector, or a `Sensitivity` from which it is taken.
        neighbors: The relation under which the sensitivity was stated; None for the study's.

    Raises:
        InvalidParameterError: When the scale or the sensitivity is not positive and finite.

    Example:
        >>> from privacy_accountant import ADP, Laplace
        >>> Laplace(scale=2, sensitivity=1).guarantee(ADP, delta=0)
        ADP(epsilon=0.5, delta=0.0)
    """

    noise_parameter: ClassVar[str] = "scale"

    scale: Real = attrs.field(converter=_scale)
    sensitivity: Real | Sensitivity = attrs.field(converter=read_sensitivity)
    neighbors: Neighbors | None = attrs.field(default=None, kw_only=True, converter=read_optional_neighbors)

    def __attrs_post_init__(self) -> None:
        norm_l1(self.sensitivity, "Laplace")

    @property
    def _epsilon(self) -> Fraction:
        return norm_l1(self.sensitivity, "Laplace") / exact(self.scale)

    def _native(self) -> PrivacyGuarantee:
        return PLD.of(LaplacePair(canonical(self._epsilon)))

    def _law(self) -> RoundedLaplaceLaw:
        return RoundedLaplaceLaw(exact(self.scale))

    def price(
        self, form: type[PrivacyGuarantee], orders: Sequence[Any] | None = None
    ) -> tuple[Fraction, ...]:
        """The exact cost of one release; see `Mechanism.price`."""
        return (self._epsilon, Fraction(0)) if form is ADP else super().price(form, orders)
