"""Printed digits against exact arithmetic on what they were rounded from."""

import re
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_accountant.risk.rounding import (
    Side,
    factor,
    label,
    number,
    percent,
    percent_label,
    points,
    share,
)

probabilities = st.one_of(
    st.floats(0, 1),
    st.floats(0, 1e-3),
    st.floats(0, 1e-3).map(lambda gap: 1 - gap),
    st.sampled_from([0.0, 1.0, 5e-324, 1e-6, 1e-4, 0.1, 0.5, 1 - 2**-53]),
)
positives = st.floats(min_value=5e-324, allow_nan=False, allow_infinity=False)
sides = st.sampled_from(Side)


def read_back(text):
    """A printed number as an exact one; a strict bound as the bound."""
    return Fraction(re.sub(r"less than |%| percentage points| in [\d,]+|,", "", text))


def decimal_of(value):
    return Fraction(repr(value))


def assert_on_its_side(printed, value, side):
    assert printed >= value if side is Side.AT_MOST else printed <= value


@given(probabilities, sides)
def test_a_percentage_is_on_the_safe_side_and_close(value, side):
    text = percent(value, side)
    printed, truth = read_back(text) / 100, decimal_of(value)
    assert_on_its_side(printed, truth, side)
    assert abs(printed - truth) <= max(min(truth, 1 - truth) / 100, Fraction(1, 10**6))
    assert 0 <= printed <= 1
    assert ("less than" in text) == (side is Side.AT_MOST and 0 < truth < Fraction(1, 10**6))


@given(probabilities, sides)
def test_a_percentage_read_back_as_a_float_is_on_the_safe_side(value, side):
    assert_on_its_side(float(read_back(percent(value, side)) / 100), value, side)


@given(probabilities, sides, st.sampled_from([100, 1000, 10000]))
def test_a_share_is_on_the_safe_side_and_close(value, side, whole):
    text = share(value, whole, side)
    assert text.endswith(f" in {whole:,}")
    printed, truth = read_back(text), decimal_of(value) * whole
    assert_on_its_side(printed, truth, side)
    assert abs(printed - truth) <= max(min(truth, whole - truth) / 100, Fraction(1, 100))


@given(probabilities, sides)
def test_percentage_points_are_on_the_safe_side(value, side):
    assert_on_its_side(read_back(points(value, side)), decimal_of(value) * 100, side)


@given(positives, sides)
def test_a_number_is_on_the_safe_side_and_close(value, side):
    printed, truth = read_back(number(value, side)), decimal_of(value)
    assert_on_its_side(printed, truth, side)
    assert abs(printed - truth) <= truth / 100


@given(st.floats(0, 13.8))
def test_a_factor_is_at_least_the_exponential(exponent):
    with mpmath.workdps(50):
        truth = mpmath.exp(mpmath.mpf(repr(exponent)))
        printed = mpmath.mpf(factor(exponent))
        assert truth <= printed <= truth * mpmath.mpf("1.01")


@given(st.floats(min_value=0, max_value=1))
def test_a_label_is_the_number_itself(value):
    assert Fraction(label(value)) == decimal_of(value)
    assert Fraction(percent_label(value)[:-1]) == decimal_of(value) * 100


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (percent(0.0, Side.AT_MOST), "0%"),
        (percent(1e-12, Side.AT_LEAST), "0%"),
        (percent(5e-324, Side.AT_MOST), "less than 0.0001%"),
        (percent(0.99999999, Side.AT_MOST), "100%"),
        (percent(0.99999999, Side.AT_LEAST), "99.9999%"),
        (percent(0.1, Side.AT_MOST), "10.0%"),
        (percent(0.01, Side.AT_LEAST), "1.00%"),
        (share(0.0183, 1000, Side.AT_MOST), "18.3 in 1,000"),
        (share(1.0, 1000, Side.AT_LEAST), "1000 in 1,000"),
        (points(0.382925, Side.AT_MOST), "38.3 percentage points"),
        (number(0.0, Side.AT_MOST), "0"),
        (number(float("inf"), Side.AT_MOST), "infinite"),
        (number(5e-324, Side.AT_MOST), "5e-324"),
        (number(12345.6, Side.AT_MOST), "12346"),
        (number(1.7976931348623157e308, Side.AT_LEAST), "1.79e308"),
        (label(1e-5), "1e-5"),
        (label(0.0), "0"),
        (percent_label(0.0001), "0.01%"),
    ],
)
def test_the_look_of_numbers(text, expected):
    assert text == expected
