"""The kinds of object that people hold aggregates in: opened into flat arrays of cells, and built again around noisy ones.

A container knows nothing of noise. It gives the cells in one or more arrays (a data frame gives one per column, so that an
integer column is never read through floats), says where a cell is, and builds the caller's kind around arrays of that shape.
"""

from __future__ import annotations

import contextlib
import numbers
from collections.abc import Callable
from itertools import chain
from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from privacy_accountant.errors import InvalidAggregateError

Parts: TypeAlias = tuple[NDArray[Any], ...]

KINDS = "a number, or a non-empty list, tuple, numpy array, pandas or polars Series or DataFrame of numbers"


@attrs.frozen(eq=False)
class Container:
    """An opened aggregate.

    Attributes:
        shape: Shape of the whole, () for one number.
        parts: Its cells, unchecked: arrays of any dtype, several for a data frame.
        rebuild: Builds the caller's kind around arrays of the same shapes.
        place: Says where the cell of a part at a flat position is; empty for a single number.
    """

    shape: tuple[int, ...]
    parts: Parts
    rebuild: Callable[[Parts], Any]
    place: Callable[[int, int], str]


def open_python(value: object, field: str) -> Container | None:
    """Open a number, a list or a tuple; None for other kinds.

    Raises:
        InvalidAggregateError: For empty and ragged vectors.
    """
    if isinstance(value, (list, tuple)):
        shape, items = _flat(value, field)
        return Container(
            shape,
            (_cells(items).reshape(shape),),
            lambda parts: _nest(parts[0].tolist(), value),
            lambda _, at: "".join(f"[{index}]" for index in np.unravel_index(at, shape)),
        )
    if isinstance(value, np.ndarray) or not isinstance(value, (numbers.Number, np.generic, str)):
        return None
    cell = np.empty((), dtype=object)
    cell[()] = value
    as_numpy = isinstance(value, np.generic)
    return Container((), (cell,), lambda parts: parts[0][()] if as_numpy else parts[0].item(), lambda *_: "")


def open_array(value: object, field: str) -> Container | None:
    """Open a numpy array; None for other kinds.

    Raises:
        InvalidAggregateError: For empty and masked arrays.
    """
    if not isinstance(value, np.ndarray):
        return None
    if value.size == 0:
        raise InvalidAggregateError(field, KINDS, "an empty array")
    if isinstance(value, np.ma.MaskedArray):
        raise InvalidAggregateError(field, f"{KINDS}, without a mask (fill it)", "a masked array")
    shape = value.shape
    return Container(
        shape,
        (np.asarray(value),),  # a plain array: a subclass may add, mask or copy in ways of its own
        lambda parts: parts[0],
        lambda _, at: f"[{', '.join(str(index) for index in np.unravel_index(at, shape))}]" if shape else "",
    )


def _flat(value: Any, field: str) -> tuple[tuple[int, ...], list[Any]]:
    """The shape of nested lists and tuples, and what is in them."""
    kinds = set(map(type, value))
    nested = {issubclass(kind, (list, tuple)) for kind in kinds}
    if not nested:
        raise InvalidAggregateError(field, KINDS, "an empty vector")
    if nested == {False}:
        return (len(value),), list(value)
    inner = [_flat(item, field) for item in value] if nested == {True} else []
    shapes = {shape for shape, _ in inner}
    if len(shapes) != 1:
        raise InvalidAggregateError(field, KINDS, "a ragged vector")
    return (len(value), *shapes.pop()), list(chain.from_iterable(items for _, items in inner))


def _cells(items: list[Any]) -> NDArray[Any]:
    """Plain Python floats as float64 and plain integers as int64 where they fit, which is exact; anything else as it is."""
    kinds = set(map(type, items))
    if kinds == {float}:
        return np.array(items, dtype=np.float64)
    if kinds == {int}:
        with contextlib.suppress(OverflowError):
            return np.array(items, dtype=np.int64)
    cells = np.empty(len(items), dtype=object)
    cells[:] = items
    return cells


def _nest(noisy: Any, like: Any) -> Any:
    """Python numbers nested in lists and tuples as the caller's were.

    A named tuple stays one. Any other class of its own becomes a plain list or tuple: how to make one is not known, and a
    release must not fail of it after the data was touched.
    """
    plain = list if isinstance(like, list) else tuple
    make = getattr(type(like), "_make", plain) if hasattr(like, "_fields") else plain
    if not isinstance(like[0], (list, tuple)):
        return make(noisy)
    return make([_nest(item, inner) for item, inner in zip(noisy, like, strict=True)])
