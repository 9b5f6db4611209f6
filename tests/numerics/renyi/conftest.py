"""Independent references: the raw constraint in mpmath, at high precision, in both directions."""

from types import SimpleNamespace

import mpmath as mp
import pytest

DIGITS = 70


def attack(beta=None, power=None):
    """Power and beta of an attack, each with its digits, from whichever is given."""
    if power is None:
        power = 1 - mp.mpf(beta)
    elif beta is None:
        beta = 1 - mp.mpf(power)
    return mp.mpf(power), mp.mpf(beta)


def log_sum(p, cp, q, cq, s):
    """log of p^(1+s) q^-s + (1-p)^(1+s) (1-q)^-s, as it stands."""
    return mp.log(p ** (1 + s) * q**-s + cp ** (1 + s) * cq**-s)


def rdp_outside(alpha, pairs, **errors):
    """Largest log S - s r over the (order, r) and both directions: positive outside the region."""
    power, beta = attack(**errors)
    q, cq = mp.mpf(alpha), 1 - mp.mpf(alpha)
    worst = -mp.inf
    for order, r in pairs:
        s = mp.mpf(order) - 1
        first, second = log_sum(power, beta, q, cq, s), log_sum(q, cq, power, beta, s)
        worst = max(worst, max(first, second) - s * mp.mpf(r))
    return worst


def _largest_rate(p, cp, q, cq):
    """sup over s of log S / (s (s+1)): a scan of orders, then golden section around the best."""

    def rate(u):
        s = mp.exp(u)
        return log_sum(p, cp, q, cq, s) / (s * (1 + s))

    grid = [mp.mpf(k) for k in range(-36, 19)]
    with mp.workdps(DIGITS):
        values = [rate(u) for u in grid]
        k = max(range(len(grid)), key=values.__getitem__)
        low, high = grid[max(k - 1, 0)], grid[min(k + 1, len(grid) - 1)]
        golden = (mp.sqrt(5) - 1) / 2
        u, v = high - golden * (high - low), low + golden * (high - low)
        fu, fv = rate(u), rate(v)
        for _ in range(75):
            if fu > fv:
                high, v, fv = v, u, fu
                u = high - golden * (high - low)
                fu = rate(u)
            else:
                low, u, fu = u, v, fv
                v = low + golden * (high - low)
                fv = rate(v)
        kl = p * mp.log(p / q) + cp * mp.log(cp / cq)
        return max(fu, fv, kl)


def zcdp_outside(alpha, rho, **errors):
    """The same for zCDP: the largest rate over all orders and both directions, less rho."""
    power, beta = attack(**errors)
    q, cq = mp.mpf(alpha), 1 - mp.mpf(alpha)
    return max(_largest_rate(power, beta, q, cq), _largest_rate(q, cq, power, beta)) - mp.mpf(rho)


def least_beta(outside, alpha, steps=110):
    """Bisection on logit beta of an `outside` function of beta, between nothing and 1 - alpha."""
    low, high = mp.mpf(-2000), mp.log(1 - mp.mpf(alpha)) - mp.log(mp.mpf(alpha))
    for _ in range(steps):
        mid = (low + high) / 2
        low, high = (mid, high) if outside(1 / (1 + mp.exp(-mid))) > 0 else (low, mid)
    return 1 / (1 + mp.exp(-high))


@pytest.fixture(scope="session")
def exact():
    with mp.workdps(DIGITS):
        yield SimpleNamespace(rdp_outside=rdp_outside, zcdp_outside=zcdp_outside, least_beta=least_beta)
