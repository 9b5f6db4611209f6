"""Noised answers to and from JSON, in the caller's kind, so that a repeated key gives back exactly what was published.

Unlike parameters, answers keep their Python or numpy kind: a list stays a list, an int64 array an int64 array.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from privacy_accountant.codec.frames import ReadArray, WriteArray, decode_frame, encode_frame
from privacy_accountant.codec.numbers import decode_integer, encode_integer
from privacy_accountant.codec.table import Json
from privacy_accountant.errors import InvalidParameterError

_DTYPES = frozenset(
    ("bool", "object", *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)))
)
_DTYPES |= {"float16", "float32", "float64"}
_RULE = "an int, float, bool, str, None, or a list, tuple, dict, numpy array, Series or DataFrame of them"


def encode_answer(value: object, write: WriteArray | None = None) -> Json:
    """Write a noised answer exactly; floats are written in hexadecimal.

    Args:
        value: The answer.
        write: How an array is written, whether it is the answer or a column of it; by default cell by cell. What it writes
            names a `file`, or is what `encode_answer` gives.

    Raises:
        InvalidParameterError: For a kind that the ledger does not store; the value is not quoted.

    Example:
        >>> encode_answer([3, -1])
        {'list': [3, -1]}
        >>> decode_answer(encode_answer([3, -1]))
        [3, -1]
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, np.ndarray) and write is not None:
        return write(value)
    if isinstance(value, (np.ndarray, np.generic)):
        return _encode_numpy(value)
    for kind, plain in _WRITERS:
        if isinstance(value, kind):
            return plain(value)
    framed = encode_frame(value, write or _encode_numpy)
    if framed is None:
        raise InvalidParameterError("answer", _RULE, type(value).__name__)
    return framed


_WRITERS: tuple[tuple[type, Callable[[Any], Json]], ...] = (
    (int, lambda value: encode_integer(int(value))),
    (float, lambda value: {"float": float(value).hex()}),
    (str, lambda value: {"text": str(value)}),
    (list, lambda items: {"list": [encode_answer(item) for item in items]}),
    (tuple, lambda items: {"tuple": [encode_answer(item) for item in items]}),
    (
        dict,
        lambda pairs: {"dict": [[encode_answer(key), encode_answer(item)] for key, item in pairs.items()]},
    ),
)


def decode_answer(data: Json, read: ReadArray | None = None) -> Any:
    """Read what `encode_answer` wrote, arrays that lie in a file of their own with `read`.

    Raises:
        InvalidParameterError: When the JSON is not such an answer.
        MissingExtraError: When it is of a kind whose package is not installed.
    """
    if data is None or isinstance(data, (bool, int, str)):
        return data if data is None or isinstance(data, bool) else decode_integer(data)
    if not isinstance(data, dict) or not data:
        raise InvalidParameterError("answer", _RULE, data)
    tag, content = next(iter(data.items()))
    if "frame" in data:
        return decode_frame(data, read or _decode_numpy)
    if "file" in data and read is not None:
        return read(data)
    if "dtype" in data:
        return _decode_numpy(data)
    if tag not in _READERS:
        raise InvalidParameterError("answer", f"tagged with one of {', '.join(_READERS)}", tag)
    return _READERS[tag](content)


_READERS: dict[str, Callable[[Any], Any]] = {
    "float": float.fromhex,
    "text": str,
    "list": lambda items: [decode_answer(item) for item in items],
    "tuple": lambda items: tuple(decode_answer(item) for item in items),
    "dict": lambda pairs: {decode_answer(key): decode_answer(item) for key, item in pairs},
}


def _encode_numpy(value: Any) -> Json:
    dtype = value.dtype.name
    if dtype not in _DTYPES:
        raise InvalidParameterError("answer", _RULE, f"a numpy {dtype}")
    items = [encode_answer(item) for item in value.reshape(-1).tolist()]
    shape = {"shape": list(value.shape)} if isinstance(value, np.ndarray) else {}
    return {"dtype": dtype, **shape, "values": items}


def _decode_numpy(data: dict[str, Json]) -> Any:
    dtype, shape, values = data["dtype"], data.get("shape"), data.get("values")
    if dtype not in _DTYPES or not isinstance(values, list) or len(values) != math.prod(shape or ()):
        raise InvalidParameterError(
            "answer", "an array of a known dtype, with as many values as its shape has", dtype
        )
    items = [decode_answer(item) for item in values]
    if shape is None:
        return np.dtype(dtype).type(items[0])
    array = np.empty(len(items), dtype=dtype)
    array[:] = items
    return array.reshape(shape)
