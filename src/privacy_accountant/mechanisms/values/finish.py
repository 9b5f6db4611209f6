"""What may be done to a noised value for free: rounding and clamping with public parameters."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from privacy_accountant.codec import Json, decode, encode
from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import Real, exact, float_down, float_up, positive, real
from privacy_accountant.mechanisms.values.aggregates import read_aggregate
from privacy_accountant.mechanisms.values.cells import Cells, clipped, floats, narrow, ratio_floats, scaled

Ends: TypeAlias = tuple[Real | None, Real | None]

_CLAMP = "a pair (low, high) of numbers with low <= high, None for an open end"


def _clamp(value: Any) -> Ends | None:
    if value is None:
        return None
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise InvalidParameterError("clamp", _CLAMP, value)
    low, high = (None if end is None else real(end, "clamp", _CLAMP) for end in value)
    if low is not None and high is not None and exact(low) > exact(high):
        raise InvalidParameterError("clamp", _CLAMP, value)
    return low, high


def _round_to(value: object) -> Real | None:
    return None if value is None else positive(value, "round_to")


@attrs.frozen
class Finish:
    """Rounding to the nearest multiple of a unit (halves go up), then clamping to an interval. Both are post-processing.

    Attributes:
        clamp: The ends (low, high), public; None for an open one.
        round_to: The unit, public.
        grid: The grid of the mechanism whose answers are finished; without one, everything is a whole number.

    Raises:
        InvalidParameterError: When an end or the unit is out of range, or no whole number where answers are.

    Example:
        >>> Finish(clamp=(0, None), round_to=10).apply([-4, 17, 25])
        [0, 20, 30]
    """

    clamp: Ends | None = attrs.field(default=None, converter=_clamp)
    round_to: Real | None = attrs.field(default=None, converter=_round_to)
    grid: Fraction | None = None

    def __attrs_post_init__(self) -> None:
        if self.grid is not None:
            return
        for field, number in (("round_to", self.round_to), *(("clamp", end) for end in self.clamp or ())):
            if number is not None and exact(number).denominator != 1:
                rule = "of whole numbers, as the mechanism's answers are (one with a grid answers in floats)"
                raise InvalidParameterError(field, rule, number)

    def apply(self, noisy: Any) -> Any:
        """The noised value, rounded and clamped, in its kind."""
        aggregate = read_aggregate(noisy, "answer", grid=self.grid)
        change = self._integers if self.grid is None else self._reals
        return aggregate.rebuild(tuple(change(part) for part in aggregate.parts))

    def _integers(self, cells: Cells) -> Cells:
        if self.round_to is not None:
            unit = exact(self.round_to)
            steps = scaled(cells, 1 / unit)
            cells = narrow(steps.astype(object) * unit.numerator)
        if self.clamp is None:
            return cells
        low, high = (None if end is None else narrow(_whole(end)) for end in self.clamp)
        return clipped(cells, low, high)

    def _reals(self, cells: Cells) -> NDArray[Any]:
        grid = Fraction(1) if self.grid is None else self.grid
        if self.round_to is None:
            values = floats(cells, grid)
        else:
            unit = exact(self.round_to)
            values = ratio_floats(scaled(cells, grid / unit), unit)
        low, high = self.clamp or (None, None)
        if low is not None:
            values = np.maximum(values, float_up(low))
        if high is not None:
            values = np.minimum(values, float_down(high))
        return np.asarray(values)

    def write(self) -> Json:
        """As the ledger holds it; the grid stands in the mechanism."""
        fields = {"clamp": self.clamp, "round_to": self.round_to}
        return {name: encode(value) for name, value in fields.items() if value is not None}

    @classmethod
    def restore(cls, data: Json, grid: Fraction | None) -> Finish:
        """From what the ledger holds, for a mechanism with this grid."""
        return cls(grid=grid, **{name: decode(value) for name, value in data.items()})


def _whole(end: Real) -> Cells:
    cell = np.empty((), dtype=object)
    cell[()] = exact(end).numerator
    return cell
