"""Bounds must hold: compared with mpmath's interval arithmetic and with far more digits."""

import decimal
from fractions import Fraction
from functools import partial

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import iv

from privacy_accountant.noise.enclosures import normal_within, pi
from privacy_accountant.numerics.enclosure import exp_minus

positive = st.one_of(
    st.fractions(min_value=0, max_value=200, max_denominator=10**12),
    st.builds(lambda m, e: Fraction(m) * Fraction(2) ** e, st.integers(1, 10**6), st.integers(-1200, 1200)),
    st.builds(Fraction, st.integers(1, 10**420), st.integers(1, 10**420)),
)
bits = st.integers(1, 400)


@given(positive, bits)
def test_exp_minus_encloses_the_interval_of_mpmath(x, p):
    low, high = exp_minus(x, p)
    assert 0 <= low <= high <= 1 << p
    assert high - low <= 3
    iv.prec = 2 * p + 3000
    value = (
        iv.exp(-iv.mpf(x.numerator) / x.denominator) * 2**p if x < 10**6 else iv.mpf([0, mpmath.mpf(2) ** -p])
    )
    assert low <= value.a
    assert value.b <= high


@given(positive, bits)
def test_normal_within_holds_and_is_tight(square, p):
    low, high = normal_within(square, p)
    assert 0 <= low < high <= 1 << p
    assert high - low <= 4
    with mpmath.workprec(3 * p + 4200):
        s = mpmath.mpf(square.numerator) / square.denominator
        value = mpmath.erf(mpmath.sqrt(s / 2)) * 2**p if square < 4 * p + 100 else mpmath.mpf(2) ** p
        assert low <= value <= high


@pytest.mark.parametrize("p", [1, 2, 17, 64, 1000, 5000])
def test_pi(p):
    low, high = pi(p)
    with mpmath.workprec(p + 60):
        assert low < mpmath.pi * 2**p < high
    assert high - low <= 2


@pytest.mark.parametrize(
    "bound", [partial(exp_minus, Fraction(7, 3)), partial(normal_within, Fraction(7, 3))]
)
def test_more_bits_narrow_the_bounds(bound):
    low, high = bound(64)
    for p in (128, 1024, 4096):
        finer_low, finer_high = bound(p)
        assert Fraction(low, 1 << 64) <= Fraction(finer_low, 1 << p)
        assert Fraction(finer_high, 1 << p) <= Fraction(high, 1 << 64)


def test_the_programs_decimal_settings_do_not_matter():
    expected = exp_minus(Fraction(2, 3), 200)
    default = decimal.DefaultContext
    rounding, traps = default.rounding, dict(default.traps)
    try:
        default.rounding = decimal.ROUND_UP
        default.traps[decimal.Inexact] = True
        with decimal.localcontext() as context:
            context.prec, context.Emax, context.traps[decimal.Inexact] = 3, 5, True
            assert exp_minus(Fraction(2, 3), 200) == expected
    finally:
        default.rounding, default.traps = rounding, traps
