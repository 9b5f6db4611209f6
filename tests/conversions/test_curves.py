"""Conversions to and from curves of corners, and from zCDP to mu, against closed forms and mpmath."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_accountant import (
    ADP,
    GDP,
    PLD,
    RDP,
    ZCDP,
    InvalidParameterError,
    TradeOff,
    UnsupportedConversionError,
)
from privacy_accountant.guarantees.pld import (
    DiscreteLaplacePair,
    FinitePair,
    LaplacePair,
)

ALPHAS = np.array([1e-12, 1e-6, 1e-3, 0.01, 0.1, 0.3, 0.5, 0.9, 0.999])
ORDERS = (1 + 1e-6, 1.5, 2, 8, 1e3, 1e6)


@pytest.mark.parametrize(
    "guarantee",
    [
        GDP(1),
        GDP(0.01),
        ZCDP(0.5),
        RDP((2, 8), (0.1, 0.4)),
        PLD.of(LaplacePair(1)),
        PLD.of(LaplacePair(0.2), 5),
    ],
)
def test_a_few_lines_are_close(guarantee):
    exact = guarantee.beta(ALPHAS)
    previous = math.inf
    for count in (8, 32, 128):
        curve = guarantee.to(TradeOff, count=count)
        loss = exact - curve.beta(ALPHAS)
        assert len(curve.alphas) <= 2 * count + 1
        assert loss.min() >= -1e-12
        assert loss.max() <= max(previous, 1e-9)
        previous = loss.max()
    assert previous < 1e-3
    assert curve.advantage == pytest.approx(guarantee.advantage, rel=1e-6)


def test_lines_touch_where_they_are_asked_to():
    curve = GDP(1).to(TradeOff, alphas=[0.01, 0.2])
    assert curve.beta([0.01, 0.2]) == pytest.approx(GDP(1).beta([0.01, 0.2]), rel=1e-7)
    assert len(curve.alphas) < 12
    with pytest.raises(InvalidParameterError, match="count must be given, or alphas instead"):
        GDP(1).to(TradeOff, count=8, alphas=[0.5])
    with pytest.raises(InvalidParameterError, match="count must be an integer >= 2"):
        GDP(1).to(TradeOff, count=1)


def test_curves_of_response_are_exact_up_to_rounding():
    for pair in (ADP(1), ADP(0.3, 0.01), ADP(0, 0.1), ADP(30, 1e-9)):
        assert pair.to(TradeOff).beta(ALPHAS) == pytest.approx(pair.beta(ALPHAS), abs=1e-14)


def test_finite_pairs_have_the_currencies_of_their_closed_forms():
    for source in (ADP(1), ADP(1e-3), ADP(20)):
        curve = source.to(TradeOff)
        assert float(curve.to(GDP).mu) == pytest.approx(float(source.to(GDP).mu), rel=1e-9)
        assert float(curve.to(ZCDP).rho) == pytest.approx(float(source.to(ZCDP).rho), rel=1e-4)
        for have, truth in zip(
            curve.to(RDP, orders=ORDERS).epsilons, source.to(RDP, orders=ORDERS).epsilons, strict=True
        ):
            assert 0 <= float(have) / float(truth) - 1 < 1e-9
    noise = PLD.of(DiscreteLaplacePair(1, 3))
    curve = noise.to(TradeOff)
    assert float(curve.to(ZCDP).rho) == pytest.approx(float(noise.to(ZCDP).rho), rel=1e-3)
    assert float(curve.to(GDP).mu) == pytest.approx(float(noise.to(GDP).mu), rel=1e-6)


@given(
    st.lists(
        st.tuples(st.fractions(0, 1, max_denominator=50), st.fractions(0, 1, max_denominator=50)),
        min_size=1,
        max_size=3,
    )
)
@settings(max_examples=25)
def test_rho_and_divergences_bound_the_finite_sums(inner):
    from privacy_accountant.numerics.polyline import lower_hull

    points = [(0, 1), *((a, b * (1 - a)) for a, b in inner if 0 < a < 1 and b > 0), (1, 0)]
    curve = TradeOff(*zip(*lower_hull(points), strict=True))
    sides = list(itertools.pairwise(curve.corners))
    rho = float(curve.to(ZCDP).rho)
    with mpmath.workdps(40):
        for order in (1.001, 1.5, 2.0, 7.0, 60.0):
            o = mpmath.mpf(order)
            terms = [
                (
                    mpmath.mpf((a[1] - b[1]).numerator) / (a[1] - b[1]).denominator,
                    mpmath.mpf((b[0] - a[0]).numerator) / (b[0] - a[0]).denominator,
                )
                for a, b in sides
                if a[1] > b[1]
            ]
            truth = mpmath.log(mpmath.fsum(p**o * q ** (1 - o) for p, q in terms)) / (o - 1)
            have = float(curve.to(RDP, orders=order).epsilons[0])
            assert truth * (1 - mpmath.mpf(10) ** -15) <= have <= truth * (1 + 1e-9) + 1e-300
            assert truth <= rho * order * (1 + 1e-12)


@pytest.mark.parametrize(("target", "parameters"), [(GDP, {}), (ZCDP, {}), (RDP, {"orders": 2})])
def test_a_curve_that_gives_someone_away_has_no_finite_bound(target, parameters):
    with pytest.raises(UnsupportedConversionError, match=r"f\(0\) < 1.*summarize_mu"):
        TradeOff((0, 0.5, 1), (0.9, 0.2, 0)).to(target, **parameters)
    assert TradeOff((0, 1), (0, 0)).to(target, **parameters).advantage == 1


@mpmath.workdps(40)
def fixed_point_mu(rho):
    """The mu of the attack with equal errors 1 / (1 + e^e), e tanh(e/2) = rho."""
    x = mpmath.mpf(rho)
    e = mpmath.findroot(lambda e: e * mpmath.tanh(e / 2) - x, mpmath.sqrt(2 * x) if rho < 2 else x)
    if rho < 30:
        return float(2 * mpmath.sqrt(2) * mpmath.erfinv(mpmath.tanh(e / 2)))
    goal = -mpmath.log1p(mpmath.exp(e))
    return float(
        mpmath.findroot(
            lambda m: mpmath.log(mpmath.erfc(m / 2 / mpmath.sqrt(2)) / 2) - goal, 2 * mpmath.sqrt(2 * x)
        )
    )


@pytest.mark.parametrize("rho", [1e-12, 1e-6, 0.01, 0.5, 2.56, 40, 99, 101, 1e4])
def test_mu_of_zcdp_is_that_of_equal_errors(rho):
    mu, least = float(ZCDP(rho).to(GDP).mu), fixed_point_mu(rho)
    assert least * (1 - 1e-12) <= mu <= least * (1 + 1e-6)


@pytest.mark.parametrize("rho", [1e-6, 0.01, 0.5, 3.0, 50.0])
def test_no_attack_on_zcdp_beats_its_mu(rho):
    alphas = np.concatenate([np.geomspace(1e-300, 1e-3, 300), np.linspace(1e-3, 0.999, 300)])
    assert (ZCDP(rho).to(GDP).beta(alphas) <= ZCDP(rho).beta(alphas) + 1e-12).all()


def test_mu_of_zcdp_at_its_ends():
    assert ZCDP(0).to(GDP) == GDP(0)
    assert ZCDP(math.inf).to(GDP) == GDP(math.inf)
    for rho in (1e-300, 1e-30, 1e-15):
        assert math.sqrt(math.pi * rho) <= float(ZCDP(rho).to(GDP).mu) <= 2.1 * math.sqrt(rho)


def test_psi_is_convex_where_the_proof_says_so():
    """psi(x) = sqrt(-log Phi(-x)): its slope h / (2 psi) rises, by the convexity of the hazard (Sampford 1953)."""
    with mpmath.workdps(40):
        slopes = []
        for x in mpmath.linspace(-8, 40, 200):
            tail = mpmath.erfc(x / mpmath.sqrt(2)) / 2
            slopes.append(mpmath.npdf(x) / tail / (2 * mpmath.sqrt(-mpmath.log(tail))))
        assert all(a < b for a, b in itertools.pairwise(slopes))


CURVES = (
    TradeOff((0, 0.25, 1), (1, 0.25, 0)),
    TradeOff((0, 0.01, 0.3, 1), (0.99, 0.7, 0.2, 0)),
    TradeOff((0, 0.5, 1), (0.5, 0, 0)),
    GDP(1).to(TradeOff, count=24),
    ADP(30, 1e-9).to(TradeOff),
)


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: f"{len(curve.alphas)} corners")
def test_losses_are_those_of_the_sides(curve):
    ((pair, count),) = curve.to(PLD).parts
    assert (type(pair), count) == (FinitePair, 1)
    with mpmath.workdps(40):
        corners = [tuple(mpmath.mpf(x.numerator) / x.denominator for x in corner) for corner in curve.corners]
        for at in np.linspace(0, 8, 33).tolist():
            truth = max(1 - beta - mpmath.exp(at) * alpha for alpha, beta in corners)
            have = curve.to(PLD).get_delta(at)
            assert truth * (1 - mpmath.mpf(2) ** -53) <= have <= truth * (1 + 1e-11)
    assert curve.to(PLD).beta(ALPHAS) == pytest.approx(curve.beta(ALPHAS), abs=1e-12)


def test_composed_sides_are_the_product_of_their_outcomes():
    """Ten releases, against the sum over all multisets of outcomes in mpmath."""
    curve, count = CURVES[1], 10
    sides = [(a[1] - b[1], b[0] - a[0]) for a, b in itertools.pairwise(curve.corners)]
    plan = curve.to(PLD).self_compose(count)
    with mpmath.workdps(40):
        masses = [tuple(mpmath.mpf(m.numerator) / m.denominator for m in side) for side in sides]
        for epsilon in (0.5, 3.0, 12.0):
            truth = 1 - (1 - mpmath.mpf(1) / 100) ** count
            for chosen in itertools.combinations_with_replacement(range(len(masses)), count):
                ways = mpmath.mpf(math.factorial(count))
                p = q = mpmath.mpf(1)
                for side in range(len(masses)):
                    times = chosen.count(side)
                    ways /= math.factorial(times)
                    p, q = p * masses[side][0] ** times, q * masses[side][1] ** times
                truth += ways * max(p - mpmath.exp(epsilon) * q, 0)
            low, high = plan.get_delta(epsilon, interval=True)
            assert low <= truth <= high <= low * (1 + 2e-4)


def test_composed_curves_stay_above_the_truth():
    laplace = PLD.of(LaplacePair(0.5))
    image = laplace.to(TradeOff).to(PLD)
    for count in (5, 40):
        truth, have = (
            laplace.self_compose(count).get_epsilon(1e-6),
            image.self_compose(count).get_epsilon(1e-6),
        )
        assert truth * (1 - 1e-4) <= have <= truth * 1.01
    assert ADP(0, 0.125).to(TradeOff).to(PLD).get_delta([0.0, 3.0]).tolist() == [0.125, 0.125]
    assert TradeOff((0, 1), (1, 0)).to(PLD) == PLD()
    assert TradeOff((0, 1), (0, 0)).to(PLD).advantage == 1


def test_rho_as_losses_is_valid_and_lossy():
    whole, parts = ZCDP(0.5), ZCDP(0.005).to(PLD, count=64).self_compose(100)
    assert parts.get_epsilon(1e-6) > whole.get_epsilon(1e-6)
    assert RDP((2, 8), (0.1, 0.4)).to(PLD).get_delta(0.5) >= RDP((2, 8), (0.1, 0.4)).get_delta(0.5)
