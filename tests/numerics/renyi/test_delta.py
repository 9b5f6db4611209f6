"""delta and its complement: the conjugate of f, on the safe side, with every digit."""

import json
from pathlib import Path

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_accountant.numerics.renyi import (
    rdp_complement,
    rdp_curve_beta,
    rdp_curve_complement,
    rdp_curve_delta,
    rdp_curve_log_delta,
    rdp_delta,
    rdp_log_delta,
    zcdp_advantage,
    zcdp_beta,
    zcdp_complement,
    zcdp_delta,
    zcdp_log_delta,
)
from privacy_accountant.numerics.renyi.delta import rdp_profile_of, zcdp_profile_of
from privacy_accountant.numerics.renyi.fixed_point import zcdp_corner, zcdp_fixed_point
from privacy_accountant.numerics.renyi.profile import certified, touch_order

ROWS = json.loads((Path(__file__).parents[2] / "reference" / "reference_values.json").read_text())
CKS_ROWS = [row for row in ROWS if row["form"] == "ZCDP" and row["quantity"].startswith("delta(epsilon)")]
FEW = settings(max_examples=60, deadline=None)


def test_never_above_canonne_kamath_steinke():
    assert len(CKS_ROWS) == 13
    for row in CKS_ROWS:
        rho, epsilon = row["params"]["rho"], float(row["arg"])
        log_delta = zcdp_log_delta(np.array([epsilon]), rho)[0]
        assert mp.mpf(log_delta) <= mp.log(mp.mpf(row["value"])) * (1 - mp.mpf(1e-12))
        assert log_delta > float(mp.log(mp.mpf(row["value"]))) - 1  # better, but not by magic


def most_power(exact, alpha, pairs, steps=85):
    """The largest power at a false positive rate: bisection on its logit, both directions."""
    low, high = mp.log(alpha / (1 - alpha)), mp.mpf(1100)
    for _ in range(steps):
        mid = (low + high) / 2
        errors = {"power": 1 / (1 + mp.exp(-mid)), "beta": 1 / (1 + mp.exp(mid))}
        inside = exact.rdp_outside(alpha, pairs, **errors) <= 0
        low, high = (mid, high) if inside else (low, mid)
    return 1 / (1 + mp.exp(-low))


def exact_delta(exact, epsilon, pairs):
    """max over alpha of power - e^epsilon alpha, by golden section on logit alpha."""
    x, golden = mp.exp(mp.mpf(epsilon)), (mp.sqrt(5) - 1) / 2

    def value(u):
        alpha = 1 / (1 + mp.exp(-u))
        return most_power(exact, alpha, pairs) - x * alpha

    low, high = mp.mpf(-300), mp.mpf(0)
    u, v = high - golden * (high - low), low + golden * (high - low)
    fu, fv = value(u), value(v)
    for _ in range(62):
        if fu > fv:
            high, v, fv = v, u, fu
            u = high - golden * (high - low)
            fu = value(u)
        else:
            low, u, fu = u, v, fv
            v = low + golden * (high - low)
            fv = value(v)
    return max(fu, fv)


@pytest.mark.parametrize(
    ("epsilon", "pairs"),
    [
        (1.5, ((2.0, 1.0),)),
        (0.7, ((2.0, 0.1), (64.0, 0.9))),  # in a kink: 11% below the better single order
    ],
)
def test_delta_against_maximisation(epsilon, pairs, exact):
    with mp.workdps(40):
        truth = exact_delta(exact, epsilon, pairs)
        orders, bounds = zip(*pairs, strict=True)
        at = np.array([epsilon])
        delta = mp.mpf(float(rdp_curve_delta(at, orders, bounds)[0]))
        complement = mp.mpf(float(rdp_curve_complement(at, orders, bounds)[0]))
        assert truth <= delta < truth * (1 + mp.mpf(1e-11))
        assert (1 - truth) * (1 - mp.mpf(1e-11)) < complement <= 1 - truth


def check(epsilon, profile, outside):
    """The lines at the two bounds touch the region from outside, and cut it a little lower.

    `outside` is the raw constraint of an attack, as a function of alpha, power and beta.
    """
    log_delta, complement, log_alpha = (mp.mpf(float(v[0])) for v in profile(np.array([epsilon])))
    x, delta = mp.exp(mp.mpf(epsilon)), mp.exp(log_delta)
    for shift in (-0.5, -0.01, -1e-4, 0, 1e-4, 0.01, 0.5):
        alpha = mp.exp(log_alpha + mp.mpf(shift))
        power, beta = delta + x * alpha, complement - x * alpha
        if power < 1:
            assert outside(alpha, power=power, beta=1 - power) >= -mp.mpf(1e-45)
        if beta > 0:
            assert outside(alpha, power=1 - beta, beta=beta) >= -mp.mpf(1e-45)
    alpha = mp.exp(log_alpha)
    power = delta * (1 - mp.mpf(1e-11)) + x * alpha
    assert outside(alpha, power=power, beta=1 - power) < 0
    assert complement > 1 - delta - mp.mpf(1e-12)
    if complement < 0.5:  # 1 - delta <= beta + x alpha; to the right of a corner, which alpha is rounded from
        alpha *= 1 + mp.mpf(3e-10)
        beta = complement * (1 + mp.mpf(1e-9)) - x * alpha
        assert outside(alpha, power=1 - beta, beta=beta) < 0


