"""Where alpha = beta, in closed form, and the advantage."""

import mpmath as mp
import numpy as np
import pytest

from privacy_accountant.numerics.renyi import rdp_curve_advantage, zcdp_advantage, zcdp_beta
from privacy_accountant.numerics.renyi.fixed_point import (
    rdp_corner,
    rdp_fixed_point,
    zcdp_corner,
    zcdp_fixed_point,
)


@pytest.mark.parametrize("seed", range(4))
def test_fixed_points_are_rounded_up_and_tight(seed, exact):
    """Inflated by a mere 16 ulp it was once unsafe by 9e-15."""
    rng = np.random.default_rng(seed)
    for _ in range(150):
        rho, s, r = 10 ** rng.uniform(-18, 6), 10 ** rng.uniform(-6, 6), 10 ** rng.uniform(-15, 4)
        e = mp.mpf(zcdp_fixed_point(rho))
        assert e * mp.tanh(e / 2) >= mp.mpf(rho)
        e *= 1 - mp.mpf(1e-14)
        assert e * mp.tanh(e / 2) < mp.mpf(rho)

        e, ms, mr = mp.mpf(rdp_fixed_point(s, r)), mp.mpf(s), mp.mpf(r)

        def level(e, ms=ms):
            return mp.log(mp.cosh((2 * ms + 1) * e / 2)) - mp.log(mp.cosh(e / 2))

        assert level(e) >= ms * mr
        assert level(e * (1 - mp.mpf(1e-12))) < ms * mr


def test_corners_are_the_slopes_at_the_fixed_point(exact):
    for e in (1e-5, 1e-2, 0.5, 3.0, 29.9, 30.1, 500.0):
        exact_corner = mp.log(mp.sinh(mp.mpf(e)) / mp.mpf(e))
        assert abs(zcdp_corner(e) / exact_corner - 1) < 1e-9
        assert abs(rdp_corner(1e-9, e) / exact_corner - 1) < 1e-5  # the Kullback-Leibler limit


@pytest.mark.parametrize("rho", [1e-12, 1e-3, 0.5, 2.0, 50.0])
def test_advantage_is_an_upper_bound_attained_by_beta(rho, exact):
    advantage = zcdp_advantage(rho)
    alpha = np.array([1 / (1 + np.exp(zcdp_fixed_point(rho)))])
    assert 1 - alpha[0] - zcdp_beta(alpha, rho)[0][0] == pytest.approx(advantage, abs=1e-12)
    e = mp.findroot(lambda v: v * mp.tanh(v / 2) - mp.mpf(rho), float(zcdp_fixed_point(rho)))
    assert mp.tanh(e / 2) <= mp.mpf(advantage) <= mp.tanh(e / 2) * (1 + mp.mpf(1e-14))


def test_advantage_of_zcdp_at_one_half():
    assert zcdp_advantage(0.5) == pytest.approx(0.4790984231166210564, abs=1e-14)  # not the published 0.47


def test_ends():
    assert zcdp_advantage(0.0) == 0
    assert zcdp_advantage(float("inf")) == 1
    assert zcdp_advantage(1e4) == 1
    assert 0 < zcdp_advantage(5e-324) < 1e-90
    assert rdp_curve_advantage([2.0, 4.0], [1.0, 0.0]) == 0
    assert rdp_curve_advantage([2.0, 4.0], [float("inf"), float("inf")]) == 1
    assert rdp_curve_advantage([2.0, 4.0], [1.0, float("inf")]) == rdp_curve_advantage([2.0], [1.0])
    assert rdp_curve_advantage([2.0, 8.0], [1.0, 4.0]) == min(
        rdp_curve_advantage([2.0], [1.0]), rdp_curve_advantage([8.0], [4.0])
    )
