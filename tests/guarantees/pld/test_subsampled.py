"""Poisson subsampling by certified grids, against published values, quadrature and convolution that share nothing with them."""

import math
import warnings
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from privacy_accountant.guarantees.pld import (
    PLD,
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    PrecisionWarning,
    RandomizedResponsePair,
    SubsampledDiscretePair,
    SubsampledGaussianPair,
    SubsampledLaplacePair,
)
from privacy_accountant.guarantees.pld.profiles.assemble import directions, profile_of


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


def test_rare_large_losses_next_to_a_narrow_bulk():
    low, high = PLD.of(gaussian(0.01, 0.6), 1000).get_epsilon(1e-5, interval=True)
    assert low <= 7.43361383 * (1 + 1e-8)
    assert 7.43361383 * (1 - 1e-8) <= high <= low * (1 + 1e-8)


@pytest.mark.parametrize("kind", ["gaussian", "laplace"])
@pytest.mark.parametrize("removal", [True, False])
@pytest.mark.parametrize("c", [-0.4, 0.7, 5.0, 30.0])
def test_moments_lie_within_their_errors_of_quadrature(kind, removal, c):
    mp.mp.dps = 30
    q, size = mp.mpf("0.02"), mp.mpf("1.25")
    pair = (SubsampledGaussianPair if kind == "gaussian" else SubsampledLaplacePair)(
        0.02, Fraction(25, 16) if kind == "gaussian" else 1.25, removal
    )
    family = pair.family([(pair, 3)])
    b = mp.mpf(c) + 1 if removal else -mp.mpf(c)
    ratio = lambda u: 1 - q + q * mp.exp(u)  # noqa: E731
    if kind == "gaussian":
        points = [-30, -12, -5, 0, 2, 4, 8, 12, float(size * b) - 5, float(size * b) + 5, 80]

        def moment(z):
            return mp.quad(lambda x: mp.npdf(x) * ratio(size * x - size**2 / 2) ** z, sorted(points))
    else:

        def moment(z):
            inside = mp.quad(
                lambda u: mp.exp(-(u + size) / 2) / 4 * ratio(u) ** z, mp.linspace(-size, size, 9)
            )
            return ratio(-size) ** z / 2 + mp.exp(-size) / 2 * ratio(size) ** z + inside

    cumulant = family.cumulant(c)
    truth = 3 * mp.log(moment(b))
    assert abs(cumulant.value - truth) <= cumulant.error
    assert cumulant.error <= 1e-12 * abs(cumulant.value)
    spacing = 2 / math.sqrt(cumulant.second)
    logs, errors = family.log_ratio(c, np.array([1.0, 2.0]), spacing)
    z = mp.mpc(b, mp.mpf(spacing) if removal else -mp.mpf(spacing))
    right = (moment(z) / moment(b)) ** 3
    got = mp.exp(mp.mpc(complex(logs[0])))
    assert abs(got - right) <= abs(got) * mp.expm1(float(errors[0])) + mp.mpf(10) ** -20
    assert errors[0] < 1e-9
    if kind == "gaussian":
        edges = np.array([spacing / 2, spacing * 2, spacing * 8])
        bounds, power, log_size = family.decay(c, edges)
        assert mp.log(abs(right)) <= bounds[0] + 1e-12
        assert mp.log(abs(right)) <= log_size - power * math.log(spacing)


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


@pytest.mark.parametrize(
    ("q", "sigma", "steps", "delta", "removal"),
    [
        (
            0.00099,
            5.13,
            671,
            1.1e-13,
            True,
        ),  # the far part is small in the moment, and its density is no double
        (0.3, 0.55, 300, 1e-4, False),
        (0.02, 2.5, 4000, 1e-9, True),
    ],
)
def test_contours_meet_lattices(q, sigma, steps, delta, removal):
    """Two routes that share neither moments nor bounds: intervals that both contain the truth have to meet."""
    pair = SubsampledGaussianPair(q, 1 / Fraction(str(sigma)) ** 2, removal)
    whole, lattice = (profile_of(((p, steps),)) for p in (pair, pair.gridded))
    for route in (whole._whole, whole):
        mine, other = route.epsilon(delta, 1e-4), lattice.epsilon(delta, 1e-4)
        assert mine[0] <= other[1]
        assert other[0] <= mine[1]
    e = np.array([0.5, 1.0]) * whole.epsilon(delta, 1e-4)[1]
    mine, other = whole._whole.bounds(e, 1e-4), lattice.bounds(e, 1e-4)
    assert np.all(mine.delta_low <= other.delta_high)
    assert np.all(other.delta_low <= mine.delta_high)
    assert np.all(mine.room_low <= other.room_high)


@pytest.mark.parametrize("removal", [True, False])
@pytest.mark.parametrize(
    "pair",
    [
        RandomizedResponsePair(1, 1e-3),
        DiscreteLaplacePair(1, 3),
        DiscreteGaussianPair(0.3, 1),
    ],
    ids=lambda p: type(p).__name__,
)
def test_discrete_releases_against_enumeration(pair, removal):
    q, releases = 0.15, 3
    losses, logs, _ = pair.law(1)
    hidden = float(pair.infinity_mass)
    finite = np.exp(logs) * (1 - hidden)
    with_it = np.concatenate((finite, [0.0, hidden]))
    without = np.concatenate((finite * np.exp(-losses), [hidden, 0.0]))
    likely = (with_it > 1e-15) | (without > 1e-15)
    with_it, without = with_it[likely], without[likely]
    mixture = (1 - q) * without + q * with_it
    p, other = (mixture, without) if removal else (without, mixture)
    pairs = [(1.0, 1.0)]
    for _ in range(releases):
        pairs = [(a * c, b * d) for a, b in pairs for c, d in zip(p, other, strict=True)]
    total = np.array(pairs)
    profile = profile_of(((SubsampledDiscretePair(q, pair, removal), releases),))
    for e in (0.0, 0.1, 0.4):
        truth = float(np.maximum(total[:, 0] - math.exp(e) * total[:, 1], 0.0).sum())
        bounds = profile.bounds(np.array([e]), 1e-4)
        assert bounds.delta_low[0] <= truth * (1 + 1e-9) + 1e-14
        assert truth <= bounds.delta_high[0] * (1 + 1e-9) + 1e-14
        assert bounds.delta_high[0] <= truth * (1 + 3e-4) + 1e-14


def test_rare_samples_of_laplace_noise():
    low, high = PLD.of(SubsampledLaplacePair(1e-8, 1), 10**6).get_epsilon(1e-9, interval=True)
    assert 3.09e-5 < low <= high <= low * (1 + 1e-4) < 3.1e-5


def test_a_crop_dominates_and_loses_what_it_says():
    pair = gaussian(0.00033, 4)
    for reach in (6.5, 9.0, 13.4):
        crop = pair.cropped(reach)
        assert crop.cropped(1.0) == crop
        assert 0 < crop.infinity_mass < 2 * float(mp.ncdf(-reach))
        assert pair.reversed().cropped(reach) == pair.reversed()
