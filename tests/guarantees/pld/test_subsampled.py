"""Poisson subsampling by certified grids, against published values, quadrature and convolution that share nothing with them."""

import math
import warnings
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from privacy_accountant.guarantees.pld import (
    PLD,
    PrecisionWarning,
    SubsampledGaussianPair,
    SubsampledLaplacePair,
)
from privacy_accountant.guarantees.pld.assemble import directions


def gaussian(q, sigma):
    return SubsampledGaussianPair(q, 1 / Fraction(str(sigma)) ** 2)


@pytest.mark.parametrize(
    ("q", "sigma", "steps", "delta", "epsilon"),
    [
        (0.2, 3, 50, 1 / 48000, 1.96081134),
        (0.01, 1, 100, 1e-5, 0.71803566),
        (0.00033, 4, 10000, 1.1e-18, 0.067213614),
        (0.00033, 4, 10000, 1.13e-18, 0.067185446),
        (0.00038, 4, 10000, 1.13e-18, 0.077540878),
        (0.00038, 4, 10000, 1.11e-18, 0.077562364),
    ],
)
def test_published_epsilons_lie_in_the_interval(q, sigma, steps, delta, epsilon):
    low, high = PLD.of(gaussian(q, sigma), steps).get_epsilon(delta, interval=True)
    assert low <= epsilon * (1 + 1e-8)
    assert epsilon * (1 - 1e-8) <= high <= low * (1 + 1e-4)


def test_a_wide_interval_contains_the_published_value_and_says_so():
    with pytest.warns(PrecisionWarning):
        low, high = PLD.of(gaussian(0.01, 0.6), 1000).get_epsilon(1e-5, interval=True)
    assert low <= 7.43361383 <= high * (1 + 1e-8)
    assert high <= 7.43361383 * (1 + 1e-4)


def test_subsampled_laplace_in_both_directions():
    form = PLD.of(SubsampledLaplacePair(0.1, 1), 10)
    removal, addition = (profile.epsilon(1e-5, 1e-4) for profile in directions(form.parts))
    assert removal[0] <= 1.17420730 <= removal[1] * (1 + 1e-8)
    assert addition[0] <= 0.64597992 <= addition[1] * (1 + 1e-8)
    assert form.get_epsilon(1e-5) == removal[1] <= 1.17420730 * (1 + 1e-4)


@pytest.mark.parametrize(("q", "sigma"), [(0.1, 1), (0.5, 0.7), (0.01, 2)])
@pytest.mark.parametrize("e", [0.0, 0.05, 0.4])
def test_one_release_contains_its_closed_form(contains, q, sigma, e):
    """(1-q) A + q B exceeds e^e A where B / A exceeds a threshold: the profile of a Gaussian, moved and scaled."""
    form = PLD.of(gaussian(q, sigma))
    mu, qq = 1 / mp.mpf(sigma), mp.mpf(str(q))
    shifted = mp.log((mp.exp(e) - 1 + qq) / qq)
    truth = qq * (mp.ncdf(mu / 2 - shifted / mu) - mp.exp(shifted) * mp.ncdf(-mu / 2 - shifted / mu))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrecisionWarning)  # a single release is as fine as its cells
        low, high = form.get_delta(e, interval=True)
    assert low <= truth <= high
    assert high <= truth * mp.mpf(1 + 5e-3) + mp.mpf(10) ** -30
    assert low >= truth * mp.mpf(1 - 5e-2)


@pytest.mark.parametrize("removal", [True, False])
def test_two_gaussian_releases_against_quadrature(removal):
    q, e = 0.2, 0.3
    x = np.linspace(-9, 10, 4001)
    without = np.exp(-x * x / 2)
    with_it = (1 - q) * without + q * np.exp(-((x - 1) ** 2) / 2)
    p, other = (with_it, without) if removal else (without, with_it)
    loss = np.log(p / other)
    weight = p * (x[1] - x[0]) / math.sqrt(2 * math.pi)
    both = np.minimum(e - np.add.outer(loss, loss), 0.0)
    truth = float(weight @ -np.expm1(both) @ weight)
    profile = directions(PLD.of(SubsampledGaussianPair(q, 1), 2).parts)[0 if removal else 1]
    bounds = profile.bounds(np.array([e]), 1e-4)
    assert bounds.delta_low[0] <= truth * (1 + 1e-6)
    assert truth <= bounds.delta_high[0] * (1 + 1e-6)
    assert bounds.delta_high[0] <= truth * (1 + 3e-4)


def test_moments_of_the_dominating_lattice_are_close_to_the_quadrature():
    """log E_A[((1-q) + q B/A)^order]; other accountants report a negative value at these orders.

    There is a little mass above the lattice, so the moment itself is unbounded; what is checked is the finite part's.
    """
    pair = SubsampledGaussianPair(0.4, Fraction(1, 144))
    for order, log_moment in ((58.9, 2.10205071101478788), (59.5, 2.14789952851772289)):
        finite = pair.family([(pair, 1)]).cumulant(order - 1)
        assert finite.value + finite.error >= log_moment * (1 - 1e-9)
        assert finite.value <= log_moment * (1 + 1e-3)


def test_peer_grid_lies_just_above():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from dp_accounting.pld import privacy_loss_distribution as peer

        theirs = peer.from_gaussian_mechanism(2.0, sampling_prob=0.1, value_discretization_interval=1e-4)
        value = theirs.self_compose(20).get_epsilon_for_delta(1e-6)
    low, high = PLD.of(gaussian(0.1, 2), 20).get_epsilon(1e-6, interval=True)
    assert low <= value <= high * (1 + 1e-4)


def test_what_is_read_off_a_subsampled_release_is_consistent():
    form = PLD.of(gaussian(0.1, 1), 5)
    alpha = np.linspace(0.01, 0.99, 15)
    f = form.beta(alpha)
    assert np.all(np.diff(f) <= 0)
    assert np.all(f <= 1 - alpha)
    many = form.beta(np.linspace(0.01, 0.99, 701))
    assert many[::50] == pytest.approx(f, rel=1e-3)
    assert np.all(f >= form.get_complement(0.3) - np.exp(0.3) * alpha - 1e-4)
