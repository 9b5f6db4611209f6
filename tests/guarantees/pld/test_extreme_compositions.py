"""What lies at the ends of the ranges: sums next to their largest loss, atoms far apart, numbers beyond the arithmetic of doubles."""

import math
import warnings
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from privacy_accountant import ADP, GDP, ZCDP, DiscreteGaussian, compose
from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.guarantees.pld import (
    PLD,
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    FinitePair,
    GaussianPair,
    LaplacePair,
    PrecisionWarning,
    RandomizedResponsePair,
)
from privacy_accountant.guarantees.pld.profiles.assemble import directions
from privacy_accountant.guarantees.pld.profiles.contour_profile import ContourProfile
from privacy_accountant.guarantees.pld.profiles.simple_profiles import Nothing


def mix(laplaces, responses):
    return PLD(
        [(LaplacePair(float(x)), 1) for x in laplaces]
        + [(RandomizedResponsePair(float(x)), 1) for x in responses]
    )


@pytest.mark.parametrize(
    ("laplaces", "responses"),
    [(["0.1"] * 12, []), (["1", "1"], []), (["0.3", "0.05", "2"], ["0.7"]), (["1e-5"] * 6, ["0.001"])],
)
@pytest.mark.parametrize("share", ["1e-9", "1e-7", "1e-5", "1e-3", "1e-2"])
def test_next_to_the_largest_loss_answers_are_sharp(oracle, contains, laplaces, responses, share):
    form = mix(laplaces, responses)
    top = sum(map(mp.mpf, laplaces + responses))
    e = float(top * (1 - mp.mpf(share)))
    ends = form.get_delta(e, interval=True)
    # The threshold means its decimal, and the truth moves by the rounding of e over its distance from the top.
    contains(ends, oracle.residue_delta(laplaces, responses, mp.mpf(repr(e))))


@pytest.mark.parametrize(
    ("laplaces", "responses"),
    [(["0.3", "0.2"], ["97.5"]), (["0.001"], ["60", "45.5"]), (["2"], ["17", "17"])],
)
def test_atoms_far_apart_keep_every_digit_between_them(oracle, contains, laplaces, responses):
    form, top = mix(laplaces, responses), float(sum(map(mp.mpf, laplaces + responses)))
    for share in (0.0, 0.01, 0.3, 0.7, 0.97, 0.9995):
        e = share * top
        truth = oracle.residue_delta(laplaces, responses, mp.mpf(repr(e)))
        contains(form.get_delta(e, interval=True), truth)
        assert 0 <= (1 - truth) - form.get_complement(e) <= 1e-4 * (1 - truth)
    for delta in (1e-9, 0.5, 1 - 1e-10, 1 - 2.0**-53):
        low, high = form.get_epsilon(delta, interval=True)
        assert high - low <= 1e-4 * high
        assert oracle.residue_delta(laplaces, responses, high) <= mp.mpf(delta)
        assert low == 0 or oracle.residue_delta(laplaces, responses, low) >= mp.mpf(delta)
    alpha = np.array([0.0, 1e-300, 1e-30, 1e-3, 0.5, 1 - 1e-9, 1.0])
    f = form.beta(alpha)
    assert np.all(np.diff(f) <= 0)
    assert np.all(f >= form.get_complement(0.1) - math.exp(0.1) * alpha - 1e-12)


@pytest.mark.parametrize(
    "form",
    [
        PLD.of(LaplacePair(0.1), 30),
        PLD.of(LaplacePair(0.02), 3000),  # thirteen decades of delta within what one contour serves
        PLD([(GaussianPair(1), 1), (LaplacePair(0.5), 2)]),
        PLD.of(RandomizedResponsePair(0.01), 10000),
        PLD([(LaplacePair(round(0.05 + 0.013 * i, 4)), 1) for i in range(20)]),
    ],
    ids=repr,
)
def test_arrays_are_answered_as_sharply_as_single_questions(form):
    top = form.get_epsilon(1e-300)
    e = np.random.default_rng(3).permutation(np.linspace(0, 0.99, 45) * top)
    low, high = form.get_delta(e, interval=True)
    gap = (high - low) / np.minimum(high, np.maximum(1 - high, 0.01))
    assert np.max(gap) <= 1e-4
    for i in range(0, len(e), 9):
        one = form.get_delta(float(e[i]), interval=True)
        assert max(one[0], low[i]) <= min(one[1], high[i])


@pytest.mark.parametrize("delta", [1 - 1e-6, 1 - 1e-12, 1 - 2.0**-53])
def test_epsilon_where_nearly_everything_is_told(oracle, delta):
    """There delta has no digits left, and the complement decides."""
    for epsilon, count in ((0.5, 1000), (0.05, 40_000)):
        low, high = PLD.of(RandomizedResponsePair(epsilon), count).get_epsilon(delta, interval=True)
        assert high - low <= 1e-6 * high
        with mp.workdps(40):
            assert oracle.binomial_delta(str(epsilon), count, high) <= mp.mpf(delta)
            assert low == 0 or oracle.binomial_delta(str(epsilon), count, low) >= mp.mpf(delta)
    many = PLD.of(RandomizedResponsePair(0.08), 400_000)
    for form in (PLD.of(LaplacePair(100)), PLD.of(GaussianPair(400)), PLD.of(LaplacePair(0.5), 800), many):
        low, high = form.get_epsilon(delta, interval=True)
        assert high - low <= 1e-4 * high
        assert form.get_complement(high) >= (1 - delta) * (1 - 1e-12)


