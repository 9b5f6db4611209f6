"""Readings of a guarantee as attack risk that others got wrong."""

import math

import pytest

from privacy_accountant import ADP, GDP, PLD

ALPHAS = [0, 0.1, 0.2, 0.4, 0.5, 0.6, 0.9, 1]
BETAS = [1.0, 0.85, 0.7, 0.4, 1 / 3, 4 / 15, 1 / 15, 0.0]


@pytest.mark.parametrize("form", [ADP, PLD])
def test_b95_randomized_response_is_piecewise_linear(form):
    release = ADP(math.log(1.5)).to(form)
    assert release.beta(ALPHAS) == pytest.approx(BETAS, abs=1e-15)
    assert release.advantage == pytest.approx(0.2, rel=1e-14)
    assert release.beta(0) == 1
    assert release.beta(1) == 0


@pytest.mark.parametrize(
    ("epsilon", "delta", "advantage"),
    [(1, 1e-5, 0.4621225360884372), (4, 0, 0.964027580075817), (800, 1e-5, 1.0)],
)
def test_b98_advantage(epsilon, delta, advantage):
    assert ADP(epsilon, delta).advantage == pytest.approx(advantage, rel=1e-14)


def test_b98_ends():
    assert ADP(800, 1e-5).beta(0) == pytest.approx(0.99999, rel=1e-15)
    assert GDP(1).advantage == pytest.approx(0.3829249225480262, rel=1e-14)
