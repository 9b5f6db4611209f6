"""What fits, to the last unit, in every form of budget."""

import math
from fractions import Fraction

import pytest

from privacy_accountant.accountant import Accountant
from privacy_accountant.errors import BudgetExceededError, UnsupportedConversionError
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.pld import PLD, GaussianPair
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.risk_target import Risk
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
from privacy_accountant.neighbors import Sensitivity

TWELVE_CELLS = Sensitivity(per_value=1, values=12)


def fill(study, mechanism, at_most=100):
    count = 0
    while count < at_most:
        try:
            study.release(5, mechanism, label="count")
        except BudgetExceededError:
            return count
        count += 1
    return count


@pytest.mark.parametrize(
    ("budget", "mechanism", "fits"),
    [
        (ADP(1.0), Laplace(10, 1), 10),
        (ADP(0.3), Laplace(10, 1), 3),
        (ADP(1.0), Laplace(11, 1), 11),
        (ADP(1.0), Laplace(49, 1), 49),
        (ADP(Fraction(1, 3)), DiscreteLaplace(9, 1), 3),
        (GDP(1.0), Gaussian(3, 1), 9),
        (GDP(1.0), Gaussian(Fraction(1, 3), Fraction(1, 9)), 9),
        (GDP(1.0), Gaussian(6, TWELVE_CELLS), 3),
        (ZCDP(0.5), Gaussian(3, 1), 9),
        (ZCDP(0.5), DiscreteGaussian(3, 1), 9),
        (RDP((2, 8), (0.1, 0.2)), Gaussian(10, 1), 5),
        (RDP((2, 8), (0.05, 0.4)), Gaussian(10, 1), 5),
    ],
)
@pytest.mark.parametrize("adaptive", [True, False])
def test_exact_boundaries(open_study, budget, mechanism, fits, adaptive):
    study = open_study(budget=budget, adaptive=adaptive)
    assert study.remaining(mechanism) == fits
    assert study.can_afford(mechanism, fits)
    assert not study.can_afford(mechanism, fits + 1)
    assert fill(study, mechanism) == fits
    assert study.remaining(mechanism) == 0
    assert not study.can_afford(mechanism)
    study.verify()


def test_the_eleventh_tenth_is_refused_and_a_smaller_one_goes_through(open_study):
    study = open_study(budget=ADP(1.05))
    assert fill(study, Laplace(10, 1)) == 10
    before, head = study.spent(), study.verify()
    with pytest.raises(BudgetExceededError) as caught:
        study.release(842, Laplace(10, 1), label="the eleventh")
    assert study.spent() == before
    assert study.verify() == head
    error = caught.value
    assert error.study == study.study
    assert error.budget == ADP(1.05)
    assert error.spent == (1.0, 0.0)
    assert error.requested == (0.1, 0.0)
    assert error.fits == "Laplace(scale >= 20)"
    assert str(error) == f"{study.study}: needs 0.1, 0.05 of 1.05 left (epsilon); fits: Laplace(scale >= 20)"
    study.release(842, Laplace(20, 1), label="half")
    assert study.spent().amounts == (1.05, 0.0)


@pytest.mark.parametrize(
    "parts", [(Laplace(10, 1), Laplace(Fraction(10, 9), 1)), (Laplace(2.5, 1), Laplace(2.5, 1.5))]
)
def test_unequal_parts_of_one_use_it_up_exactly(open_study, parts):
    study = open_study(budget=ADP(1))
    for part in parts:
        study.release(5, part, label="part")
    assert study.spent().left == (0.0, 0.0)


def test_a_millionth_too_much_is_too_much():
    study = Accountant(budget=ADP(1.0))
    with pytest.raises(BudgetExceededError):
        study.release(5, Laplace(1, 1.000001), label="a little more")


@pytest.mark.parametrize("epsilon", ["1e-17", "5e-324", "1e-300"])
def test_nothing_positive_fits_an_exhausted_budget(open_study, epsilon):
    study = open_study(budget=ADP(1.0))
    study.spend(Laplace(1, 1), label="all")
    tiny = Laplace(1, float(epsilon))
    assert study.remaining(tiny) == 0
    for _ in range(3):
        with pytest.raises(BudgetExceededError, match="0 of 1 left"):
            study.spend(tiny, label="a little")
    assert len(study.history()) == 1


def test_tiny_spends_do_not_disappear():
    study = Accountant(budget=ADP(1.0))
    study.spend(Laplace(1, Fraction(10**17 - 3, 10**17)), label="nearly all")
    tiny = Laplace(10**17, 1)
    assert study.remaining(tiny) == 3
    for _ in range(3):
        study.spend(tiny, label="1e-17")
    with pytest.raises(BudgetExceededError):
        study.spend(tiny, label="1e-17")


