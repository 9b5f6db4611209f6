"""What Laplace and Gaussian noise share: a public grid on which they take real values."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from privacy_accountant.errors import InvalidAggregateError, InvalidParameterError
from privacy_accountant.guarantees.base import show_field
from privacy_accountant.mechanisms.additive import IntegerNoise
from privacy_accountant.mechanisms.grids import AUTO, Grid, moving, show_grid
from privacy_accountant.mechanisms.values.cells import nearest_float
from privacy_accountant.neighbors import Sensitivity


class RealNoise(IntegerNoise):
    """Adds noise to integers, or on a grid to real values; which of the two is a parameter, never the data's choice."""

    __slots__ = ()

    sensitivity: Any
    grid: Grid
    length: int | None

    @property
    def moving(self) -> int:
        """How many cells one person can move: `Sensitivity.values`, else the length, else 1 for a single number."""
        return moving(self.sensitivity, self.length)

    @property
    def _unit(self) -> Fraction:
        """What one integer of the law stands for."""
        return Fraction(1) if self.grid is None else self.grid

    def _settle(self, choose: Callable[[], Fraction]) -> None:
        """Put the automatic grid in its place while the object is being made."""
        if self.grid is None and self.length is not None:
            raise InvalidParameterError("length", "absent without a grid", self.length)
        asked: object = self.grid
        if asked == AUTO:
            object.__setattr__(self, "grid", choose())

    def _require(self, shape: tuple[int | None, ...]) -> None:
        cells = None if None in shape else math.prod(length or 0 for length in shape)
        shown = "a vector of unknown length" if cells is None else f"{cells} cells"
        if self.length is not None and cells != self.length:
            rule = f"as long as the mechanism says, length={self.length}"
            raise InvalidAggregateError("value", rule, shown)
        counted = isinstance(self.sensitivity, Sensitivity) and self.sensitivity.values is not None
        if self.grid is not None and self.length is None and not counted and cells != 1:
            rule = (
                "one number, or released with length= (public, chosen before the data is seen) or a Sensitivity that counts"
                " values: snapping to the grid moves every cell that one person can change"
            )
            raise InvalidAggregateError("value", rule, shown)

    def noise_interval(self, level: float = 0.95) -> int | float:
        """The least h that one entry's noise stays within with probability at least `level`; rounded up.

        An int, or with a grid a float, a multiple of it.

        Raises:
            InvalidParameterError: When level is not in (0, 1).
        """
        steps = self._steps_within(level)
        if self.grid is None:
            return steps
        width = nearest_float(steps * self.grid)
        return width if Fraction(width) >= steps * self.grid else math.nextafter(width, math.inf)

    def _show(self, name: str, value: Any) -> str:
        return show_grid(value) if name == "grid" else show_field(value)
