"""A mechanism of the caller's own is charged, stored and shown like any other."""

import math
from fractions import Fraction
from typing import ClassVar

import attrs
import numpy as np
import pytest
import scipy.stats

from privacy_accountant.accountant import Accountant, history
from privacy_accountant.codec import table
from privacy_accountant.errors import (
    BudgetExceededError,
    CalibrationError,
    InvalidAggregateError,
    InvalidParameterError,
    PrivacyAccountantError,
    ReleaseFailedError,
    UnsupportedConversionError,
)
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.mechanisms import AdditiveNoise, Laplace, Mechanism, register_mechanism
from privacy_accountant.risk import sweep, utility


@register_mechanism("tests.Coin")
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

    def randomize(self, value):
        return self.answer


def test_it_is_charged_stored_and_read_back(open_study):
    study = open_study(budget=ADP(1.0))
    assert study.release(5, Coin(2.0), label="x", key="k") == "yes"
    assert study.release(5, Coin(2.0), label="x", key="k") == "yes"
    with pytest.raises(
        BudgetExceededError, match=r"needs 1, 0.5 of 1 left \(epsilon\); fits: Coin\(scale >= 2\)"
    ):
        study.release(5, Coin(1.0), label="x")
    (line,) = study.history()
    assert (line.mechanism, line.tag) == (Coin(2.0), "tests.Coin")
    assert study.last.interval is None
    assert line.cost == (0.5, 0.0)
    assert study.spent().amounts == (0.5, 0.0)


@pytest.fixture
def forgotten(monkeypatch):
    """Takes a class out of the table, as in a program that has not registered it."""

    def forget(cls):
        monkeypatch.setattr(
            table, "_by_tag", {tag: codec for tag, codec in table._by_tag.items() if codec.cls is not cls}
        )
        history._decoded.cache_clear()

    yield forget
    history._decoded.cache_clear()


def test_a_program_that_does_not_know_it_still_reads_the_history_and_names_it(open_study, forgotten):
    study = open_study(budget=ADP(1.0))
    study.spend(Coin(2.0), label="x")
    forgotten(Coin)
    (line,) = study.history()
    assert (line.mechanism, line.tag, line.how) == (
        None,
        "tests.Coin",
        "tests.Coin (unknown to this program)",
    )
    assert "tests.Coin (unknown to this program)" in str(study.report())
    assert study.spent().amounts == (0.5, 0.0)
    study.verify()


@register_mechanism("tests.Triangle")
class Triangle(AdditiveNoise):
    def distribution(self):
        return scipy.stats.triang(0.5, loc=-1, scale=2)


@pytest.mark.parametrize("adaptive", [True, False], ids=["adaptive", "plan"])
def test_noise_on_a_grid_of_an_unknown_mechanism(open_study, forgotten, adaptive):
    study = open_study(budget=ADP(3.0, 0.5), adaptive=adaptive, currency=None)
    noise = Triangle(2, 1, grid=2**-4) if not adaptive else Coin(2.0)
    options = {"round_to": 0.5, "clamp": (0.25, None)} if not adaptive else {}
    study.release(5, noise, label="x", **options)
    forgotten(type(noise))
    (line,) = study.history()
    assert line.mechanism is None
    assert line.finish is None or line.finish.round_to == 0.5
    study.guarantee()
    study.report()
    study.verify()


@attrs.frozen(repr=False)
class Nameless(Coin):
    pass


@attrs.frozen(repr=False)
class Twice(Mechanism):
    inner: Mechanism
    neighbors: object = None

    def _native(self):
        return self.inner.guarantee().self_compose(2)

    def randomize(self, value):
        return [self.inner.randomize(value), self.inner.randomize(value)]


LINE = r'put @register_mechanism\("my.Nameless"\) above class Nameless; got '


@pytest.mark.parametrize("adaptive", [True, False], ids=["adaptive", "plan"])
@pytest.mark.parametrize(
    "mechanism", [Nameless(2.0), register_mechanism("tests.Twice")(Twice)(Nameless(4.0))]
)
def test_a_ledger_that_lasts_asks_for_a_name_before_anything_is_spent(tmp_path, mechanism, adaptive):
    with Accountant.open(tmp_path / "a.db", study="ward-7", budget=ADP(1.0), adaptive=adaptive) as study:
        for ask in (
            lambda: study.release(5, mechanism, label="x"),
            lambda: study.spend(mechanism, label="x"),
            lambda: study.publishes(mechanism, label="x"),
            lambda: study.remaining(mechanism),
            lambda: study.preview([mechanism]),
        ):
            with pytest.raises(InvalidParameterError, match=LINE):
                ask()
        assert study.history() == ()
        assert study.spent().amounts == (0.0, 0.0)[: len(study.spent().amounts)]
        assert study.verify().entries == 1


