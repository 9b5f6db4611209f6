"""The search for the least noise: few questions, and an answer on the safe side whatever the function does."""

import functools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_accountant.calibration.search import last_bits, within

SPARE = 2e-5


def counted(function):
    asked = []

    @functools.cache
    def excess(x):
        asked.append(x)
        return function(x)

    return excess, asked


@given(st.floats(-0.9, 0.9), st.floats(0.1, 30), st.floats(-1, 1))
def test_smooth_functions_take_few_questions(root, slope, bend):
    excess, asked = counted(lambda x: slope * (root - x) + bend * (root - x) ** 2 * slope / 4)
    found = within(excess, -1.0, 1.0, SPARE)
    assert -SPARE <= excess(found) <= 0
    assert len(asked) <= 12


@pytest.mark.parametrize("below", [math.inf, 1e9, 3.0])
@pytest.mark.parametrize("above", [-math.inf, -1e9, -3.0])
def test_a_jump_is_found_from_its_safe_side(below, above):
    excess, asked = counted(lambda x: below if x < 0.3 else above)
    found = within(excess, -1.0, 1.0, SPARE)
    assert 0.3 <= found <= 0.3 + 1e-13
    assert len(asked) < 90


def test_noise_in_the_last_digits_does_not_hold_it_up():
    excess, asked = counted(lambda x: 0.3 - x + 1e-9 * math.sin(1e12 * x))
    found = within(excess, -1.0, 1.0, SPARE)
    assert -SPARE <= excess(found) <= 0
    assert len(asked) <= 8


def test_the_last_bits_are_found_through_infinities():
    excess, _ = counted(
        lambda x: math.inf if x < 0 else -math.inf if x > 0.7 else math.log(0.5 / max(x, 1e-300))
    )
    assert last_bits(excess, -1.0, 1.0) == pytest.approx(0.5, rel=1e-14)
