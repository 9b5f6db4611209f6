"""epsilon(delta): certified at the epsilon returned, and not enlarged for nothing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_accountant.numerics.renyi import (
    rdp_complement,
    rdp_curve_delta,
    rdp_curve_epsilon,
    rdp_epsilon,
    rdp_log_delta,
    zcdp_complement,
    zcdp_epsilon,
    zcdp_log_delta,
)

DELTAS = np.array([1e-300, 1e-100, 1e-20, 1e-6, 0.01, 0.3, 0.5, 0.7, 0.999, 1 - 1e-12, 1 - 2**-53])


def check(delta, epsilon, log_delta, complement):
    """At epsilon the target is met; a little below it is not."""
    large = delta > 0.5
    met = np.where(large, complement(epsilon) >= 1 - delta, log_delta(epsilon) <= np.log(delta))
    assert met.all()
    less = epsilon * (1 - 1e-10)
    missed = np.where(large, complement(less) < 1 - delta, log_delta(less) > np.log(delta))
    assert (missed | (epsilon == 0)).all()


@pytest.mark.parametrize("rho", [1e-12, 1e-6, 1e-3, 0.1, 0.5, 2.56, 30.0, 1000.0, 1e4])
def test_zcdp(rho):
    check(
        DELTAS,
        zcdp_epsilon(DELTAS, rho),
        lambda epsilon: zcdp_log_delta(epsilon, rho),
        lambda epsilon: zcdp_complement(epsilon, rho),
    )


@pytest.mark.parametrize("order", [1 + 1e-6, 1.5, 2.0, 32.0, 1e6])
@pytest.mark.parametrize("r", [1e-12, 1e-3, 1.0, 100.0])
def test_rdp(order, r):
    check(
        DELTAS,
        rdp_epsilon(DELTAS, order, r),
        lambda epsilon: rdp_log_delta(epsilon, order, r),
        lambda epsilon: rdp_complement(epsilon, order, r),
    )


def test_curve_in_a_kink():
    """Where two orders cross, the joint epsilon is below that of either order alone."""
    orders, bounds = [2.0, 64.0], [0.1, 0.9]
    delta = rdp_curve_delta(np.array([0.7]), orders, bounds)
    joint = rdp_curve_epsilon(delta, orders, bounds)
    assert joint == pytest.approx(0.7, rel=1e-10)
    assert (rdp_curve_delta(joint, orders, bounds) <= delta).all()
    singles = [rdp_epsilon(delta, order, bound)[0] for order, bound in zip(orders, bounds, strict=True)]
    assert joint[0] < min(singles) - 0.04


def test_many_orders_come_close_to_zcdp():
    orders = [1 + x / 10 for x in range(1, 100)] + [float(x) for x in range(11, 65)]
    epsilon = rdp_curve_epsilon(np.array([1e-6]), orders, [0.5 * order for order in orders])
    assert zcdp_epsilon(np.array([1e-6]), 0.5) <= epsilon <= zcdp_epsilon(np.array([1e-6]), 0.5) + 1e-3


def test_ends():
    delta = np.array([0.0, 5e-324, 0.5, 1.0])
    for epsilon in (zcdp_epsilon(delta, 0.5), rdp_epsilon(delta, 2.0, 1.0)):
        assert epsilon[0] == np.inf
        assert np.isfinite(epsilon[1])
        assert epsilon[3] == 0
    assert (zcdp_epsilon(delta, 0.0) == 0).all()
    assert (rdp_curve_epsilon(delta, [2.0, 3.0], [1.0, 0.0]) == 0).all()
    for epsilon in (zcdp_epsilon(delta, np.inf), rdp_curve_epsilon(delta, [2.0], [np.inf])):
        assert epsilon.tolist() == [np.inf, np.inf, np.inf, 0]
    assert zcdp_epsilon(np.array([0.5]), 0.5)[0] == 0  # the advantage is less than 1/2
    assert zcdp_epsilon(np.zeros(0), 0.5).shape == (0,)


def test_census():
    """2020 US Census person file, rho 2.56 at delta 1e-10 (Abowd et al. 2022, arXiv 2204.08986)."""
    assert zcdp_epsilon(np.array([1e-10]), 2.56)[0] == pytest.approx(17.1583087, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(st.floats(-10, 3), st.floats(-200, -0.01), st.floats(1.0, 5.0))
def test_more_rho_or_less_delta_is_more_epsilon(log_rho, log_delta, factor):
    delta, rho = np.array([np.exp(log_delta), np.exp(log_delta) / factor]), 10**log_rho
    epsilon = zcdp_epsilon(delta, rho)
    assert epsilon[0] <= epsilon[1] * (1 + 1e-10)
    assert (zcdp_epsilon(delta, rho * factor) >= epsilon * (1 - 1e-10)).all()
