import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from privacy_accountant import (
    ADP,
    GDP,
    PLD,
    RDP,
    ZCDP,
    InvalidParameterError,
    compose,
)
from privacy_accountant.composition.adp import advanced, basic
from privacy_accountant.exact import exact
from privacy_accountant.guarantees.pld import GaussianPair, LaplacePair, RandomizedResponsePair


def test_gaussians_add_squares():
    assert compose(GDP(3), GDP(4)) == GDP(5)
    assert GDP(1).self_compose(9) == GDP(3)
    assert GDP(Fraction(1, 3)).self_compose(4) == GDP(Fraction(2, 3))
    two = GDP(1).self_compose(2)
    assert Fraction(two.mu) ** 2 >= 2
    assert two.mu == pytest.approx(math.sqrt(2), rel=1e-15)


def test_rho_adds():
    assert compose(ZCDP(0.1), ZCDP(0.2)) == ZCDP(0.3)
    assert ZCDP(0.1).self_compose(10) == ZCDP(1)
    assert compose(ZCDP(0.5), GDP(1)) == compose(GDP(1), ZCDP(0.5))
    assert compose(ZCDP(0.5), GDP(1)).to(ZCDP) == ZCDP(1)
    assert compose(ZCDP(0.5), ADP(1)).to(ZCDP).rho == Fraction(1, 2) + ADP(1).to(ZCDP).rho
    assert compose(ZCDP(0.5), PLD.of(GaussianPair(2), 2)).to(ZCDP) == ZCDP(2.5)


def test_pairs_become_losses():
    assert compose(ADP(1), ADP(0.5, 1e-6)) == PLD(
        ((RandomizedResponsePair(1), 1), (RandomizedResponsePair(0.5, 1e-6), 1))
    )
    assert ADP(0.1).self_compose(10) == PLD.of(RandomizedResponsePair(0.1), 10)
    assert compose(ADP(1), GDP(2)) == PLD(((GaussianPair(4), 1), (RandomizedResponsePair(1), 1)))
    assert compose(GDP(1), PLD.of(GaussianPair(3))) == PLD.of(GaussianPair(4))
    assert compose(PLD.of(LaplacePair(1), 2), PLD.of(LaplacePair(1))) == PLD.of(LaplacePair(1), 3)


def test_divergences_add_order_by_order():
    assert compose(RDP((2, 4), (0.1, 0.3)), RDP((2, 4), (0.2, 0.4))) == RDP((2, 4), (0.3, 0.7))
    assert RDP((2, 4), (0.1, 0.3)).self_compose(3) == RDP((2, 4), (0.3, 0.9))
    assert compose(RDP(2, 0.1), ZCDP(0.1)) == RDP(2, 0.3)
    assert compose(GDP(1), RDP(2, 0.1)).to(RDP, orders=2) == RDP(2, 1.1)
    pure = ADP(1).to(RDP, orders=2)
    assert compose(RDP(2, 0.1), ADP(1)).to(RDP, orders=2).epsilons[0] == Fraction(1, 10) + pure.epsilons[0]


def test_curves_of_other_orders_are_aligned():
    one, other = RDP((2, 4, 8), (0.2, 0.4, 0.8)), RDP((3, 6), (0.3, 0.6))
    both = compose(one, other)
    assert both == compose(other, one)
    assert both.orders == (2.0, 3.0, 4.0, 6.0)
    for order, bound in zip(both.orders, both.epsilons, strict=True):
        assert exact(bound) == sum(exact(part.at((order,)).epsilons[0]) for part in (one, other))


def test_nothing_to_compose():
    with pytest.raises(InvalidParameterError):
        compose()
    release = GDP(1)
    assert compose(release) is release
    assert release.compose() is release


def test_no_privacy_absorbs():
    assert compose(GDP(math.inf), GDP(1)) == GDP(math.inf)
    assert compose(ZCDP(1), GDP(math.inf)).to(ZCDP) == ZCDP(math.inf)
    assert compose(ZCDP(1), GDP(math.inf)).get_delta(5) == compose(GDP(1), ZCDP(math.inf)).get_delta(5) == 1
    assert compose(RDP(2, 0.5), ZCDP(math.inf)) == RDP(2, math.inf)
    assert compose(ADP(math.inf), GDP(1)).get_delta(5) == 1


def test_losses_are_tighter_than_adding_epsilons():
    release = ADP(0.1)
    hundred = release.self_compose(100)
    exact = hundred.get_epsilon(1e-6)
    assert exact < float(advanced(release, 100, slack=1e-6).epsilon) < float(basic(release, 100).epsilon)


def test_a_gaussian_and_its_rho_agree_on_what_they_add_to():
    """The loss of Gaussians is below what their rho allows, everywhere."""
    alphas = np.array([1e-6, 0.01, 0.3, 0.8])
    loss, rho = compose(GDP(0.3), ADP(0.5)), compose(GDP(0.3).to(ZCDP), ADP(0.5))
    assert (rho.beta(alphas) <= loss.beta(alphas)).all()


@pytest.mark.parametrize("bad", [0, -1, True, 1.0])
def test_named_theorems_check_their_count(bad):
    for theorem in (basic, lambda pair, count: advanced(pair, count, slack=0.1)):
        with pytest.raises(InvalidParameterError, match="count must be an integer >= 1"):
            theorem(ADP(1), bad)


def test_named_theorems_at_their_ends():
    assert basic(ADP(math.inf), 3) == advanced(ADP(math.inf), 3, slack=0.1) == ADP(math.inf)
    assert advanced(ADP(1), 3, slack=0) == ADP(3)
    assert advanced(ADP(0), 3, slack=1e-300) == ADP(0, 1e-300)
    assert advanced(ADP(1), 3, slack=1) == ADP(advanced(ADP(1), 3, slack=1).epsilon, 1)
    assert advanced(ADP(1e300), 10**300, slack=1e-9).epsilon == 10**300 * Fraction(10**300)
    assert advanced(ADP(0.1, 1e-300), 2, slack=Fraction(1, 10**400)).delta > 0
    with pytest.raises(InvalidParameterError, match="slack must be a number in"):
        advanced(ADP(1), 3, slack=2)


@pytest.mark.parametrize(
    ("epsilon", "count", "slack"),
    [(0.1, 100, 1e-6), (1e-3, 10**6, 1e-12), (1e-200, 10**400, 1e-6), (3.0, 7, 1e-300)],
)
def test_advanced_composition_is_the_theorem_from_above(epsilon, count, slack):
    bound = advanced(ADP(epsilon, 1e-20), count, slack=slack)
    with mpmath.workdps(900):
        e, k, s = mpmath.mpf(repr(epsilon)), mpmath.mpf(count), mpmath.mpf(repr(slack))
        drift = k * e * mpmath.tanh(e / 2)
        logs = (mpmath.log(mpmath.e + mpmath.sqrt(k * e * e) / s), mpmath.log(1 / s))
        truth = min(k * e, *(drift + e * mpmath.sqrt(2 * k * log) for log in logs))
        have = exact(bound.epsilon)
        assert truth <= mpmath.mpf(have.numerator) / have.denominator <= truth * (1 + mpmath.mpf(10) ** -12)
        delta = 1 - (1 - mpmath.mpf("1e-20")) ** k * (1 - s)
        assert delta * (1 - mpmath.mpf(10) ** -15) <= bound.delta <= delta * (1 + mpmath.mpf(10) ** -13)


def test_advanced_composition_past_the_doubles_is_basic():
    bound = advanced(ADP(0.1, 1e-20), 10**400, slack=1e-6)
    assert bound == ADP(Fraction(10) ** 399, 1)
