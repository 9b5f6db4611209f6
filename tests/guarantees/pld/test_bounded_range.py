"""Bounded range: the curve against the worst place of the range, compositions against B-splines and an adaptive adversary."""

import math

import mpmath as mp
import numpy as np
import pytest

from privacy_accountant import ADP, GDP, PLD, RDP, ZCDP, compose
from privacy_accountant.codec import decode, encode
from privacy_accountant.guarantees.pld import BoundedRangePair, LaplacePair, RandomizedResponsePair

EPSILONS = [1e-9, 1e-3, 0.3, 1.0, 5.0, 40.0, 300.0]
epsilons = pytest.mark.parametrize("epsilon", EPSILONS)


def typed(x):
    """The decimal that a float stands for."""
    return mp.mpf(repr(float(x)))


def two_points(epsilon, t):
    """Masses of the outcome with loss t under P and under Q; the other one has loss t - epsilon."""
    q = mp.expm1(epsilon - t) / mp.expm1(epsilon)
    return q * mp.exp(t), q


def largest(function, low, high, rounds=150):
    """The maximum of a function with one peak, by golden sections."""
    golden = (mp.sqrt(5) - 1) / 2
    for _ in range(rounds):
        left, right = high - golden * (high - low), low + golden * (high - low)
        low, high = (low, right) if function(left) > function(right) else (left, high)
    return function((low + high) / 2)


def profile(epsilon, e):
    return (mp.exp(epsilon / 2) - mp.exp(e / 2)) ** 2 / mp.expm1(epsilon) if e < epsilon else mp.mpf(0)


@pytest.fixture(autouse=True)
def digits():
    with mp.workdps(400):
        yield


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_the_profile_is_that_of_the_worst_place_of_the_range(epsilon, share):
    epsilon, e = typed(epsilon), typed(epsilon) * typed(share)

    def at(t):
        p, q = two_points(epsilon, t)
        return p - mp.exp(e) * q

    with mp.workdps(60):
        assert mp.almosteq(largest(at, e, epsilon), profile(epsilon, e), rel_eps=mp.mpf(10) ** -50)


@epsilons
def test_one_release_is_bounded_from_the_safe_side_and_tightly(epsilon, contains):
    one, exact = PLD.of(BoundedRangePair(epsilon)), typed(epsilon)
    for share in (0.0, 1e-9, 0.3, 0.9, 0.999999, 1.0, 2.0):
        truth = profile(exact, typed(share * epsilon))
        contains(one.get_delta(share * epsilon, interval=True), truth, 1e-6)
        room = mp.mpf(one.get_complement(share * epsilon))
        assert (1 - truth) * (1 - mp.mpf("1e-11")) <= room <= 1 - truth
    for alpha in (1e-300, 1e-20, 0.01, 0.3, 0.5, 0.9, 1 - 1e-9):
        truth = (1 - mp.mpf(alpha)) / (1 + mp.mpf(alpha) * mp.expm1(exact))
        assert truth * (1 - mp.mpf("1e-11")) <= one.beta(alpha) <= truth
    for delta in (1e-300, 1e-12, 0.01, 0.2):
        root = mp.sqrt(typed(delta) * -mp.expm1(-exact))
        truth = max(exact + 2 * mp.log(1 - root), mp.mpf(0))
        assert truth <= typed(one.get_epsilon(delta)) <= truth + exact * mp.mpf("1e-11")
    assert one.beta(0.0) == 1
    assert one.beta(1.0) == 0
    assert one.advantage == pytest.approx(math.tanh(epsilon / 4), rel=1e-12)


def b_spline(n, x):
    """The density of n uniform numbers' sum."""
    if not 0 < x < n:
        return mp.mpf(0)
    return mp.fsum(
        (-1) ** k * mp.binomial(n, k) * (x - k) ** (n - 1) for k in range(int(x) + 1)
    ) / mp.factorial(n - 1)


def composed(epsilon, n, e):
    """The loss has density e^{l/2} / (4 sinh(eps/2)) on [-eps, eps]: sums are tilted sums of uniform numbers."""
    scale = (2 * epsilon / (4 * mp.sinh(epsilon / 2))) ** n
    start = (e + n * epsilon) / (2 * epsilon)

    def part(x):
        loss = 2 * epsilon * x - n * epsilon
        return (1 - mp.exp(e - loss)) * mp.exp(loss / 2) * scale * b_spline(n, x)

    return mp.quad(part, [start, *range(int(start) + 1, n + 1)])


@pytest.mark.parametrize(("epsilon", "n"), [(1.0, 2), (0.1, 5), (0.01, 9), (3.0, 3), (2.0, 8)])
@pytest.mark.parametrize("share", [0.0, 0.2, 0.9])
def test_compositions_contain_the_exact_ones(epsilon, n, share, contains):
    with mp.workdps(50):
        truth = composed(typed(epsilon), n, typed(share * epsilon * n))
        many = PLD.of(BoundedRangePair(epsilon), n)
        contains(many.get_delta(share * epsilon * n, interval=True), truth, 1.01e-4)


