"""Additive noise with a density of the caller's own: drawn exactly, and accounted as it is drawn."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar, cast

import attrs
import numpy as np
from numpy.typing import NDArray

from privacy_accountant.errors import InvalidAggregateError, InvalidParameterError
from privacy_accountant.exact import Real, canonical, exact, float_up
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.base import Form, PrivacyGuarantee
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.pld import PLD
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.tradeoff import TradeOff
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.mechanisms.additive import read_optional_neighbors, read_scale
from privacy_accountant.mechanisms.densities.bars import Bars, draw_up, lay_out, read_spread
from privacy_accountant.mechanisms.densities.curve import trade_off
from privacy_accountant.mechanisms.densities.law import BarLaw
from privacy_accountant.mechanisms.densities.losses import on_lattice
from privacy_accountant.mechanisms.grids import Grid, automatic, read_grid
from privacy_accountant.mechanisms.prices import additive_cost
from privacy_accountant.mechanisms.real_noise import RealNoise
from privacy_accountant.neighbors import Neighbors, Sensitivity, read_sensitivity

_ADD_UP = (GDP, RDP, ZCDP)

_MISSING = "{name} must define distribution(), or log_density(x) and quantile(p)"


@attrs.frozen(repr=False)
class AdditiveNoise(RealNoise):
    r"""Noise whose density a subclass gives: as a scipy.stats distribution, or as a log-density and a quantile, at scale 1.

    The density only says how tall the bars of a chart are. Heights are rounded to integers, and outside the chart, far in the tails,
    they go on for ever by an exact ratio. That chart is the law: the noise is drawn from these integers with the operating
    system's entropy, and the guarantee is theirs. So nothing is assumed of the density, its rounding errors included; where it is
    not what its author believes, the noise is, and so is the account.

    What one entry that moves by the sensitivity reveals at most is a `TradeOff` of supporting lines, with intercepts rounded up and
    close to the chart's own: beta is a lower bound, delta an upper one. When the chart is log-concave the largest move is proved to be
    the worst; otherwise every move is worked out, and the curve covers them all. As a `PLD` its losses lie on a lattice, again from
    above, and compose fast; entries that move together compose in this way.

    With a grid, values may be real: they are snapped by :math:`\lfloor x/g + 1/2 \rfloor`, and bars are so many steps of the grid wide
    that the sensitivity is a whole number of bars.

    Attributes:
        scale: What the noise of scale 1 is multiplied by; the decimal that was typed.
        sensitivity: How far one number moves, or `Sensitivity(per_value=, values=)` for vectors. Norms say too little here: how
            the worst move divides between entries depends on the density.
        neighbors: The relation under which the sensitivity was stated; None for the study's.
        grid: A power of two that real values are snapped to, or `"auto"`; None for integers only, and a whole sensitivity.

    Raises:
        InvalidParameterError: When a parameter is out of range, or the density is not finite where it must be.

    References:
        Dong, Roth and Su 2019, arXiv 1905.02383 (log-concave noise); Zhu, Dong and Wang 2022, arXiv 2106.08567 (dominating pairs).

    Example:
        >>> import scipy.stats
        >>> from privacy_accountant import AdditiveNoise
        >>> class Logistic(AdditiveNoise):
        ...     def distribution(self):
        ...         return scipy.stats.logistic()
        >>> noise = Logistic(scale=2, sensitivity=1)
        >>> noise
        Logistic(scale=2.0, sensitivity=1.0)
        >>> round(noise.guarantee().advantage, 4), noise.noise_interval()
        (0.125, 7)
        >>> isinstance(noise.randomize(842), int)
        True
    """

    noise_parameter: ClassVar[str] = "scale"
    length = None

    scale: Real = attrs.field(converter=read_scale)
    sensitivity: Real | Sensitivity = attrs.field(converter=read_sensitivity)
    neighbors: Neighbors | None = attrs.field(default=None, kw_only=True, converter=read_optional_neighbors)
    grid: Grid = attrs.field(default=None, kw_only=True, converter=read_grid)

    def __attrs_post_init__(self) -> None:
        moved = self.per_value
        self._settle(lambda: automatic(exact(self.scale) * read_spread(self.quantile), moved**2))
        if self.grid is None and moved.denominator != 1:
            raise InvalidParameterError(
                "sensitivity", "a whole number for noise on integers", self.sensitivity
            )

    def distribution(self) -> Any:
        """A frozen scipy.stats distribution: the law of the noise at scale 1."""
        raise NotImplementedError(_MISSING.format(name=type(self).__name__))

    def log_density(self, x: NDArray[np.float64]) -> Any:
        """The logarithm of the density at scale 1, up to a constant; minus infinity where there is none.

        Args:
            x: Points, one-dimensional.

        Returns:
            As many numbers below infinity. They follow from the mechanism's fields alone, so they are the same whenever it is asked.
        """
        return self.distribution().logpdf(x)

    def quantile(self, p: float) -> Any:
        """The inverse of the cumulative distribution at scale 1; it says where to put the bars, and no more."""
        return self.distribution().ppf(p)

    @property
    def per_value(self) -> Fraction:
        """How far one entry moves, exact."""
        given = self.sensitivity
        if not isinstance(given, Sensitivity):
            return exact(given)
        if given.per_value is None:
            rule = f"given with per_value and values for {type(self).__name__}"
            raise InvalidParameterError("sensitivity", rule, given)
        return exact(given.per_value)

    @property
    def values(self) -> int:
        """How many entries move."""
        return (self.sensitivity.values or 1) if isinstance(self.sensitivity, Sensitivity) else 1

    def _native(self) -> PrivacyGuarantee:
        return _entry(self) if self.values == 1 else _losses(self).times(self.values)

    def _in_form(self, form: type[Form], parameters: dict[str, Any]) -> Form:
        found: PrivacyGuarantee
        if form is PLD and not parameters:
            found = _losses(self).times(self.values)
        elif self.values == 1:
            found = _entry(self).to(form, **parameters)
        elif form in _ADD_UP:
            # Divergences and mu of a composition are found entry by entry, where the curve of one is a polygon.
            found = _entry(self).to(form, **parameters).self_compose(self.values)
        else:
            found = self._native().to(form, **parameters)
        return cast("Form", found)

    def price(
        self, form: type[PrivacyGuarantee], orders: Sequence[Any] | None = None
    ) -> tuple[Fraction, ...]:
        """The exact cost of one release: that of one entry, as often as entries move; see `Mechanism.price`.

        Noise that ends somewhere is charged the probability of what lies beyond as its delta.
        """
        entry: PrivacyGuarantee = _entry(self)
        lost = 1 - exact(_entry(self).betas[0])
        if lost > 0 and form in (ADP, ZCDP):
            entry = ADP(entry.get_epsilon(float_up(canonical(lost))), canonical(lost))
        return tuple(self.values * cost for cost in additive_cost(type(self).__name__, entry, form, orders))

    def _law(self) -> BarLaw:
        return BarLaw(_bars(self))

    def _require(self, shape: tuple[int | None, ...]) -> None:
        cells = None if None in shape else math.prod(length or 0 for length in shape)
        if cells != 1 and not isinstance(self.sensitivity, Sensitivity):
            rule = "one number, or released with a Sensitivity(per_value=, values=) that says how many cells of a vector move"
            shown = "a vector of unknown length" if cells is None else f"{cells} cells"
            raise InvalidAggregateError("value", rule, shown)


@functools.lru_cache(maxsize=64)
def _bars(mechanism: AdditiveNoise) -> Bars:
    """The chart, in units of the scale."""
    scale = exact(mechanism.scale)
    layout = lay_out(mechanism.quantile, mechanism.per_value / scale, mechanism._unit / scale)
    return draw_up(layout, mechanism.log_density)


@functools.lru_cache(maxsize=64)
def _entry(mechanism: AdditiveNoise) -> TradeOff:
    """The curve of one entry."""
    return trade_off(_bars(mechanism))


@functools.lru_cache(maxsize=64)
def _losses(mechanism: AdditiveNoise) -> PLD:
    """The losses of one entry."""
    return on_lattice(_entry(mechanism))
