"""The cancellation-free constraint against the raw one."""

import mpmath as mp
import numpy as np
import pytest

from privacy_accountant.numerics.renyi import constraint as c

HALF_ULP = 2.0**-53


@pytest.mark.parametrize(
    ("ours", "truth"),
    [(c.m, lambda x: x - 1 + mp.exp(-x)), (c.w, lambda x: 1 - (1 + x) * mp.exp(-x))],
)
def test_m_and_w_keep_every_digit(ours, truth, exact):
    x = np.concatenate([np.logspace(-150, 3, 400), np.linspace(0.5, 1.5, 101), [np.nextafter(1, 0)]])
    with mp.workdps(350):
        error = [abs(mp.mpf(float(v)) / truth(mp.mpf(float(u))) - 1) for u, v in zip(x, ours(x), strict=True)]
    assert max(error) < 32 * HALF_ULP
    assert ours(np.array([0.0]))[0] == 0


@pytest.mark.parametrize(("rough", "fine"), [(c.rough_m, c.m), (c.rough_w, c.w)])
def test_the_rough_ones_have_twelve_digits(rough, fine):
    x = np.logspace(-100, 2.9, 2000)
    assert np.abs(rough(x) / fine(x) - 1).max() < 1e-12


def test_excess_is_the_raw_constraint(exact):
    rng = np.random.default_rng(5)
    for _ in range(200):
        A, B = 10 ** rng.uniform(-8, 2), 10 ** rng.uniform(-8, 2)
        s = 10 ** rng.uniform(-8, 3)
        a, b, order = (np.array([v]) for v in (A, B, s))
        p, cp, cq = c.point(a, b)
        kl, fine = c.fine_excess(a, b, p, cp, cq, order)
        rough = c.excess(a, b, p, cp, c.divergence(a, b, p, cq), order)
        mA, mB, ms = mp.mpf(A), mp.mpf(B), mp.mpf(s)
        with mp.workdps(120):
            mp_p = mp.expm1(-mB) / mp.expm1(-mA - mB)
            S = mp_p * mp.exp(ms * mA) + (1 - mp_p) * mp.exp(-ms * mB)
            truth = (S - 1) * mp.exp(-ms * mA) / ms
            truth_kl = mp_p * mA - (1 - mp_p) * mB
        assert abs(mp.mpf(float(fine[0])) / truth - 1) < 1e-12
        assert abs(mp.mpf(float(rough[0])) / truth - 1) < 1e-10
        assert abs(mp.mpf(float(kl[0])) / truth_kl - 1) < 1e-13
