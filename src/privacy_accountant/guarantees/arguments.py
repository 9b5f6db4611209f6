"""Reading the argument of a question, and answering in the shape it was asked."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import real

Array: TypeAlias = NDArray[np.float64]
Answer: TypeAlias = Any
"""A Python float for a scalar question, a float64 array of the same shape for an array."""


def read_array(
    values: ArrayLike, field: str, rule: str, low: float, high: float
) -> tuple[Array, tuple[int, ...] | None]:
    """The argument as a flat float64 array, and its shape, None for a scalar.

    Raises:
        InvalidParameterError: For NaN, booleans, strings, empty or ragged vectors and anything outside [low, high].
    """
    if isinstance(values, (bool, str, bytes)):
        raise InvalidParameterError(field, rule, values)
    if not isinstance(values, (list, tuple, np.ndarray)) and not hasattr(values, "__array__"):
        flat, shape = np.array([_number(values, field, rule)]), None
    else:
        array = _as_numbers(values, field, rule)
        shape = None if array.ndim == 0 and not isinstance(values, np.ndarray) else array.shape
        flat = array.reshape(-1)
    good = (flat >= low) & (flat <= high)
    if not good.all():
        raise InvalidParameterError(field, rule, float(flat[~good][0]))
    return flat, shape


def _number(value: object, field: str, rule: str) -> float:
    """One number, infinities included: the range decides about those."""
    if isinstance(value, float) and math.isinf(value):
        return float(value)
    number = real(value, field, rule, infinite=True)
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _as_numbers(values: ArrayLike, field: str, rule: str) -> Array:
    try:
        array = np.asarray(values)
    except ValueError:
        raise InvalidParameterError(field, f"{rule} (a vector must not be ragged)", values) from None
    if isinstance(values, (list, tuple)) and _holds_boolean(values):
        raise InvalidParameterError(field, f"{rule} (a boolean is none)", values)
    if array.dtype.kind == "O":
        array = np.array([_number(value, field, rule) for value in array.reshape(-1)]).reshape(array.shape)
    if array.dtype.kind not in "iuf":
        raise InvalidParameterError(field, rule, values)
    if array.size == 0:
        raise InvalidParameterError(field, f"{rule} (a vector must not be empty)", values)
    return array.astype(np.float64)


def _holds_boolean(values: Any) -> bool:
    """Whether a nested list holds a boolean, which numpy would silently count as 0 or 1."""
    if isinstance(values, (list, tuple)):
        return any(_holds_boolean(value) for value in values)
    return isinstance(values, (bool, np.bool_))


def answer_one(value: object, field: str, rule: str) -> float:
    """One number in [0, 1]; a vector is refused."""
    flat, shape = read_array(value, field, rule, 0.0, 1.0)  # type: ignore[arg-type] # what it refuses may be anything
    if shape is not None:
        raise InvalidParameterError(field, f"{rule}, not a vector", value)
    return float(flat[0])


def answer(
    question: Callable[[Array], Array],
    values: ArrayLike,
    field: str,
    rule: str,
    low: float = 0.0,
    high: float = 1.0,
) -> Answer:
    """Put a vectorised question to scalars and arrays alike."""
    flat, shape = read_array(values, field, rule, low, high)
    result = question(flat)
    return float(result[0]) if shape is None else result.reshape(shape)
