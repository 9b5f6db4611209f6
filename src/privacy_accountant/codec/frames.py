"""Noised pandas and polars objects to and from JSON: the cells as arrays, and around them index, names and order as they were.

Neither package is imported until an answer of its kind is read back.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from privacy_accountant.codec.table import Json
from privacy_accountant.errors import InvalidParameterError, MissingExtraError

WriteArray = Callable[[Any], Json]
ReadArray = Callable[[Json], Any]

_PLAIN = frozenset(
    ("bool", "boolean", "object", "str", "string", "float32", "float64", "Float64", "Int64", "UInt64")
) | {f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)}
_RULE = (
    "labelled by text, numbers, booleans, times, periods, intervals, categories or tuples of them "
    "(reset_index makes any index plain)"
)


def encode_frame(value: Any, write: WriteArray) -> Json | None:
    """Write a Series or DataFrame with its arrays written by `write`; None for other kinds."""
    package, kind = type(value).__module__.partition(".")[0], type(value).__name__
    if package == "pandas" and kind == "Series":
        return {
            "frame": "pandas.Series",
            "index": encode_index(value.index),
            "name": encode_label(value.name),
            "parts": [write(value.to_numpy())],
        }
    if package == "pandas" and kind == "DataFrame":
        parts = [write(value.iloc[:, at].to_numpy()) for at in range(value.shape[1])]
        index, columns = encode_index(value.index), encode_index(value.columns)
        return {"frame": "pandas.DataFrame", "index": index, "columns": columns, "parts": parts}
    if package == "polars" and kind == "Series":
        return {"frame": "polars.Series", "name": value.name, "parts": [write(_polars_cells(value))]}
    if package == "polars" and kind == "DataFrame":
        parts = [write(_polars_cells(column)) for column in value.get_columns()]
        return {"frame": "polars.DataFrame", "columns": list(value.columns), "parts": parts}
    return None


def decode_frame(data: dict[str, Json], read: ReadArray) -> Any:
    """Read what `encode_frame` wrote.

    Raises:
        InvalidParameterError: When the JSON is not such an answer.
        MissingExtraError: When the package of its kind is not installed.
    """
    kind, parts = data["frame"], [read(part) for part in data["parts"]]
    if kind == "pandas.Series":
        index, name = decode_index(data["index"]), decode_label(data["name"])
        return _package("pandas").Series(parts[0], index=index, name=name, dtype=parts[0].dtype)
    if kind == "pandas.DataFrame":
        frame = _package("pandas").DataFrame(dict(enumerate(parts)), index=decode_index(data["index"]))
        frame.columns = decode_index(data["columns"])
        return frame
    if kind == "polars.Series":
        return polars_series(data["name"], parts[0])
    if kind == "polars.DataFrame":
        columns = zip(data["columns"], parts, strict=True)
        return _package("polars").DataFrame([polars_series(name, part) for name, part in columns])
    raise InvalidParameterError("answer", "a pandas or polars Series or DataFrame", kind)


def encode_index(index: Any) -> Json:
    """Write a pandas index exactly.

    Raises:
        InvalidParameterError: For a kind of index that the ledger does not keep.
    """
    kind = type(index).__name__
    if kind not in _WRITERS or (kind == "Index" and str(index.dtype) not in _PLAIN):
        raise InvalidParameterError("index", _RULE, f"{kind} of {index.dtype}")
    names = {} if kind == "MultiIndex" else {"name": encode_label(index.name)}
    return {"kind": kind, **_WRITERS[kind](index), **names}


def decode_index(data: dict[str, Json]) -> Any:
    """Read what `encode_index` wrote.

    Raises:
        InvalidParameterError: When the JSON is not such an index.
    """
    kind = data["kind"]
    if kind not in _READERS or data.get("dtype", "object") not in _PLAIN:
        raise InvalidParameterError("index", _RULE, kind)
    index = _READERS[kind](_package("pandas"), data)
    return index if kind == "MultiIndex" else index.rename(decode_label(data["name"]))


def _write_times(index: Any) -> dict[str, Json]:
    zone = None if getattr(index, "tz", None) is None else str(index.tz)
    try:
        if zone is not None:
            index.tz_convert(zone)
    except (KeyError, ValueError):
        raise InvalidParameterError("index", "in a time zone that has a name", zone) from None
    return {"ticks": index.asi8.tolist(), "unit": index.unit, "zone": zone, "freq": index.freqstr}


_WRITERS: dict[str, Callable[[Any], dict[str, Json]]] = {
    "Index": lambda index: {
        "dtype": str(index.dtype),
        "labels": [encode_label(label) for label in index.tolist()],
    },
    "RangeIndex": lambda index: {"range": [index.start, index.stop, index.step]},
    "MultiIndex": lambda index: {
        "levels": [encode_index(level) for level in index.levels],
        "codes": [level.tolist() for level in index.codes],
        "names": [encode_label(name) for name in index.names],
    },
    "CategoricalIndex": lambda index: {
        "categories": encode_index(index.categories),
        "codes": index.codes.tolist(),
        "ordered": bool(index.ordered),
    },
    "IntervalIndex": lambda index: {
        "left": encode_index(index.left),
        "right": encode_index(index.right),
        "closed": index.closed,
    },
    "PeriodIndex": lambda index: {"ordinals": index.asi8.tolist(), "freq": index.freqstr},
    "DatetimeIndex": _write_times,
    "TimedeltaIndex": _write_times,
}


def _read_categories(pandas: Any, data: dict[str, Json]) -> Any:
    categories = decode_index(data["categories"])
    return pandas.CategoricalIndex(
        pandas.Categorical.from_codes(data["codes"], categories, ordered=data["ordered"])
    )


def _read_times(pandas: Any, data: dict[str, Json]) -> Any:
    times = pandas.DatetimeIndex(np.array(data["ticks"], dtype=np.int64).view(f"M8[{data['unit']}]"))
    if data["zone"] is not None:
        times = times.tz_localize("UTC").tz_convert(data["zone"])
    return times if data["freq"] is None else pandas.DatetimeIndex(times, freq=data["freq"])


_READERS: dict[str, Callable[[Any, dict[str, Json]], Any]] = {
    "Index": lambda pandas, data: pandas.Index(
        [decode_label(label) for label in data["labels"]], dtype=data["dtype"]
    ),
    "RangeIndex": lambda pandas, data: pandas.RangeIndex(*data["range"]),
    "MultiIndex": lambda pandas, data: pandas.MultiIndex(
        levels=[decode_index(level) for level in data["levels"]],
        codes=data["codes"],
        names=[decode_label(name) for name in data["names"]],
    ),
    "CategoricalIndex": _read_categories,
    "IntervalIndex": lambda pandas, data: pandas.IntervalIndex.from_arrays(
        decode_index(data["left"]), decode_index(data["right"]), closed=data["closed"]
    ),
    "PeriodIndex": lambda pandas, data: pandas.PeriodIndex.from_ordinals(data["ordinals"], freq=data["freq"]),
    "DatetimeIndex": _read_times,
    "TimedeltaIndex": lambda pandas, data: pandas.TimedeltaIndex(
        np.array(data["ticks"], dtype=np.int64).view(f"m8[{data['unit']}]"), freq=data["freq"]
    ),
}


def encode_label(label: Any) -> Json:
    """Write one label or name.

    Raises:
        InvalidParameterError: For what is not text, a number, a boolean, None or a tuple of them.
    """
    if isinstance(label, np.generic):
        label = label.item()
    if label is None or isinstance(label, (bool, str)):
        return label
    if isinstance(label, int):
        return label if abs(label) < 1 << 53 else {"int": hex(label)}
    if isinstance(label, float):
        return {"float": label.hex()}
    if isinstance(label, tuple):
        return {"tuple": [encode_label(part) for part in label]}
    raise InvalidParameterError("index", _RULE, type(label).__name__)


def decode_label(data: Json) -> Any:
    """Read what `encode_label` wrote."""
    if not isinstance(data, dict):
        return data
    if "tuple" in data:
        return tuple(decode_label(part) for part in data["tuple"])
    return int(data["int"], 16) if "int" in data else float.fromhex(data["float"])


def _package(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingExtraError(f"an answer that is a {name} object", "frames") from None


def _polars_cells(series: Any) -> Any:
    if series.dtype.is_numeric():
        return series.to_numpy()
    cells = np.empty(len(series), dtype=object)
    cells[:] = series.to_list()
    return cells


def polars_series(name: str, cells: Any) -> Any:
    """A polars Series around an array; Python integers stay Python integers."""
    polars = _package("polars")
    return (
        polars.Series(name, cells.tolist(), dtype=polars.Object)
        if cells.dtype == object
        else polars.Series(name, cells)
    )
