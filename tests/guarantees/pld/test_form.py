import math
import pickle
import time
import warnings
from fractions import Fraction

import numpy as np
import pytest

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.pld import (
    PLD,
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    GaussianPair,
    LaplacePair,
    PrecisionWarning,
    RandomizedResponsePair,
    pair_of,
)
from privacy_accountant.guarantees.pld.profiles import shelf
from privacy_accountant.guarantees.pld.profiles.assemble import profile_of


def test_gaussians_merge_exactly_and_equal_parts_are_counted():
    parts = [
        (GaussianPair(Fraction(1, 3)), 2),
        (LaplacePair(0.1), 1),
        (GaussianPair(Fraction(1, 3)), 1),
        (LaplacePair(Fraction(1, 10)), 2),
    ]
    form = PLD(parts)
    assert form.parts == ((GaussianPair(1), 1), (LaplacePair(Fraction(1, 10)), 3))
    assert form == PLD(parts[::-1])
    assert hash(form) == hash(PLD(parts[::-1]))


def test_union_is_commutative_associative_and_has_a_unit():
    a, b, c = (
        PLD.of(LaplacePair(0.3)),
        PLD.of(RandomizedResponsePair(0.2, 1e-6), 3),
        PLD.of(DiscreteLaplacePair(2, 1)),
    )
    assert a.union(b, c) == c.union(b).union(a) == b.union(a.union(c))
    assert a.union(PLD()) == a
    assert a.times(3) == a.union(a, a)
    assert PLD.of(GaussianPair(0)).union(a, PLD.of(RandomizedResponsePair(0)), PLD.of(LaplacePair(0))) == a


def test_answers_survive_pickling_and_caching_changes_nothing():
    form = PLD.of(LaplacePair(0.1), 20)
    before, digest, text = form.get_epsilon(1e-6), hash(form), repr(form)
    copy = pickle.loads(pickle.dumps(form))  # noqa: S301 (our own bytes)
    assert copy == form
    assert hash(form) == digest == hash(copy)
    assert repr(form) == text
    assert copy.get_epsilon(1e-6) == before
    profile_of.cache_clear()
    assert form.get_epsilon(1e-6) == before


def test_no_parts_are_perfect_privacy():
    form = PLD()
    alpha = np.array([0.0, 0.25, 1.0])
    assert np.array_equal(form.beta(alpha), 1 - alpha)
    assert form.get_epsilon(0.0) == form.get_delta(0.0) == form.advantage == 0.0
    assert form.get_delta(-1.0) == -math.expm1(-1.0)
    assert form.bayes_risk(0.3) == 0.3
    assert form.get_epsilon(0.0, interval=True) == (0.0, 0.0)


@pytest.mark.parametrize(
    "form",
    [
        PLD.of(RandomizedResponsePair(math.inf)),
        PLD.of(RandomizedResponsePair(1, 1), 5),
        PLD.of(GaussianPair(math.inf)),
        PLD.of(LaplacePair(math.inf)).union(PLD.of(GaussianPair(1))),
    ],
    ids=repr,
)
def test_parts_that_tell_all(form):
    assert form.infinity_mass == 1
    assert np.array_equal(form.beta([0.0, 1e-300, 0.5, 1.0]), np.zeros(4))
    assert np.array_equal(form.get_delta([-math.inf, -5, 0, 5, math.inf]), np.ones(5))
    assert np.array_equal(form.get_complement([0, 5, math.inf]), np.zeros(3))
    assert form.get_epsilon(0.999) == math.inf
    assert form.get_epsilon(1.0) == 0
    assert form.advantage == 1
    assert form.bayes_risk(0.5) == 0


