"""Parts that only have Renyi bounds beside parts that have none."""

import math

import numpy as np
import pytest

from privacy_accountant import (
    ADP,
    GDP,
    PLD,
    RDP,
    ZCDP,
    InvalidParameterError,
    TradeOff,
    UnsupportedConversionError,
    compose,
)
from privacy_accountant.guarantees.mixed import Mixed
from privacy_accountant.guarantees.pld import (
    DiscreteGaussianPair,
    GaussianPair,
    LatticePair,
    RandomizedResponsePair,
)

ALPHAS = np.array([0.0, 1e-9, 1e-3, 0.05, 0.2, 0.5, 0.9])
EPSILONS = np.array([0.0, 0.3, 1.0, 2.0, 4.0])


def test_each_part_goes_to_its_own_currency():
    both = compose(ADP(0.5, 1e-6), ZCDP(0.1), GDP(1), ADP(1), ZCDP(0.2))
    assert isinstance(both, Mixed)
    assert both.losses == PLD.of(RandomizedResponsePair(0.5, 1e-6))
    assert both.divergences == compose(ZCDP(0.8), ADP(1))
    assert compose(ZCDP(0.1), ADP(1)) == ZCDP(ZCDP(0.1).compose(ADP(1)).rho)
    assert both.self_compose(3).losses.parts == ((RandomizedResponsePair(0.5, 1e-6), 3),)


def test_renyi_orders_are_kept():
    both = compose(RDP((2, 8), (0.1, 0.4)), ADP(0.5, 1e-6), ZCDP(0.1))
    assert both.divergences == RDP((2, 8), (0.3, 1.2))
    assert compose(ZCDP(0.1), compose(ADP(0.5, 1e-6), RDP((2, 8), (0.1, 0.4)))) == both


def test_curves_of_corners_are_kept_as_losses():
    both = compose(ZCDP(0.1), TradeOff((0, 0.25, 1), (1, 0.25, 0)))
    ((pair, count),) = both.losses.parts
    assert isinstance(pair, LatticePair)
    assert count == 1


@pytest.mark.parametrize("delta", [1e-12, 1e-6, 0.1])
@pytest.mark.parametrize(
    ("part", "truth"), [(ZCDP(0.5), GDP(1)), (RDP((2, 8, 32), (1, 4, 16)), GDP(1)), (ZCDP(0.02), GDP(0.2))]
)
def test_a_bound_on_a_mechanism_that_has_this_rho(part, truth, delta):
    """A Gaussian has exactly this rho, so its composition with the same pair is never above the bound."""
    pair = ADP(0.5, delta)
    bound, exact = compose(part, pair), compose(truth, pair)
    assert (bound.get_delta(EPSILONS) >= exact.get_delta(EPSILONS) * (1 - 1e-4)).all()
    assert (bound.beta(ALPHAS) <= exact.beta(ALPHAS) + 1e-9).all()
    assert bound.get_epsilon(0.2) >= exact.get_epsilon(0.2) * (1 - 1e-4)


def test_the_better_of_two_routes_is_taken():
    both = compose(ADP(0.5, 1e-3), ZCDP(0.1))
    mass, rest = 1e-3, compose(ADP(0.5), ZCDP(0.1))
    approximate = mass + (1 - mass) * rest.get_delta(EPSILONS)
    pair = both.to(PLD).get_delta(EPSILONS)
    assert (both.get_delta(EPSILONS) <= np.minimum(approximate, pair) * (1 + 1e-12)).all()
    assert (both.get_delta(EPSILONS) < approximate).any()


def test_its_delta_is_what_no_epsilon_removes():
    both = compose(ADP(0.5, 1e-3), ZCDP(0.1)).self_compose(2)
    assert both.get_delta(math.inf) == pytest.approx(1 - (1 - 1e-3) ** 2, rel=1e-9)
    assert both.beta(0.0) == pytest.approx((1 - 1e-3) ** 2, rel=1e-9)
    assert both.get_epsilon(1e-3) == math.inf


@pytest.mark.parametrize(("target", "parameters"), [(GDP, {}), (ZCDP, {}), (RDP, {"orders": 2})])
def test_it_has_no_renyi_bound(target, parameters):
    with pytest.raises(UnsupportedConversionError, match="take the part that has one"):
        compose(ADP(1, 1e-6), ZCDP(0.1)).to(target, **parameters)


def test_fields_are_checked():
    with pytest.raises(InvalidParameterError, match="losses must be a PLD with parts"):
        Mixed(PLD(), ZCDP(0.1))
    with pytest.raises(InvalidParameterError, match="divergences must be a ZCDP or an RDP"):
        Mixed(PLD.of(GaussianPair(1)), GDP(1))


def test_everything_that_has_a_rho_leaves_no_losses():
    assert compose(ZCDP(0.1), PLD.of(DiscreteGaussianPair(4, 1), 2)) == ZCDP(0.35)
