import math

import mpmath as mp
import numpy as np
import pytest

from privacy_accountant.guarantees.pld import PLD, RandomizedResponsePair
from privacy_accountant.guarantees.pld.profiles.assemble import loss_sum
from privacy_accountant.guarantees.pld.profiles.contour import Measure
from privacy_accountant.guarantees.pld.profiles.contour_profile import ContourProfile
from privacy_accountant.guarantees.pld.profiles.infinity import Infinity
from privacy_accountant.guarantees.pld.profiles.lattice_profile import Lattice, LatticeProfile


@pytest.mark.parametrize(
    ("epsilon", "n"), [("0.01", 1000), ("0.01", 10000), ("0.05", 2000), ("10", 1000), ("1e-8", 100)]
)
@pytest.mark.parametrize("delta", [1e-6, 1e-12, 1e-20, 1e-30])
def test_epsilon_of_many_releases_brackets_the_exact_binomial_sum(oracle, epsilon, n, delta):
    form = PLD.of(RandomizedResponsePair(float(epsilon)), n)
    low, high = form.get_epsilon(delta, interval=True)
    assert form.get_epsilon(delta) == high
    assert high - low <= 1e-6 * high
    with mp.workdps(40):
        # delta decreases: at the upper end it is met, at the lower end it is not
        assert oracle.binomial_delta(epsilon, n, high) <= delta
        assert low == 0 or oracle.binomial_delta(epsilon, n, low) >= delta


@pytest.mark.parametrize("e", [0.0, 0.3, 2.005, 5.0, 11.7, 29.95])
def test_delta_of_many_releases_contains_the_exact_binomial_sum(oracle, contains, e):
    form = PLD.of(RandomizedResponsePair(0.02), 2000)
    contains(form.get_delta(e, interval=True), oracle.binomial_delta("0.02", 2000, e), 1e-9)
    room = 1 - oracle.binomial_delta("0.02", 2000, e)
    assert 0 <= room - form.get_complement(e) <= 1e-9 * room


@pytest.mark.parametrize("route", ["lattice", "smoothed"])
def test_every_route_agrees_with_the_sum(oracle, contains, route):
    parts = ((RandomizedResponsePair(0.1), 60),)
    law = Infinity.of([]), parts[0][0].top * 60, Measure(loss_sum(parts), top=6.0)
    profile = LatticeProfile(*law, Lattice(0.2, 6.0)) if route == "lattice" else ContourProfile(*law)
    e = np.array([0.05, 0.75, 1.9, 3.3, 5.1, 5.99])
    bounds = profile.bounds(e, 1e-4)
    for i, x in enumerate(e):
        truth = oracle.binomial_delta("0.1", 60, x)
        contains((bounds.delta_low[i], bounds.delta_high[i]), truth, 1e-9 if route == "lattice" else 1e-4)
        contains((bounds.room_low[i], bounds.room_high[i]), 1 - truth, 1e-9 if route == "lattice" else 1e-4)


def test_a_million_releases(oracle):
    form = PLD.of(RandomizedResponsePair(0.001), 10**6)
    low, high = form.get_epsilon(1e-20, interval=True)
    assert high - low <= 1e-6 * high
    with mp.workdps(30):
        k = math.floor(
            (10**6 - high * 1000) / 2
        )  # losses above the threshold come from at most this many turned answers
        log_weight = (
            mp.log(mp.binomial(10**6, k)) - 10**6 * mp.log1p(mp.exp(-mp.mpf("0.001"))) - k * mp.mpf("0.001")
        )
        weight, total = mp.exp(log_weight), mp.mpf(0)
        for j in range(k, k - 40000, -1):
            total += weight * -mp.expm1(high - (10**6 - 2 * j) * mp.mpf("0.001"))
            weight *= mp.mpf(j) / (10**6 - j + 1) * mp.exp(mp.mpf("0.001"))
            if weight < mp.mpf(10) ** -40:
                break
    assert total <= 1e-20
    assert total >= 1e-20 * (1 - 1e-5)


def test_a_lattice_of_commensurable_releases_against_enumeration(oracle, contains):
    form = PLD(tuple((RandomizedResponsePair(round(0.01 * i, 2)), 12 + i) for i in range(1, 7)))
    with mp.workdps(30):
        law = {0: mp.mpf(1)}
        for pair, count in form.parts:
            i = round(pair.epsilon * 100)
            p = 1 / (1 + mp.exp(-mp.mpf(i) / 100))
            for _ in range(count):
                new = {}
                for loss, mass in law.items():
                    new[loss + i] = new.get(loss + i, 0) + mass * p
                    new[loss - i] = new.get(loss - i, 0) + mass * (1 - p)
                law = new
        for e in (0.0, 0.105, 0.9, 2.0, 3.5):
            x = mp.mpf(e)
            truth = sum(m * -mp.expm1(x - mp.mpf(k) / 100) for k, m in law.items() if mp.mpf(k) / 100 > x)
            contains(form.get_delta(e, interval=True), truth, 1e-9)
