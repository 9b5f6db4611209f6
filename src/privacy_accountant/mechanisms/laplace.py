"""Laplace noise on integer aggregates, and on real ones that are snapped to a grid."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import attrs

from privacy_accountant.codec import tagged
from privacy_accountant.exact import Real, canonical, exact
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.pld import PLD, LaplacePair
from privacy_accountant.mechanisms.additive import read_optional_neighbors, read_scale
from privacy_accountant.mechanisms.grids import (
    Grid,
    automatic,
    each_moves,
    read_grid,
    read_length,
    snapped_l1,
)
from privacy_accountant.mechanisms.real_noise import RealNoise
from privacy_accountant.neighbors import Neighbors, Sensitivity, norm_l1, read_sensitivity
from privacy_accountant.noise import RoundedLaplaceLaw


@tagged("Laplace")
@attrs.frozen(repr=False)
class Laplace(RealNoise):
    r"""Laplace noise of scale b: rounded to integers on integer aggregates, to the same grid on real ones.

    Each entry gets an independent :math:`\mathrm{round}(Z)` with Z of density :math:`e^{-|z|/b}/2b`. Rounding the noise of an
    integer aggregate rounds the noisy sum, so the release is post-processing of the continuous mechanism and at most as risky.
    With :math:`\varepsilon = \Delta_1 / b` (Dwork et al. 2006) its loss is dominated by one coordinate moved by the whole
    sensitivity, whose trade-off function is closed (Dong, Roth and Su 2019, arXiv 1905.02383).

    With a grid g, values may be real: they are snapped by :math:`\lfloor x/g + 1/2 \rfloor` and the noise is rounded to the
    same grid. Snapping can round a change up to the next multiple of g, in each of the m cells that one person changes: m is
    the sensitivity's `values`, else the public `length`, else 1 for a single number. So the account is of :math:`m` times
    `per_value` rounded up to the grid, or of :math:`\Delta_1` rounded up plus :math:`(m - 1) g` when only the norm is given.

    Attributes:
        scale: The scale b, in the units of the aggregate; the decimal that was typed.
        sensitivity: The L1 sensitivity of the whole vector, or a `Sensitivity` from which it is taken.
        neighbors: The relation under which the sensitivity was stated; None for the study's.
        grid: A power of two that real values are snapped to; None for integers only. `"auto"` takes the largest that is at most
            scale/2**10 and adds at most a 2**-20th to the sensitivity: it follows from the other parameters alone.
        length: How many cells the vector has, public; needed with a grid when the sensitivity does not count `values`.

    Raises:
        InvalidParameterError: When the scale or the sensitivity is not positive and finite, the grid no power of two, or a
            length is given without a grid.

    Example:
        >>> from privacy_accountant import ADP, Laplace
        >>> Laplace(scale=2, sensitivity=1).guarantee(ADP, delta=0)
        ADP(epsilon=0.5, delta=0.0)
        >>> Laplace(scale=2, sensitivity=1.1, grid=2**-4).guarantee(ADP, delta=0)
        ADP(epsilon=0.5625, delta=0.0)
    """

    noise_parameter: ClassVar[str] = "scale"

    scale: Real = attrs.field(converter=read_scale)
    sensitivity: Real | Sensitivity = attrs.field(converter=read_sensitivity)
    neighbors: Neighbors | None = attrs.field(default=None, kw_only=True, converter=read_optional_neighbors)

    grid: Grid = attrs.field(default=None, kw_only=True, converter=read_grid)
    length: int | None = attrs.field(default=None, kw_only=True, converter=read_length)

    def __attrs_post_init__(self) -> None:
        norm = norm_l1(self.sensitivity, "Laplace")
        self._settle(lambda: automatic(exact(self.scale), (norm / self.moving) ** 2))

    @property
    def _epsilon(self) -> Fraction:
        norm = norm_l1(self.sensitivity, "Laplace")
        if self.grid is not None:
            norm = snapped_l1(norm, self.grid, self.moving, each_moves(self.sensitivity))
        return norm / exact(self.scale)

    def _native(self) -> PrivacyGuarantee:
        return PLD.of(LaplacePair(canonical(self._epsilon)))

    def _law(self) -> RoundedLaplaceLaw:
        return RoundedLaplaceLaw(exact(self.scale) / self._unit)

    def price(
        self, form: type[PrivacyGuarantee], orders: Sequence[Any] | None = None
    ) -> tuple[Fraction, ...]:
        """The exact cost of one release; see `Mechanism.price`."""
        return (self._epsilon, Fraction(0)) if form is ADP else super().price(form, orders)
