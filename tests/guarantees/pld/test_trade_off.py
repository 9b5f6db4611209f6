from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.pld import (
    PLD,
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    GaussianPair,
    LaplacePair,
    RandomizedResponsePair,
)
from privacy_accountant.guarantees.pld.profiles import trade_off
from privacy_accountant.guarantees.pld.profiles.assemble import loss_sum
from privacy_accountant.guarantees.pld.profiles.contour import Measure
from privacy_accountant.guarantees.pld.profiles.contour_profile import ContourProfile
from privacy_accountant.guarantees.pld.profiles.infinity import Infinity

ALPHAS = np.concatenate((10.0 ** -np.arange(1, 300, 23), np.linspace(0, 1, 21), 1 - 10.0 ** -np.arange(2, 9)))


def by_contour(pair, count=1):
    """The general route, where a closed form would answer."""
    top = None if pair.top is None else pair.top * count
    limit = np.inf if top is None else float(top)
    return ContourProfile(Infinity.of([]), top, Measure(loss_sum(((pair, count),)), top=limit))


@pytest.mark.parametrize("mu", [1e-3, 0.3, 1.0, 10.0])
def test_lines_of_a_contour_touch_the_gaussian_curve_from_below(mu):
    found = trade_off.beta((by_contour(GaussianPair(Fraction(str(mu)) ** 2)),), ALPHAS, 1e-5)
    truth = GDP(mu).beta(ALPHAS)
    assert np.all(found <= truth * (1 + 1e-12))
    assert np.all(found >= truth * (1 - 1e-8) - 1e-300)


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 10.0])
def test_lines_of_a_contour_touch_the_laplace_curve_from_below(epsilon):
    found = trade_off.beta((by_contour(LaplacePair(epsilon)),), ALPHAS, 1e-4)
    truth = PLD.of(LaplacePair(epsilon)).beta(ALPHAS)
    assert np.all(found <= truth * (1 + 1e-12))
    assert np.all(found >= truth * (1 - 3e-4))


@pytest.mark.parametrize(("epsilon", "n"), [("0.1", 10), ("0.5", 40)])
def test_beta_of_responses_is_the_neyman_pearson_curve(epsilon, n):
    form = PLD.of(RandomizedResponsePair(float(epsilon)), n)
    with mp.workdps(50):
        p = 1 / (1 + mp.exp(-mp.mpf(epsilon)))
        under_p = [mp.binomial(n, k) * p ** (n - k) * (1 - p) ** k for k in range(n + 1)]
        under_q = under_p[::-1]
        for x in (0.0, 1e-30, 1e-9, 0.001, 0.05, 0.3, 0.5, 0.7, 0.99, 1.0):
            alpha, beta = mp.mpf(x), mp.mpf(1)
            for a, b in zip(under_q, under_p, strict=True):  # most telling outcomes first
                take = min(mp.mpf(1), alpha / a)
                beta, alpha = beta - take * b, alpha - take * a
                if alpha <= 0:
                    break
            found = form.beta(x)
            assert found <= beta * (1 + mp.mpf(10) ** -14) + mp.mpf(10) ** -40
            assert found >= beta * (1 - mp.mpf(10) ** -9) - mp.mpf(10) ** -30


FORMS = {
    "laplace": PLD.of(LaplacePair(0.1), 30),
    "gaussian and laplace": PLD.of(GaussianPair(1)).union(PLD.of(LaplacePair(0.5), 2)),
    "responses": PLD.of(RandomizedResponsePair(0.3, 1e-3), 8),
    "integer laplace": PLD.of(DiscreteLaplacePair(3, 2), 20),
    "integer gaussian": PLD.of(DiscreteGaussianPair(9, 2), 20),
    "long": PLD.of(LaplacePair(0.02), 3000),
}


