"""The low-order bits of an output, through which floating-point noise gives its input away (arXiv 2207.13793)."""

import math

import numpy as np
import pytest

from privacy_accountant import (
    ADP,
    ZCDP,
    Accountant,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    Sensitivity,
)
from privacy_accountant.mechanisms.values.cells import exponent

DRAWS = 400_000
LEVEL = 1e-6 / 4  # two bounds in two directions


def lowest_set_bit(y):
    """The exponent of the lowest set bit of each double; infinity for 0."""
    mantissa, exponent = np.frexp(y)
    whole = np.abs(mantissa * 2.0**53).astype(np.int64)
    lowest = np.log2((whole & -whole).astype(float), out=np.full(y.shape, np.inf), where=whole != 0)
    return lowest + exponent - 53


def small_with_low_bits(y):
    """|y| < 1/4 with its lowest set bit at 2**-56 or below: needs a true value of 0, never 1."""
    y = np.asarray(y, dtype=float)
    return (np.abs(y) < 0.25) & (lowest_set_bit(y) <= -56)


def proved_log_ratio(above, below, one, other):
    """A lower bound on log(P/Q) of the event, in the worse direction."""
    hits = [int(small_with_low_bits(side).sum()) for side in (one, other)]
    return max(
        math.log(max(below(p, DRAWS, LEVEL), 1e-300) / above(q, DRAWS, LEVEL)) for p, q in (hits, hits[::-1])
    )


def test_the_attack_works_on_noise_in_doubles(above, below):
    generator = np.random.default_rng(3)
    zero, one = (value + generator.laplace(0, 1, DRAWS) for value in (0.0, 1.0))
    assert proved_log_ratio(above, below, zero, one) > 3


@pytest.mark.parametrize(
    "mechanism", [Laplace(1, 1), DiscreteLaplace(1, 1), Gaussian(1, 1), DiscreteGaussian(1, 1)], ids=repr
)
def test_no_low_bits_are_left_to_attack(mechanism, above, below):
    outputs = [mechanism.randomize(np.full(DRAWS, value)) for value in (0, 1)]
    assert not any(small_with_low_bits(side).any() for side in outputs)
    assert proved_log_ratio(above, below, *outputs) <= 0
    study = Accountant(budget=ZCDP(10))
    released = study.release(np.zeros(50_000, dtype=int), mechanism, label="count")
    assert released.dtype == np.int64
    assert not small_with_low_bits(released).any()


@pytest.mark.parametrize("bits", [1, 2, 4])
@pytest.mark.parametrize("cls", [Laplace, DiscreteLaplace])
def test_the_low_bits_of_the_integers_say_no_more_than_epsilon(cls, bits, attack):
    mechanism = cls(1, 1)
    outputs = [mechanism.randomize(np.full(DRAWS, value)) & (2**bits - 1) for value in (0, 1)]
    assert attack(ADP(1), *outputs) <= 0


@pytest.mark.parametrize("grid", ["auto", 2**-57])
@pytest.mark.parametrize("cls", [Laplace, Gaussian])
def test_real_values_leave_no_low_bits_either(cls, grid, above, below):
    """Whatever the grid, every output is a multiple of it under either input; on a fine one low bits abound, equally."""
    mechanism = cls(1, Sensitivity(per_value=1, values=1), grid=grid)
    study = Accountant(budget=ZCDP(10))
    outputs = [study.release(np.full(DRAWS, value), mechanism, label="sum") for value in (0.0, 1.0)]
    assert all((np.ldexp(side, -exponent(mechanism.grid)) % 1 == 0).all() for side in outputs)
    assert small_with_low_bits(outputs[1]).any() == (grid != "auto")
    assert proved_log_ratio(above, below, *outputs) <= 1


@pytest.mark.parametrize("bits", [1, 3])
@pytest.mark.parametrize("cls", [Laplace, Gaussian])
def test_the_low_bits_of_the_steps_say_no_more_than_the_claim(cls, bits, attack):
    """Of values between two steps, on a grid that is no finer than the noise."""
    mechanism = cls(1, Sensitivity(per_value=1, values=1), grid=1)
    outputs = [mechanism.randomize(np.full(DRAWS, value)).astype(int) & (2**bits - 1) for value in (0.4, 1.3)]
    assert attack(mechanism.guarantee(), *outputs) <= 0
