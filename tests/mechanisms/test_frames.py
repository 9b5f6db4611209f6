"""pandas and polars come back as they were: same index, names and order, int64 or float64 in every cell."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import timedelta, timezone
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from pandas import testing
from polars.testing import assert_series_equal

from privacy_accountant import Gaussian, InvalidAggregateError, InvalidParameterError, Laplace, Sensitivity
from privacy_accountant.codec.answers import decode_answer, encode_answer

CELLS = Sensitivity(per_value=1, values=1)
WHOLE = Laplace(1e-9, CELLS)
"""So little noise that none is ever seen: what comes back is the value itself."""
REAL = Gaussian(1e-300, CELLS, grid=2**-10)

INDEXES = [
    pd.RangeIndex(3, 9, 2, name="n"),
    pd.Index(["b", "a", "b"], name="ward"),
    pd.Index(["b", 2, None], dtype=object),
    pd.Index([3, 1, 2]),
    pd.Index([0.1, 2.5, -0.0], name=("two", "names")),
    pd.Index([True, False, True]),
    pd.Index([1, 2, 3], dtype="Int64"),
    pd.date_range("2024-01-01", periods=3, freq="D", tz="Europe/Zurich", name="day"),
    pd.DatetimeIndex(["2024-03-01", "2023-01-05", "2024-01-01"]),
    pd.DatetimeIndex(["2024-03-01", "2023-01-05", "2024-01-01"], tz="UTC"),
    pd.DatetimeIndex(["2024-03-01T12:00+01:30"] * 3),
    pd.to_timedelta([1, 5, 3], unit="h"),
    pd.period_range("2024-01", periods=3, freq="M"),
    pd.CategoricalIndex(["x", "y", "x"], categories=["y", "x", "z"], ordered=True, name="c"),
    pd.IntervalIndex.from_breaks([0, 10, 20, 30], name="age"),
    pd.MultiIndex.from_tuples([("n", 1), ("s", 2), ("n", 3)], names=["side", None]),
    pd.CategoricalIndex(pd.cut([1, 11, 21], [0, 10, 20, 30])),
]


@pytest.mark.parametrize("index", INDEXES, ids=lambda index: type(index).__name__)
def test_a_pandas_index_comes_back_and_survives_the_ledger(index):
    for value in (
        pd.Series([7, 8, 9], index=index, name="count"),
        pd.DataFrame({"b": [1, 2, 3], "a": [4, 5, 6]}, index=index),
        pd.DataFrame([[1, 2, 3]], columns=index),
    ):
        equal = testing.assert_series_equal if value.ndim == 1 else testing.assert_frame_equal
        noisy = WHOLE.randomize(value)
        equal(noisy, value)
        equal(decode_answer(json.loads(json.dumps(encode_answer(noisy), sort_keys=True))), value)


@pytest.mark.parametrize(
    "dtype",
    ["int8", "uint8", "int32", "uint32", "int64", "uint64", "Int16", "UInt64", "int64[pyarrow]", object],
)
def test_pandas_integers_of_every_width_come_back_as_int64(dtype):
    series = pd.Series([1, 100, 3], dtype=dtype, name="x")
    testing.assert_series_equal(WHOLE.randomize(series), series.astype("int64"))
    testing.assert_frame_equal(WHOLE.randomize(series.to_frame()), series.astype("int64").to_frame())


@pytest.mark.parametrize(
    "dtype", ["float16", "float32", "float64", "Float32", "float[pyarrow]", "int32", "Int64"]
)
def test_pandas_numbers_on_a_grid_come_back_as_float64(dtype):
    series = pd.Series([1, 100, 3], dtype=dtype, name="x")
    testing.assert_series_equal(REAL.randomize(series), series.astype("float64"))


def test_a_column_is_never_read_through_another_columns_type():
    frame = pd.DataFrame({"big": [2**53 + 1, 2**60 + 1], "huge": [2**63 - 1, 5], "small": np.int8([1, -1])})
    noisy = WHOLE.randomize(frame)
    testing.assert_frame_equal(noisy, frame.astype("int64"))
    noisy = WHOLE.randomize(pd.DataFrame({"a": np.uint64([2**64 - 1, 1]), "b": [1, 2]}))
    assert noisy["a"].tolist() == [2**64 - 1, 1]
    assert noisy.dtypes.tolist() == [np.dtype(object), np.dtype("int64")]
    testing.assert_frame_equal(decode_answer(encode_answer(noisy)), noisy)
    mixed = REAL.randomize(pd.DataFrame({"a": [1, 2], "b": [0.5, 0.25]}))
    testing.assert_frame_equal(mixed, pd.DataFrame({"a": [1.0, 2.0], "b": [0.5, 0.25]}))


def test_repeated_column_names_stay_apart():
    frame = pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"])
    testing.assert_frame_equal(WHOLE.randomize(frame), frame)


def test_what_hangs_on_a_frame_beside_its_cells_is_not_published():
    frame = pd.DataFrame({"a": [1]})
    frame.attrs["patient"] = 17
    assert WHOLE.randomize(frame).attrs == {}


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (pd.Series([1.0, np.nan]), "NaN at row 1"),
        (pd.Series([1, None], dtype="Int64"), "NAType at row 1"),
        (pd.Series([1, True], dtype=object), "bool at row 1"),
        (pd.Series([True, False]), "bool"),
        (pd.DataFrame({"a": [1], "b": [True]}), "bool, from row 0 of column 'b' on"),
        (pd.DataFrame([[1.0, np.nan]], columns=[2020, 2021]), "NaN at row 0 of column 2021"),
        (pd.Series([1, 2], dtype="category"), "str at row 0"),
        (pd.Series(["1"]), "str at row 0"),
        (pd.Series([Decimal(1)]), "Decimal at row 0"),
        (pd.Series([pd.Timestamp("2024-01-01")]), "datetime64"),
        (pd.Series([], dtype=float), "an empty Series"),
        (pd.DataFrame({"a": [1, 2], "b": [1, np.inf]}), "an infinity at row 1 of column 'b'"),
        (pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), "str at row 0 of column 'b'"),
        (pd.DataFrame({"a": []}), "an empty DataFrame"),
        (pl.Series("s", [1, None]), "NoneType at row 1"),
        (pl.Series("s", [0.5, float("nan")]), "NaN at row 1"),
        (pl.Series("s", ["1"]), "str at row 0"),
        (pl.Series("s", [True]), "bool"),
        (pl.Series("s", [Decimal(1)]), "Decimal at row 0"),
        (pl.Series("s", [], dtype=pl.Int64), "an empty Series"),
        (pl.DataFrame({"a": [1], "b": [None]}), "NoneType at row 0 of column 'b'"),
        (pl.DataFrame(), "an empty DataFrame"),
        (pl.LazyFrame({"a": [1]}), "LazyFrame"),
        (pd.Index([1, 2]), "Index"),
    ],
)
def test_what_is_no_number_is_refused_with_row_and_column(value, kind):
    with pytest.raises(InvalidAggregateError, match=rf"got .*{kind}"):
        REAL.randomize(value)


def test_floats_without_a_grid_are_refused_in_frames_too():
    for value in (pd.Series([0.5]), pl.DataFrame({"a": [0.5]})):
        with pytest.raises(InvalidAggregateError, match="low-order bits"):
            WHOLE.randomize(value)


def test_an_index_that_the_ledger_cannot_keep_is_refused_at_once():
    with pytest.raises(InvalidParameterError, match="^index must be labelled by"):
        WHOLE.check(pd.Series([1, 2], index=[object(), object()]))
    nameless = timezone(timedelta(hours=1), "nowhere")
    with pytest.raises(InvalidParameterError, match="time zone that has a name"):
        WHOLE.check(pd.Series([1], index=pd.DatetimeIndex(["2024-01-01"]).tz_localize(nameless)))


@pytest.mark.parametrize(
    "dtype",
    [
        *(pl.Int8, pl.UInt8, pl.Int16, pl.UInt16, pl.Int32, pl.UInt32, pl.Int64, pl.UInt64),
        *([pl.Int128] if hasattr(pl, "Int128") else []),  # older versions of polars do not have it
    ],
)
def test_polars_integers_of_every_width_come_back_as_int64(dtype):
    series = pl.Series("x", [1, 100, 3], dtype=dtype)
    assert_series_equal(WHOLE.randomize(series), series.cast(pl.Int64))
    frame = pl.DataFrame({"b": series, "a": series})
    noisy = WHOLE.randomize(frame)
    assert noisy.equals(frame.cast(pl.Int64))
    assert noisy.columns == ["b", "a"]
    assert decode_answer(encode_answer(noisy)).equals(noisy)


@pytest.mark.parametrize("dtype", [pl.Float32, pl.Float64, pl.UInt64])
def test_polars_numbers_on_a_grid_come_back_as_float64(dtype):
    series = pl.Series("x", [1, 100, 3], dtype=dtype)
    noisy = REAL.randomize(series)
    assert_series_equal(noisy, series.cast(pl.Float64))
    assert_series_equal(decode_answer(encode_answer(noisy)), noisy)


def test_polars_keeps_python_integers_past_int64():
    noisy = WHOLE.randomize(pl.Series("x", [2**64 - 1, 1], dtype=pl.UInt64))
    assert noisy.dtype == pl.Object
    assert noisy.to_list() == [2**64 - 1, 1]
    assert decode_answer(encode_answer(noisy)).to_list() == [2**64 - 1, 1]


def test_neither_package_is_imported_for_a_value_that_is_not_theirs():
    code = (
        "import sys; from privacy_accountant import ADP, Accountant, Laplace; study = Accountant(budget=ADP(1.0));"
        "study.release([1, 2], Laplace(10, 1), label='x'); study.history();"
        "print(*[name for name in ('pandas', 'polars', 'dask') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
