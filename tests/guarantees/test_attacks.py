"""From error rates back to a guarantee: exact, rounded down, safe at every zero; and audits that raise no false alarm."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from privacy_accountant import ADP, GDP, InvalidParameterError

RATES = st.one_of(st.sampled_from([0.0, 1.0, 1e-300, 0.5]), st.floats(0, 1))


@given(RATES, RATES, RATES)
@settings(max_examples=100)
def test_the_least_guarantee_allows_the_attack_and_a_smaller_one_does_not(alpha, beta, delta):
    made = ADP.from_error_rates(alpha, beta, delta)
    if made.epsilon == math.inf:
        assert (alpha == 0 and beta < 1 - delta) or (beta == 0 and alpha < 1 - delta)
        return
    assert made.beta(alpha) <= beta * (1 + 1e-9) + 1e-12
    if made.epsilon > 1e-6:
        assert ADP(made.epsilon * (1 - 1e-6), delta).beta(alpha) > beta * (1 - 1e-12)


@given(RATES, RATES)
@settings(max_examples=100)
def test_the_least_mu(alpha, beta):
    made = GDP.from_error_rates(alpha, beta)
    if made.mu == math.inf:
        assert 0 in (alpha, beta)
        assert alpha + beta < 1
        return
    assert made.beta(alpha) <= beta * (1 + 1e-9) + 1e-12
    if made.mu > 1e-3:
        assert GDP(made.mu * (1 + 1e-6)).beta(alpha) < beta


def test_rounded_down_against_more_digits():
    with mpmath.workdps(50):
        for alpha, beta in [(0.01, 0.9), (1e-300, 0.5), (0.3, 0.1)]:
            a, b = (
                mpmath.mpf(Fraction(repr(alpha)).numerator) / Fraction(repr(alpha)).denominator,
                mpmath.mpf(repr(beta)),
            )
            truth = max(mpmath.log((1 - b) / a), mpmath.log((1 - a) / b))
            have = ADP.from_error_rates(alpha, beta).epsilon
            assert truth * (1 - mpmath.mpf(2) ** -50) <= have <= truth


def test_zeros_and_ones():
    assert ADP.from_error_rates(0, 1) == ADP(0)
    assert ADP.from_error_rates(0, 0.5, 0.5) == ADP(0, 0.5)
    assert ADP.from_error_rates(0, 0).epsilon == math.inf
    assert GDP.from_error_rates(0, 1) == GDP.from_error_rates(1, 1) == GDP(0)
    assert GDP.from_error_rates(0, 0.3) == GDP(math.inf)
    assert GDP.from_error_rates(1e-300, 0.5).mu == pytest.approx(37.0471, abs=1e-4)


@pytest.mark.parametrize("bad", [-0.1, 1.5, math.nan, True, "0.1", None])
def test_bad_rates(bad):
    with pytest.raises(InvalidParameterError, match="^alpha must be"):
        ADP.from_error_rates(bad, 0.5)
    with pytest.raises(InvalidParameterError, match="^beta must be"):
        GDP.from_error_rates(0.5, bad)


def test_counts():
    assert ADP.from_error_counts(0, 10, 10, 10) == ADP(0)
    assert GDP.from_error_counts(10, 10, 0, 10) == GDP(0)
    perfect = ADP.from_error_counts(0, 10**6, 0, 10**6, confidence=1 - 1e-6)
    assert 10 < perfect.epsilon < 12
    with pytest.raises(InvalidParameterError, match=r"false_positives must be at most negatives \(10\)"):
        ADP.from_error_counts(11, 10, 0, 10)
    with pytest.raises(InvalidParameterError, match="positives must be an integer >= 1"):
        GDP.from_error_counts(0, 10, 0, 0)
    with pytest.raises(InvalidParameterError, match="confidence must be a number in"):
        ADP.from_error_counts(0, 10, 0, 10, confidence=1)


def test_an_audit_of_the_worst_attack_seldom_exceeds_the_truth():
    """The exact probability, summed over all outcomes, that randomized response of eps = 1 is refuted at 90%."""
    trials, error = 40, 1 / (1 + math.e)
    weights = binom.pmf(np.arange(trials + 1), trials, error)
    alarms = sum(
        weights[i] * weights[j]
        for i in range(trials + 1)
        for j in range(trials + 1)
        if weights[i] * weights[j] > 1e-12
        and ADP.from_error_counts(i, trials, j, trials, confidence=0.9).epsilon > 1
    )
    assert 0 < alarms <= 0.1
