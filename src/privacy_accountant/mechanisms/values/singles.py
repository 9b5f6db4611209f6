"""Single numbers: read and given back without opening a container, which takes longer than drawing their noise.

What is done here is what `cells` does to an array, for one number. Which numbers come this way is decided by their type, and of
floats by whether they are finite, so everything that is to be refused goes the long way, which says why.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from privacy_accountant.mechanisms.values.cells import exponent, nearest_float

_WHOLE = frozenset((int, *(np.dtype(code).type for code in np.typecodes["AllInteger"])))
_REAL = frozenset((float, np.float16, np.float32, np.float64))

_LEAST, _MOST = -(2**63), 2**63 - 1


def read_one(value: Any, grid: Fraction | None) -> int | None:
    """One number as an integer, or as floor(x/grid + 1/2), exactly; None for whatever needs a closer look."""
    kind = type(value)
    if kind in _WHOLE:
        return int(value) if grid is None else _snap_integer(int(value), exponent(grid))
    if grid is None or kind not in _REAL:
        return None
    number = float(value)
    return _snap_float(number, grid) if math.isfinite(number) else None


def write_one(units: int, grid: Fraction | None, like: object) -> Any:
    """The number that stands for so many units, in the kind of another: Python's, or numpy's int64 or float64.

    Beyond int64 an integer is Python's.
    """
    as_numpy = isinstance(like, np.generic)
    if grid is None:
        return np.int64(units) if as_numpy and _LEAST <= units <= _MOST else units
    try:
        real = math.ldexp(units, exponent(grid))
    except OverflowError:
        real = nearest_float(units * grid)
    return np.float64(real) if as_numpy else real


def _snap_integer(value: int, power: int) -> int:
    return value << -power if power <= 0 else value + (1 << power - 1) >> power


def _snap_float(value: float, grid: Fraction) -> int:
    """Scaling by a power of two is exact; so are floor and, against one half, the comparison of what floor takes away.

    Where the scaled number is below the smallest float its sign is all that is left of it, and that settles it.
    """
    try:
        scaled = math.ldexp(value, -exponent(grid))
    except OverflowError:
        return math.floor(Fraction(value) / grid + Fraction(1, 2))
    below = math.floor(scaled)
    return below + (scaled - below >= 0.5)
