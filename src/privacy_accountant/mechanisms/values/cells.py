"""Cells as exact integers: whole numbers as they are, real numbers as multiples of a power-of-two grid, and back.

Values travel as int64 where everything fits with room to spare and as Python integers otherwise, so nothing wraps round: an
unsigned array is never negated, and a sum that passes int64 becomes Python integers. Real values are snapped by
floor(x/g + 1/2), exactly: no step of it is rounded.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privacy_accountant.errors import InvalidAggregateError

Cells: TypeAlias = NDArray[Any]
Where: TypeAlias = Callable[[int], str]

INTEGERS = "an integer, or a non-empty list, tuple, array, Series or DataFrame of integers"
NO_GRID = (
    f"{INTEGERS}: noise on floating-point values leaks through their low-order bits, so real values need Laplace or Gaussian "
    'with grid="auto" (or a grid of your own)'
)
REALS = "a finite number, or a non-empty list, tuple, array, Series or DataFrame of finite numbers"

_NOT_NUMBERS = bool, np.bool_, np.timedelta64
"""What passes for an integer in Python's or numpy's tree of types and is none."""

_ROOM = 2**62
_EXACT = 2**53
_NORMAL = 1022
_PIECE = 1 << 16


def whole(cells: Cells, field: str, where: Where) -> Cells:
    """Integers, read without loss: int64, or Python integers where one passes int64.

    Raises:
        InvalidAggregateError: For anything else; the message names kind and position, never the value.
    """
    kind = cells.dtype.kind
    if kind == "O":
        items = cells.reshape(-1).tolist()
        if not all(map(_is_whole, set(map(type, items)))):
            at = next(at for at, item in enumerate(items) if not _is_whole(type(item)))
            rule = NO_GRID if isinstance(items[at], (float, np.floating)) else INTEGERS
            raise InvalidAggregateError(field, rule, _kind_at(items[at], where(at)))
        return narrow(_objects(list(map(int, items)), cells.shape))
    if kind not in "iu":
        raise InvalidAggregateError(field, NO_GRID if kind == "f" else INTEGERS, _all_from(cells, where(0)))
    if kind == "u" and cells.dtype.itemsize == 8:
        return narrow(cells.astype(object))
    return cells.astype(np.int64, copy=False)


def snapped(cells: Cells, grid: Fraction, field: str, where: Where) -> Cells:
    """Real numbers as the integers floor(x/grid + 1/2), exactly.

    Raises:
        InvalidAggregateError: For NaN, infinities, booleans and everything else that is no number; the message names kind and
            position, never the value.
    """
    kind = cells.dtype.kind
    if kind == "O":
        for at, item in enumerate(cells.reshape(-1)):
            _require_real(item, field, where(at))
        return narrow(_objects([_snap(_ratio(item), grid) for item in cells.reshape(-1)], cells.shape))
    if kind not in "iuf":
        raise InvalidAggregateError(field, REALS, _all_from(cells, where(0)))
    if kind != "f":
        return scaled(whole(cells, field, where), 1 / grid)
    quick = _snap_floats(cells, grid) if cells.dtype.itemsize <= 8 else None
    if quick is not None:
        return quick
    finite = np.isfinite(cells).reshape(-1)
    if not finite.all():
        at = int(np.argmin(finite))
        _require_real(float(cells.reshape(-1)[at]), field, where(at))
    return narrow(_objects([_snap(_ratio(item), grid) for item in cells.reshape(-1)], cells.shape))


def scaled(cells: Cells, ratio: Fraction) -> Cells:
    """floor(x * ratio + 1/2) of integers, exactly."""
    up, down = 2 * ratio.numerator, 2 * ratio.denominator
    most = (_ROOM - down) // up
    if most <= 0 or cells.dtype != np.int64 or not has_room(cells, most):
        cells = cells.astype(object)
    return narrow((cells * up + ratio.denominator) // down)


def floats(units: Cells, grid: Fraction) -> Cells:
    """The nearest float64 to units * grid: exact up to 2**53 units, always a multiple of the grid, never an infinity."""
    if units.dtype == np.int64:
        return _times_power(units.astype(np.float64), exponent(grid))
    nearest = np.empty(units.shape, dtype=np.float64)
    nearest.reshape(-1)[:] = [nearest_float(unit * grid) for unit in units.reshape(-1).tolist()]
    return nearest


def ratio_floats(steps: Cells, unit: Fraction) -> Cells:
    """The nearest float64 to steps * unit: a division of two exact floats is rounded once."""
    most = _EXACT // unit.numerator
    if steps.dtype == np.int64 and most > 0 and unit.denominator <= _EXACT and has_room(steps, most):
        return np.asarray((steps * unit.numerator).astype(np.float64) / float(unit.denominator))
    nearest = np.empty(steps.shape, dtype=np.float64)
    nearest.reshape(-1)[:] = [nearest_float(step * unit) for step in steps.reshape(-1).tolist()]
    return nearest


def nearest_float(value: Fraction) -> float:
    """The nearest float64; the largest one where there is none."""
    try:
        return float(value)
    except OverflowError:
        most = math.nextafter(math.inf, 0.0)
        return most if value > 0 else -most


def exponent(grid: Fraction) -> int:
    """The e of a grid 2**e."""
    return grid.numerator.bit_length() - grid.denominator.bit_length()


def add(values: Cells, noise: Cells) -> Cells:
    """The exact sum: int64 where both have room, Python integers elsewhere, narrowed again where they fit.

    The noise may be used up: where it can, the sum takes its place, as a large array of its own costs more than the addition.
    """
    if all(part.dtype == np.int64 and has_room(part) for part in (values, noise)):
        return np.asarray(np.add(values, noise, out=noise))
    return narrow(np.asarray(values.astype(object) + noise.astype(object), dtype=object))


def narrow(cells: Any) -> Cells:
    """An array of integers, int64 when every one fits; numpy's single numbers become arrays again."""
    if getattr(cells, "dtype", None) == np.int64:
        return np.asarray(cells)
    array = np.asarray(cells, dtype=object)
    try:
        return array.astype(np.int64)
    except OverflowError:
        return array


