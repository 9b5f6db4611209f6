"""Groups of people: each form's own rule against the composed curve 1 - (1 - f) o ... o (1 - f)."""

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
    TradeOff,
    UnsupportedConversionError,
    compose,
)
from privacy_accountant.guarantees.mixed import Mixed
from privacy_accountant.guarantees.pld import (
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    GaussianPair,
    LaplacePair,
    LatticePair,
    RandomizedResponsePair,
)

ALPHAS = np.array([0.0, 1e-6, 1e-3, 0.01, 0.1, 0.3, 0.5, 0.8, 1.0])
TIGHT = [
    GDP(0.5),
    TradeOff((0, 0.1, 0.25, 1), (0.9, 0.5, 0.25, 0)),
    ADP(0.5).to(TradeOff),
    PLD.of(LaplacePair(0.5)),
    PLD.of(RandomizedResponsePair(0.5)),
    PLD.of(DiscreteLaplacePair(2, 3)),
    PLD.of(DiscreteGaussianPair(4, 1)),
]
VALID = [ADP(0.5), ADP(0.5, 1e-3), PLD.of(RandomizedResponsePair(0.5, 1e-3))]


def composed(guarantee, size):
    power = ALPHAS
    for _ in range(size):
        power = 1 - guarantee.beta(np.clip(power, 0, 1))
    return 1 - power


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("guarantee", TIGHT, ids=repr)
def test_tight_rules_are_the_composed_curve(guarantee, size):
    assert guarantee.for_group(size).beta(ALPHAS) == pytest.approx(composed(guarantee, size), abs=1e-9)


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("guarantee", VALID, ids=repr)
def test_other_rules_are_never_above_it(guarantee, size):
    assert (guarantee.for_group(size).beta(ALPHAS) <= composed(guarantee, size) + 1e-9).all()


def test_the_curve_undercuts_the_pair():
    pair = ADP(0.5, 1e-3)
    curve = pair.to(TradeOff).for_group(3)
    assert (curve.beta(ALPHAS) >= pair.for_group(3).beta(ALPHAS) - 1e-12).all()
    assert curve.advantage < pair.for_group(3).advantage


def test_rational_rules_are_exact():
    assert GDP(Fraction(1, 3)).for_group(3) == GDP(1)
    assert ZCDP(0.1).for_group(3) == ZCDP(0.9)
    assert ADP(0.1).for_group(10) == ADP(1)
    assert ADP(0, 0.1).for_group(3) == ADP(0, 0.3)
    assert PLD(((GaussianPair(0.25), 1), (LaplacePair(0.5), 3))).for_group(2) == PLD(
        ((GaussianPair(1), 1), (LaplacePair(1), 3))
    )
    assert compose(ADP(0, 0.1), ZCDP(0.1)).for_group(2) == Mixed(
        PLD.of(RandomizedResponsePair(0, 0.2)), ZCDP(0.4)
    )


def test_the_delta_of_a_group_is_rounded_up():
    with mpmath.workdps(40):
        for epsilon, delta, size in [(0.1, 1e-6, 10), (1e-300, 1e-9, 5), (2.0, 1e-30, 7)]:
            e = mpmath.mpf(epsilon)
            ratio = mpmath.expm1(size * e) / mpmath.expm1(e) if epsilon > 1e-20 else size
            truth = mpmath.mpf(repr(delta)) * ratio
            assert (
                truth * (1 - mpmath.mpf(2) ** -80)
                <= ADP(epsilon, delta).for_group(size).delta
                <= truth * (1 + 1e-12)
            )
    assert ADP(1000, 1e-300).for_group(3) == ADP(3000, 1)


def test_renyi_doubles_at_half_the_orders():
    order_list = (2.5, 5, 20, 100)
    pair = RDP(order_list, [0.05 * order for order in order_list]).for_group(2)
    assert pair.orders == (1.25, 2.5, 10.0, 50.0)
    # zCDP(0.05) has these divergences, and its group has 4 rho; doubling is valid and near it.
    for order, bound in zip(pair.orders, pair.epsilons, strict=True):
        assert 0.2 * order <= bound <= 0.2 * order * (1.3 + 1 / (order - 1))
    with pytest.raises(UnsupportedConversionError, match="a group of 3 needs an order above 4"):
        RDP(3, 0.1).for_group(3)


def test_any_pair_goes_through_its_curve():
    coin = LatticePair(step=1, first=-1, masses=(1 / (1 + math.e), 0, 1 - 1 / (1 + math.e)))
    two = PLD.of(coin).for_group(2)
    truth = PLD.of(RandomizedResponsePair(1)).for_group(2)
    assert (two.beta(ALPHAS) <= truth.beta(ALPHAS) + 1e-12).all()
    assert two.beta(ALPHAS) == pytest.approx(truth.beta(ALPHAS), abs=1e-3)


def test_no_privacy_and_one_person():
    for nothing in (
        ADP(math.inf),
        GDP(math.inf),
        ZCDP(math.inf),
        PLD.of(LaplacePair(math.inf)),
        TradeOff((0, 1), (0, 0)),
    ):
        assert nothing.for_group(2).advantage == 1
    release = ADP(1, 1e-6)
    assert release.for_group(1) is release
    for bad in (0, -1, 1.5, True, "2"):
        with pytest.raises(InvalidParameterError, match="size must be an integer >= 1"):
            release.for_group(bad)
