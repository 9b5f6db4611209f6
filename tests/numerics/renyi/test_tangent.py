"""The supporting lines: every rounding on the safe side, and not far."""

import mpmath as mp
import numpy as np

from privacy_accountant.numerics.renyi import tangent


def exact_line(A, B, lift, s):
    """x, D from the definition: the tangent of S at the point with losses A, B, at the level e^(s r)."""
    r = A - lift
    p = mp.expm1(-B) / mp.expm1(-A - B)
    q = p * mp.exp(-A)
    S = p * mp.exp(s * A) + (1 - p) * mp.exp(-s * B)
    by_p = (1 + s) * (mp.exp(s * A) - mp.exp(-s * B))
    by_q = -s * (mp.exp((1 + s) * A) - mp.exp(-(1 + s) * B))
    x = -by_q / by_p
    return x, p - x * q + (mp.exp(s * r) - S) / by_p


def cases(count):
    rng = np.random.default_rng(11)
    for _ in range(count):
        A, B = 10 ** rng.uniform(-9, 2), 10 ** rng.uniform(-9, 2)
        s = 10 ** rng.uniform(-6, 3)
        lift = A * (1 - 10 ** rng.uniform(-12, 0)) if rng.random() < 0.5 else A * rng.uniform(0, 0.9)
        if A - lift > 0 and s * (A + B) < 600:  # so that 400 digits suffice
            yield A, B, s, A - lift


def test_intercept_is_an_upper_and_complement_a_lower_bound(exact):
    for A, B, s, r in cases(600):
        with mp.workdps(400):
            x, D = exact_line(mp.mpf(A), mp.mpf(B), mp.mpf(A) - mp.mpf(r), mp.mpf(s))
        a, b, one, bound = (np.array([v]) for v in (A, B, s, r))
        kappa, upper, complement = tangent.line(a, b, a - r, one, bound)
        assert mp.mpf(float(upper[0])) >= D
        assert mp.mpf(float(upper[0])) <= D * (1 + mp.mpf(1e-11)) + mp.mpf(1e-320)
        assert mp.mpf(float(complement[0])) <= max(1 - D, 0)
        assert mp.mpf(float(complement[0])) >= 1 - D - mp.mpf(1e-12)
        assert abs(mp.mpf(float(kappa[0])) * mp.exp(mp.mpf(A)) / x - 1) < 1e-13
        slope = mp.mpf(float(tangent.log_slope(a, b, one)[0]))
        assert mp.log(x) <= slope <= mp.log(x) + mp.mpf(1e-13) * (1 + mp.mpf(A))
        log_upper = mp.mpf(float(tangent.log_line(a, b, a - r, one, bound)[0]))
        assert mp.log(D) <= log_upper <= mp.log(D) + mp.mpf(1e-12) * (1 + abs(mp.log(D)))


def test_any_point_and_order_gives_a_valid_line(exact):
    """Lines drawn far off the boundary still lie above every allowed attack."""
    rng = np.random.default_rng(3)
    order, r = 3.0, 0.7
    for alpha in (1e-9, 0.01, 0.2):
        least = exact.least_beta(lambda beta, a=alpha: exact.rdp_outside(a, [(order, r)], beta=beta), alpha)
        for _ in range(50):
            A, B = np.array([10 ** rng.uniform(-3, 1)]), np.array([10 ** rng.uniform(-3, 1)])
            s, bound = np.array([order - 1]), np.array([r])
            power, beta = tangent.power_and_beta(A, B, s, bound, np.array([alpha]))
            assert mp.mpf(float(power[0])) >= 1 - least
            assert mp.mpf(float(beta[0])) <= least
