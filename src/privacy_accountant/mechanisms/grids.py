"""Public power-of-two grids for real values, and what snapping to one adds to a sensitivity."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import exact, integer, real
from privacy_accountant.mechanisms.values.aggregates import read_aggregate
from privacy_accountant.mechanisms.values.cells import exponent
from privacy_accountant.neighbors import Sensitivity

Grid: TypeAlias = Fraction | None

AUTO: Literal["auto"] = "auto"
"""Asks for the automatic grid."""

BELOW_NOISE = 10
"""An automatic grid is at least this many powers of two below the scale of the noise."""

BELOW_SENSITIVITY = 20
"""What an automatic grid adds to the sensitivity is at least this many powers of two below it: a millionth."""

_FINEST, _COARSEST = -1074, 960
_RULE = f"a power of two from 2**{_FINEST} to 2**{_COARSEST}"


def snap(values: Any, grid: Any) -> Any:
    """Numbers snapped to a public grid: floor(x/grid + 1/2) * grid, exactly.

    For the contributions of single people, before they are added up. Multiples of a grid add up in float64 without any
    rounding, in any order, as long as every partial sum stays below 2**53 times the grid, so the sum moves by no more
    than the people's contributions do. A contribution within [0, c] stays within it when c is a multiple of the grid.

    Args:
        values: Finite numbers of any kind that a release takes.
        grid: A power of two, such as `2**-20` or the `grid` of a mechanism.

    Returns:
        The same kind, of floats.

    Raises:
        InvalidAggregateError: For NaN, infinities, booleans and what is no number.
        InvalidParameterError: When the grid is no power of two.

    Example:
        >>> from privacy_accountant import snap
        >>> snap([0.1, -0.3, 2], 2**-2)
        [0.0, -0.25, 2.0]
    """
    step = read_grid(grid)
    if step is None or isinstance(step, str):
        raise InvalidParameterError("grid", _RULE, grid)
    return read_aggregate(values, "values", grid=step).mapped(lambda part: part)


def read_grid(value: object) -> Fraction | Literal["auto"] | None:
    """Read a grid. A float means its binary value: every power of two is a float, while few have a short decimal.

    Raises:
        InvalidParameterError: When it is no power of two of a float's range.
    """
    if value is None or (isinstance(value, str) and value == AUTO):
        return None if value is None else AUTO
    rule = f'None, "auto" or {_RULE}'
    step = (
        Fraction(value)
        if isinstance(value, float) and math.isfinite(value)
        else exact(real(value, "grid", rule))
    )
    if step <= 0 or step != _power(exponent(step)) or not _FINEST <= exponent(step) <= _COARSEST:
        raise InvalidParameterError("grid", rule, value)
    return step


def read_length(value: object) -> int | None:
    """Read a public length of a vector.

    Raises:
        InvalidParameterError: When it is not an integer of at least 1.
    """
    return None if value is None else integer(value, "length", "an integer >= 1", least=1)


def automatic(noise: Fraction, most_squared: Fraction) -> Fraction:
    """The largest power of two that is at most noise / 2**10 and whose square is at most `most_squared` / 2**40."""
    fine = min(_floor_log2(noise) - BELOW_NOISE, _floor_log2(most_squared) // 2 - BELOW_SENSITIVITY)
    return _power(min(max(fine, _FINEST), _COARSEST))


def moving(sensitivity: object, length: int | None) -> int:
    """How many cells one person can move: the stated count, else the public length, else 1 for a single number."""
    counted = sensitivity.values if isinstance(sensitivity, Sensitivity) else None
    return min((bound for bound in (counted, length) if bound is not None), default=1)


def each_moves(sensitivity: object) -> Fraction | None:
    """How far one person can move each cell, when the sensitivity was stated by counting."""
    each = sensitivity.per_value if isinstance(sensitivity, Sensitivity) else None
    return None if each is None else exact(each)


def snapped_l1(norm: Fraction, grid: Fraction, cells: int, each: Fraction | None = None) -> Fraction:
    r"""The largest L1 norm after snapping.

    A cell that moved by d is snapped to one that moved by at most :math:`\lceil d/g \rceil` steps: of :math:`d/g = a - b`,
    the difference of the floors of a and b is an integer below :math:`a - b + 1`. So with each cell's change at most c it is
    :math:`m \lceil c/g \rceil g`. When only the norm is bounded, :math:`\lceil d_i/g \rceil - 1` adds up, over the cells that
    move, to an integer below :math:`\Delta_1/g`, and the whole is at most :math:`(\lceil \Delta_1/g \rceil + m - 1) g`. Both are
    attained.

    Args:
        norm: The L1 norm before.
        grid: The grid g.
        cells: How many cells m can move.
        each: How far each of them moves at most, when that is known.
    """
    if each is not None:
        return cells * math.ceil(each / grid) * grid
    return (math.ceil(norm / grid) + cells - 1) * grid


def snapped_l2_squared(
    norm_squared: Fraction, grid: Fraction, cells: int, each: Fraction | None = None
) -> Fraction:
    r"""A bound on the squared L2 norm after snapping; attained by one cell, and when each cell's change is bounded.

    As for `snapped_l1`, each cell moves by at most :math:`k_i + 1` steps, where :math:`k_i = \lceil d_i/g \rceil - 1 < d_i/g`.
    So :math:`\sum k_i^2 \le K = \lceil \Delta_2^2/g^2 \rceil - 1`, the :math:`k_i` add up to at most :math:`\sqrt{mK}`, and
    :math:`\sum (k_i + 1)^2 \le K + 2 \lfloor \sqrt{mK} \rfloor + m`, which is below :math:`(\Delta_2/g + \sqrt m)^2`.
    """
    if each is not None:
        return cells * (math.ceil(each / grid) * grid) ** 2
    steps = math.ceil(norm_squared / grid**2) - 1
    if cells == 1:
        return (math.isqrt(steps) + 1) ** 2 * grid**2
    return (steps + cells + 2 * math.isqrt(cells * steps)) * grid**2


def show_grid(grid: Fraction) -> str:
    """A grid as people type it."""
    return f"2**{exponent(grid)}"


def _power(power: int) -> Fraction:
    return Fraction(2) ** power


def _floor_log2(value: Fraction) -> int:
    power = exponent(value)
    return power if _power(power) <= value else power - 1
