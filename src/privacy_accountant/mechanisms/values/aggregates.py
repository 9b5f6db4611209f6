"""Aggregates in every kind that people hold them in: read without loss, noised exactly, given back in the same kind."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Protocol, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from privacy_accountant.errors import InvalidAggregateError
from privacy_accountant.mechanisms.values.cells import add, floats, narrow, snapped, whole
from privacy_accountant.mechanisms.values.containers import KINDS, Container, Parts, open_array, open_python
from privacy_accountant.mechanisms.values.frames import open_pandas, open_polars

Progress: TypeAlias = Callable[[int, int], None]
"""Told how many cells are done and how many there are."""

MANY = 1_000_000
"""Releases of more cells than this are drawn in pieces and report their progress."""

_OPENERS: tuple[Callable[[Any, str], Container | None], ...] = (
    open_array,
    open_python,
    open_pandas,
    open_polars,
)


class Law(Protocol):
    """What draws the noise of cells."""

    def draw(self, shape: tuple[int, ...]) -> NDArray[Any]:
        """Independent integers: int64, or Python integers where one passes int64."""

    def draw_one(self) -> int:
        """One integer."""


@attrs.frozen(eq=False)
class Aggregate:
    """An aggregate that was read as integers: whole numbers, or multiples of a grid.

    Attributes:
        shape: Shape of the aggregate, () for one number.
        parts: Its integers, int64 or Python integers; one array, or one per column of a data frame.
        grid: What one unit stands for; None when the aggregate itself is whole.
        rebuild: Builds the caller's kind around numbers of the same shapes.
    """

    shape: tuple[int, ...]
    parts: Parts
    grid: Fraction | None
    rebuild: Callable[[Parts], Any]

    @property
    def cells(self) -> int:
        """How many numbers it holds."""
        return sum(part.size for part in self.parts)

    def plus(self, law: Law, progress: Progress | None = None) -> Any:
        """The aggregate with the law's independent noise on every cell, in units of the grid, in the caller's kind.

        Args:
            law: What draws the noise.
            progress: Called with how many cells are drawn and how many there are, when there are more than a million.
        """
        total, done = self.cells, 0

        def advance(count: int) -> None:
            nonlocal done
            done += count
            if progress is not None and total > MANY:
                progress(done, total)

        return self.mapped(lambda part: _noised(part, law, advance, total))

    def mapped(self, change: Callable[[NDArray[Any]], NDArray[Any]]) -> Any:
        """The aggregate with its integers changed, in the caller's kind: int64 or Python integers, float64 on a grid."""
        parts = tuple(change(part) for part in self.parts)
        return self.rebuild(parts if self.grid is None else tuple(floats(part, self.grid) for part in parts))


def _noised(part: NDArray[Any], law: Law, advance: Callable[[int], None], total: int) -> NDArray[Any]:
    if part.shape == ():
        return narrow(int(part[()]) + law.draw_one())
    if total <= MANY:
        return add(part, np.asarray(law.draw(part.shape)))
    noisy = []
    for start in range(0, part.size, MANY):
        cells = part.reshape(-1)[start : start + MANY]
        noisy.append(add(cells, np.asarray(law.draw(cells.shape))))
        advance(cells.size)
    return np.concatenate(noisy).reshape(part.shape)


def open_container(value: object, field: str = "value") -> Container:
    """Open an aggregate of any kind; its cells are not checked.

    Raises:
        InvalidAggregateError: For other kinds, and empty or ragged vectors.
    """
    for opened in (opener(value, field) for opener in _OPENERS):
        if opened is not None:
            return opened
    raise InvalidAggregateError(field, KINDS, type(value).__name__)


def read_aggregate(value: object, field: str = "value", *, grid: Fraction | None = None) -> Aggregate:
    """Read an aggregate: integers without a grid, finite real numbers snapped to it with one.

    Raises:
        InvalidAggregateError: For booleans, strings, NaN, infinities, empty or ragged vectors, and floats without a grid. The
            message names kind and position and not the value, which is unpublished data.
    """
    container = open_container(value, field)

    def read(at: int, part: NDArray[Any]) -> NDArray[Any]:
        def where(cell: int) -> str:
            return container.place(at, cell)

        return whole(part, field, where) if grid is None else snapped(part, grid, field, where)

    parts = tuple(read(at, part) for at, part in enumerate(container.parts))
    return Aggregate(container.shape, parts, grid, container.rebuild)
