"""Mistakes that others have made when they turned one guarantee into another."""

import numpy as np
import pytest

from privacy_accountant import ADP, GDP, RDP, ZCDP, InvalidParameterError


@pytest.mark.parametrize(("rho", "delta"), [(0.1, 0.9), (0.5, 0.9), (0.01, 0.5)])
def test_b05_zcdp_epsilon_is_never_negative(rho, delta):
    assert ZCDP(rho).get_epsilon(delta) == 0
    assert ZCDP(rho).to(ADP, delta=delta) == ADP(0, delta)


@pytest.mark.parametrize(
    ("rho", "delta", "usual"),
    [(0.5, 0.5, 0.189056630247531), (0.5, 1e-5, 4.72838698494331), (0.05, 1e-6, 1.47159475053242)],
)
def test_b05_zcdp_epsilon_is_at_most_the_usual_formula(rho, delta, usual):
    """The value quoted is the infimum over orders of the one-sided formula; the two-sided region is never worse."""
    assert 0 <= ZCDP(rho).get_epsilon(delta) <= usual * (1 + 1e-12)


def test_b09_gaussian_epsilon_is_zero_from_the_advantage_on():
    release = GDP(0.1)
    assert release.advantage == pytest.approx(0.0398776116767449, rel=1e-13)
    assert release.get_epsilon(0.1) == 0
    assert release.to(RDP, orders=(1.5, 2, 8, 64)).get_epsilon(0.1) == 0
    curve = release.get_epsilon(np.linspace(0.001, 0.5, 100))
    assert (curve >= 0).all()
    assert (np.diff(curve) <= 0).all()


def test_b13_zero_epsilon_from_an_order_just_above_one_is_right():
    """delta(0) is already below the target, so 0 is the answer and not a fault of the order next to 1."""
    release = GDP(0.001)
    assert release.advantage < 1e-3
    assert release.to(RDP, orders=(1 + 1e-8, 1.5, 2, 8, 64)).get_epsilon(1e-3) == 0


@pytest.mark.parametrize("order", [1, 1.0, 0.5, 0, -2])
def test_b14_an_order_of_one_or_less_is_refused_by_name(order):
    with pytest.raises(InvalidParameterError, match="orders must be a finite number > 1"):
        GDP(0.5).to(RDP, orders=(2, order))


def test_b14_the_limit_at_order_one_is_the_kullback_leibler_divergence():
    """q = 1, sigma = 2: 0.125, which is what zCDP says of every order's ratio."""
    assert GDP(0.5).to(ZCDP).rho == 0.125
    assert GDP(0.5).to(RDP, orders=1 + 1e-9).epsilons[0] == pytest.approx(0.125, rel=1e-8)
