"""Parts that only have Renyi bounds beside parts that have none."""

import json
import math
from fractions import Fraction

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
from privacy_accountant.codec import decode, encode
from privacy_accountant.guarantees.mixed import Mixed
from privacy_accountant.guarantees.pld import (
    DiscreteGaussianPair,
    FinitePair,
    GaussianPair,
    LaplacePair,
)

ALPHAS = np.array([0.0, 1e-9, 1e-3, 0.05, 0.2, 0.5, 0.9])
EPSILONS = np.array([0.0, 0.3, 1.0, 2.0, 4.0])


def test_each_part_goes_to_its_own_currency():
    both = compose(ADP(0.5, 1e-6), ZCDP(0.1), GDP(1), ADP(1), ZCDP(0.2))
    assert isinstance(both, Mixed)
    assert both.losses == compose(ADP(0.5, 1e-6), GDP(1), ADP(1))
    assert both.divergences == compose(ZCDP(0.1), ZCDP(0.2))
    assert compose(both, ZCDP(0.1), GDP(1)).divergences == ZCDP(0.4)
    assert both.self_compose(3).losses == both.losses.self_compose(3)
    assert compose(ZCDP(0.1), PLD()) == ZCDP(0.1)


def test_renyi_orders_are_kept():
    both = compose(RDP((2, 8), (0.1, 0.4)), ADP(0.5, 1e-6), ZCDP(0.1))
    assert both.divergences == RDP((2, 8), (0.3, 1.2))
    assert compose(ZCDP(0.1), compose(ADP(0.5, 1e-6), RDP((2, 8), (0.1, 0.4)))) == both


def test_curves_of_corners_are_kept_as_losses():
    both = compose(ZCDP(0.1), TradeOff((0, 0.25, 1), (1, 0.25, 0)))
    ((pair, count),) = both.losses.parts
    assert isinstance(pair, FinitePair)
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


@pytest.mark.parametrize(
    ("bound", "pair"),
    [
        (ZCDP(0.1), ADP(1)),
        (ZCDP(0.5), GDP(0.1)),
        (ZCDP(0.001), ADP(5)),
        (RDP((2, 8, 32), (0.2, 0.8, 3.2)), GDP(0.5)),
        (ZCDP(0.05), PLD.of(LaplacePair(0.3), 3)),
        (ZCDP(0.2), TradeOff((0, 0.25, 1), (1, 0.25, 0))),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_better_of_two_routes_is_taken(bound, pair):
    both = compose(bound, pair)
    same = pair.to(ZCDP) if isinstance(bound, ZCDP) else pair.to(RDP, orders=bound.orders)
    divergences, losses = compose(bound, same), compose(bound.to(PLD), pair)
    at = EPSILONS[:4]
    assert both.get_delta(at) == pytest.approx(
        np.minimum(divergences.get_delta(at), losses.get_delta(at)), rel=3e-4
    )
    assert (both.get_delta(at) <= divergences.get_delta(at) * (1 + 1e-12)).all()
    assert both.beta(ALPHAS) == pytest.approx(
        np.maximum(divergences.beta(ALPHAS), losses.beta(ALPHAS)), abs=1e-9
    )
    assert both.get_epsilon(1e-6) <= divergences.get_epsilon(1e-6) * (1 + 1e-12)
    assert both.get_epsilon(1e-6) <= losses.get_epsilon(1e-6) * (1 + 2e-4)
    assert both.advantage <= divergences.advantage * (1 + 1e-12)


def test_with_delta_the_second_route_counts_what_is_revealed():
    both = compose(ADP(0.5, 1e-3), ZCDP(0.1))
    mass, rest = 1e-3, compose(ADP(0.5).to(ZCDP), ZCDP(0.1))
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
def test_with_mass_at_infinity_it_has_no_renyi_bound(target, parameters):
    with pytest.raises(UnsupportedConversionError, match=r"the parts are in `losses` and `divergences`"):
        compose(ADP(1, 1e-6), ZCDP(0.1)).to(target, **parameters)


def test_where_both_components_have_one_it_has_their_sum():
    both = compose(GDP(0.5), ZCDP(0.1))
    assert both.to(ZCDP) == ZCDP(0.225)
    assert both.to(RDP, orders=(2, 8)) == RDP((2, 8), (0.45, 1.8))
    assert both.to(GDP) == compose(GDP(0.5), ZCDP(0.1).to(GDP))
    assert compose(ZCDP(0.1), PLD.of(DiscreteGaussianPair(4, 1), 2)).to(ZCDP) == ZCDP(0.35)
    with pytest.raises(UnsupportedConversionError, match="larger orders unbounded"):
        compose(GDP(0.5), RDP(2, 0.1)).to(ZCDP)


def test_fields_are_checked():
    with pytest.raises(InvalidParameterError, match="losses must be a PLD with parts"):
        Mixed(PLD(), ZCDP(0.1))
    with pytest.raises(InvalidParameterError, match="divergences must be a ZCDP or an RDP"):
        Mixed(PLD.of(GaussianPair(1)), GDP(1))


@pytest.mark.parametrize(
    "mixed",
    [
        compose(ADP(0.5, 1e-6), ZCDP(0.1)),
        compose(ADP(Fraction(1, 3), Fraction(1, 7)), RDP((2, 8), (Fraction(1, 3), math.inf)), GDP(0.3)),
        compose(TradeOff((0, 0.25, 1), (0.9, 0.25, 0)), ZCDP(math.inf)).self_compose(3),
    ],
    ids=("zcdp", "rdp", "curve"),
)
def test_it_is_read_back_as_it_was_written(mixed):
    again = decode(json.loads(json.dumps(encode(mixed), allow_nan=False)))
    assert again == mixed
    assert encode(again) == encode(mixed)
    assert hash(again) == hash(mixed)


def test_what_is_no_mixture_is_not_read_as_one():
    written = encode(compose(ADP(0.5, 1e-6), ZCDP(0.1)))
    for field in ("losses", "divergences"):
        with pytest.raises(InvalidParameterError, match=field):
            decode({**written, field: encode(GDP(1))})
