"""The limits of a currency imply the budget, and hardly less would."""

import math
from fractions import Fraction

import mpmath
import pytest
from scipy import stats

from privacy_accountant.accountant import Accountant
from privacy_accountant.accountant.budgets import limits as accountant_limits
from privacy_accountant.accountant.budgets.filters import Filter
from privacy_accountant.accountant.budgets.largest import largest, overshoot
from privacy_accountant.accountant.budgets.limits import _SINGLE_ORDERS, limits
from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.risk_target import Risk
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.mechanisms import Gaussian, Laplace

CLOSE = Fraction(1, 10**10)


def test_exact_currencies_keep_the_decimals_that_were_typed():
    assert limits(ADP, ADP(0.1)) == ((Fraction(1, 10), 0), ())
    assert limits(ADP, ADP(0.1, 1e-6)) == ((Fraction(1, 10), Fraction(1, 10**6)), ())
    assert limits(GDP, GDP(0.3)) == ((Fraction(9, 100),), ())
    assert limits(ZCDP, ZCDP(0.7)) == ((Fraction(7, 10), 0), ())
    assert limits(RDP, RDP((2, 8), (0.1, 0.5))) == ((Fraction(1, 10), Fraction(1, 2)), (2.0, 8.0))
    assert limits(GDP, ZCDP(0.7)) == ((Fraction(14, 10),), ())
    assert limits(ZCDP, RDP((2, 8), (0.1, 0.5))) == ((Fraction(1, 20), 0), ())
    assert limits(GDP, RDP((2, 8), (0.1, 0.2))) == ((Fraction(1, 20),), ())


@pytest.mark.parametrize("budget", [ADP(1.0, 1e-6), ADP(0.1, 1e-9), ADP(5, 1e-3), ADP(0, 0.01)])
def test_rho_is_the_largest_that_meets_the_target_with_half_of_delta(budget):
    (rho, delta), _ = limits(ZCDP, budget)
    half = Fraction(str(budget.delta)) / 2
    assert delta == half
    assert Fraction(ZCDP(rho).get_delta(budget.epsilon)) <= half
    assert Fraction(ZCDP(rho * (1 + CLOSE)).get_delta(budget.epsilon)) > half


@pytest.mark.parametrize(("epsilon", "delta"), [(1, "1e-6"), (0.1, "1e-9"), (5, "1e-3")])
def test_mu_is_the_largest_by_the_formula_at_high_precision(epsilon, delta):
    ((mu_squared,), _) = limits(GDP, ADP(epsilon, float(delta)))

    def profile(square):
        mu = mpmath.sqrt(mpmath.mpf(square.numerator) / square.denominator)
        return mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)

    with mpmath.workdps(50):
        assert profile(mu_squared) <= mpmath.mpf(delta)
        assert profile(mu_squared * (1 + CLOSE)) > mpmath.mpf(delta)


def test_an_advantage_in_closed_form():
    ((mu_squared,), _) = limits(GDP, Risk(advantage=0.1))
    assert float(mu_squared) == pytest.approx((2 * stats.norm.ppf(0.55)) ** 2, rel=1e-10)
    ((epsilon, delta), _) = limits(ADP, Risk(advantage=0.1))
    assert float(epsilon) == pytest.approx(float(2 * mpmath.atanh(0.1)), rel=1e-10)
    assert delta == 0
    ((rho, _), _) = limits(ZCDP, Risk(advantage=0.1))
    assert float(rho) == pytest.approx(float(0.1 * 2 * mpmath.atanh(0.1)), rel=1e-10)


@pytest.mark.parametrize(
    "target",
    [
        Risk(advantage=0.1),
        Risk(fpr=0.01, tpr=0.05),
        Risk(prior=0.1, bayes_risk=0.09),
        Risk(baseline=0.2, success=0.3),
        Risk(advantage=0.3, fpr=0.001, tpr=0.01),
    ],
)
@pytest.mark.parametrize("form", [ADP, GDP, ZCDP])
def test_every_risk_target_is_implied_in_every_currency(target, form):
    claim = Filter.create(target, form).claim(None)
    assert isinstance(claim, form)
    assert target.is_met_by(claim)
    larger = {
        ADP: lambda c: ADP(float(c.epsilon) * 1.00001),
        GDP: lambda c: GDP(float(c.mu) * 1.00001),
        ZCDP: lambda c: ZCDP(float(c.rho) * 1.00001),
    }
    assert not target.is_met_by(larger[form](claim))


@pytest.mark.parametrize("budget", [Risk(advantage=0.1), ADP(1.0, 1e-3)])
def test_a_single_renyi_order_can_be_fixed_for_a_target(budget):
    (limit,), (order,) = limits(RDP, budget)
    guarantee = RDP((order,), (limit,))
    if isinstance(budget, Risk):
        assert budget.is_met_by(guarantee)
    else:
        assert guarantee.get_delta(1.0) <= 1e-3
    study = Accountant(budget=budget, currency=RDP)
    assert study.remaining(Gaussian(100, 1)) > 0
    study.spend(Gaussian(100, 1), label="x")