@pytest.mark.parametrize("seed", range(4))
def test_rdp_profile_touches_the_region(seed, exact):
    rng = np.random.default_rng(seed)
    for _ in range(60):
        count = rng.choice([1, 1, 2, 3, 5])
        orders = np.sort(1 + 10 ** rng.uniform(-3, 3, count))
        bounds = np.maximum.accumulate(
            10 ** rng.uniform(-6, 2.3) * orders**0.7 * rng.uniform(0.7, 1.3, count)
        )
        pairs = tuple(zip(orders, bounds, strict=True))
        epsilon = float(bounds[-1] * 10 ** rng.uniform(-2, 0.3))
        profile = rdp_profile_of(orders, bounds)
        if -200 < profile(np.array([epsilon]))[0][0] < -1e-9:
            check(epsilon, profile, lambda alpha, p=pairs, **x: exact.rdp_outside(alpha, p, **x))


@pytest.mark.parametrize("seed", range(2))
def test_zcdp_profile_touches_the_region(seed, exact):
    rng = np.random.default_rng(seed)
    for _ in range(9):
        rho = 10 ** rng.uniform(-7, 4)
        corner = zcdp_corner(zcdp_fixed_point(rho))
        top = rho + 2 * np.sqrt(rho * 10 ** rng.uniform(-2, 2))
        epsilon = float(corner + (top - corner) * rng.uniform(0.01, 1))
        if epsilon > corner:
            check(
                epsilon, zcdp_profile_of(rho), lambda alpha, rho=rho, **x: exact.zcdp_outside(alpha, rho, **x)
            )


@pytest.mark.parametrize("rho", [0.5, 5.0, 300.0, 5000.0, 1e4])
def test_no_scan_of_orders_does_better(rho):
    """Near the Kullback-Leibler kink the order was once missed (-0.00838 where -0.00967 holds)."""
    e = zcdp_fixed_point(rho)
    s = np.concatenate([[1e-30], np.logspace(-7, 1, 1500)])
    for epsilon in rho + np.sqrt(rho) * np.array([-0.3, -0.1, -0.05, 0.0, 0.3, 2.0]):
        with np.errstate(all="ignore"):
            at = np.full_like(s, epsilon)
            A, B = touch_order(at, s, rho * (1 + s), np.full_like(s, e), at, np.full_like(s, 3.0))
            log_delta, _, _ = certified(at, A, B, s, rho * (1 + s))
        ours = zcdp_log_delta(np.array([epsilon]), rho)[0]
        # The first direction alone, which the scan reads, knows nothing of the fixed point's corner.
        assert ours <= log_delta.min() * (1 - 1e-10) or epsilon <= zcdp_corner(e)


def test_kink_values_at_large_rho():
    """Certified by a scan of orders; the alternation of point and order stopped at -0.00104 and -8.25e-5."""
    assert zcdp_log_delta(np.array([4995.39]), 5000.0)[0] < -0.00109
    assert zcdp_log_delta(np.array([9991.09]), 1e4)[0] < -1.29e-4


@pytest.mark.parametrize(
    ("rho", "epsilon"), [(1e-12, 1.4e-4), (1e-3, 1.7), (1e-3, 10.0), (0.5, 100.0), (1e4, 15000.0)]
)
def test_log_delta_far_below_underflow(rho, epsilon, exact):
    """Far out, the bound of Canonne, Kamath and Steinke at its best order is the truth."""

    def log_bound(u):
        s = mp.exp(u)
        return s * (rho * (1 + s) - mp.mpf(epsilon)) + s * mp.log(s / (1 + s)) - mp.log(1 + s)

    u = mp.findroot(lambda v: mp.diff(log_bound, v), mp.log((epsilon - rho) / (2 * rho)))
    ours = zcdp_log_delta(np.array([epsilon]), rho)[0]
    assert ours < -600
    assert abs(mp.mpf(float(ours)) / log_bound(u) - 1) < 1e-11
    if ours < -745.2:
        assert zcdp_delta(np.array([epsilon]), rho)[0] == 5e-324


def test_complement_has_its_own_digits(exact):
    """At rho = 1000 and small epsilon, 1 - delta = (1 + e^epsilon) / (1 + e^1000)."""
    for rho, epsilon in [(1000.0, 400.0), (300.0, 1.0), (50.0, 20.0)]:
        e = mp.findroot(lambda v, rho=rho: v * mp.tanh(v / 2) - rho, rho)
        truth = (1 + mp.exp(mp.mpf(epsilon))) / (1 + mp.exp(e))
        ours = mp.mpf(float(zcdp_complement(np.array([epsilon]), rho)[0]))
        assert truth * (1 - mp.mpf(1e-10)) < ours <= truth