CLOSED = [
    PLD.of(LaplacePair(1)),
    PLD.of(LaplacePair(1e-6)),
    PLD.of(GaussianPair(1)),
    PLD.of(GaussianPair(1e-16)),
    PLD.of(RandomizedResponsePair(1, 1e-3)),
    PLD.of(RandomizedResponsePair(0.1), 50),
    PLD.of(DiscreteLaplacePair(2, 3), 2),
    PLD.of(DiscreteGaussianPair(4, 1)),
    PLD.of(FinitePair.of_tables((0.9, 0.1), (0.5, 0.5)), 3),
    PLD(),
]


@pytest.mark.parametrize("form", CLOSED, ids=repr)
def test_both_methods_agree(form):
    for profile in directions(form.parts, numeric=True):
        assert isinstance(profile, (ContourProfile, Nothing))
    e, alpha, delta = [0.0, 1e-9, 0.3, 2.0], [0.0, 1e-9, 0.1, 0.5, 0.9, 1.0], [1e-9, 1e-3, 0.5]
    for ask, at in ((form.get_delta, e), (form.beta, alpha), (form.get_epsilon, delta)):
        assert ask(at) == pytest.approx(ask(at, method="closed"), rel=1e-12)
        assert ask(at, method="numeric") == pytest.approx(ask(at, method="closed"), rel=1e-4, abs=1e-300)
    low, high = form.get_delta(e, interval=True, method="numeric")
    closed = form.get_delta(e, interval=True, method="closed")
    assert np.all(low <= closed[1])
    assert np.all(closed[0] <= high)


def test_methods_that_are_not_there_are_refused():
    form = PLD.of(LaplacePair(0.1), 30)
    # Both are ends of intervals that contain the truth; which contour answered depends on what was asked before.
    assert form.get_delta(0.5, method="numeric") == pytest.approx(form.get_delta(0.5), rel=1e-4)
    for ask in (form.get_delta, form.get_epsilon, form.beta):
        with pytest.raises(InvalidParameterError, match="no closed form"):
            ask(0.5, method="closed")
        with pytest.raises(InvalidParameterError, match="method"):
            ask(0.5, method="exact")


BEYOND = {
    "a Gaussian whose mu squared overflows": lambda: GDP(1e200).to(PLD),
    "the same beside a response": lambda: compose(GDP(1e160), ADP(1)),
    "integer noise that never differs from 0": lambda: DiscreteGaussian(1e-170, 1).guarantee(),
    "more releases than a double holds": lambda: ADP(0.1).self_compose(10**400),
    "the same with masses at infinity": lambda: PLD.of(RandomizedResponsePair(0.1, 1e-300), 10**400),
    "huge Laplace distances": lambda: PLD.of(LaplacePair(10**400), 3),
    "a response of 1e300": lambda: PLD.of(RandomizedResponsePair(1e300), 3),
    "integer Laplace noise of no scale": lambda: PLD.of(DiscreteLaplacePair(1e-170, 1), 3),
}


@pytest.mark.parametrize("name", BEYOND)
def test_beyond_doubles_everything_is_told(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        form = BEYOND[name]()
        assert form.get_delta(0.5) == form.get_delta(1.0) == 1.0
        assert form.get_complement(1.0) <= 1e-12
        assert form.advantage == 1.0
        assert form.beta(0.01) == 0.0
        assert form.get_epsilon(1.0) == 0.0
        warnings.simplefilter("ignore", PrecisionWarning)
        assert form.get_epsilon(0.5) > 1e100
        assert form.bayes_risk(0.5) <= 1e-12
        assert form.ppv(0.5, 0.5) == pytest.approx(2 / 3)


@pytest.mark.parametrize("epsilon", [1e-300, 1e-200, 1e-40])
def test_tiny_losses_are_bounded_on_both_sides(epsilon):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrecisionWarning)
        for form in (
            PLD.of(LaplacePair(epsilon), 3),
            PLD([(LaplacePair(epsilon), 2), (GaussianPair(1e-320), 1)]),
        ):
            low, high = form.get_delta([0.0, epsilon / 2, 1.0, math.inf], interval=True)
            assert np.all((low >= 0) & (low <= high) & (high <= 1e-10))
            assert low[0] > 0
            assert high[-1] == 0
            assert form.beta(0.5) <= 0.5
            assert form.beta(0.5) == pytest.approx(0.5, abs=1e-9)


def test_small_sigma_asks_for_no_gigabytes():
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for form in (
        PLD.of(DiscreteGaussianPair(Fraction(1, 10**6), 1), 3),
        PLD.of(GaussianPair(10**6), 3),
        PLD([(GaussianPair(10**6), 1), (LaplacePair(1000), 1)]),
        PLD([(LaplacePair(1000), 2), (RandomizedResponsePair(1e-6), 5)]),
    ):
        assert form.get_epsilon(1e-6) > 900
        assert 0 <= form.beta(0.1) <= 1e-100
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 1 << 20  # kibibytes


def test_losses_that_only_have_rho_meet_the_rest():
    both = compose(ZCDP(0.1), PLD.of(LaplacePair(0.3), 2))
    assert 0 < both.advantage < 1
