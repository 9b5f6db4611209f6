"""Numbers are the decimals that were typed, and every way out of exactness has a direction."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_accountant import InvalidParameterError
from privacy_accountant.exact import (
    binary_down,
    binary_up,
    canonical,
    exact,
    float_down,
    float_up,
    grain_up,
    integer,
    order,
    positive,
    probability,
    real,
    root_up,
    sqrt_down,
    sqrt_up,
    sum_up,
)

rationals = st.fractions(min_value=0, max_value=10**12, max_denominator=10**12)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (0.1, Fraction(1, 10)),
        (np.float64(0.1), Fraction(1, 10)),
        (Decimal("0.1"), Fraction(1, 10)),
        (Decimal("0.10"), Fraction(1, 10)),
        (Fraction(1, 3), Fraction(1, 3)),
        (3, Fraction(3)),
        (np.int64(-7), Fraction(-7)),
        (np.uint8(255), Fraction(255)),
        (1e-300, Fraction(1, 10**300)),
        (5e-324, Fraction(5, 10**324)),
        (10**400, Fraction(10**400)),
        (2**53 + 1, Fraction(2**53 + 1)),
    ],
)
def test_a_number_means_the_decimal_that_was_typed(typed, meant):
    assert exact(real(typed, "x")) == meant


def test_equal_numbers_are_stored_equal():
    kinds = [0.5, Fraction(1, 2), Decimal("0.50"), np.float64(0.5)]
    assert len({repr(real(kind, "x")) for kind in kinds}) == 1
    assert math.copysign(1, real(-0.0, "x")) == 1


@pytest.mark.parametrize(
    "bad",
    [
        True,
        np.True_,
        "0.1",
        b"1",
        None,
        float("nan"),
        math.inf,
        -math.inf,
        np.float32(0.1),
        np.float16(1),
        1j,
        [1],
        np.array([1.0]),
        Decimal("NaN"),
        Decimal("sNaN"),
        np.timedelta64(1),
        Decimal("Infinity"),
        np.nan,
    ],
)
def test_what_is_not_a_number_is_refused_in_one_line(bad):
    with pytest.raises(InvalidParameterError) as caught:
        real(bad, "sigma")
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith("sigma must be")
    assert caught.value.field == "sigma"


@pytest.mark.parametrize(
    "endless",
    [10**5000, -(10**5000), Fraction(1, 10**5000), Decimal("1e99999999"), Decimal("1e-99999999")],
    ids=["huge", "hugely negative", "tiny", "huge decimal", "tiny decimal"],
)
def test_a_number_that_fits_on_no_page_is_refused_at_once(endless):
    with pytest.raises(InvalidParameterError, match="at most 4000 digits"):
        real(endless, "sigma")


def test_float32_is_refused_with_the_remedy():
    with pytest.raises(InvalidParameterError, match="float32 has none"):
        positive(np.float32(0.1), "scale")


def test_infinity_is_allowed_where_it_says_so():
    assert real(math.inf, "epsilon", infinite=True) == math.inf
    assert real(Decimal("Infinity"), "epsilon", infinite=True) == math.inf
    with pytest.raises(InvalidParameterError):
        real(-math.inf, "epsilon", infinite=True)


@pytest.mark.parametrize("bad", [0, -1, 0.0, -1e-300, math.inf, math.nan])
def test_positive(bad):
    with pytest.raises(InvalidParameterError, match="scale must be a positive finite number"):
        positive(bad, "scale")


@pytest.mark.parametrize("bad", [-1e-9, 1.0000000000000002, math.nan, True])
def test_probability(bad):
    with pytest.raises(InvalidParameterError, match=r"delta must be a number in \[0, 1\]"):
        probability(bad, "delta")


@pytest.mark.parametrize("bad", [1, 1.0, 0.5, -2, math.inf])
def test_order(bad):
    with pytest.raises(InvalidParameterError, match="orders must be a finite number > 1"):
        order(bad, "orders")


@pytest.mark.parametrize("bad", [True, 1.0, 0, "1", np.float64(2.0)])
def test_integer(bad):
    with pytest.raises(InvalidParameterError):
        integer(bad, "count", "an integer >= 1", least=1)
    assert integer(np.int8(3), "count") == 3


@given(rationals)
def test_directed_floats_enclose_the_number_and_its_decimal(value):
    up, down = float_up(value), float_down(value)
    assert Fraction(down) <= value <= Fraction(up)
    assert Fraction(repr(down)) <= value <= Fraction(repr(up))
    assert up <= math.nextafter(math.nextafter(math.nextafter(down, math.inf), math.inf), math.inf)


@pytest.mark.parametrize("value", [Fraction(10**400), Fraction(1, 10**400), Fraction(0)])
def test_directed_floats_at_the_ends_of_the_range(value):
    assert Fraction(float_down(value)) <= value
    up = float_up(value)
    assert up == math.inf or Fraction(up) >= value
    assert float_up(math.inf) == float_down(math.inf) == math.inf


@given(rationals)
def test_directed_roots(value):
    assert Fraction(sqrt_down(value)) ** 2 <= value <= Fraction(sqrt_up(value)) ** 2
    assert exact(root_up(value)) ** 2 >= value
    assert root_up(value * value) == canonical(value)


@given(st.floats(allow_nan=False))
def test_a_stored_float_is_its_own_float(value):
    assert float_up(value) == float_down(value) == value


@given(st.lists(rationals, max_size=8))
def test_a_short_sum_is_exact(values):
    assert sum_up(values) == sum(values, Fraction(0))


@given(st.randoms(use_true_random=False), st.integers(-400, 400))
def test_a_long_sum_is_a_little_above_in_any_order(random, size):
    long = [
        Fraction(random.getrandbits(100), 2**100 + 2 * random.getrandbits(90) + 1) * Fraction(10) ** size
        for _ in range(150)
    ]
    total = sum_up(long)
    assert 0 <= total - sum(long) <= sum(long) / 2**300
    assert total == sum_up(reversed(long))
    assert total.numerator.bit_length() + total.denominator.bit_length() < 3400


def test_a_zero_does_not_make_tiny_amounts_coarse():
    tiny = [Fraction(1, 10**300 + 2 * i + 1) for i in range(200)]
    assert sum_up([Fraction(0), *tiny]) == sum_up(tiny)
    assert 0 <= sum_up(tiny) - sum(tiny) <= sum(tiny) / 2**300


def test_equal_amounts_add_up_exactly_however_long_they_are():
    amount = Fraction(1, 10**2000 + 1)
    assert sum_up([amount] * 1000) == 1000 * amount


def test_roots_are_close():
    assert sqrt_up(Fraction(2)) == pytest.approx(math.sqrt(2), rel=3e-16)
    assert sqrt_up(Fraction(2, 10**300)) == pytest.approx(math.sqrt(2e-300), rel=3e-16)
    assert root_up(Fraction(1, 9)) == Fraction(1, 3)


@given(rationals)
def test_the_grain_rounds_up_by_less_than_one_grain(value):
    rounded = grain_up(value, Fraction(0))
    assert 0 <= rounded - value < Fraction(1, 2**200)
    assert (rounded * 2**200).denominator == 1


@given(st.floats(1e-300, 1e300))
def test_binary_rounding_covers_both_readings_of_a_float(value):
    up, down = binary_up(value), binary_down(value)
    assert Fraction(down) <= exact(value) <= Fraction(up)
    assert Fraction(down) <= Fraction(value) <= Fraction(up)
    assert up - down <= 2 * math.ulp(value)
    assert binary_up(math.inf) == binary_down(math.inf) == math.inf