def test_every_metric_of_a_pipeline_is_charged():
    study = Accountant(budget=ADP(1))
    study.release(5, Laplace(1, 1), label="count")
    for label in ("sum", "mean"):
        with pytest.raises(BudgetExceededError):
            study.release(5, Laplace(1, 1), label=label)


def test_a_mechanism_without_a_cost_in_the_currency_is_refused_with_what_would_work():
    study = Accountant(budget=ADP(1.0))
    for question in (
        study.remaining,
        study.can_afford,
        lambda m: study.release(1, m, label="x"),
        lambda m: study.spend(m, label="x"),
    ):
        with pytest.raises(UnsupportedConversionError, match="delta"):
            question(Gaussian(3, 1))
    with pytest.raises(UnsupportedConversionError):
        Accountant(budget=GDP(1.0)).release(1, DiscreteGaussian(3, 1), label="x")
    assert study.history() == ()


def test_refusals_name_the_component_that_is_short():
    study = Accountant(budget=RDP((2, 32), (1.0, 2.0)))
    with pytest.raises(
        BudgetExceededError,
        match=r"needs 4, 2 of 2 left \(Renyi divergence of order 32\); fits: Gaussian\(sigma >= 2.83\)",
    ):
        study.spend(Gaussian(2, 1), label="x")


def test_what_a_refusal_says_would_fit_does_fit():
    study = Accountant(budget=ADP(1.0, 1e-6))
    study.spend(Gaussian(7, 1), label="x")
    for mechanism in (
        Gaussian(5, 1),
        Laplace(2, 1),
        DiscreteGaussian(5, 3),
        DiscreteLaplace(2, 3),
        Gaussian(1e-3, TWELVE_CELLS),
    ):
        with pytest.raises(BudgetExceededError) as caught:
            study.spend(mechanism, label="x")
        name, _, least = caught.value.fits.rstrip(")").partition("(")
        field, _, value = least.partition(" >= ")
        assert name == type(mechanism).__name__
        larger = {field: float(value), "sensitivity": mechanism.sensitivity}
        assert study.can_afford(type(mechanism)(**larger))
        assert not study.can_afford(type(mechanism)(**larger | {field: 0.98 * float(value)}))


def test_mixed_mechanisms_share_one_budget(open_study):
    study = open_study(budget=ZCDP(0.5))
    study.release(5, Gaussian(2, 1), label="a")
    study.release([1, 2, 3], DiscreteGaussian(2, 1), label="b")
    study.release(7, Laplace(4, 1), label="c")
    spent = study.spent().amounts[0]
    assert math.isclose(spent, 0.25 + 0.25 + math.exp(-0.25) - 1, rel_tol=1e-12)
    assert study.guarantee() == ZCDP(0.5)


def test_the_claim_is_the_budget_when_choices_are_adaptive_and_the_composition_when_they_are_not():
    assert Accountant(budget=ADP(1.0, 1e-6)).guarantee() == ADP(1.0, 1e-6)
    plan = Accountant(budget=GDP(1.0), adaptive=False)
    assert plan.guarantee() == PLD()
    assert plan.guarantee().advantage == 0
    plan.spend(Gaussian(2, 1), label="x")
    plan.spend(Gaussian(2, 1), label="y")
    assert plan.guarantee() == PLD.of(GaussianPair(0.5))


def test_a_risk_budget_claims_what_implies_it():
    target = Risk(advantage=0.1, fpr=0.01, tpr=0.05)
    study = Accountant(budget=target)
    claim = study.guarantee()
    assert isinstance(claim, ZCDP)
    assert target.is_met_by(claim)
    assert study.remaining(Gaussian(10, 1)) > 0


def test_spent_says_that_it_is_bookkeeping():
    study = Accountant(budget=GDP(1.0))
    study.spend(Gaussian(2, 1), label="x")
    assert str(study.spent()) == "0.25 of 1 (mu^2) spent; bookkeeping, the claim is guarantee()"
    assert study.spent().amounts == (0.25,)
    assert study.spent().limits == (1.0,)
    assert study.spent().left == (0.75,)


def test_thousands_of_distinct_scales_never_read_the_counts(monkeypatch):
    study = Accountant(budget=ADP(1e6))

    def unread(*args):
        raise AssertionError("the counts were read")

    monkeypatch.setattr(type(study._recorder._work), "counts", unread)
    for i in range(500):
        study.spend(Laplace(Fraction(100 + i, 7), 1), label="x")
        study.last.balance  # noqa: B018 - asking for it must not read them either
    assert study.remaining(Laplace(7, 1)) > 1000