@pytest.mark.parametrize("name", FORMS)
def test_beta_is_a_convex_falling_curve_and_dual_to_the_profile(name):
    form = FORMS[name]
    alpha = np.concatenate(
        ([0.0], np.geomspace(1e-12, 0.02, 60), np.linspace(0.03, 0.97, 60), 1 - np.geomspace(0.02, 1e-9, 30))
    )
    f = form.beta(alpha)
    assert np.all(f >= 0)
    assert np.all(f <= 1 - alpha)
    assert np.all(np.diff(f) <= 1e-15)
    slopes = np.diff(f) / np.diff(alpha)
    assert np.all(np.diff(slopes) >= -2e-3 * np.abs(slopes[1:]) - 1e-9)
    for e in (0.0, 0.3, 1.0, 2.0):
        delta = form.get_delta(e)
        dual = np.max(1 - f - np.exp(e) * alpha)
        # every line is respected; a chord between the alphas can only miss some of it
        assert dual <= delta * (1 + 1e-4) + 1e-12 or dual - delta < 1e-4
        assert np.all(f >= form.get_complement(e) - np.exp(e) * alpha - 1e-4 * (1 - alpha))


@pytest.mark.parametrize("name", FORMS)
def test_many_questions_are_answered_from_a_table_nearly_as_well(name):
    form = FORMS[name]
    alpha = np.sort(np.random.default_rng(5).random(4000) ** 4)
    table, single = form.beta(alpha), form.beta(alpha[::100])
    assert np.all(table[::100] <= single * (1 + 1e-4) + 1e-15)
    assert np.all(table[::100] >= single * (1 - 1e-4) - 1e-15)


@settings(max_examples=6)
@given(
    alpha=st.floats(0, 1),
    count=st.integers(1, 40),
    epsilon=st.sampled_from([0.01, 0.2, 1.5]),
    more=st.sampled_from([0.0, 0.1, 4.0]),
)
def test_more_releases_never_mean_less_risk(alpha, count, epsilon, more):
    one = PLD(((LaplacePair(epsilon), count), (GaussianPair(more), 1)))
    two = one.union(PLD.of(LaplacePair(epsilon)))
    slack = 1 + 2e-4
    assert two.beta(alpha) <= one.beta(alpha) * slack + 1e-12
    assert two.get_delta(0.4) * slack >= one.get_delta(0.4)
    assert two.get_epsilon(1e-5) * slack >= one.get_epsilon(1e-5)


def test_bayes_risk_follows_the_complement():
    form = FORMS["gaussian and laplace"]
    priors = np.array([0.0, 1e-9, 0.1, 0.5, 0.9, 1.0])
    risk = form.bayes_risk(priors)
    assert risk[0] == risk[-1] == 0
    assert risk[2] == pytest.approx(risk[4], rel=1e-9)
    alpha = np.linspace(0, 1, 2001)
    assert risk[3] <= np.min(0.5 * form.beta(alpha) + 0.5 * alpha) * (1 + 1e-9)
    assert risk[3] == pytest.approx(0.5 * (1 - form.advantage), rel=1e-9)


@pytest.mark.parametrize("alpha", [1e-300, 1e-80, 1e-30, 1e-15, 1e-7])
def test_the_power_at_tiny_alphas_has_digits_of_its_own(alpha):
    """As a difference from 1 it would have none."""
    with mp.workdps(60):
        quantile = mp.findroot(lambda x: mp.log(mp.ncdf(x)) - mp.log(alpha), -mp.sqrt(-2 * mp.log(alpha)))
        truth = mp.ncdf(quantile + 1)
        for form in (PLD.of(GaussianPair(1)), PLD.of(GaussianPair(1)).union(PLD.of(LaplacePair(1e-9)))):
            found = form.attack_success(alpha)
            assert truth <= found <= truth * (1 + mp.mpf(10) ** -7)
        p, n = 1 / (1 + mp.exp(-mp.mpf("0.5"))), 40
        under_p = [mp.binomial(n, k) * p ** (n - k) * (1 - p) ** k for k in range(n + 1)]
        left, truth = mp.mpf(alpha), mp.mpf(0)
        for a, b in zip(
            under_p[::-1], under_p, strict=True
        ):  # under Q and under P, most telling outcomes first
            take = min(mp.mpf(1), left / a)
            left, truth = left - take * a, truth + take * b
            if left <= 0:
                break
        found = PLD.of(RandomizedResponsePair(0.5), n).attack_success(alpha)
        assert truth <= found <= truth * (1 + mp.mpf(10) ** -9)