def test_mass_at_infinity_is_exact_and_stays():
    form = PLD.of(RandomizedResponsePair(0.1, 1e-6)).union(PLD.of(LaplacePair(0.4), 2))
    assert form.infinity_mass == pytest.approx(1e-6, rel=1e-15)
    assert form.get_delta(math.inf) == form.infinity_mass
    assert form.get_epsilon(1e-6) == pytest.approx(0.9, rel=1e-12)
    assert form.get_epsilon(math.nextafter(1e-6, 0)) == math.inf
    assert form.beta(0.0) == pytest.approx(1 - 1e-6, rel=1e-15)
    many = PLD.of(RandomizedResponsePair(0.1, 1e-9), 10**5)
    assert many.infinity_mass == pytest.approx(-math.expm1(1e5 * math.log1p(-1e-9)), rel=1e-12)


@pytest.mark.parametrize("lap", [0.1, Fraction(1, 3), 12.5, 800, 1e-9])
def test_pure_parts_reach_epsilon_at_delta_zero(lap):
    for pair in (LaplacePair(lap), RandomizedResponsePair(lap)):
        form = PLD.of(pair, 7)
        low, high = form.get_epsilon(0.0, interval=True)
        assert low <= 7 * float(Fraction(str(lap))) * (1 + 1e-15)
        assert high == pytest.approx(7 * float(Fraction(str(lap))), rel=1e-15)
        assert form.get_delta(high) == 0.0


def test_gaussians_have_no_largest_loss():
    form = PLD.of(GaussianPair(1)).union(PLD.of(LaplacePair(1)))
    assert form.get_epsilon(0.0, interval=True) == (math.inf, math.inf)
    assert form.get_delta(1e6) == 5e-324
    assert form.get_delta(math.inf) == 0.0


@pytest.mark.parametrize(
    "form",
    [
        PLD.of(LaplacePair(8000), 3),
        PLD.of(RandomizedResponsePair(800), 3),
        PLD.of(LaplacePair(1e-6), 3),
        PLD.of(LaplacePair(1), 10**4),
        PLD.of(GaussianPair(10**6)).union(PLD.of(LaplacePair(3))),
        PLD.of(GaussianPair(1e-16)).union(PLD.of(LaplacePair(1e-9))),
        PLD.of(DiscreteLaplacePair(0.01, 1), 4),
        PLD.of(DiscreteGaussianPair(0.0025, 1), 2),
        PLD.of(RandomizedResponsePair(1e-7), 10**6),
    ],
    ids=repr,
)
def test_extremes_give_finite_ordered_answers(form):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", PrecisionWarning)
        e = np.array([-math.inf, -800.0, -1.0, 0.0, 1e-9, 1.0, 700.0, 1e5, math.inf])
        low, high = form.get_delta(e, interval=True)
        assert not np.isnan([low, high]).any()
        assert np.all(low <= high)
        assert np.all(np.diff(high) <= 1e-15)
        assert np.all(high[np.isfinite(e)] >= 0)
        f = form.beta([0.0, 1e-300, 1e-9, 0.5, 1 - 1e-9, 1.0])
        assert np.all(np.diff(f) <= 0)
        ends = np.array(form.get_epsilon([0.0, 1e-300, 1e-30, 1e-6, 0.5, 1.0], interval=True))
        assert not np.isnan(ends).any()
        assert np.all(ends[0] <= ends[1])
        assert np.all(np.diff(ends[1]) <= 1e-9)
        assert 0 <= form.get_complement(0.0) <= 1


def test_single_parts_agree_with_the_forms_they_come_from():
    alpha, e, delta = np.linspace(0, 1, 11), np.linspace(0, 3, 7), np.array([0.0, 1e-9, 1e-3, 0.9])
    for guarantee in (ADP(0.7, 1e-4), GDP(1.3)):
        form = PLD.of(pair_of(guarantee))
        assert form.beta(alpha) == pytest.approx(guarantee.beta(alpha), rel=1e-12)
        assert form.get_delta(e) == pytest.approx(guarantee.get_delta(e), rel=1e-12)
        assert form.get_epsilon(delta) == pytest.approx(guarantee.get_epsilon(delta), rel=1e-12)
        low, high = form.get_delta(e, interval=True)
        assert np.all(low <= high)
        assert np.all(high - low <= 1e-10 * high)


