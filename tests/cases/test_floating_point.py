"""What floating point gives away: none of it can happen to integers, and floats are refused."""

import math

import numpy as np
import pytest

from privacy_accountant import (
    ADP,
    Accountant,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    InvalidAggregateError,
    Laplace,
)

FOUR = [Laplace, Gaussian, DiscreteLaplace, DiscreteGaussian]
DRAWS = 300_000


@pytest.mark.parametrize("cls", FOUR)
def test_b70_every_output_lies_on_the_integers_for_both_inputs(cls):
    """Doubles that are no multiple of 2**-53 prove the true value 0: 27% of Laplace and 26% of Gaussian outputs."""
    outputs = {true: cls(1, 1).randomize(np.full(DRAWS, true)) for true in (0, 1)}
    for noisy in outputs.values():
        assert noisy.dtype == np.int64
    likely = {true: set(np.unique(noisy[np.abs(noisy) <= 3]).tolist()) for true, noisy in outputs.items()}
    assert likely[0] == likely[1] == set(range(-3, 4))


@pytest.mark.parametrize("value", [0.0, 1.0, [0.0, 1.0], np.zeros(3), np.float32(1), np.float64(0)], ids=repr)
@pytest.mark.parametrize("cls", FOUR)
def test_b70_floats_are_refused_with_the_reason(cls, value):
    with pytest.raises(InvalidAggregateError, match="low-order bits"):
        cls(1, 1).randomize(value)
    study = Accountant(budget=ADP(10, 1e-6))
    with pytest.raises(InvalidAggregateError, match="low-order bits"):
        study.release(value, cls(1, 1), label="mean")
    assert study.history() == ()


def test_b71_sums_do_not_depend_on_their_order():
    """In doubles 2**53 and ten ones sum to 2**53 in one order and 2**53 + 10 in the other."""
    large_first, large_last = [2**53] + 10 * [1], 10 * [1] + [2**53]
    in_doubles = [
        np.cumsum(np.array(order, dtype=float))[-1] - 2.0**53 for order in (large_first, large_last)
    ]
    assert in_doubles == [0, 10]
    silent = Laplace(scale=1e-300, sensitivity=1)
    study = Accountant(budget=ADP(10**301))
    for order in (large_first, large_last):
        assert silent.randomize(sum(order)) == 2**53 + 10
        assert study.release(sum(order), silent, label="sum") == 2**53 + 10
        with pytest.raises(InvalidAggregateError):
            silent.randomize(float(sum(order)))


def test_b71_squared_deviations_are_exact_in_integers():
    """1024 values of 2**50 + 1/4, one of them moved by 1/4: 0.0624 apart, and 63.9 when doubles round the two means apart."""
    quarters = [4 * 2**50 + 1] * 1024
    moved = [*quarters[:-1], 4 * 2**50 + 2]

    def scaled_deviations(values):
        """1024 * 16 times the sum of squared deviations from the mean."""
        return 1024 * sum(v * v for v in values) - sum(values) ** 2

    silent = Gaussian(sigma=1e-300, sensitivity=1)
    noised = [silent.randomize(scaled_deviations(values)) for values in (quarters, moved)]
    assert (noised[1] - noised[0]) / 1024 / 16 == 0.06243896484375

    # Two neighbouring doubles, each a mean that a float program arrives at.
    low, high = 2.0**50, 2.0**50 + 0.25
    around_low = ((np.array(quarters) / 4 - low) ** 2).sum()
    around_high = ((np.array(moved) / 4 - high) ** 2).sum()
    assert around_low - around_high == 63.9375


def test_b70_the_grid_of_large_doubles_does_not_show():
    noisy = DiscreteLaplace(scale=2, sensitivity=1).randomize(np.full(20_000, 2**53))
    assert set((noisy - 2**53).tolist()) >= set(range(-4, 5))
    assert not math.isclose(np.mean(noisy % 2), 0, abs_tol=0.3)