def test_negative_epsilon(exact):
    for epsilon in (1e-9, 0.3, 2.0, 40.0):
        at = np.array([-epsilon, epsilon])
        for delta, complement in (
            (zcdp_delta(at, 0.3), zcdp_complement(at, 0.3)),
            (rdp_delta(at, 3.0, 0.8), rdp_complement(at, 3.0, 0.8)),
        ):
            shrink = mp.exp(-mp.mpf(epsilon))
            mirrored = 1 - shrink * (1 - mp.mpf(float(delta[1])))
            assert mirrored <= mp.mpf(float(delta[0])) <= mirrored * (1 + mp.mpf(1e-13))
            below = shrink * mp.mpf(float(complement[1]))
            assert below * (1 - mp.mpf(1e-13)) <= mp.mpf(float(complement[0])) <= below


def test_delta_at_zero_is_the_advantage():
    for rho in (1e-12, 1e-3, 0.5, 20.0):
        assert zcdp_delta(np.array([0.0]), rho)[0] == pytest.approx(zcdp_advantage(rho), rel=1e-12)


@pytest.mark.parametrize("rho", [0.0, 5e-324, 1e-20, 1e-12, 1e-3, 1.0, 1e4, 1e12, 1e308, np.inf])
def test_every_end(rho):
    epsilon = np.array([-np.inf, -1e4, -1.0, -1e-300, 0, 5e-324, 1e-12, 1e-3, 1.0, 1e4, 1e10, 1e308, np.inf])
    cases = [(zcdp_delta(epsilon, rho), zcdp_complement(epsilon, rho))]
    cases += [(rdp_delta(epsilon, o, rho), rdp_complement(epsilon, o, rho)) for o in (1 + 1e-6, 2.0, 1e6)]
    for delta, complement in cases:
        assert ((delta >= 0) & (delta <= 1) & (complement >= 0) & (complement <= 1)).all()
        assert (np.diff(delta) <= 1e-13).all()
        assert (np.diff(complement) >= -1e-13).all()
        assert (delta + complement >= 1 - 1e-10).all()
        assert delta[0] == 1
        assert (delta[-1] == 0) == (rho < 1e15)
        if rho > 0:
            assert (delta[:-1] > 0).all()


def test_shapes_and_no_constraints():
    assert rdp_log_delta(np.zeros(0), 2.0, 1.0).shape == (0,)
    assert (rdp_curve_log_delta(np.array([0.0, 9.0]), [2.0], [np.inf]) == 0).all()
    assert (rdp_curve_log_delta(np.array([0.0, 9.0]), [2.0, 3.0], [0.0, 1.0]) == -np.inf).all()


@FEW
@given(st.floats(-10, 3.5), st.floats(-3, 6), st.floats(-200, -1e-4))
def test_every_attack_lies_below_the_profile(log_rho, log_share, log_alpha):
    """1 - f(alpha) - e^epsilon alpha <= delta(epsilon), and with the complement likewise."""
    rho = 10**log_rho
    epsilon = np.array([rho + np.sqrt(rho) * 10 ** min(log_share, 2)])
    alpha = np.array([np.exp(log_alpha)])
    beta, power = zcdp_beta(alpha, rho)
    mass = np.exp(np.minimum(epsilon + log_alpha, 10))
    assert power - mass <= zcdp_delta(epsilon, rho) * (1 + 1e-9) + 1e-13
    assert beta + mass >= zcdp_complement(epsilon, rho) * (1 - 1e-12) - 1e-13


@FEW
@given(
    st.lists(st.tuples(st.floats(-2, 3), st.floats(0.3, 2)), min_size=1, max_size=4),
    st.floats(-4, 1.5),
    st.floats(-4, 1.5),
    st.floats(-30, -1e-3),
)
def test_curves_are_convex_duals(pieces, log_rho, log_epsilon, log_alpha):
    """Joint delta: below every single order's, above every attack, convex in e^epsilon."""
    orders = [1 + 10**u for u, _ in pieces]
    bounds = [10**log_rho * order * factor for order, (_, factor) in zip(orders, pieces, strict=True)]
    epsilon = np.array([10**log_epsilon])
    joint = rdp_curve_delta(epsilon, orders, bounds)
    for order, bound in zip(orders, bounds, strict=True):
        assert joint <= rdp_delta(epsilon, order, bound) * (1 + 1e-12)
    _, power = rdp_curve_beta(np.array([np.exp(log_alpha)]), orders, bounds)
    assert power - np.exp(np.minimum(epsilon + log_alpha, 10)) <= joint * (1 + 1e-9) + 1e-12
    three = np.log(np.exp(epsilon[0]) * np.array([0.99, 1.0, 1.01]) + 1)
    curve = rdp_curve_delta(three, orders, bounds)
    x = np.exp(three)
    chord = curve[0] + (curve[2] - curve[0]) * (x[1] - x[0]) / (x[2] - x[0])
    assert curve[1] <= chord + 1e-12
