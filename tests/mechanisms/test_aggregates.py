"""Integer aggregates of every kind: read without loss, never wrapped round, given back in the same kind."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest

from privacy_accountant import InvalidAggregateError
from privacy_accountant.mechanisms.values.aggregates import read_aggregate

MAX, MIN = 2**63 - 1, -(2**63)


class Constant(NamedTuple):
    """Noise that is none."""

    value: int

    def draw(self, shape):
        return np.full(shape, self.value)

    def draw_one(self):
        return self.value


def plus(value, noise):
    aggregate = read_aggregate(value)
    return aggregate.plus(Constant(noise))


@pytest.mark.parametrize(
    ("value", "noise", "expected"),
    [
        (842, -3, 839),
        (MAX, 1, 2**63),
        (2**200, -1, 2**200 - 1),
        ([1, 2, 3], 5, [6, 7, 8]),
        ((1, 2), -5, (-4, -3)),
        ([[1, 2], [3, 4]], 1, [[2, 3], [4, 5]]),
        ([(1, 2), (3, MAX)], 1, [(2, 3), (4, 2**63)]),
        ([np.int8(127), 2**70], 1, [128, 2**70 + 1]),
    ],
)
def test_python_kinds_come_back_as_they_were(value, noise, expected):
    noisy = plus(value, noise)
    assert noisy == expected
    assert type(noisy) is type(expected)


@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
)
def test_numpy_arrays_come_back_as_int64_and_never_wrap(dtype):
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    noisy = plus(np.array([[0, 1], [low if high < MAX else 0, 3]], dtype=dtype), -5)
    assert noisy.dtype == np.int64
    assert noisy.shape == (2, 2)
    assert noisy[0, 0] == -5
    assert plus(np.array([high], dtype=dtype), 1)[0] == int(high) + 1


def test_what_passes_int64_becomes_python_integers():
    noisy = plus(np.array([MAX, 5]), 1)
    assert noisy.dtype == object
    assert list(noisy) == [2**63, 6]
    assert plus(np.array([MIN]), -1)[0] == MIN - 1
    noisy = plus(np.array([2**64 - 1], dtype=np.uint64), -(2**63))
    assert noisy.dtype == np.int64
    assert noisy[0] == MAX


def test_numpy_scalars_and_empty_shapes():
    noisy = plus(np.uint8(250), 10)
    assert isinstance(noisy, np.int64)
    assert noisy == 260
    zero_dimensional = plus(np.array(7), 1)
    assert isinstance(zero_dimensional, np.ndarray)
    assert zero_dimensional.shape == ()
    assert zero_dimensional == 8


class Counts(NamedTuple):
    north: int
    south: int


def test_a_named_tuple_stays_one():
    noisy = plus(Counts(1, 2), 1)
    assert isinstance(noisy, Counts)
    assert noisy == Counts(north=2, south=3)


class Pair(tuple):
    """A tuple that is not made from a sequence."""

    __slots__ = ()

    def __new__(cls, first, second):
        return super().__new__(cls, (first, second))


class Column(list):
    """A list of a class of its own."""


def test_other_classes_of_lists_and_tuples_become_plain_ones():
    """Nothing is known of how they are made, and to fail is too late once the data was touched."""
    for value, plain in ((Pair(1, 2), (2, 3)), (Column([1, 2]), [2, 3]), ([Pair(1, 2)], [(2, 3)])):
        noisy = plus(value, 1)
        assert noisy == plain
        assert type(noisy) is type(plain)


def test_the_layout_of_an_array_is_nothing_but_layout():
    cells = np.arange(24).reshape(2, 3, 4)
    frozen = cells.copy()
    frozen.flags.writeable = False
    for value in (
        np.asfortranarray(cells),
        cells[:, ::2],
        cells[::-1, :, 1:3],
        frozen,
        cells.astype(">i2"),
        cells.T,
    ):
        noisy = plus(value, 7)
        assert np.array_equal(noisy, value + 7)
        assert noisy.dtype == np.int64
        assert noisy.flags.writeable
        assert not np.shares_memory(noisy, value)
    assert np.array_equal(frozen, cells)


@pytest.mark.parametrize("dtype", [np.int64, np.float64, np.uint64, object])
def test_the_callers_array_is_left_alone(dtype):
    mine = np.array([1, 2, 3], dtype=dtype)
    read_aggregate(mine, grid=Fraction(1, 8)).plus(Constant(5))
    if dtype is not np.float64:
        plus(mine, 1)
    assert mine.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("bad", "named"),
    [
        (True, "bool"),
        (np.True_, "bool"),
        (3.7, "float"),
        (np.float32(3.5), "float32"),
        (float("nan"), "float"),
        ("3", "got str"),
        (None, "NoneType"),
        ([], "empty"),
        ([[]], "empty"),
        (np.array([], dtype=int), "empty"),
        ([1, [2]], "ragged"),
        ([[1], [2, 3]], "ragged"),
        ([1, True], "bool"),
        ([1, 2.5], "float"),
        (np.array([1.0]), "float64"),
        (np.array([True]), "bool"),
        (np.array(["1"]), "<U1"),
        (np.array([1, None]), "NoneType"),
        (1 + 0j, "complex"),
        (np.timedelta64(3, "D"), "timedelta64"),
        ([np.timedelta64(3)], "timedelta64"),
        (np.array([[True, False]]), r"got bool, from \[0, 0\] on"),
        (np.array(True), "got bool$"),
        ({1: 2}, "dict"),
    ],
)
def test_everything_else_is_refused_without_quoting_it(bad, named):
    with pytest.raises(InvalidAggregateError, match=named) as caught:
        read_aggregate(bad)
    message = str(caught.value)
    assert "\n" not in message
    assert "3.7" not in message
    assert "2.5" not in message


def test_floats_are_refused_with_the_reason():
    with pytest.raises(InvalidAggregateError, match="low-order bits"):
        read_aggregate(0.5)


class Keeping(np.ndarray):
    """An array that swallows what is added to it."""

    def __add__(self, other):
        return self

    __radd__ = __iadd__ = __add__


def test_an_array_subclass_cannot_keep_its_values_from_the_noise():
    noisy = plus(np.array([1000, 2000]).view(Keeping), 7)
    assert type(noisy) is np.ndarray
    assert noisy.tolist() == [1007, 2007]
    noisy = plus(np.array([2**70, 1], dtype=object).view(Keeping), 7)
    assert list(noisy) == [2**70 + 7, 8]


def test_a_masked_array_is_refused():
    with pytest.raises(InvalidAggregateError, match="mask"):
        read_aggregate(np.ma.array([1, 2, 3], mask=[0, 1, 0]))
