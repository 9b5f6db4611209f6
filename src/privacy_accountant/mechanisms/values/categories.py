"""Single answers and many, read as positions in a public list of categories, and given back in the caller's kind."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from privacy_accountant.errors import InvalidAggregateError, InvalidParameterError
from privacy_accountant.mechanisms.values.aggregates import open_container

Category: TypeAlias = bool | int | str

RULE = (
    "one of the categories, or a non-empty list, tuple, numpy array or Series of them (one for each person)"
)

_SHORTEST = 2


def read_categories(value: object) -> tuple[Category, ...]:
    """Read the public list of categories.

    Raises:
        InvalidParameterError: When it is not a list of at least two different texts, integers or booleans.
    """
    rule = "a list or tuple of at least two different texts, integers or booleans"
    if not isinstance(value, (list, tuple)):
        raise InvalidParameterError("categories", rule, value)
    plain = tuple(_plain(item) for item in value)
    if len(set(map(_key, plain))) < max(len(plain), _SHORTEST) or not all(map(_is_category, plain)):
        raise InvalidParameterError("categories", rule, value)
    return plain


@attrs.frozen(eq=False)
class Answers:
    """Answers as positions in the list of categories.

    Attributes:
        shape: Shape of the whole, () for one answer.
        positions: The positions, flat.
        rebuild: Builds the caller's kind around other positions.
    """

    shape: tuple[int, ...]
    positions: NDArray[np.int64]
    rebuild: Callable[[NDArray[np.int64]], Any]


def read_answers(value: Any, categories: tuple[Category, ...]) -> Answers:
    """Read one answer or many.

    Raises:
        InvalidAggregateError: When one is not a category; the message names kind and position, never the answer.
    """
    place = {_key(category): at for at, category in enumerate(categories)}
    if isinstance(value, (bool, np.bool_, numbers.Integral, str)):
        positions = np.array([_position(value, place, "")], dtype=np.int64)
        return Answers((), positions, lambda at: categories[int(at[0])])
    container = open_container(value)
    if len(container.parts) != 1:
        raise InvalidAggregateError("value", RULE, "a data frame")
    (cells,) = container.parts
    positions = _positions(cells.reshape(-1), place, lambda at: container.place(0, at))
    table = _table(categories)

    def rebuild(at: NDArray[np.int64]) -> Any:
        return container.rebuild((table[at].reshape(cells.shape),))

    return Answers(container.shape, positions, rebuild)


def _positions(
    cells: NDArray[Any], place: dict[tuple[type, Any], int], where: Callable[[int], str]
) -> NDArray[np.int64]:
    """The position of each cell; equal numbers of an array are looked up once."""
    if cells.dtype.kind in "biu":
        values, first, inverse = np.unique(cells, return_index=True, return_inverse=True)
        found = [
            _position(item, place, where(int(at))) for item, at in zip(values.tolist(), first, strict=True)
        ]
        return np.array(found, dtype=np.int64)[inverse.reshape(-1)]
    return np.array(
        [_position(item, place, where(at)) for at, item in enumerate(cells.tolist())], dtype=np.int64
    )


def _table(categories: tuple[Category, ...]) -> NDArray[Any]:
    """The categories as an array: of booleans or int64 where all of them are, of objects elsewhere."""
    if all(isinstance(item, bool) for item in categories):
        return np.array(categories, dtype=np.bool_)
    small = all(type(item) is int and -(2**63) <= item < 2**63 for item in categories)
    table = np.empty(len(categories), dtype=np.int64 if small else object)
    table[:] = categories
    return table


def _position(item: Any, place: dict[tuple[type, Any], int], where: str) -> int:
    item = _plain(item)
    at = place.get(_key(item)) if _is_category(item) else None
    if at is None:
        shown = f" at {where}" if where else ""
        raise InvalidAggregateError("value", RULE, f"another value of type {type(item).__name__}{shown}")
    return at


def _plain(item: Any) -> Any:
    return item.item() if isinstance(item, np.generic) else item


def _is_category(item: object) -> bool:
    return type(item) in (bool, int, str)


def _key(item: Any) -> tuple[type, Any]:
    """True is not 1: a kind of its own."""
    return type(item), item if _is_category(item) else id(item)
