"""Closed form and numeric route agree, and both stay on their safe side."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_accountant import ADP, GDP, RDP, ZCDP, InvalidParameterError, TradeOff

ALPHAS = np.array([0.0, 1e-300, 1e-12, 1e-4, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
EPSILONS = np.array([-2.0, 0.0, 1e-9, 0.1, 1.0, 3.0, 10.0, math.inf])
DELTAS = np.array([0.0, 1e-300, 1e-9, 0.1, 0.5, 1.0])
FORMS = [
    *(ADP(epsilon, delta) for epsilon in (0, 0.3, 1, 800, math.inf) for delta in (0, 0.01)),
    *(GDP(mu) for mu in (0, 1e-8, 0.1, 1, 10, 1e3, math.inf)),
    TradeOff((0, 0.1, 0.25, 1), (0.9, 0.5, 0.25, 0)),
    TradeOff((0, 1), (0, 0)),
]
RENYI = [
    *(ZCDP(rho) for rho in (0, 0.5, 1e4, math.inf)),
    RDP((1.5, 7.3, 40), (0.1, 0.4, 3.0)),
    RDP(1e6, 0.1),
    RDP(2, math.inf),
]


@pytest.mark.parametrize("guarantee", FORMS, ids=repr)
def test_the_routes_agree(guarantee):
    closed, numeric = guarantee.beta(ALPHAS), guarantee.beta(ALPHAS, method="numeric")
    assert np.abs(closed - numeric).max() <= 1e-9
    closed, numeric = guarantee.get_delta(EPSILONS), guarantee.get_delta(EPSILONS, method="numeric")
    assert (numeric >= closed * (1 - 1e-12)).all()
    assert (numeric - closed).max() <= 1e-9
    closed, numeric = guarantee.get_epsilon(DELTAS), guarantee.get_epsilon(DELTAS, method="numeric")
    same = (closed == numeric) | np.isclose(closed, numeric, rtol=1e-9, atol=1e-9)
    assert same.all()


@pytest.mark.parametrize("guarantee", RENYI, ids=repr)
def test_the_routes_agree_for_renyi_bounds(guarantee):
    """The conjugate of a curve that is itself a bound is above the profile by what the curve is below; it never undercuts it."""
    assert guarantee.beta(ALPHAS, method="numeric") == pytest.approx(guarantee.beta(ALPHAS), abs=1e-9)
    closed, numeric = guarantee.get_delta(EPSILONS), guarantee.get_delta(EPSILONS, method="numeric")
    assert (numeric >= closed * (1 - 1e-12)).all()
    assert (numeric - closed).max() <= 1e-8
    for delta in (1e-9, 0.3):
        found = guarantee.get_epsilon(delta, method="numeric")
        assert found == guarantee.get_epsilon(delta) or found == pytest.approx(
            guarantee.get_epsilon(delta), rel=1e-9
        )


@given(st.floats(1e-3, 20), st.floats(1e-6, 1))
@settings(max_examples=20)
def test_the_routes_agree_for_gaussians(mu, alpha):
    assert GDP(mu).beta(alpha, method="numeric") == pytest.approx(GDP(mu).beta(alpha), abs=1e-9)


def test_other_routes_are_refused():
    for question in (GDP(1).beta, GDP(1).get_delta, GDP(1).get_epsilon):
        with pytest.raises(InvalidParameterError, match='method must be "closed" or "numeric"'):
            question(0.5, method="grid")
    assert type(GDP(1).beta(0.5, method="numeric")) is float
    assert ADP(1).get_delta([[0, 1]], method="numeric").shape == (1, 2)


@pytest.mark.parametrize("guarantee", [*FORMS, *RENYI], ids=repr)
def test_the_power_has_digits_of_its_own(guarantee):
    """attack_success is 1 - f, and between the line through the origin and the steepest loss where 1 - f has no digits left."""
    power = guarantee.attack_success(ALPHAS)
    assert (power >= ALPHAS).all()
    assert power == pytest.approx(1 - guarantee.beta(ALPHAS), abs=1e-12)
    assert (
        power
        <= guarantee.get_delta(math.inf)
        + ALPHAS * np.exp(min(guarantee.get_epsilon(0.0), 700.0)) * (1 + 1e-12)
    ).all()


def test_nobody_is_accused_more_rightly_where_nothing_leaks():
    for nothing in (ADP(0), GDP(0), ZCDP(0), RDP(2, 0), TradeOff((0, 1), (1, 0))):
        for prior in (0.0, 1e-300, 0.1, 0.5, 1.0):
            assert (nothing.ppv(ALPHAS, prior) == prior).all()


@pytest.mark.parametrize("prior", [1e-300, 1e-9, 0.1, 0.5])
@pytest.mark.parametrize("alpha", [0.0, 1e-300, 1e-100, 1e-20, 1e-6, 0.2])
def test_ppv_against_mpmath(alpha, prior):
    """The closed forms at false positive rates where 1 - f is no difference of doubles."""
    with mpmath.workdps(60):
        a, pi = mpmath.mpf(alpha), mpmath.mpf(prior)
        slopes = {ADP(1): mpmath.e, ADP(0.5): mpmath.exp(mpmath.mpf("0.5"))}
        for guarantee, slope in slopes.items():
            power = min(slope * a, 1 - (1 - a) / slope) if alpha else slope
            truth = pi * power / (pi * power + (1 - pi) * (a if alpha else 1))
            assert truth <= guarantee.ppv(alpha, prior) <= truth * (1 + 1e-13)
        if alpha:
            quantile = mpmath.findroot(
                lambda x: mpmath.log(mpmath.ncdf(x)) - mpmath.log(a), -mpmath.sqrt(-2 * mpmath.log(a))
            )
            power = mpmath.ncdf(quantile + 1)
            truth = pi * power / (pi * power + (1 - pi) * a)
            assert truth <= GDP(1).ppv(alpha, prior) <= truth * (1 + 1e-10)
