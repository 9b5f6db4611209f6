"""adaptive=False: everything was fixed in advance, and certified privacy losses compose."""

import math
from collections import Counter

import numpy as np
import pytest

from privacy_accountant.accountant import Accountant
from privacy_accountant.accountant.budgets.domination import dominated
from privacy_accountant.errors import BudgetExceededError, UnsupportedConversionError
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.pld import (
    PLD,
    BoundedRangePair,
    CategoryPair,
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    GaussianPair,
    LaplacePair,
    RandomizedResponsePair,
)
from privacy_accountant.guarantees.risk_target import Risk
from privacy_accountant.mechanisms import (
    DPSGD,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    RandomizedResponse,
)
from privacy_accountant.neighbors import Neighbors


def plan(budget):
    return Accountant(budget=budget, adaptive=False)


@pytest.mark.parametrize(
    ("budget", "mechanism"),
    [
        (ADP(1.0, 1e-6), Gaussian(20, 1)),
        (ADP(1.0, 1e-6), Laplace(20, 1)),
        (Risk(advantage=0.1), Gaussian(10, 1)),
        (Risk(advantage=0.1), DiscreteLaplace(9, 1)),
    ],
)
def test_a_plan_admits_at_least_what_a_filter_admits_and_its_claim_meets_the_budget(budget, mechanism):
    study, filtered = plan(budget), Accountant(budget=budget)
    count = study.remaining(mechanism)
    assert count >= filtered.remaining(mechanism) > 0
    for _ in range(count):
        study.spend(mechanism, label="x")
    with pytest.raises(BudgetExceededError, match="reaches"):
        study.spend(mechanism, label="x")
    claim = study.guarantee()
    assert claim == mechanism.guarantee(PLD).self_compose(count)
    assert budget.is_met_by(claim) if isinstance(budget, Risk) else claim.get_delta(1.0) <= 1e-6
    study.verify()


def test_receipts_of_a_plan_show_the_balance_at_their_time():
    study = plan(ADP(1.0))
    first = study.spend(Laplace(10, 1), label="x")
    second = study.spend(Laplace(5, 1), label="y")
    assert first.balance.amounts == (0.1,)
    assert second.balance.amounts == (0.3,) or math.isclose(second.balance.amounts[0], 0.3)
    assert second.cost == (PLD.of(LaplacePair(0.2)),)


def test_a_void_takes_a_loss_out_of_the_composition():
    study = plan(GDP(1.0))
    study._reserve(study._desk.quote(Gaussian(2, 1)), "x", None, [])
    study.spend(Gaussian(3, 1), label="y")
    study.void(2, reason="never ran")
    assert study.guarantee() == Gaussian(3, 1).guarantee(PLD)
    study.verify()


def test_a_budget_that_cannot_be_certified_refuses_with_the_reason():
    with pytest.raises(UnsupportedConversionError, match="Gaussian"):
        plan(GDP(1.0)).spend(DiscreteGaussian(10, 1), label="x")
    assert plan(ADP(1.0)).remaining(Gaussian(10, 1)) == 0


def test_a_declared_pld_admits_what_it_declares_in_any_order():
    declared = Laplace(10, 1).guarantee(PLD).self_compose(3).compose(Gaussian(4, 1).guarantee(PLD))
    study = plan(declared)
    for mechanism in (Laplace(10, 1), Gaussian(5, 1), Laplace(12, 1), Laplace(10, 1)):
        study.spend(mechanism, label="x")
    with pytest.raises(BudgetExceededError, match="not certified to stay within PLD|reaches") as caught:
        study.spend(Laplace(10, 1), label="x")
    assert caught.value.fits is None
    study.spend(Gaussian(7, 1), label="what is left of the Gaussian")
    guarantee = study.guarantee()
    epsilons = np.array([0.0, 0.1, 0.5, 1.0])
    assert np.all(guarantee.get_delta(epsilons) <= declared.get_delta(epsilons))