@pytest.mark.parametrize("budget", [GDP(1.0), ZCDP(0.5), RDP((2, 8), (0.1, 0.5))])
def test_pure_currency_under_other_budgets(budget):
    ((epsilon, delta), _) = limits(ADP, budget)
    assert delta == 0
    pure = ADP(epsilon)
    if isinstance(budget, GDP):
        assert pure.to(GDP).mu <= budget.mu
    elif isinstance(budget, ZCDP):
        assert Fraction(pure.to(ZCDP).rho) <= Fraction(1, 2)
    else:
        assert all(
            have <= most
            for have, most in zip(pure.to(RDP, orders=(2, 8)).epsilons, budget.epsilons, strict=True)
        )


def test_the_currency_decides_what_fits_most():
    """Ten Laplace releases of epsilon 0.1 under (1, 1e-6): sums of epsilon admit ten, rho and mu fewer (MATH 5)."""
    fits = {
        form: Accountant(budget=ADP(1, 1e-6), currency=form).remaining(Laplace(10, 1))
        for form in (ADP, ZCDP, GDP)
    }
    assert fits[ADP] == 10
    assert fits[GDP] < fits[ZCDP] < fits[ADP]


@pytest.mark.parametrize(
    "budget", [ADP(1.0, 1e-6), ADP(0.2, 1e-3), Risk(advantage=0.1), Risk(fpr=0.01, tpr=0.05)], ids=repr
)
def test_the_order_is_the_one_that_leaves_most_room(budget):
    """No other order of those that are tried takes as much Gaussian noise."""
    (limit,), (order,) = limits(RDP, budget)
    room = limit / Fraction(order) * (1 + CLOSE)
    for other in _SINGLE_ORDERS:
        guarantee = RDP((other,), (room * Fraction(other),))
        if isinstance(budget, Risk):
            assert not budget.is_met_by(guarantee)
        else:
            assert Fraction(guarantee.get_delta(budget.epsilon)) > Fraction(str(budget.delta))


@pytest.mark.parametrize("form", [GDP, ZCDP, RDP])
@pytest.mark.parametrize(
    "budget", [ADP(1.0, 1e-6), ADP(8.0, 1e-5), ADP(0.1, 1e-9), ADP(0, 0.01), Risk(advantage=0.1)], ids=repr
)
def test_a_limit_is_found_with_few_questions(budget, form, monkeypatch):
    """Each question may cost a conversion; a preview asks for every currency at once."""
    asked = []
    excess = accountant_limits._excess

    def count(*arguments):
        asked.append(arguments)
        return excess(*arguments)

    monkeypatch.setattr(accountant_limits, "_excess", count)
    limits.__wrapped__(form, budget)
    assert len(asked) < 60


@pytest.mark.parametrize(
    ("excess", "near", "right"),
    [
        (lambda x: overshoot(x, 0.1), 1.0, Fraction(1, 10)),
        (lambda x: overshoot(x, 0.1), 1e-30, Fraction(1, 10)),
        (lambda x: overshoot(x, 0.1), 1e30, Fraction(1, 10)),
        (lambda x: -1.0 if x <= 3 else 1.0, 1.0, Fraction(3)),
        (lambda x: math.inf if x > 3 else -math.inf, 1.0, Fraction(3)),
        (lambda x: overshoot(x, 1e-300), 1.0, Fraction(1, 10**300)),
        (lambda x: overshoot(x, 1e250), 1.0, Fraction(10**250)),
        (lambda x: 1.0, 1.0, 0),
    ],
)
def test_the_largest_number_that_does_not_overshoot(excess, near, right):
    found = largest(excess, near)
    assert right * (1 - Fraction(1, 10**11)) <= found <= right


def test_a_target_that_everything_meets_is_none():
    with pytest.raises(InvalidParameterError, match="something exceeds"):
        largest(lambda x: -1.0)


def test_overshoot_has_an_exact_sign():
    third = Fraction(1, 3)
    assert overshoot(third, third) == 0.0
    assert overshoot(third + Fraction(1, 10**40), third) > 0
    assert overshoot(third - Fraction(1, 10**40), third) <= 0
    assert (overshoot(0.0, 0.0), overshoot(1.0, 0.0), overshoot(math.inf, 1.0)) == (
        -math.inf,
        math.inf,
        math.inf,
    )


def test_a_target_that_nothing_meets_leaves_nothing():
    study = Accountant(budget=Risk(advantage=0))
    assert study.remaining(Gaussian(10**6, 1)) == 0
    assert Accountant(budget=ADP(0)).remaining(Laplace(10**6, 1)) == 0