def test_tolerance_widens_or_narrows_the_interval():
    form = PLD.of(LaplacePair(0.03), 40)
    wide = np.subtract(*form.get_delta(0.2, interval=True, tolerance=0.05)[::-1])
    narrow = np.subtract(*form.get_delta(0.2, interval=True, tolerance=1e-6)[::-1])
    assert narrow < wide
    assert narrow <= 1e-6 * form.get_delta(0.2)


def test_a_cap_that_is_reached_gives_a_valid_wide_answer_and_says_so(monkeypatch):
    parts = tuple((RandomizedResponsePair(round(0.01 + 0.001237 * i, 6)), 1) for i in range(25))
    fine = PLD(parts).get_delta(0.11, interval=True)
    monkeypatch.setattr(shelf, "MOST_NODES", 40)
    profile_of.cache_clear()
    try:
        with pytest.warns(PrecisionWarning, match="interval"):
            low, high = PLD(parts).get_delta(0.11, interval=True)
    finally:
        profile_of.cache_clear()
    assert low <= fine[0] <= fine[1] <= high


def test_a_thousand_distinct_scales_take_a_moment():
    form = PLD(tuple((LaplacePair(Fraction(1000, 5000 + 95 * i)), 1) for i in range(1000)))
    start = time.perf_counter()
    ends = [form.get_epsilon(delta, interval=True) for delta in (1e-6, 1e-9, 1e-12)]
    assert time.perf_counter() - start < 30  # dp-accounting takes some 10 s where this takes some tenths
    for low, high in ends:
        assert low <= high <= low * (1 + 1e-4)


@pytest.mark.parametrize(
    ("build", "field"),
    [
        (lambda: PLD(3), "parts"),
        (lambda: PLD((LaplacePair(1),)), "parts"),
        (lambda: PLD(((LaplacePair(1), 0),)), "count"),
        (lambda: PLD(((LaplacePair(1), True),)), "count"),
        (lambda: PLD.of(LaplacePair(1), 1.0), "count"),
        (lambda: LaplacePair(-1), "epsilon"),
        (lambda: LaplacePair(math.nan), "epsilon"),
        (lambda: LaplacePair(True), "epsilon"),
        (lambda: RandomizedResponsePair(1, 1.5), "delta"),
        (lambda: GaussianPair("1"), "mu_squared"),
        (lambda: DiscreteLaplacePair(0, 1), "scale"),
        (lambda: DiscreteLaplacePair(1, 0), "sensitivity"),
        (lambda: DiscreteGaussianPair(1, 1.0), "sensitivity"),
        (lambda: DiscreteGaussianPair(math.inf, 1), "sigma_squared"),
        (lambda: PLD().get_delta(0.0, tolerance=0), "tolerance"),
        (lambda: PLD().get_delta(math.nan), "epsilon"),
        (lambda: PLD().get_epsilon(2.0), "delta"),
    ],
)
def test_bad_input_is_named(build, field):
    with pytest.raises(InvalidParameterError) as caught:
        build()
    assert caught.value.field == field


def test_shapes_and_kinds_follow_the_question():
    form = PLD.of(LaplacePair(0.5), 2)
    assert type(form.get_delta(1)) is float
    assert form.get_delta(np.array([[0, 1], [2, 3]])).shape == (2, 2)
    low, high = form.get_epsilon(np.array([[0.1], [0.2]]), interval=True)
    assert low.shape == high.shape == (2, 1)
    assert [type(end) for end in form.get_epsilon(0.1, interval=True)] == [float, float]


def test_a_tiny_gaussian_beside_a_response_is_sharp_on_both_sides_of_its_edge():
    """Asked in one order of thresholds, so that contours of earlier ones stand ready and are too far away to be good enough."""
    form = PLD(((GaussianPair(2e-16), 1), (RandomizedResponsePair(0.01), 1)))
    for e in (0.0, 0.001, 0.005, 0.00999, 0.01, 0.0100001):
        low, high = form.get_delta(e, interval=True)
        assert 0 < low <= high <= low * (1 + 1e-4)
    assert form.get_epsilon(0.0) == math.inf
