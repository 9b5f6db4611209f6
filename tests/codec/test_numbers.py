import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_accountant.codec.numbers import (
    decode_integer,
    decode_rational,
    decode_real,
    encode_integer,
    encode_rational,
    encode_real,
)
from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import real

wide = st.fractions() | st.fractions(max_denominator=10**60) | st.integers(-(10**400), 10**400).map(Fraction)


@given(wide)
def test_rationals_round_trip(value):
    assert decode_rational(encode_rational(value)) == value


@given(st.floats(allow_nan=False) | wide | st.decimals(allow_nan=False, allow_infinity=False))
def test_stored_numbers_round_trip_with_their_kind(value):
    number = real(value, "x", infinite=True) if value != -math.inf else value
    again = decode_real(encode_real(number))
    assert again == number
    assert type(again) is type(number)


@given(st.integers() | st.integers(-(1 << 20_000), 1 << 20_000))
def test_integers_round_trip_and_stay_exact_for_every_reader(value):
    written = encode_integer(value)
    assert decode_integer(written) == value
    assert isinstance(written, str) or abs(written) < 2**53


def test_numbers_are_written_as_they_were_typed():
    assert encode_real(real(0.1, "x")) == "0.1"
    assert encode_real(real(Decimal("0.10"), "x")) == "0.1"
    assert encode_real(real(Fraction(1, 3), "x")) == "1/3"
    assert encode_real(math.inf) == "inf"
    assert encode_rational(Fraction(3)) == "3"


def test_numbers_too_long_for_decimal_text_are_written_in_hexadecimal():
    long = Fraction(3**10_000, 7**9_000)
    assert encode_rational(long).startswith("0x")
    assert decode_rational(encode_rational(long)) == long
    assert decode_real(encode_real(long)) == long


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nan",
        "NaN",
        "1/0",
        "1/",
        "/1",
        " 1",
        "1 ",
        "1_0",
        "infinity",
        "1e99999",
        "0x",
        "\u0661",
        None,
        1,
        0.1,
        True,
        [],
        "1/-2",
        "1.0/2",
    ],
)
def test_what_is_no_number_is_refused(text):
    for read in (decode_rational, decode_real):
        with pytest.raises(InvalidParameterError, match="number must be"):
            read(text)


@pytest.mark.parametrize("value", ["12", 1.0, True, None, "0xg", "x"])
def test_what_is_no_integer_is_refused(value):
    with pytest.raises(InvalidParameterError, match="number must be"):
        decode_integer(value)
