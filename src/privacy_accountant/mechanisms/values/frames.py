"""Data frames and series of pandas and polars, opened column by column.

Neither package is imported here: a caller who holds one of their objects has imported it. What is not a cell (index, names,
order) is public and comes back as it was; missing values are refused as cells.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy_accountant.codec.frames import encode_index, encode_label, polars_series
from privacy_accountant.errors import InvalidAggregateError
from privacy_accountant.mechanisms.values.containers import KINDS, Container, Parts


def open_pandas(value: Any, field: str) -> Container | None:
    """Open a pandas Series or DataFrame; None for other kinds.

    Raises:
        InvalidAggregateError: For empty ones.
        InvalidParameterError: For an index that the ledger could not keep.
    """
    pandas = _loaded("pandas", value)
    if pandas is None:
        return None
    if isinstance(value, pandas.Series):
        _require_cells(value.size, "Series", field)
        index, name = value.index, value.name
        encode_index(index)
        encode_label(name)

        def series(parts: Parts) -> Any:
            return pandas.Series(parts[0], index=index, name=name, dtype=parts[0].dtype)

        return Container(value.shape, (_pandas_cells(value),), series, lambda _, at: f"row {at}")
    if not isinstance(value, pandas.DataFrame):
        return None
    _require_cells(value.size, "DataFrame", field)
    index, columns = value.index, value.columns
    encode_index(index)
    encode_index(columns)

    def frame(parts: Parts) -> Any:
        built = pandas.DataFrame(dict(enumerate(parts)), index=index)
        built.columns = columns
        return built

    cells = tuple(_pandas_cells(value.iloc[:, at]) for at in range(len(columns)))
    return Container(
        value.shape, cells, frame, lambda part, at: f"row {at} of column {columns.tolist()[part]!r}"
    )


def open_polars(value: Any, field: str) -> Container | None:
    """Open a polars Series or DataFrame; None for other kinds.

    Raises:
        InvalidAggregateError: For empty ones.
    """
    polars = _loaded("polars", value)
    if polars is None:
        return None
    if isinstance(value, polars.Series):
        _require_cells(len(value), "Series", field)
        name = value.name

        def series(parts: Parts) -> Any:
            return polars_series(name, parts[0])

        return Container((len(value),), (_polars_cells(value),), series, lambda _, at: f"row {at}")
    if not isinstance(value, polars.DataFrame):
        return None
    _require_cells(value.width * value.height, "DataFrame", field)
    names = list(value.columns)

    def frame(parts: Parts) -> Any:
        return polars.DataFrame([polars_series(name, part) for name, part in zip(names, parts, strict=True)])

    cells = tuple(map(_polars_cells, value.get_columns()))
    return Container(value.shape, cells, frame, lambda part, at: f"row {at} of column {names[part]!r}")


def _loaded(package: str, value: object) -> Any:
    """The package, when the value's class comes from it."""
    is_theirs = any(base.__module__.partition(".")[0] == package for base in type(value).__mro__)
    return sys.modules.get(package) if is_theirs else None


def _require_cells(size: int, kind: str, field: str) -> None:
    if size == 0:
        raise InvalidAggregateError(field, KINDS, f"an empty {kind}")


def _pandas_cells(column: Any) -> NDArray[Any]:
    """The cells as they are; integers beside a missing value would become floats, so those go one by one.

    Categories are labels, also when they are written as numbers.
    """
    if column.dtype.name == "category":
        return np.array([str(label) for label in column], dtype=object)
    if isinstance(column.dtype, np.dtype) or not column.isna().any():
        return np.asarray(column.to_numpy())
    return np.asarray(column.to_numpy(dtype=object))


def _polars_cells(series: Any) -> NDArray[Any]:
    """The cells as they are; integers beside a missing value would become floats, so those go one by one."""
    dtype = series.dtype
    if series.null_count() == 0 and (dtype.is_float() or (dtype.is_integer() and "128" not in str(dtype))):
        return np.asarray(series.to_numpy())
    listed = series.to_list()
    cells = np.empty(len(listed), dtype=object)
    cells[:] = listed
    return cells
