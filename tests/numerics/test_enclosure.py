import decimal
from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest

from privacy_accountant import ADP, Laplace
from privacy_accountant.numerics.enclosure import BITS, exp_bounds, exp_minus, log_bounds

TRAPS = (decimal.Inexact, decimal.Rounded, decimal.Underflow, decimal.Subnormal, decimal.FloatOperation)


def number(x: Fraction) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator


def encloses(bounds, truth) -> bool:
    """Whether mpmath's value, wrong in its last few digits at most, lies between tight bounds."""
    low, high = bounds
    slack = abs(truth) * mpmath.mpf(10) ** (10 - mpmath.mp.dps)
    return (
        number(low) <= truth + slack
        and number(high) >= truth - slack
        and (high - low) * 2**BITS <= low
        and low >= 0
    )


@pytest.fixture(autouse=True)
def digits():
    with mpmath.workdps(900):
        yield


@pytest.mark.parametrize("x", ["-4095.5", "-1", "-1e-300", "1e-30", "1/3", "700.25"])
def test_exp_is_enclosed(x):
    assert encloses(exp_bounds(Fraction(x)), mpmath.exp(number(Fraction(x))))


def test_exp_far_below_is_bounded_by_zero():
    low, high = exp_bounds(Fraction("-1e300"))
    assert low == 0
    assert 0 < high <= Fraction(Decimal("1e-1778"))


@pytest.mark.parametrize("x", ["1e300", "2", "1.0000000000000000000000000001", "1"])
def test_log_is_enclosed(x):
    low, high = log_bounds(Fraction(x))
    truth = mpmath.log(number(Fraction(x)))
    assert encloses((low, high), truth)


@pytest.mark.parametrize("x", ["0.5", "0.9999999999999999999999999999", "1e-300"])
def test_log_below_one_is_enclosed(x):
    low, high = log_bounds(Fraction(x))
    assert encloses((-high, -low), -mpmath.log(number(Fraction(x)))) or (high - low) * 2**BITS <= -low


@pytest.mark.parametrize("bits", [1, 20, 64, 300])
@pytest.mark.parametrize("x", ["0", "1e-300", "1/3", "1", "19.99", "64", "299.5", "1e300"])
def test_integer_bounds_enclose_exp(x, bits):
    low, high = exp_minus(Fraction(x), bits)
    truth = mpmath.exp(-number(Fraction(x))) * 2**bits
    assert low <= truth * (1 + mpmath.mpf(10) ** -890)
    assert truth * (1 - mpmath.mpf(10) ** -890) <= high
    assert 0 <= low <= high <= 2**bits
    assert high - low <= 3


@pytest.fixture
def a_program_that_traps_everything():
    """What a program may do to the contexts that `decimal.Context()` and threads start from."""
    template, mine = decimal.DefaultContext, decimal.getcontext().copy()
    before = {signal: template.traps[signal] for signal in TRAPS}, template.prec, template.Emax
    for signal in TRAPS:
        template.traps[signal] = True
    template.prec, template.Emax = 3, 5
    decimal.setcontext(decimal.Context())
    yield
    for signal, trapped in before[0].items():
        template.traps[signal] = trapped
    template.prec, template.Emax = before[1:]
    decimal.setcontext(mine)


def test_the_programs_decimal_context_is_not_ours(a_program_that_traps_everything):
    x = Fraction(12345678901234567, 10**15)
    assert encloses(exp_bounds(x), mpmath.exp(number(x)))
    assert encloses(log_bounds(x), mpmath.log(number(x)))
    low, high = exp_minus(x, 200)
    assert low <= mpmath.exp(-number(x)) * 2**200 <= high
    assert ADP(Decimal("0.1"), Decimal("1e-9")).epsilon == 0.1
    assert 0 < Laplace(3, sensitivity=1).guarantee().advantage < 1
