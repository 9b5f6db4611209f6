from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from privacy_accountant.guarantees.pld import (
    PLD,
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    GaussianPair,
    LaplacePair,
    RandomizedResponsePair,
)
from privacy_accountant.guarantees.pld.profiles import assemble
from privacy_accountant.guarantees.pld.profiles.assemble import profile_of


def union(*parts):
    return PLD(parts)


@pytest.mark.parametrize("n", [2, 5, 12])
@pytest.mark.parametrize("epsilon", ["1e-5", "0.1", "1", "30"])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.37, 0.5, 0.8, 0.999])
def test_laplace_releases_against_residues(oracle, contains, n, epsilon, share):
    # A share of 0.5 may sit on an atom, where smoothing alone would converge slowly.
    form = PLD.of(LaplacePair(float(epsilon)), n)
    e = share * n * float(epsilon)
    truth = oracle.residue_delta([epsilon] * n, [], e)
    contains(form.get_delta(e, interval=True), truth)
    room = 1 - truth
    if room > 1e-80:
        assert 0 <= room - form.get_complement(e) <= 1e-4 * room


@pytest.mark.parametrize("e", [0.0, 0.2, 0.9, 1.15, 1.4])
def test_mixed_laplace_and_responses_against_residues(oracle, contains, e):
    form = union(
        (LaplacePair(0.3), 2),
        (LaplacePair(0.07), 1),
        (LaplacePair(0.5), 1),
        (RandomizedResponsePair(0.15), 2),
    )
    contains(
        form.get_delta(e, interval=True),
        oracle.residue_delta(["0.3", "0.3", "0.07", "0.5"], ["0.15", "0.15"], e),
    )
    assert form.get_delta(-e) == pytest.approx(1 - np.exp(-e) * (1 - form.get_delta(e)), rel=1e-12)


@pytest.mark.parametrize(("mu", "epsilon"), [("1", "0.5"), ("0.03", "2"), ("5", "0.01"), ("0.001", "0.3")])
def test_gaussian_with_laplace_against_quadrature(oracle, contains, mu, epsilon):
    form = union((GaussianPair(Fraction(mu) ** 2), 1), (LaplacePair(float(epsilon)), 1))
    m = mp.mpf(mu)
    with mp.workdps(30):
        for e in (0.0, 0.1, 1.3, 3.0):
            truth = oracle.laplace_quadrature(epsilon, lambda t: oracle.gaussian_delta(m, t), e)
            if float(mu) >= 1:
                contains(form.get_delta(e, interval=True), truth, 1e-9)
            elif truth > 1e-290:
                # the quadrature is only as good as the narrow normal lets it be
                low, high = form.get_delta(e, interval=True)
                assert low * (1 - 1e-6) <= truth <= high * (1 + 1e-6)


@pytest.mark.parametrize("e", [0.0, 0.7, 2.5, 4.0, 9.0])
def test_gaussian_with_responses_that_tell_all_with_some_probability(oracle, contains, e):
    form = union((GaussianPair(Fraction(9, 16)), 1), (RandomizedResponsePair(0.2, 1e-7), 5))
    mu, infinite = mp.mpf(3) / 4, 1 - (1 - mp.mpf("1e-7")) ** 5
    finite = oracle.binomial_delta("0.2", 5, e, inner=lambda t: oracle.gaussian_delta(mu, t))
    contains(form.get_delta(e, interval=True), infinite + (1 - infinite) * finite, 1e-9)
    assert form.beta(0.0) == pytest.approx(1 - 5e-7, rel=1e-12)
    assert form.get_epsilon(4e-7) == np.inf
    assert form.get_epsilon(6e-7) < 10


def discrete_law(pair):
    """Losses and masses with mpmath, straight from the definition of the noise."""
    if isinstance(pair, DiscreteLaplacePair):
        scale, d = mp.mpf(pair.scale), pair.sensitivity
        exponents = {x: -abs(x - d) / scale for x in range(-300, 301)}
        losses = {x: (abs(x) - abs(x - d)) / scale for x in exponents}
    else:
        variance, d = mp.mpf(pair.sigma_squared), pair.sensitivity
        exponents = {x: -x * x / (2 * variance) for x in range(-60, 61)}
        losses = {x: (d * d - 2 * d * x) / (2 * variance) for x in exponents}
    weights = {x: mp.exp(y) for x, y in exponents.items()}
    total = sum(weights.values())
    law = {}
    for x, weight in weights.items():
        law[losses[x]] = law.get(losses[x], 0) + weight / total
    return law


def convolved(first, second):
    result = {}
    for a, p in first.items():
        for b, q in second.items():
            key = a + b
            result[key] = result.get(key, 0) + p * q
    return result


@pytest.mark.parametrize(
    ("pair", "count"),
    [
        (DiscreteLaplacePair(1, 1), 3),
        (DiscreteLaplacePair(2, 3), 3),
        (DiscreteLaplacePair(4, 7), 2),
        (DiscreteGaussianPair(1, 1), 2),
        (DiscreteGaussianPair(0.25, 1), 3),
        (DiscreteGaussianPair(0.09, 1), 2),
        (DiscreteGaussianPair(4, 3), 2),
    ],
)
def test_repeated_integer_noise_against_convolution(contains, pair, count):
    with mp.workdps(40):
        one = {k: v for k, v in discrete_law(pair).items() if v > mp.mpf(10) ** -60}
        law = one
        for _ in range(count - 1):
            law = convolved(law, one)
        form = PLD.of(pair, count)
        most = min(float(max(law)), 60.0)
        for e in (0.0, 0.13 * most, 0.5 * most, 0.9 * most):
            truth = sum(p * -mp.expm1(e - k) for k, p in law.items() if k > e)
            if truth < 1e-40:
                continue
            contains(form.get_delta(e, interval=True), truth, 1e-7)
            room = sum(p * min(1, mp.exp(e - k)) for k, p in law.items())
            assert 0 <= room * (1 + mp.mpf(10) ** -30) - form.get_complement(e) <= 1e-7 * room


