import math
from fractions import Fraction

import numpy as np
import pytest

from privacy_accountant import ADP, GDP, RDP, ZCDP, InvalidParameterError


def test_orders_are_sorted_with_their_bounds():
    assert RDP((8, 2), (0.4, 0.1)) == RDP((2, 8), (0.1, 0.4))
    assert RDP(2, 0.5) == RDP([2.0], [Fraction(1, 2)]) == RDP(np.array([2.0]), np.array([0.5]))
    assert RDP(orders=(2, 8), epsilons=(0.1, 0.4)).orders == (2.0, 8.0)


@pytest.mark.parametrize("bad", [1, 0.5, -3, math.inf, math.nan, True, "2", (), (2, 2), (2, 2.0), (2, 1)])
def test_bad_orders_are_named(bad):
    with pytest.raises(InvalidParameterError, match=r"^orders must be "):
        RDP(bad, (0.1,) * (len(bad) if isinstance(bad, tuple) else 1))


@pytest.mark.parametrize(
    "bad", [(0.1,), (0.1, 0.2, 0.3), (), (0.1, -0.1), (0.1, math.nan), (0.1, True), "ab"]
)
def test_bad_bounds_are_named(bad):
    with pytest.raises(InvalidParameterError, match=r"^epsilons must be "):
        RDP((2, 3), bad)


def test_an_infinite_bound_says_nothing():
    with_infinite = RDP((2, 8), (0.3, math.inf))
    alphas = np.linspace(0, 1, 11)
    assert with_infinite.beta(alphas).tolist() == RDP(2, 0.3).beta(alphas).tolist()


def test_more_orders_are_never_weaker():
    alphas = np.array([1e-9, 1e-3, 0.1, 0.5, 0.9])
    few, many = RDP(2, 0.3), RDP((2, 8, 32), (0.3, 1.1, 4.0))
    assert (many.beta(alphas) >= few.beta(alphas)).all()
    assert many.get_epsilon(1e-6) <= few.get_epsilon(1e-6)


def test_an_order_without_a_float_says_nothing():
    order = 1 + Fraction(1, 10**30)
    assert RDP(order, 0.3).advantage == 1
    assert RDP((order, 2), (0.3, 0.3)).advantage == RDP(2, 0.3).advantage


def test_interpolation_is_the_chord_of_the_log_moment():
    known = RDP((2, 4), (0.2, 0.4))
    assert known.at((1.5, 2.0, 3.0, 4.0, 5.0)).epsilons == (0.2, 0.2, 0.35, 0.4, math.inf)


def test_interpolation_of_a_true_curve_is_a_bound():
    curve = ADP(1).to(RDP, orders=(1.25, 2, 5, 20))
    orders = [1.1, 1.5, 3, 7, 12, 19.5]
    read, truth = curve.to(RDP, orders=orders), ADP(1).to(RDP, orders=orders)
    assert all(ours >= true for ours, true in zip(read.epsilons, truth.epsilons, strict=True))


def test_a_larger_order_bounds_the_smaller_ones():
    assert RDP((2, 4), (math.inf, 0.4)).at((2.0, 4.0)).epsilons == (0.4, 0.4)
    assert RDP((2, 4), (0.9, 0.4)).at((3.0,)).epsilons == (0.4,)


@pytest.mark.parametrize("mu", [1e-6, 0.1, 1, 30])
def test_many_orders_approach_zcdp(mu):
    """An RDP curve at finitely many orders is never better than the same curve at all of them."""
    release = GDP(mu)
    alphas = np.array([1e-9, 1e-3, 0.1, 0.5, 0.9])
    concentrated = release.to(ZCDP)
    curve = concentrated.to(RDP, orders=[1.01, 1.5, 2, 4, 8, 16, 64, 256])
    assert (curve.beta(alphas) <= concentrated.beta(alphas) * (1 + 1e-12)).all()
    assert curve.advantage >= concentrated.advantage * (1 - 1e-12)


def test_repr_rebuilds_the_object():
    assert repr(RDP(2, 0.5)) == "RDP(orders=(2.0,), epsilons=(0.5,))"


@pytest.mark.parametrize(
    ("order", "bound"), [(1e8, 3.0), (1e12, 0.7), (1e16, 100.0), (1e30, 1e-3), (1e100, 1e-10)]
)
def test_huge_orders_fall_as_they_should(order, bound):
    """Where an order turns within a rounding of its bound no search finds a root; the answer stays near that of pure DP."""
    release = RDP(order, bound)
    beta = release.beta(np.concatenate([[0.0], np.geomspace(1e-300, 1, 200)]))
    assert (np.diff(beta) <= 1e-12 * beta[:-1]).all()
    near = np.geomspace(1e-16, 0.5, 40)
    delta = release.get_delta(np.sort(np.concatenate([[0.0], bound * (1 - near), bound * (1 + near)])))
    assert (np.diff(delta) <= 1e-9 * delta[:-1] + 1e-14).all()
    assert release.get_delta(bound) <= 1e-8
    assert release.get_epsilon(1e-6) <= bound
    assert (release.beta([1e-6, 0.1, 0.6]) <= ADP(bound).beta([1e-6, 0.1, 0.6]) + 1e-12).all()
