"""Gaussian noise on integer aggregates, and on real ones that are snapped to a grid."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar, cast

import attrs

from privacy_accountant.codec import tagged
from privacy_accountant.errors import UnsupportedConversionError
from privacy_accountant.exact import Real, exact, order, root_up
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.base import Form, PrivacyGuarantee
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.pld import PLD, GaussianPair
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.mechanisms.additive import read_optional_neighbors, read_sigma
from privacy_accountant.mechanisms.grids import (
    Grid,
    automatic,
    each_moves,
    read_grid,
    read_length,
    snapped_l2_squared,
)
from privacy_accountant.mechanisms.real_noise import RealNoise
from privacy_accountant.neighbors import Neighbors, Sensitivity, norm_l2_squared, read_sensitivity
from privacy_accountant.noise import RoundedGaussianLaw


@tagged("Gaussian")
@attrs.frozen(repr=False)
class Gaussian(RealNoise):
    r"""Gaussian noise of standard deviation sigma: rounded to integers on integer aggregates, to the same grid on real ones.

    Each entry gets an independent :math:`\mathrm{round}(Z)`, :math:`Z \sim N(0, \sigma^2)`. Rounding the noise of an integer
    aggregate rounds the noisy sum, so the release is post-processing of the continuous mechanism and satisfies
    :math:`\mu`-GDP with :math:`\mu = \Delta_2 / \sigma` for vectors of any length (Dong, Roth and Su 2019, arXiv 1905.02383).
    The variance grows by about 1/12.

    With a grid g, values may be real: they are snapped by :math:`\lfloor x/g + 1/2 \rfloor` and the noise is rounded to the
    same grid. Snapping can round a change up to the next multiple of g, in each of the m cells that one person changes: m is
    the sensitivity's `values`, else the public `length`, else 1 for a single number. So the account is of :math:`\sqrt m`
    times `per_value` rounded up to the grid, or of less than :math:`\Delta_2 + \sqrt m g` when only the norm is given.

    Attributes:
        sigma: Standard deviation of the noise, in the units of the aggregate; the decimal that was typed.
        sensitivity: The L2 sensitivity of the whole vector, or a `Sensitivity` from which it is taken.
        neighbors: The relation under which the sensitivity was stated; None for the study's.
        grid: A power of two that real values are snapped to; None for integers only. `"auto"` takes the largest that is at most
            sigma/2**10 and adds at most a 2**-20th to the sensitivity: it follows from the other parameters alone.
        length: How many cells the vector has, public; needed with a grid when the sensitivity does not count `values`.

    Raises:
        InvalidParameterError: When sigma or the sensitivity is not positive and finite, the grid no power of two, or a length
            is given without a grid.

    Example:
        >>> from privacy_accountant import Gaussian, Sensitivity
        >>> Gaussian(sigma=4, sensitivity=Sensitivity(per_value=1, values=4)).guarantee()
        GDP(mu=0.5)
        >>> Gaussian(sigma=4, sensitivity=1.1, grid=2**-3).guarantee()
        GDP(mu=0.28125)
    """

    noise_parameter: ClassVar[str] = "sigma"

    sigma: Real = attrs.field(converter=read_sigma)
    sensitivity: Real | Sensitivity = attrs.field(converter=read_sensitivity)
    neighbors: Neighbors | None = attrs.field(default=None, kw_only=True, converter=read_optional_neighbors)

    grid: Grid = attrs.field(default=None, kw_only=True, converter=read_grid)
    length: int | None = attrs.field(default=None, kw_only=True, converter=read_length)

    def __attrs_post_init__(self) -> None:
        square = norm_l2_squared(self.sensitivity, "Gaussian")
        self._settle(lambda: automatic(exact(self.sigma), square / self.moving))

    @property
    def _mu_squared(self) -> Fraction:
        square = norm_l2_squared(self.sensitivity, "Gaussian")
        if self.grid is not None:
            square = snapped_l2_squared(square, self.grid, self.moving, each_moves(self.sensitivity))
        return square / exact(self.sigma) ** 2

    def _native(self) -> PrivacyGuarantee:
        return GDP(root_up(self._mu_squared))

    def _in_form(self, form: type[Form], parameters: dict[str, Any]) -> Form:
        if form is PLD and not parameters:
            return cast("Form", PLD.of(GaussianPair(self._mu_squared)))
        return super()._in_form(form, parameters)

    def _law(self) -> RoundedGaussianLaw:
        return RoundedGaussianLaw(exact(self.sigma) / self._unit)

    def price(
        self, form: type[PrivacyGuarantee], orders: Sequence[Any] | None = None
    ) -> tuple[Fraction, ...]:
        """The exact cost of one release: mu squared, rho and Renyi divergences are rational; see `Mechanism.price`."""
        return gaussian_price(type(self).__name__, self._mu_squared, form, orders) or super().price(
            form, orders
        )


def gaussian_price(
    name: str, mu_squared: Fraction, form: type[PrivacyGuarantee], orders: Sequence[Any] | None
) -> tuple[Fraction, ...] | None:
    """What Gaussian-type noise costs in units that are rational in mu squared; None for units that are not its own."""
    if form is GDP:
        return (mu_squared,)
    if form is ZCDP:
        return mu_squared / 2, Fraction(0)
    if form is RDP:
        return tuple(exact(order(index, "orders")) * mu_squared / 2 for index in orders or ())
    if form is ADP:
        reason = (
            "no finite epsilon holds at delta 0; a study with a GDP, ZCDP or ADP (delta > 0) budget takes it"
        )
        raise UnsupportedConversionError(name, "ADP", reason)
    return None
