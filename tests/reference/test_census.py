"""The 2020 US Census redistricting data, read in terms of attacks.

The person file was released by the TopDown algorithm under zCDP with a privacy-loss budget of rho = 2.56, reported at delta = 1e-10:
Abowd, Ashmead, Cumings-Menon, Garfinkel et al. 2022, The 2020 Census Disclosure Avoidance System TopDown Algorithm, Harvard Data
Science Review, special issue 2, doi 10.1162/99608f92.529e3cb9, arXiv 2204.08986. The published rho is rounded.
"""

import mpmath
import pytest

from privacy_accountant import ADP, ZCDP

PERSONS = ZCDP(rho=2.56)
DELTA = 1e-10


def test_epsilon_at_the_published_delta():
    epsilon = PERSONS.get_epsilon(DELTA)
    assert epsilon == pytest.approx(17.158309, abs=1e-6)
    assert PERSONS.to(ADP, delta=DELTA).epsilon >= epsilon
    # The formula of Bun and Steinke 2016, rho + 2 sqrt(rho log(1/delta)), is looser.
    assert epsilon < 2.56 + 2 * float(mpmath.sqrt(2.56 * mpmath.log(1e10)))


def test_what_it_means_for_an_attack():
    with mpmath.workdps(30):
        e = mpmath.findroot(lambda e: e * mpmath.tanh(e / 2) - mpmath.mpf("2.56"), 2.8)
        advantage = mpmath.tanh(e / 2)
    assert 0 <= PERSONS.advantage - advantage < 1e-9
    assert PERSONS.advantage == pytest.approx(0.892514, abs=1e-6)
    assert 1 - PERSONS.beta(0.01) == pytest.approx(0.683364, abs=1e-6)


def test_no_order_allows_less_than_the_region_says():
    """TPR at 1% FPR, by a grid over orders: the constraint of each order, solved by bisection in mpmath."""
    alpha, rho = mpmath.mpf("0.01"), mpmath.mpf("2.56")

    def power(order):
        low, high = alpha, mpmath.mpf(1) - mpmath.mpf(10) ** -20
        for _ in range(80):
            p = (low + high) / 2
            moment = p**order * alpha ** (1 - order) + (1 - p) ** order * (1 - alpha) ** (1 - order)
            inside = mpmath.log(moment) / (order - 1) <= rho * order
            low, high = (p, high) if inside else (low, p)
        return high

    with mpmath.workdps(30):
        least = min(power(1 + mpmath.mpf(10) ** (k / mpmath.mpf(40) - 2)) for k in range(120))
    assert 0 <= float(least) - (1 - PERSONS.beta(0.01)) + 1e-9 < 1e-4
