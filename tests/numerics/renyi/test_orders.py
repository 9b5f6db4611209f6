"""The binding order: the divided-difference form, and that the search finds it."""

import mpmath as mp
import numpy as np
import pytest

from privacy_accountant.numerics.renyi import constraint as c
from privacy_accountant.numerics.renyi import rdp_curve_beta, zcdp_beta
from privacy_accountant.numerics.renyi.orders import order_pressure


def softplus(u):
    return mp.log1p(mp.exp(u))


def test_the_constraint_is_a_divided_difference_of_softplus(exact):
    rng = np.random.default_rng(2)
    for _ in range(100):
        b, t = mp.mpf(rng.normal() * 10), mp.mpf(10 ** rng.uniform(-2, 2))
        s = mp.mpf(10 ** rng.uniform(-2, 2))
        a, third = b - t, b + s * t
        p, q = 1 / (1 + mp.exp(-b)), 1 / (1 + mp.exp(-a))
        log_S = mp.log(p ** (1 + s) * q**-s + (1 - p) ** (1 + s) * (1 - q) ** -s)
        upper = (softplus(third) - softplus(b)) / (s * t)
        lower = (softplus(b) - softplus(a)) / t
        divided = (upper - lower) / ((1 + s) * t)
        assert abs(log_S / (s * (s + 1) * t**2 * divided) - 1) < 1e-40


def test_pressure_and_its_slope_are_the_derivatives_they_claim(exact):
    """G = (c - a) d/dc l[a, b, c], checked through d/ds of log S / (s (s+1)) in mpmath."""
    rng = np.random.default_rng(4)
    for _ in range(60):
        A, B, s = 10 ** rng.uniform(-1, 1.2), 10 ** rng.uniform(-1, 1.2), 10 ** rng.uniform(-1, 1.5)
        arrays = [np.array([v]) for v in (A, B)]
        p, cp, cq = c.point(*arrays)
        order = np.array([s])
        _, W = c.fine_excess(*arrays, p, cp, cq, order)
        G, slope = order_pressure(*arrays, p, cp, W, order)
        mA, mB = mp.mpf(A), mp.mpf(B)
        t = mA + mB
        mp_p = mp.expm1(-mB) / mp.expm1(-t)

        def rate(v, mA=mA, mB=mB, t=t, mp_p=mp_p):
            return mp.log(mp_p * mp.exp(v * mA) + (1 - mp_p) * mp.exp(-v * mB)) / (v * (v + 1) * t**2)

        def pressure(v, rate=rate):
            return mp.diff(rate, v) * (1 + v)

        exact_G, exact_slope = pressure(mp.mpf(s)), mp.diff(pressure, mp.mpf(s)) / t
        assert abs(float(exact_G) - G[0]) < 1e-9 * (abs(G[0]) + 0.01)
        assert abs(float(exact_slope) - slope[0]) < 1e-7 * (abs(slope[0]) + 0.01)


@pytest.mark.parametrize("rho", [1e-6, 0.3, 5.0, 20.0, 300.0, 5000.0])
def test_no_fixed_grid_of_orders_does_better(rho):
    """The order once oscillated from rho = 5 on, near the Kullback-Leibler kink."""
    alpha = np.concatenate([np.logspace(-280, -1, 60), np.linspace(0.1, 0.999, 40)])
    orders = 1 + np.logspace(-9, 7, 160)
    grid, _ = rdp_curve_beta(alpha, list(orders), list(rho * orders))
    beta, _ = zcdp_beta(alpha, rho)
    assert (beta >= grid - 1e-12).all()
    assert (beta >= grid * (1 - 1e-10) - 1e-300)[alpha > 0.3].all()