def test_it_composes_with_pairs_of_other_kinds():
    """A Laplace loss beside it, by quadrature over the tilted density."""
    epsilon, other, e = 1.0, 0.5, 0.7
    both = compose(PLD.of(BoundedRangePair(epsilon)), PLD.of(LaplacePair(other)))

    def laplace(t):
        return 1 - math.exp((t - other) / 2) if abs(t) < other else max(0.0, 1 - math.exp(t))

    with mp.workdps(20):
        truth = mp.quad(
            lambda x: mp.exp(x / 2) / (4 * mp.sinh(epsilon / 2)) * laplace(float(e - x)),
            [-epsilon, e - other, min(epsilon, e + other), epsilon],
        )
    low, high = both.get_delta(e, interval=True)
    assert low * (1 - 1e-9) <= truth <= high * (1 + 1e-9)


def test_an_adversary_who_chooses_the_place_after_the_first_answer_stays_below():
    """Two selections: the second place may depend on the first outcome. Neither a fixed place nor this reaches the certified bound."""
    epsilon, e = 1.0, 0.4
    t = np.linspace(0, epsilon, 401)
    q = np.expm1(epsilon - t) / math.expm1(epsilon)
    p = q * np.exp(t)

    def second(e):
        e = np.asarray(e, dtype=float)
        inside = (math.exp(epsilon / 2) - np.exp(e / 2)) ** 2 / math.expm1(epsilon)
        return np.where(e >= epsilon, 0, np.where(e <= -epsilon, -np.expm1(e), inside))

    adaptive = float(np.max(p * second(e - t) + (1 - p) * second(e - t + epsilon)))
    atoms = [
        (np.multiply.outer(a, b), x, y)
        for a, x in ((p, t), (1 - p, t - epsilon))
        for b, y in ((p, t), (1 - p, t - epsilon))
    ]
    fixed = float(
        np.max(sum(mass * np.maximum(0, -np.expm1(e - np.add.outer(x, y))) for mass, x, y in atoms))
    )
    certified = PLD.of(BoundedRangePair(epsilon), 2).get_delta(e)
    assert fixed < adaptive - 1e-4 < certified - 1e-3
    assert adaptive < ZCDP(2 * float(PLD.of(BoundedRangePair(epsilon)).to(ZCDP).rho)).get_delta(e)


@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 40.0])
def test_rho_is_the_largest_divergence_over_places_and_orders(epsilon):
    exact = typed(epsilon)
    y = exact / mp.expm1(exact)
    truth = y - 1 - mp.log(y)
    one = PLD.of(BoundedRangePair(epsilon))
    rho = one.to(ZCDP).rho
    assert truth <= mp.mpf(rho.numerator) / rho.denominator <= truth * (1 + mp.mpf("1e-15"))
    assert rho <= epsilon**2 / 8

    def divergence(t, order):
        p, q = two_points(exact, t)
        return mp.log(p**order * q ** (1 - order) + (1 - p) ** order * (1 - q) ** (1 - order)) / (order - 1)

    with mp.workdps(150):
        for order in map(mp.mpf, (1.001, 2, 8, 64)):
            worst = largest(lambda t, order=order: divergence(t, order), mp.mpf(0), exact, 120)
            assert worst <= order * truth
            (bound,) = one.to(RDP, orders=(float(order),)).epsilons
            assert worst * (1 - mp.mpf("1e-30")) <= mp.mpf(bound.numerator) / bound.denominator
            assert float(bound) == pytest.approx(float(worst), rel=1e-12)


@pytest.mark.parametrize("epsilon", [1e-3, 0.3, 1.0, 5.0, 40.0])
def test_mu_is_the_largest_over_all_attacks(epsilon):
    from scipy.special import log_expit, ndtri_exp

    s = np.append(np.linspace(-30 - 2 * epsilon, 30 + 2 * epsilon, 20_001), epsilon / 2)
    distance = -ndtri_exp(log_expit(-s)) - ndtri_exp(log_expit(s - epsilon))
    mu = PLD.of(BoundedRangePair(epsilon)).to(GDP).mu
    assert distance.max() == pytest.approx(distance[-1], abs=1e-13)
    assert distance.max() <= mu + 1e-13
    assert distance.max() >= mu * (1 - 1e-12) - 1e-13
    assert mu == pytest.approx(float(PLD.of(RandomizedResponsePair(epsilon / 2)).to(GDP).mu), rel=1e-12)


def test_other_forms_never_report_less_risk():
    one = PLD.of(BoundedRangePair(1.2))
    alphas, points = np.linspace(0, 1, 41), np.linspace(0, 3, 31)
    for other in (
        one.to(ZCDP),
        one.to(GDP),
        one.to(ADP, delta=0),
        one.to(ADP, delta=1e-3),
        one.to(RDP, orders=(2, 8)),
    ):
        assert np.all(other.beta(alphas) <= one.beta(alphas) + 1e-12)
        assert np.all(other.get_delta(points) >= one.get_delta(points) - 1e-12)


def test_groups_ledgers_and_ends():
    assert PLD.of(BoundedRangePair(0.5)).for_group(3) == PLD.of(BoundedRangePair(1.5))
    assert decode(encode(PLD.of(BoundedRangePair(0.5), 2))) == PLD.of(BoundedRangePair(0.5), 2)
    none = PLD.of(BoundedRangePair(0))
    assert (none.advantage, none.beta(0.25), none.to(ZCDP).rho, none.to(GDP).mu) == (0, 0.75, 0, 0)
    everything = PLD.of(BoundedRangePair(math.inf))
    assert everything.beta(0.1) == 0
    assert everything.get_delta(3.0) == 1
    steep = PLD.of(BoundedRangePair(1e5))
    assert steep.get_epsilon(0.0) == 1e5
    assert 0 < steep.get_complement(1e5 - 1) < 1