def clipped(cells: Cells, low: Cells | None, high: Cells | None) -> Cells:
    """Integers moved into an interval whose ends are arrays that broadcast; None leaves an end open."""
    ends = [end for end in (low, high) if end is not None]
    if any(array.dtype != np.int64 for array in (cells, *ends)):
        cells = cells.astype(object)
    if low is not None:
        cells = np.asarray(np.maximum(cells, low), dtype=cells.dtype)
    if high is not None:
        cells = np.asarray(np.minimum(cells, high), dtype=cells.dtype)
    return narrow(cells)


def has_room(cells: Cells, limit: int = _ROOM) -> bool:
    """Whether every integer is at most `limit` in absolute value."""
    return bool(cells.min() >= -limit and cells.max() <= limit)


def _snap_floats(cells: Cells, grid: Fraction) -> Cells | None:
    """Scaling by a power of two is exact; so are floor and, against one half, the comparison of what floor takes away.

    None when a cell is too large for it, or no finite number. It goes by pieces that stay in a core's cache: large arrays that
    are used once cost more than all the arithmetic.
    """
    flat = cells.reshape(-1)
    steps = np.empty(flat.size, dtype=np.int64)
    for start in range(0, flat.size, _PIECE):
        piece = slice(start, start + _PIECE)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            scaled = _times_power(flat[piece].astype(np.float64), -exponent(grid))
            if not has_room(scaled):
                return None
        below = np.floor(scaled)
        steps[piece] = below
        steps[piece] += np.subtract(scaled, below, out=below) >= 0.5
    return steps.reshape(cells.shape)


def _times_power(cells: NDArray[np.float64], power: int) -> Cells:
    """Cells times 2**power, in their place: by one multiplication, exact like ldexp and several times as fast."""
    if abs(power) > _NORMAL:
        return np.asarray(np.ldexp(cells, power))
    return np.asarray(np.multiply(cells, 2.0**power, out=cells))


def _snap(value: Fraction, grid: Fraction) -> int:
    return math.floor(value / grid + Fraction(1, 2))


def _ratio(item: Any) -> Fraction:
    """The exact number behind a Python or numpy number; numpy's long floats included."""
    return Fraction(int(item)) if _is_integer(item) else Fraction(*item.as_integer_ratio())


def _is_integer(item: object) -> bool:
    return _is_whole(type(item))


def _is_whole(kind: type) -> bool:
    return issubclass(kind, numbers.Integral) and not issubclass(kind, _NOT_NUMBERS)


def _require_real(item: Any, field: str, where: str) -> None:
    if _is_integer(item):
        return
    if not isinstance(item, (float, np.floating)):
        raise InvalidAggregateError(field, REALS, _kind_at(item, where))
    if not np.isfinite(item):
        place = f" at {where}" if where else ""
        raise InvalidAggregateError(field, REALS, ("NaN" if item != item else "an infinity") + place)  # noqa: PLR0124


def _kind_at(item: object, where: str) -> str:
    name = type(item).__name__
    return f"a cell of type {name} at {where}" if where else name


def _all_from(cells: Cells, where: str) -> str:
    return f"{cells.dtype}, from {where} on" if where else str(cells.dtype)


def _objects(items: list[int], shape: tuple[int, ...]) -> Cells:
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array.reshape(shape)
