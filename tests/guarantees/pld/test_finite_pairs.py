import itertools
import math
import warnings

import mpmath as mp
import numpy as np
import pytest

from privacy_accountant.codec import decode, encode
from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.guarantees.pld import (
    PLD,
    FinitePair,
    LatticePair,
    PrecisionWarning,
    SubsampledGaussianPair,
)
from privacy_accountant.guarantees.pld.exchange import from_dp_accounting, to_dp_accounting
from privacy_accountant.guarantees.pld.profiles.assemble import profile_of


@pytest.mark.parametrize(
    ("count", "deltas"),
    [
        (1, (0.335127872929987, 0.228171817154095)),
        (2, (0.436742958566976, 0.233526452592781)),
        (5, (0.678195165288768, 0.591068762253726)),
    ],
)
def test_two_tables_in_both_directions(count, deltas):
    form = PLD.of(FinitePair.of_tables((0.9, 0.1), (0.5, 0.5)), count)
    for e, delta in zip((0.5, 1.0), deltas, strict=True):
        assert form.get_delta(e) == pytest.approx(delta, rel=1e-11)


def tables(rng, size):
    p, q = rng.random(size) + 0.02, rng.random(size) + 0.02
    p[0] = 0.0 if rng.random() < 0.5 else p[0]
    return p / p.sum(), q / q.sum()


def exactly(p, q, count, e):
    total = 0.0
    for outcome in itertools.product(range(len(p)), repeat=count):
        a, b = math.prod(p[i] for i in outcome), math.prod(q[i] for i in outcome)
        total += max(a - math.exp(e) * b, 0.0)
    return total


@pytest.mark.parametrize("seed", range(6))
def test_random_tables_against_enumeration_and_by_contour(monkeypatch, seed):
    from privacy_accountant.guarantees.pld.profiles import assemble

    rng = np.random.default_rng(seed)
    p, q = tables(rng, int(rng.integers(2, 6)))
    count = int(rng.integers(1, 5))
    form = PLD.of(FinitePair.of_tables(p.tolist(), q.tolist()), count)
    for e in (0.0, 0.31, 1.7):
        truth = max(exactly(p, q, count, e), exactly(q, p, count, e))
        low, high = form.get_delta(e, interval=True)
        assert low * (1 - 1e-12) <= truth <= high * (1 + 1e-12)
        assert high - low <= 1e-8 * high
    monkeypatch.setattr(assemble, "MOST_ATOMS", 0.5)
    profile_of.cache_clear()
    try:
        truth = max(exactly(p, q, count, 0.31), exactly(q, p, count, 0.31))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrecisionWarning)
            low, high = form.get_delta(0.31, interval=True)
        assert low * (1 - 1e-12) <= truth <= high * (1 + 1e-12)
    finally:
        profile_of.cache_clear()


def test_a_piecewise_linear_curve_gives_itself_back():
    heights, widths = (0.5, 0.3, 0.15, 0.05), (0.05, 0.15, 0.3, 0.5)
    form = PLD.of(FinitePair.of_segments(heights, widths, symmetric=True))
    alpha, beta = np.cumsum([0, *widths]), 1 - np.cumsum([0, *heights])
    asked = np.linspace(0, 1, 41)
    assert form.beta(asked) == pytest.approx(np.interp(asked, alpha, np.clip(beta, 0, 1)), abs=1e-12)
    assert form.get_epsilon(0.0) == pytest.approx(math.log(10), rel=1e-15)
    assert form.get_epsilon(0.0) >= math.log(10)


def test_pairs_survive_the_codec():
    for pair in (
        FinitePair.of_tables((0.9, 0.1), (0.5, 0.5)),
        LatticePair(0.5, -1, (0.25, 0, 0.75)),
        SubsampledGaussianPair(0.1, 2, removal=False),
    ):
        assert decode(encode(PLD.of(pair, 3))) == PLD.of(pair, 3)


@pytest.mark.parametrize(
    ("build", "field"),
    [
        (lambda: FinitePair((1, 0), (0.5, 0.5)), "losses"),
        (lambda: FinitePair((0, 1), (1.0,)), "masses"),
        (lambda: FinitePair((0, 1), (0.5, 0.4)), "masses"),
        (lambda: FinitePair((0, 1), (0.5, 0.5), back=3), "back"),
        (lambda: FinitePair.of_tables((1.0,), (0.5, 0.5)), "q"),
        (lambda: SubsampledGaussianPair(1.5, 1), "sampling"),
        (lambda: SubsampledGaussianPair(0.1, 0), "mu_squared"),
        (lambda: from_dp_accounting(3), "losses"),
        (lambda: to_dp_accounting(PLD(), value_discretization_interval=0), "value_discretization_interval"),
    ],
)
def test_bad_input_is_named(build, field):
    with pytest.raises(InvalidParameterError) as caught:
        build()
    assert caught.value.field == field


def peer():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from dp_accounting.pld import privacy_loss_distribution
    return privacy_loss_distribution


@pytest.mark.parametrize("kind", ["laplace", "response", "sampled"])
def test_dp_accounting_losses_keep_their_profile(kind):
    grid = 1e-2
    theirs = {
        "laplace": lambda: peer().from_laplace_mechanism(2.0, value_discretization_interval=grid),
        "response": lambda: peer().from_randomized_response(0.3, 5, value_discretization_interval=grid),
        "sampled": lambda: peer().from_gaussian_mechanism(
            1.0, sampling_prob=0.1, value_discretization_interval=grid
        ),
    }[kind]()
    form = from_dp_accounting(theirs)
    assert form.infinity_mass == pytest.approx(theirs._pmf_remove._infinity_mass, rel=1e-9, abs=0)
    for e in (0.0, 0.2, 0.9):
        assert form.get_delta(e) == pytest.approx(theirs.get_delta_for_epsilon(e), rel=1e-9, abs=1e-14)
    again = to_dp_accounting(form, value_discretization_interval=grid)
    for e in (0.0, 0.2, 0.9):
        value = again.get_delta_for_epsilon(e)
        assert value >= form.get_delta(e) * (1 - 1e-9) - 1e-14
        assert value <= form.get_delta(e) * (1 + 1e-3) + 1e-12


def test_only_pessimistic_estimates_are_taken():
    theirs = peer().from_laplace_mechanism(2.0, pessimistic_estimate=False, value_discretization_interval=0.1)
    with pytest.raises(InvalidParameterError, match="pessimistic"):
        from_dp_accounting(theirs)


@pytest.mark.parametrize("count", [40, 150])
@pytest.mark.parametrize("share", [0.0, 0.05, 0.3])
def test_complements_far_left_of_the_mean_against_convolution(contains, count, share):
    """There the abscissa lies below -1/2, where only a law with both directions alike is symmetric."""
    pair = LatticePair(0.5, -2, (0.05, 0.05, 0.1, 0.3, 0.5))
    form = PLD.of(pair, count)
    with mp.workdps(60):
        law = {0: mp.mpf(1)}
        one = {i - 2: mp.mpf(str(m)) for i, m in enumerate(pair.masses)}
        for _ in range(count):
            new = {}
            for k, p in law.items():
                for j, m in one.items():
                    new[k + j] = new.get(k + j, 0) + p * m
            law = new
        e = mp.mpf(share * count * 0.5)
        room = sum(p * min(mp.mpf(1), mp.exp(e - k * mp.mpf("0.5"))) for k, p in law.items())
    found = form.get_complement(float(e))
    assert found <= room * (1 + mp.mpf(10) ** -14)
    assert found >= room * (1 - mp.mpf(10) ** -7)
