"""Counts far above 2**53, where noise in doubles vanishes or jumps in steps."""

import numpy as np
import pytest
from scipy import stats

from privacy_accountant import (
    ZCDP,
    Accountant,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
)

FOUR = [Laplace, Gaussian, DiscreteLaplace, DiscreteGaussian]
ALARM = 1e-7


def low_bits(outputs):
    return np.bincount(np.array([int(y) % 128 for y in outputs]), minlength=128)


@pytest.mark.parametrize("count", [2**60, 2**60 + 1])
@pytest.mark.parametrize("cls", FOUR)
def test_low_bits_are_uniform_under_wide_noise(cls, count):
    """A standard deviation of 1000 spreads y mod 128 evenly over all residues; in doubles of this size all are 0."""
    outputs = cls(1000, 1).randomize(np.full(100_000, count))
    assert stats.chisquare(low_bits(outputs)).pvalue > ALARM
    released = Accountant(budget=ZCDP(1)).release([count] * 20_000, cls(1000, 1), label="count")
    assert {type(y) for y in released} == {int}
    assert stats.chisquare(low_bits(released)).pvalue > ALARM


@pytest.mark.parametrize("cls", FOUR)
def test_neighbours_differ_by_their_distance_alone(cls, attack):
    """Under narrow noise y - f has one law at 2**60, 2**60 + 1 and 0, and neighbours are as hard to tell apart as claimed."""
    mechanism, base = cls(2, 1), 2**60
    outputs = {count: mechanism.randomize(np.full(100_000, count)) for count in (base, base + 1, 0)}
    moved = [np.clip(y - count, -12, 12) + 12 for count, y in outputs.items()]
    table = np.array([np.bincount(side, minlength=25) for side in moved])
    assert stats.chi2_contingency(table[:, table.sum(axis=0) > 30]).pvalue > ALARM
    claim = mechanism.guarantee()
    assert attack(claim, outputs[base] - base, outputs[base + 1] - base) <= 0
    assert attack(claim, low_bits_of(outputs[base]), low_bits_of(outputs[base + 1])) <= 0


def low_bits_of(outputs):
    return outputs % 128


@pytest.mark.parametrize("count", [2**62 + 1, 2**63 - 1, 2**100 + 1])
@pytest.mark.parametrize("cls", FOUR)
def test_two_thousand_releases_take_many_values(cls, count):
    """A peer gave one and the same value two thousand times: no noise at all."""
    direct = [cls(100, 1).randomize(count) for _ in range(500)]
    released = Accountant(budget=ZCDP(1)).release([count] * 2000, cls(100, 1), label="count")
    for outputs in (direct, released):
        assert len(set(outputs)) > 100
        assert {int(y) % 2 for y in outputs} == {0, 1}
        assert max(abs(y - count) for y in outputs) < 10_000
