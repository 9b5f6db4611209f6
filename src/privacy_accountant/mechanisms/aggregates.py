"""Integer aggregates in every kind that people hold them in: read without loss, given back in the same kind.

Values travel as one flat numpy array, int64 where everything fits with room to spare and Python integers otherwise, so that
nothing wraps round: an unsigned array is never negated, and a sum that passes int64 becomes Python integers.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from privacy_accountant.errors import InvalidAggregateError

RULE = "an integer, or a non-empty list, tuple or numpy array of integers"
FLOAT_RULE = (
    f"{RULE}: noise on floating-point values leaks through their low-order bits, so real values need a grid; "
    "count in whole units (cents, milligrams) instead"
)
_ROOM = 2**62
_WORD = 2**63


@attrs.frozen(eq=False)
class Aggregate:
    """An integer aggregate that was read.

    Attributes:
        shape: Shape of the aggregate, () for one number.
        numbers: Its numbers in that shape, int64 or Python integers.
        restore: Turns noisy numbers in that shape into the caller's kind.
    """

    shape: tuple[int, ...]
    numbers: NDArray[Any]
    restore: Callable[[NDArray[Any]], Any]

    def plus(self, noise: NDArray[Any]) -> Any:
        """The aggregate with noise added exactly, in the caller's kind."""
        return self.restore(_add(self.numbers, noise))


def read_aggregate(value: object, field: str = "value") -> Aggregate:
    """Read an integer aggregate.

    Raises:
        InvalidAggregateError: For booleans, strings, floats, and empty or ragged vectors. The message names the kind of the
            value and not the value, which is unpublished data.
    """
    if isinstance(value, (bool, np.bool_)):
        raise InvalidAggregateError(field, RULE, type(value).__name__)
    if isinstance(value, np.integer):
        return Aggregate((), _narrow(np.array(int(value), dtype=object)), _scalar_like_numpy)
    if isinstance(value, numbers.Integral):
        return Aggregate((), _narrow(np.array(int(value), dtype=object)), lambda noisy: int(noisy[()]))
    if isinstance(value, np.ndarray):
        return Aggregate(value.shape, _from_array(value, field), _array_like_numpy)
    if isinstance(value, (list, tuple)):
        shape = _list_shape(value, field)
        flat = np.array(list(_leaves(value, field)), dtype=object).reshape(shape)
        return Aggregate(shape, _narrow(flat), lambda noisy: _nest(noisy, value))
    raise InvalidAggregateError(field, _rule_for(value), type(value).__name__)


def _rule_for(item: object) -> str:
    return FLOAT_RULE if isinstance(item, (float, np.floating)) else RULE


def _from_array(array: NDArray[Any], field: str) -> NDArray[Any]:
    if array.size == 0:
        raise InvalidAggregateError(field, RULE, "an empty array")
    if array.dtype.kind == "O":
        for item in array.reshape(-1):
            _require_integer(item, field)
        return _narrow(np.array([int(item) for item in array.reshape(-1)], dtype=object).reshape(array.shape))
    if array.dtype.kind not in "iu":
        raise InvalidAggregateError(
            field, FLOAT_RULE if array.dtype.kind == "f" else RULE, f"an array of {array.dtype}"
        )
    if array.dtype.kind == "u" and array.dtype.itemsize == 8:
        return _narrow(array.astype(object))
    return array.astype(np.int64)


def _require_integer(item: object, field: str) -> None:
    if isinstance(item, (bool, np.bool_)) or not isinstance(item, numbers.Integral):
        raise InvalidAggregateError(
            field,
            FLOAT_RULE if isinstance(item, (float, np.floating)) else RULE,
            f"a vector with a {type(item).__name__}",
        )


def _list_shape(value: Any, field: str) -> tuple[int, ...]:
    if not isinstance(value, (list, tuple)):
        return ()
    if not value:
        raise InvalidAggregateError(field, RULE, "an empty vector")
    shapes = {_list_shape(item, field) for item in value}
    if len(shapes) > 1:
        raise InvalidAggregateError(field, RULE, "a ragged vector")
    return (len(value), *shapes.pop())


def _leaves(value: Any, field: str) -> Any:
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item, field)
    else:
        _require_integer(value, field)
        yield int(value)


def _nest(noisy: NDArray[Any], like: Any) -> Any:
    """Python integers nested in lists and tuples as the caller's were."""
    if not isinstance(like, (list, tuple)):
        return int(noisy[()])
    make = getattr(type(like), "_make", type(like))  # a named tuple is made from a sequence by its own _make
    return make([_nest(noisy[i, ...], item) for i, item in enumerate(like)])


def _scalar_like_numpy(noisy: NDArray[Any]) -> Any:
    value = int(noisy[()])
    return np.int64(value) if -_WORD <= value < _WORD else value


def _array_like_numpy(noisy: NDArray[Any]) -> NDArray[Any]:
    return noisy


def _narrow(array: NDArray[Any]) -> NDArray[Any]:
    """int64 when every number fits."""
    if array.dtype == np.int64:
        return array
    fits = all(-_WORD <= item < _WORD for item in array.reshape(-1))
    return array.astype(np.int64) if fits else array


def _add(values: NDArray[Any], noise: NDArray[Any]) -> NDArray[Any]:
    if all(part.dtype == np.int64 and _has_room(part) for part in (values, noise)):
        return np.asarray(values + noise)
    return _narrow(np.asarray(values.astype(object) + noise.astype(object), dtype=object))


def _has_room(array: NDArray[Any]) -> bool:
    return bool(array.min() >= -_ROOM and array.max() <= _ROOM)