GAUSS, LAPLACE, RESPONSE = GaussianPair(0.25), LaplacePair(0.5), RandomizedResponsePair(0.5)


@pytest.mark.filterwarnings("ignore::privacy_accountant.guarantees.pld.PrecisionWarning")
@pytest.mark.parametrize(
    ("parts", "budget", "holds"),
    [
        ([], [], True),
        ([GAUSS], [GAUSS], True),
        ([GAUSS], [], False),
        ([], [GAUSS], True),
        ([GaussianPair(0.1)] * 2, [GAUSS], True),
        ([GaussianPair(0.1)] * 3, [GAUSS], False),
        ([LAPLACE], [RESPONSE], True),
        ([RESPONSE], [LAPLACE], False),
        ([LaplacePair(0.4), LaplacePair(0.5)], [LAPLACE] * 2, True),
        ([LaplacePair(0.4), LaplacePair(0.6)], [LAPLACE] * 2, False),
        ([LaplacePair(0.2)] * 2, [LAPLACE], False),
        ([LAPLACE, DiscreteLaplacePair(2, 1)], [LAPLACE, RESPONSE], True),
        ([LAPLACE, LAPLACE], [LAPLACE, RESPONSE], True),
        ([DiscreteLaplacePair(3, 2)], [DiscreteLaplacePair(2, 2)], True),
        ([DiscreteLaplacePair(3, 1)], [DiscreteLaplacePair(2, 2)], False),
        ([DiscreteGaussianPair(4, 1)], [DiscreteGaussianPair(4, 1)], True),
        ([DiscreteGaussianPair(5, 1)], [DiscreteGaussianPair(4, 1)], False),
        ([RandomizedResponsePair(0.5, 1e-6)], [RESPONSE], False),
        ([RandomizedResponsePair(0.4, 1e-7)], [RandomizedResponsePair(0.5, 1e-6)], True),
        ([RandomizedResponsePair(math.inf)], [RandomizedResponsePair(math.inf)], True),
        ([GaussianPair(math.inf)], [GAUSS], False),
        ([BoundedRangePair(0.4)], [BoundedRangePair(0.5)], True),
        ([BoundedRangePair(0.5)], [BoundedRangePair(0.4)], False),
        ([BoundedRangePair(0.5), CategoryPair(0.5, 3)], [RESPONSE, RESPONSE], True),
        ([CategoryPair(0.4, 5)], [CategoryPair(0.5, 5)], True),
        ([CategoryPair(0.4, 5)], [CategoryPair(0.5, 6)], False),
        ([LAPLACE], [BoundedRangePair(0.5)], False),
    ],
)
def test_domination_is_found_pair_by_pair(parts, budget, holds):
    claim = Counter(PLD.of(pair) for pair in parts)
    allowed = PLD(tuple((pair, 1) for pair in budget))
    assert dominated(claim, allowed) is holds
    if holds:
        whole = PLD(tuple((pair, 1) for pair in parts))
        epsilons = np.array([0.0, 0.05, 0.3, 0.5])
        lower, _ = whole.get_delta(epsilons, interval=True, tolerance=1e-3)
        assert np.all(lower <= allowed.get_delta(epsilons, tolerance=1e-3))


def test_a_plan_is_enforced_without_remarks_about_its_precision():
    """Few releases on rare samples have wide intervals; what is enforced is their safe end, and nobody asked how wide they are."""
    study = Accountant(budget=ADP(1.0, 1e-5), adaptive=False)
    steps = DPSGD(noise_multiplier=0.6, sampling_rate=1e-3, steps=10)
    assert study.can_afford(steps)
    study.spend(steps, label="training")
    assert study.remaining(steps) > 0


def test_a_refusal_has_no_hint_where_no_one_number_is_the_noise():
    study = Accountant(budget=ADP(0.5), neighbors=Neighbors.REPLACE_ONE)
    with pytest.raises(BudgetExceededError) as caught:
        study.release(True, RandomizedResponse(epsilon=1.0), label="an answer")
    assert "fits" not in str(caught.value)
    assert caught.value.fits is None