def test_a_mix_of_every_kind_against_convolution_and_the_gaussian_profile(oracle, contains):
    pairs = [DiscreteLaplacePair(2, 3), DiscreteGaussianPair(4, 2), RandomizedResponsePair(0.3)]
    with mp.workdps(30):
        p = 1 / (1 + mp.exp(-mp.mpf("0.3")))
        law = {mp.mpf("0.3"): p, mp.mpf("-0.3"): 1 - p}
        for pair in pairs[:2]:
            law = convolved(law, {k: v for k, v in discrete_law(pair).items() if v > mp.mpf(10) ** -30})
        form = PLD(tuple((pair, 1) for pair in [*pairs, GaussianPair(0.25)]))
        for e in (0.0, 1.1, 3.0):
            truth = sum(m * oracle.gaussian_delta(mp.mpf("0.5"), e - k) for k, m in law.items())
            contains(form.get_delta(e, interval=True), truth, 1e-9)


@pytest.mark.parametrize("sigma", [300, 10**6])
def test_a_wide_discrete_gaussian_is_close_to_the_continuous_one(sigma):
    discrete = PLD.of(DiscreteGaussianPair(sigma**2, sigma // 10), 50)
    continuous = PLD.of(GaussianPair(Fraction(1, 100)), 50)
    e = np.array([0.0, 0.5, 2.0])
    low, high = discrete.get_delta(e, interval=True)
    truth = continuous.get_delta(e)
    assert np.all(low * (1 - 1e-4) <= truth)
    assert np.all(truth <= high * (1 + 1e-4))


def test_a_wide_discrete_laplace_is_close_to_the_continuous_one():
    discrete = PLD.of(DiscreteLaplacePair(10**6, 10**5), 50)
    continuous = PLD.of(LaplacePair(0.1), 50)
    for delta in (1e-3, 1e-9, 1e-20):
        low, high = discrete.get_epsilon(delta, interval=True)
        other_low, other_high = continuous.get_epsilon(delta, interval=True)
        assert low <= other_high * (1 + 1e-5)
        assert other_low <= high * (1 + 1e-5)


@pytest.mark.parametrize("seed", range(10))
def test_random_small_mixes_against_residues(oracle, contains, seed):
    rng = np.random.default_rng(seed)
    size = 10 ** rng.uniform(-4, 1)
    laplaces = [round(float(x) * size, 7) for x in rng.uniform(0.1, 1, rng.integers(1, 5))]
    responses = [round(float(x) * size, 7) for x in rng.uniform(0.1, 1, rng.integers(0, 5))]
    form = PLD([(LaplacePair(x), 1) for x in laplaces] + [(RandomizedResponsePair(x), 1) for x in responses])
    top = sum(laplaces) + sum(responses)

    def truth_at(e):
        return oracle.residue_delta([repr(x) for x in laplaces], [repr(x) for x in responses], e)

    for e in [0.0, *(rng.uniform(0, 1, 3) * top).tolist(), 0.999 * top]:
        truth = truth_at(e)
        contains(form.get_delta(e, interval=True), truth)
        if 1 - truth > 1e-60:
            assert 0 <= (1 - truth) - form.get_complement(e) <= 1e-4 * (1 - truth)
    low, high = form.get_epsilon(float(truth_at(0.4 * top)), interval=True)
    assert low <= 0.4 * top * (1 + 1e-12)
    assert 0.4 * top <= high * (1 + 1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_random_discrete_mixes_by_contour_against_their_enumeration(monkeypatch, seed):
    rng = np.random.default_rng(100 + seed)
    pairs = [RandomizedResponsePair(round(float(x), 3)) for x in rng.uniform(0.01, 1.5, rng.integers(2, 6))]
    if seed % 2:
        pairs.append(DiscreteLaplacePair(round(float(rng.uniform(0.5, 6)), 1), int(rng.integers(1, 6))))
    form = PLD([(pair, int(rng.integers(1, 3))) for pair in pairs])
    top = float(sum(pair.top * count for pair, count in form.parts))
    e = np.array([0.0, *rng.uniform(0, 1, 6)]) * top
    profile_of.cache_clear()
    low, high = form.get_delta(e, interval=True)
    room = form.get_complement(e)
    monkeypatch.setattr(assemble, "MOST_ATOMS", 0.5)  # nothing is written down: contours answer
    profile_of.cache_clear()
    try:
        wide_low, wide_high = form.get_delta(e, interval=True)
        wide_room = form.get_complement(e)
    finally:
        profile_of.cache_clear()
    assert np.all(wide_low <= high)
    assert np.all(low <= wide_high)
    assert np.all(wide_high - wide_low <= 1e-4 * wide_high)
    assert np.all(wide_room <= room * (1 + 1e-10))
    assert np.all(wide_room >= room * (1 - 1e-4))
