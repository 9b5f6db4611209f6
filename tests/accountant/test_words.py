from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_accountant.accountant.words import above, below, shown
from privacy_accountant.exact import exact


@pytest.mark.parametrize(
    ("value", "up", "down"),
    [
        (0.0, "0", "0"),
        (0.1, "0.1", "0.1"),
        (Fraction(1, 3), "0.3334", "0.3333"),
        (100.0, "100", "100"),
        (5e-324, "5e-324", "5e-324"),
        (1.23456e-7, "1.235e-7", "1.234e-7"),
        (123456789.0, "1.235e8", "1.234e8"),
        (float("inf"), "inf", "inf"),
    ],
)
def test_numbers_are_rounded_to_the_safe_side(value, up, down):
    assert above(value) == up
    assert below(value) == down


@given(st.fractions(min_value=0))
def test_the_direction_is_kept(value):
    assert Fraction(below(value)) <= value <= Fraction(above(value))


@given(st.integers(0, 10**12), st.integers(0, 6))
def test_what_was_typed_is_shown_as_it_was_typed(digits, places):
    value = digits / 10**places
    assert Fraction(shown(value)) == exact(value)
