"""A mechanism of the caller's own is charged, stored and shown like any other."""

import math
from fractions import Fraction
from typing import ClassVar

import attrs
import pytest

from privacy_accountant.accountant import Accountant
from privacy_accountant.codec import table
from privacy_accountant.errors import BudgetExceededError, PrivacyAccountantError, ReleaseFailedError
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.mechanisms import Laplace, Mechanism


@attrs.frozen(repr=False)
class Coin(Mechanism):
    """Says yes or no at epsilon, and fails outright with probability delta."""

    noise_parameter: ClassVar[str] = "scale"
    scale: float = attrs.field(converter=float)
    delta: float = 0.0
    answer: object = "yes"
    neighbors: object = None

    def _native(self):
        return ADP(1 / self.scale if self.scale else math.inf, self.delta)

    def price(self, form, orders=None):
        if form is ADP:
            return (
                super().price(ADP)
                if self.delta == 0
                else (Fraction(1) / Fraction(self.scale), Fraction(str(self.delta)))
            )
        return super().price(form, orders)

    def check(self, value):
        return ()

    def randomize(self, value):
        return self.answer

    def noise_interval(self, level=0.95):
        return 0


def test_it_is_charged_stored_and_read_back(open_study):
    study = open_study(budget=ADP(1.0))
    assert study.release(5, Coin(2.0), label="x", key="k") == "yes"
    assert study.release(5, Coin(2.0), label="x", key="k") == "yes"
    with pytest.raises(
        BudgetExceededError, match=r"needs 1, 0.5 of 1 left \(epsilon\); fits: Coin\(scale >= 2\)"
    ):
        study.release(5, Coin(1.0), label="x")
    (line,) = study.history()
    assert line.mechanism == Coin(2.0)
    assert line.cost == (0.5, 0.0)
    assert study.spent().amounts == (0.5, 0.0)


def test_a_program_that_does_not_know_it_still_reads_the_history(open_study, monkeypatch):
    study = open_study(budget=ADP(1.0))
    study.spend(Coin(2.0), label="x")
    monkeypatch.setattr(
        table, "_by_tag", {tag: codec for tag, codec in table._by_tag.items() if codec.cls is not Coin}
    )
    assert study.history()[0].mechanism is None
    assert "unknown" in str(study.report())
    assert study.spent().amounts == (0.5, 0.0)
    study.verify()


def test_its_own_delta_is_charged_or_refused():
    study = Accountant(budget=ADP(1.0, 1e-6), currency=ADP)
    study.spend(Coin(2.0, delta=1e-7), label="x")
    assert study.spent().amounts == (0.5, 1e-7)
    with pytest.raises(BudgetExceededError, match=r"\(delta\)"):
        study.spend(Coin(10.0, delta=1e-6), label="x")
    for budget in (ADP(1.0), GDP(1.0), ZCDP(0.5)):
        with pytest.raises(PrivacyAccountantError):
            Accountant(budget=budget).spend(Coin(2.0, delta=1e-7), label="x")


@pytest.mark.parametrize("budget", [ADP(1.0), ADP(1.0, 1e-6), GDP(1.0), ZCDP(0.5)])
@pytest.mark.parametrize("adaptive", [True, False])
def test_one_that_promises_nothing_is_refused(budget, adaptive):
    study = Accountant(budget=budget, adaptive=adaptive)
    with pytest.raises(PrivacyAccountantError):
        study.spend(Coin(0.0), label="x")
    assert study.history() == ()
    study.spend(Laplace(100, 1), label="something else")


def test_an_answer_that_cannot_be_stored_is_not_published():
    study = Accountant(budget=ADP(1.0))
    with pytest.raises(ReleaseFailedError):
        study.release(5, Coin(2.0, answer=Laplace(1, 1)), label="x")
    assert study.history()[0].status == "failed"


@attrs.frozen(repr=False)
class Generous(Coin):
    cost: object = (Fraction(-1), Fraction(0))

    def price(self, form, orders=None):
        return self.cost


@pytest.mark.parametrize(
    "cost", [(Fraction(-1), Fraction(0)), (Fraction(1),), (), (math.inf, 0), (math.nan, 0)]
)
def test_a_price_that_would_give_budget_back_is_refused(cost):
    study = Accountant(budget=ADP(1.0))
    with pytest.raises(PrivacyAccountantError, match="price must be 2 finite numbers >= 0|no finite cost"):
        study.spend(Generous(2.0, cost=cost), label="x")
    assert study.history() == ()


@attrs.define
class Changing(Mechanism):
    """Not frozen: what was charged could change before it is drawn."""

    scale: float = 2.0
    neighbors: object = None
    _native, check, randomize, noise_interval = Coin._native, Coin.check, Coin.randomize, Coin.noise_interval


def test_a_mechanism_that_can_change_is_refused():
    study = Accountant(budget=ADP(1.0))
    with pytest.raises(PrivacyAccountantError, match="mechanism must be a frozen mechanism"):
        study.spend(Changing(), label="x")
    assert study.history() == ()
