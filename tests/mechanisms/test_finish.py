"""Rounding and clamping a noised value: exact, in its kind, and never outside the public ends."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_accountant import InvalidParameterError
from privacy_accountant.mechanisms.values.finish import Finish

integers = st.integers(-(2**80), 2**80)
units = st.one_of(st.integers(1, 2**70), st.decimals("0.001", 1000, places=3).map(float)).filter(bool)


@given(st.lists(integers, min_size=1, max_size=4), st.integers(1, 2**70), integers, integers)
def test_integers_are_rounded_half_up_and_clamped(values, unit, one, other):
    low, high = sorted((one, other))
    expected = [min(max(math.floor(Fraction(x, unit) + Fraction(1, 2)) * unit, low), high) for x in values]
    finish = Finish((low, high), unit)
    assert finish.apply(values) == expected
    assert finish.apply(values[0]) == expected[0]
    small = np.array([x % 1000 - 500 for x in values])
    rounded = Finish(round_to=unit).apply(small)
    assert rounded.tolist() == [math.floor(Fraction(int(x), unit) + Fraction(1, 2)) * unit for x in small]


@given(st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=4), units, st.integers(-60, 10))
def test_reals_are_rounded_to_the_float_that_is_nearest_to_the_exact_multiple(values, unit, power):
    grid = Fraction(2) ** power
    step = Fraction(str(unit))
    noisy = [float(x * grid) for x in values]
    expected = [float(math.floor(Fraction(x) / step + Fraction(1, 2)) * step) for x in noisy]
    finish = Finish(round_to=unit, grid=grid)
    assert finish.apply(noisy) == expected
    assert finish.apply(np.array(noisy)).tolist() == expected
    assert finish.apply(noisy[0]) == expected[0]


def test_real_ends_are_the_floats_that_were_typed():
    finish = Finish((0, 0.3), 0.01, Fraction(1, 1024))
    assert finish.apply([-1.0, 0.125, 0.2529296875, 7.0]) == [0.0, 0.13, 0.25, 0.3]
    assert math.copysign(1, finish.apply(-1.0)) == 1
    assert Finish((Fraction(1, 3), None), grid=Fraction(1, 8)).apply(0.125) >= Fraction(1, 3)
    assert Finish((None, Fraction(1, 3)), grid=Fraction(1, 8)).apply(9.0) <= Fraction(1, 3)


def test_rounding_comes_before_clamping_so_that_the_ends_hold():
    assert Finish((0, 95), 10).apply([97, 94, -6]) == [95, 90, 0]


def test_ends_beyond_int64_and_open_ends():
    assert Finish((2**70, None)).apply(np.array([5])).tolist() == [2**70]
    assert Finish((None, 2**70)).apply(np.array([5])).dtype == np.int64
    assert Finish((-(2**70), 3)).apply(np.array([5, -5])).tolist() == [3, -5]


def test_frames_keep_their_kind():
    frame = pd.DataFrame({"a": [-4, 17]}, index=["x", "y"])
    pd.testing.assert_frame_equal(
        Finish((0, None), 5).apply(frame), pd.DataFrame({"a": [0, 15]}, index=["x", "y"])
    )


@pytest.mark.parametrize(
    ("field", "arguments"),
    [
        ("clamp", {"clamp": 5}),
        ("clamp", {"clamp": (1, 2, 3)}),
        ("clamp", {"clamp": (2, 1)}),
        ("clamp", {"clamp": (0, math.nan)}),
        ("clamp", {"clamp": ("0", 1)}),
        ("clamp", {"clamp": (True, 1)}),
        ("clamp", {"clamp": (0.5, 1)}),
        ("round_to", {"round_to": 0}),
        ("round_to", {"round_to": -1}),
        ("round_to", {"round_to": 0.5}),
        ("round_to", {"round_to": math.inf}),
        ("round_to", {"round_to": True}),
    ],
)
def test_bad_parameters_are_refused_by_name(field, arguments):
    with pytest.raises(InvalidParameterError, match=f"^{field} must be") as caught:
        Finish(**arguments)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("finish", [Finish((0, None), 10), Finish((None, 0.1), 0.3, Fraction(1, 8))])
def test_a_finish_survives_the_ledger(finish):
    assert Finish.restore(finish.write(), finish.grid) == finish