def test_a_ledger_in_memory_needs_no_name():
    study = Accountant(budget=ADP(1.0))
    assert study.release(5, Nameless(2.0), label="x") == "yes"
    assert study.history()[0].mechanism == Nameless(2.0)


def test_a_class_may_be_named_after_it_was_used(tmp_path):
    @attrs.frozen(repr=False)
    class Late(Coin):
        pass

    Accountant(budget=ADP(1.0)).release(5, Late(2.0), label="x")
    register_mechanism("tests.Late")(Late)
    with Accountant.open(tmp_path / "a.db", study="ward-7", budget=ADP(1.0)) as study:
        study.spend(Late(2.0), label="x")
        assert study.history()[0].tag == "tests.Late"


@pytest.mark.parametrize("tag", ["Laplace", "my", "", "my.", ".x", "my lab.X", "my..X", None, 3, "a.b\n"])
def test_tags_have_a_dot(tag):
    with pytest.raises(InvalidParameterError, match="tag must be a name with a dot"):
        register_mechanism(tag)


@attrs.define
class Loose(Mechanism):
    """Not frozen."""

    scale: float = attrs.field(default=2.0, converter=float)
    _native, randomize = Coin._native, Coin.randomize


@pytest.mark.parametrize("cls", [Loose, type("Plain", (Mechanism,), {}), int, Coin(2.0), None])
def test_only_frozen_mechanisms_are_registered(cls):
    with pytest.raises(InvalidParameterError, match="class must be a Mechanism that is a frozen attrs class"):
        register_mechanism("tests.Wrong")(cls)


def test_a_tag_belongs_to_one_class():
    with pytest.raises(InvalidParameterError, match="tag must be free; Coin has it"):
        register_mechanism("tests.Coin")(Nameless)


def test_a_renamed_class_reads_both_tags(tmp_path):
    @attrs.frozen(repr=False)
    class Renamed(Coin):
        pass

    with Accountant.open(tmp_path / "a.db", study="ward-7", budget=ADP(1.0)) as study:
        register_mechanism("tests.Old")(Renamed)
        study.spend(Renamed(4.0), label="x")
        register_mechanism("tests.New")(Renamed)
        study.spend(Renamed(5.0), label="y")
        assert [line.tag for line in study.history()] == ["tests.Old", "tests.New"]
        assert [line.mechanism for line in study.history()] == [Renamed(4.0), Renamed(5.0)]


@pytest.mark.parametrize(
    "value", [None, math.nan, np.float64("nan"), [1, None], [1.0, math.nan], np.array([[1.0, math.nan]])]
)
def test_what_is_not_there_is_refused_before_anything_is_spent(value):
    study = Accountant(budget=ADP(1.0))
    with pytest.raises(
        InvalidAggregateError, match=r"value must be there: .*; got (None|NaN|None or NaN at \[.*\])$"
    ):
        study.release(value, Coin(2.0), label="x")
    assert study.history() == ()


@pytest.mark.parametrize(
    "value", ["yes", {"a": 1}, [], [[1], [1, 2]], object(), 5, 2.5, math.inf, [1, 2], np.arange(3), True]
)
def test_anything_else_is_the_mechanisms_own_business(value):
    study = Accountant(budget=ADP(1.0))
    assert study.release(value, Coin(2.0), label="x") == "yes"


def test_what_a_mechanism_does_not_have_is_said_in_one_line():
    with pytest.raises(
        UnsupportedConversionError, match="no conversion from Coin to a noise interval: it is not a mech"
    ):
        Coin(2.0).noise_interval()
    with pytest.raises(UnsupportedConversionError, match="from Coin to a noise interval"):
        utility(Coin(2.0))
    with pytest.raises(CalibrationError, match="Twice has no noise_parameter"):
        Twice.calibrate(ADP(1.0), sensitivity=1)
    with pytest.raises(
        InvalidParameterError, match="mechanism must be a class with a noise_parameter; got 'Twice'"
    ):
        sweep(Twice, [1.0], sensitivity=1)
    assert Coin.calibrate(ADP(0.25), releases=2) == Coin(8.0)


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
    _native, randomize = Coin._native, Coin.randomize


def test_a_mechanism_that_can_change_is_refused():
    study = Accountant(budget=ADP(1.0))
    with pytest.raises(PrivacyAccountantError, match="mechanism must be a frozen mechanism"):
        study.spend(Changing(), label="x")
    assert study.history() == ()
