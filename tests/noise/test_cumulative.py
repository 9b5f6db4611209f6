"""The steps of F, against closed forms and sums in mpmath."""

import itertools
from fractions import Fraction

import mpmath
import pytest

from privacy_accountant.noise.cumulative import Weights
from privacy_accountant.noise.table import Table

SCALES = ["1e-300", "0.05", "1/3", "1", "7/5", "10", "23.5"]


PRECISION = 900


def check_steps(cumulative, bits, masses):
    low, high = cumulative.enclose(bits)
    assert len(low) == len(high) > 0
    assert low == sorted(low)
    assert high == sorted(high)
    assert high[-1] < 1 << bits
    cdf = mpmath.mpf(0)
    for j, mass in zip(range(len(low)), masses, strict=False):
        cdf += mass
        assert low[j] <= int(mpmath.floor(cdf * 2**bits)) <= high[j] <= low[j] + 1, j
    assert 1 - cdf < mpmath.mpf(2) ** -bits


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("bits", [7, 64, 135])
def test_signed_steps(make, mass, scale, bits):
    law = make(scale)
    if scale == "1e-300":
        low, high = law._make_sampler().cumulative.enclose(bits)
        assert low == high == [2**bits - 1]
        return
    sampler = law._make_sampler()
    assert isinstance(sampler, Table)
    with mpmath.workprec(PRECISION):
        check_steps(sampler.cumulative, bits, (mass(law, (j + 1) // 2) for j in itertools.count()))


@pytest.mark.parametrize("scale", [Fraction(64), Fraction(1000, 9), Fraction(128)])
@pytest.mark.parametrize("gaussian", [False, True])
def test_half_line_steps(scale, gaussian):
    a, b = (Fraction(0), 1 / (2 * scale**2)) if gaussian else (1 / scale, Fraction(0))
    with mpmath.workprec(PRECISION):
        s = mpmath.mpf(scale.numerator) / scale.denominator
        weights = [
            mpmath.exp(-(k * k) / (2 * s * s)) if gaussian else mpmath.exp(-k / s) for k in range(9000)
        ]
        total = mpmath.fsum(weights) if gaussian else 1 / -mpmath.expm1(-1 / s)
        check_steps(Weights(a, b, signed=False), 64, (weight / total for weight in weights))


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("scale", ["1/5", "3", "90"])
@pytest.mark.parametrize("gaussian", [False, True])
def test_sums_of_weights_are_as_low_as_stated(signed, scale, gaussian):
    """To the last unit of the fixed point, with the least guard that ends the sums."""
    s, bits, guard = Fraction(scale), 20, 80
    a, b = (Fraction(0), 1 / (2 * s**2)) if gaussian else (1 / s, Fraction(0))
    sums, errors, total_low, total_high = Weights(a, b, signed)._sums(bits, guard)
    with mpmath.workprec(300):
        partial = mpmath.mpf(0)
        for j in range(len(sums) + 20000):
            k = (j + 1) // 2 if signed else j
            weight = mpmath.exp(-(mp_float(a) * k + mp_float(b) * k * k))
            partial += weight * 2 ** (bits + guard)
            if j < len(sums):
                assert sums[j] <= partial <= sums[j] + errors[j]
            elif weight < mpmath.mpf(2) ** -(bits + guard + 30):
                break
        assert total_low <= partial <= total_high
    assert (total_high - total_low) < 1 << guard


def mp_float(x):
    return mpmath.mpf(x.numerator) / x.denominator
