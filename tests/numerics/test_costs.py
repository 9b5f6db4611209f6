from fractions import Fraction

import mpmath
import pytest

from privacy_accountant.numerics.costs import (
    cost_above,
    discrete_laplace_renyi,
    discrete_laplace_rho,
    laplace_renyi,
    laplace_rho,
    pure_renyi,
    pure_rho,
)
from privacy_accountant.numerics.enclosure import BITS

EPSILONS = ["1e-300", "1e-20", "1e-6", "0.1", "1/3", "1", "37", "800", "5000", "1e300"]
ORDERS = ["1.000001", "3/2", "8", "1e6"]


def number(x: Fraction) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator


def encloses(bounds, truth) -> bool:
    """Whether mpmath's value, wrong in its last few digits at most, lies between tight bounds."""
    low, high = bounds
    slack = abs(truth) * mpmath.mpf(10) ** (10 - mpmath.mp.dps)
    return (
        number(low) <= truth + slack
        and number(high) >= truth - slack
        and (high - low) * 2**BITS <= low
        and low >= 0
    )


@pytest.fixture(autouse=True)
def digits():
    with mpmath.workdps(900):
        yield


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_rho_of_pure_and_laplace(epsilon):
    e = number(Fraction(epsilon))
    assert encloses(pure_rho(Fraction(epsilon)), e * mpmath.tanh(e / 2))
    assert encloses(laplace_rho(Fraction(epsilon)), e + mpmath.exp(-e) - 1)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_renyi_of_pure_and_laplace(epsilon, order):
    e, o = number(Fraction(epsilon)), number(Fraction(order))
    far = mpmath.exp(-(2 * o - 1) * e)
    pure = e + mpmath.log((1 + far) / (1 + mpmath.exp(-e))) / (o - 1)
    laplace = e + mpmath.log((o + (o - 1) * far) / (2 * o - 1)) / (o - 1)
    assert encloses(pure_renyi(Fraction(epsilon), Fraction(order)), pure)
    assert encloses(laplace_renyi(Fraction(epsilon), Fraction(order)), laplace)


def test_zero_epsilon_costs_nothing():
    zero = Fraction(0)
    assert pure_rho(zero) == laplace_rho(zero) == discrete_laplace_rho(zero, 3) == (0, 0)
    assert pure_renyi(zero, Fraction(2)) == (0, 0)


@pytest.mark.parametrize(("scale", "shift"), [("1", 1), ("2", 3), ("1/2", 2), ("5", 8)])
def test_discrete_laplace_is_the_sum_over_the_lattice(scale, shift):
    s = Fraction(scale)
    with mpmath.workdps(60):
        t = mpmath.exp(-1 / number(s))
        law = {k: (1 - t) / (1 + t) * t ** abs(k) for k in range(-900, 901)}
        loss = {k: (abs(k - shift) - abs(k)) / number(s) for k in law}
        truth = mpmath.fsum(law[k] * loss[k] for k in law)
        low, high = discrete_laplace_rho(shift / s, shift)
        assert abs(number(low) - truth) < mpmath.mpf(10) ** -45
        for order in (Fraction(3, 2), Fraction(9)):
            exponent = number(order) - 1
            moment = mpmath.fsum(law[k] * mpmath.exp(exponent * loss[k]) for k in law)
            low, high = discrete_laplace_renyi(shift / s, shift, order)
            assert abs(number(low) - mpmath.log(moment) / exponent) < mpmath.mpf(10) ** -40
            assert low <= high


@pytest.mark.parametrize(("scale", "shift"), [("1", 1), ("2", 3), ("1/2", 2), ("50", 8), ("3", 100)])
def test_discrete_laplace_rho_is_enough_at_every_order(scale, shift):
    """rho is the divergence at order 1; the claim is that no order needs more."""
    epsilon = shift / Fraction(scale)
    rho = discrete_laplace_rho(epsilon, shift)[1]
    for exponent in range(-12, 20):
        order = 1 + Fraction(2) ** exponent
        assert discrete_laplace_renyi(epsilon, shift, order)[0] <= rho * order


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_laplace_rho_is_enough_at_every_order(epsilon):
    rho = laplace_rho(Fraction(epsilon))[1]
    for exponent in range(-12, 20):
        order = 1 + Fraction(2) ** exponent
        assert laplace_renyi(Fraction(epsilon), order)[0] <= rho * order


def test_cost_is_a_short_number_above():
    bounds = pure_rho(Fraction(1))
    cost = cost_above(bounds)
    assert 0 <= cost - bounds[1] <= Fraction(1, 2**200)
    assert (cost * 2**200).denominator == 1


def test_cost_below_the_grain_stays_close():
    bounds = pure_rho(Fraction("1e-40"))
    assert bounds[1] <= cost_above(bounds) <= bounds[1] * (1 + Fraction(1, 2**50))
