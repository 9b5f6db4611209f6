"""Closed form and numeric route agree, and both stay on their safe side."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_accountant import ADP, GDP, InvalidParameterError, TradeOff

ALPHAS = np.array([0.0, 1e-300, 1e-12, 1e-4, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
EPSILONS = np.array([-2.0, 0.0, 1e-9, 0.1, 1.0, 3.0, 10.0, math.inf])
DELTAS = np.array([0.0, 1e-300, 1e-9, 0.1, 0.5, 1.0])
FORMS = [
    *(ADP(epsilon, delta) for epsilon in (0, 0.3, 1, 800, math.inf) for delta in (0, 0.01)),
    *(GDP(mu) for mu in (0, 1e-8, 0.1, 1, 10, 1e3, math.inf)),
    TradeOff((0, 0.1, 0.25, 1), (0.9, 0.5, 0.25, 0)),
    TradeOff((0, 1), (0, 0)),
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
