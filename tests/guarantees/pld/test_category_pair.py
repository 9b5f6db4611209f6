"""k-ary randomized response against the enumeration of all answers, other orders of Renyi's, and another library's pairs."""

import itertools
import math

import mpmath as mp
import numpy as np
import pytest

from privacy_accountant import ADP, GDP, PLD, RDP, ZCDP
from privacy_accountant.codec import decode, encode
from privacy_accountant.guarantees.pld import CategoryPair, RandomizedResponsePair


def table(epsilon, k):
    """Masses of the k categories under two true answers."""
    e = mp.exp(mp.mpf(repr(float(epsilon))))
    q = 1 / (e + k - 1)
    return [e * q, q, *[q] * (k - 2)], [q, e * q, *[q] * (k - 2)]


def enumerated(epsilon, k, n, e):
    """The profile of n releases: a sum over all k^n answers."""
    p, q = table(epsilon, k)
    total = mp.mpf(0)
    for answer in itertools.product(range(k), repeat=n):
        one, other = mp.fprod(p[a] for a in answer), mp.fprod(q[a] for a in answer)
        total += max(one - mp.exp(e) * other, 0)
    return total


@pytest.mark.parametrize(("k", "n"), [(2, 1), (3, 1), (7, 1), (2, 6), (3, 4), (5, 3)])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 4.0])
def test_the_profile_is_that_of_all_answers(epsilon, k, n, contains):
    many = PLD.of(CategoryPair(epsilon, k), n)
    for share in (0.0, 0.15, 0.6, 0.95):
        contains(
            many.get_delta(share * n * epsilon, interval=True),
            enumerated(epsilon, k, n, share * n * epsilon),
            1e-9,
        )


@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 30.0, 900.0])
def test_two_categories_are_the_binary_kind(epsilon):
    one, other = PLD.of(CategoryPair(epsilon, 2)), PLD.of(RandomizedResponsePair(epsilon))
    assert one.advantage == pytest.approx(other.advantage, rel=1e-12)
    assert one.beta(0.01) == pytest.approx(other.beta(0.01), rel=1e-9, abs=1e-300)
    assert one.to(ZCDP) == other.to(ZCDP)
    assert one.to(RDP, orders=(1.5, 8)) == other.to(RDP, orders=(1.5, 8))
    assert float(one.to(GDP).mu) == pytest.approx(float(other.to(GDP).mu), rel=1e-12)


@pytest.mark.parametrize("k", [2, 3, 6, 7, 8, 30, 1000])
@pytest.mark.parametrize("epsilon", [0.05, 1.0, 6.0, 60.0])
def test_rho_bounds_the_divergence_of_every_order(epsilon, k):
    """Up to six categories it is the mean loss, as proved; beyond, a larger order may be worse, and it is covered."""
    with mp.workdps(120):
        p, q = table(epsilon, k)

        def divergence(order):
            return mp.log(
                mp.fsum(a**order * b ** (1 - order) for a, b in zip(p[:2], q[:2], strict=True)) + sum(p[2:])
            ) / (order - 1)

        pair = PLD.of(CategoryPair(epsilon, k))
        rho = mp.mpf(float(pair.to(ZCDP).rho))
        ratios = [divergence(o) / o for o in (1 + mp.mpf(10) ** (mp.mpf(j) / 8) for j in range(-64, 33))]
        mean = (p[0] - q[0]) * mp.mpf(repr(epsilon))
        assert max(*ratios, mean) <= rho * (1 + mp.mpf("1e-15"))
        assert rho <= max(*ratios, mean) * mp.mpf("1.03")
        assert k > 6 or abs(rho / mean - 1) < 1e-12
        for order in (1.25, 3.0, 40.0):
            (bound,) = pair.to(RDP, orders=(order,)).epsilons
            assert divergence(mp.mpf(order)) <= mp.mpf(bound.numerator) / bound.denominator
            assert float(bound) == pytest.approx(float(divergence(mp.mpf(order))), rel=1e-12)


@pytest.mark.parametrize("k", [3, 10, 1000])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 20.0])
def test_mu_is_that_of_the_corners(epsilon, k):
    with mp.workdps(40):
        p, q = (row[0] for row in table(epsilon, k))
        truth = mp.sqrt(2) * (mp.erfinv(2 * p - 1) - mp.erfinv(2 * q - 1))
        mu = PLD.of(CategoryPair(epsilon, k)).to(GDP).mu
        assert truth <= mu <= truth * mp.mpf("1.000000001")
    curve, alphas = PLD.of(CategoryPair(epsilon, k)), np.linspace(0, 1, 51)
    assert np.all(GDP(mu).beta(alphas) <= curve.beta(alphas) + 1e-12)


def test_more_categories_reveal_less_and_never_more_than_pure_epsilon():
    curves = [ADP(1.0), *(PLD.of(CategoryPair(1.0, k)) for k in (2, 3, 5, 50))]
    alphas = np.linspace(0, 1, 41)
    for worse, better in itertools.pairwise(curves):
        assert np.all(better.beta(alphas) >= worse.beta(alphas) - 1e-12)


@pytest.mark.filterwarnings("ignore")
def test_another_library_agrees_on_single_releases():
    """There the answer is uniform with probability `noise_parameter` and true otherwise."""
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    for epsilon, k in ((0.5, 2), (1.0, 4), (2.0, 11)):
        noise = k / (math.exp(epsilon) + k - 1)
        theirs = pld.from_randomized_response(noise, k, value_discretization_interval=1e-5)
        ours = PLD.of(CategoryPair(epsilon, k))
        for e in (0.0, 0.3 * epsilon, 0.9 * epsilon):
            assert ours.get_delta(e) <= theirs.get_delta_for_epsilon(e) + 1e-12
            assert ours.get_delta(e) == pytest.approx(theirs.get_delta_for_epsilon(e), abs=2e-5)


def test_many_releases_and_ledgers(contains):
    many = PLD.of(CategoryPair(0.2, 4), 5000)  # past what is written down as atoms
    low, high = many.get_epsilon(1e-8, interval=True)
    assert low <= high <= low * 1.0001
    assert many.to(ZCDP).get_epsilon(1e-8) >= low
    assert decode(encode(many)) == many
    assert PLD.of(CategoryPair(0, 5)).advantage == 0
    assert PLD.of(CategoryPair(math.inf, 5)).beta(0.2) == 0
    assert PLD.of(CategoryPair(1e4, 5), 3).get_epsilon(0.0) == 3e4
    mixed = PLD.of(CategoryPair(0.5, 3), 2).union(PLD.of(RandomizedResponsePair(0.25, 1e-7)))
    assert mixed.get_delta(3.0) == pytest.approx(1e-7)
