"""Numbers too large for an exponential."""

import math

import numpy as np
import pytest

from privacy_accountant import ADP, GDP, DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
from privacy_accountant.noise import RoundedLaplaceLaw

FOUR = [Laplace, Gaussian, DiscreteLaplace, DiscreteGaussian]
TOP = 2**63 - 1


def test_b11_gaussian_profile_at_a_large_epsilon():
    release = GDP(100)
    assert release.get_delta(5000) == pytest.approx(0.49601097601864319, rel=1e-12)
    assert release.get_epsilon(1e-5) == pytest.approx(5425.50984614742956, rel=1e-12)


@pytest.mark.parametrize("epsilon", [800.0, 1e4, 1e300, math.inf])
def test_b11_nothing_overflows_in_a_pure_guarantee(epsilon):
    release = ADP(epsilon)
    assert release.advantage == 1
    assert release.beta(0.5) == 0
    assert release.get_delta(1.0) == 1
    assert release.bayes_risk(0.5) < 1e-300


@pytest.fixture
def noised(monkeypatch):
    """A real release whose noise is known."""

    def release(value, noise):
        with monkeypatch.context() as patch:
            patch.setattr(RoundedLaplaceLaw, "draw", lambda law, shape: np.full(shape, noise))
            patch.setattr(RoundedLaplaceLaw, "draw_one", lambda law: noise)
            return Laplace(2, 1).randomize(value)

    return release


@pytest.mark.parametrize(
    "kind", [int, np.int64, lambda v: [v], lambda v: np.array([v]), lambda v: np.array([v], object)]
)
def test_b72_the_largest_int64_never_wraps_round(noised, kind):
    assert np.asarray(noised(kind(TOP), 1)).item() == 9223372036854775808
    for cls in FOUR:
        noisy = np.asarray(cls(1000, 1).randomize(kind(TOP))).item()
        assert abs(noisy - TOP) < 1_000_000
        low = np.asarray(cls(1000, 1).randomize(kind(-(2**63)))).item()
        assert abs(low + 2**63) < 1_000_000


@pytest.mark.parametrize("cls", FOUR)
def test_b72_past_int64_both_ends_of_a_vector(cls):
    noisy = cls(1000, 1).randomize(np.array([TOP, -(2**63)] * 500))
    assert all(abs(abs(int(y)) - 2**63) < 1_000_000 for y in noisy)
    assert all(y > 0 for y in noisy[::2])
    assert all(y < 0 for y in noisy[1::2])
    assert max(noisy[::2]) > TOP
    assert min(noisy[1::2]) < -(2**63)


def test_b72_a_sum_past_int32(noised):
    assert 600_000_000 * 5 == 3000000000
    for total in (3000000000, np.uint32(3000000000), np.array(3000000000, dtype=np.uint32)):
        assert noised(total, 0) == 3000000000
        assert noised(total, 2**31) == 3000000000 + 2**31


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.uint64])
def test_b72_an_unsigned_count_is_never_read_as_negative(noised, dtype):
    top = int(np.iinfo(dtype).max)
    assert noised(np.array([top], dtype=dtype), 0)[0] == top
    assert noised(np.array([0], dtype=dtype), -1)[0] == -1
    for cls in FOUR:
        noisy = cls(1, 1).randomize(np.array([top, 0] * 1000, dtype=dtype))
        assert all(abs(int(y) - top) < 100 for y in noisy[::2])
        assert min(int(y) for y in noisy[1::2]) < 0
        assert max(int(y) for y in noisy[::2]) > top


@pytest.mark.parametrize("size", [2**53, 2**60, 2**62 + 1, 2**200])
@pytest.mark.parametrize("noise", [1, 2, 3, -1])
def test_b73_count_plus_noise_is_exact(noised, size, noise):
    """In doubles: 0, 2, 4, -1 at 2**53, and nothing at all at 2**60."""
    assert noised(size, noise) - size == noise
    assert noised([size], noise)[0] - size == noise
    if size < 2**63:
        assert noised(np.uint64(size), noise) - size == noise


@pytest.mark.parametrize("cls", FOUR)
def test_b73_neighbouring_large_counts_have_the_same_outputs(cls):
    """float(2**53 + 1) == 2**53: in doubles the two have different supports."""
    offsets = [
        {int(y) - count for y in cls(2, 1).randomize([count] * 20_000)} for count in (2**53, 2**53 + 1, 2**60)
    ]
    for seen in offsets:
        assert seen >= set(range(-4, 5))
