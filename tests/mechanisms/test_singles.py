"""A single number takes a short way; it must lead to where the long way of arrays does, in value and in kind."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_accountant import InvalidAggregateError, Laplace
from privacy_accountant.mechanisms.values.aggregates import read_aggregate
from privacy_accountant.mechanisms.values.singles import read_one, write_one

POWERS = st.one_of(st.integers(-1074, 960), st.integers(-20, 20))
INTEGERS = st.one_of(st.integers(-(2**70), 2**70), st.integers(-100, 100))
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
HALVES = st.builds(lambda n, e: math.ldexp(n + 0.5, e), st.integers(-(2**20), 2**20), st.integers(-40, 40))
NUMPY = st.sampled_from(
    [
        np.int8(-128),
        np.uint8(255),
        np.int64(-(2**63)),
        np.uint64(2**64 - 1),
        np.float32(0.1),
        np.float16(6e-8),
    ]
)

KINDS = [
    *(3, 2**70, np.int8(3), np.uint16(3), np.int64(3), np.uint64(3)),
    *(3.5, np.float16(3.5), np.float32(3.5), np.float64(3.5)),
]


class Still:
    """Noise that is none."""

    def __init__(self, units=0):
        self.units = units

    def draw_one(self):
        return self.units


def the_long_way(value, grid, units=0):
    return read_aggregate(value, grid=grid).plus(Still(units))


def exactly(value):
    return Fraction(value.item() if isinstance(value, np.generic) else value)


@given(value=st.one_of(FLOATS, HALVES, INTEGERS, NUMPY), power=POWERS)
def test_both_ways_read_the_same_number(value, power):
    grid = Fraction(2) ** power
    truth = math.floor(exactly(value) / grid + Fraction(1, 2))
    assert read_one(value, grid) == truth
    for long in (value, np.array(value), [value]):
        (cells,) = read_aggregate(long, grid=grid).parts
        assert cells.reshape(-1).tolist() == [truth]


@given(
    units=st.one_of(INTEGERS, st.integers(-(2**1100), 2**1100)),
    power=POWERS,
    kind=st.sampled_from([0.0, np.float64(0)]),
)
def test_both_ways_write_the_same_number(units, power, kind):
    grid = Fraction(2) ** power
    short, long = write_one(units, grid, kind), the_long_way(kind, grid, units)
    assert short == long
    assert type(short) is type(long)


@pytest.mark.parametrize("grid", [None, Fraction(1, 1024)], ids=["integers", "grid"])
@pytest.mark.parametrize("value", KINDS, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("noise", [-5, 2**63], ids=["near", "beyond int64"])
def test_both_ways_give_back_the_same_kind(value, noise, grid):
    one = read_one(value, grid)
    if one is None:
        assert grid is None
        assert isinstance(value, (float, np.floating))
        return
    short, long = write_one(one + noise, grid, value), the_long_way(value, grid, noise)
    assert short == long
    assert type(short) is type(long)


class Sum(int):
    """An integer of a class of its own."""


@pytest.mark.parametrize(
    "value",
    [
        True,
        np.True_,
        None,
        "1",
        math.nan,
        np.float32("inf"),
        -math.inf,
        1j,
        Sum(3),
        np.longdouble(1),
        np.array(3),
        [3],
    ],
)
def test_whatever_needs_a_closer_look_takes_the_long_way(value):
    assert read_one(value, None) is None
    assert read_one(value, Fraction(1)) is None


def test_the_mechanism_refuses_by_either_way():
    long = Laplace(10, 1, grid=2**-10, length=2)
    for value in (3, 3.5, np.float64(3)):
        with pytest.raises(InvalidAggregateError, match="length=2"):
            long.randomize(value)
        with pytest.raises(InvalidAggregateError, match="length=2"):
            long.check(value)
    for value in (math.nan, math.inf, True):
        with pytest.raises(InvalidAggregateError, match="finite"):
            Laplace(10, 1, grid=2**-10).randomize(value)
