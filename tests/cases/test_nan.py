"""What is not a number is refused before anything is charged or drawn."""

import decimal
import math
from fractions import Fraction

import numpy as np
import pytest

from privacy_accountant import (
    ADP,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    InvalidParameterError,
    Laplace,
    PrivacyAccountantError,
    Sensitivity,
)
from privacy_accountant.noise import laws

NOT_NUMBERS = [math.nan, math.inf, -math.inf, np.float64("nan"), decimal.Decimal("nan")]
FOUR = [Laplace, Gaussian, DiscreteLaplace, DiscreteGaussian]


@pytest.mark.parametrize(
    "value", [*NOT_NUMBERS, [1, math.nan], np.array([1.0, np.nan]), [[math.inf]]], ids=repr
)
@pytest.mark.parametrize("cls", FOUR)
def test_b75_a_value_is_refused_before_any_draw(monkeypatch, cls, value):
    def unreachable(size):
        raise AssertionError

    mechanism = cls(1, 1)
    monkeypatch.setattr(laws, "operating_system", unreachable)
    with pytest.raises(InvalidParameterError, match="value must be"):
        mechanism.randomize(value)


@pytest.mark.parametrize("value", [*NOT_NUMBERS, [1, math.nan], np.array([1.0, np.nan])], ids=repr)
def test_b75_a_value_is_refused_before_any_charge(open_study, value):
    study = open_study(ADP(1.0))
    with pytest.raises(InvalidParameterError, match="value must be"):
        study.release(value, Laplace(scale=10, sensitivity=1), label="count")
    assert study.history() == ()
    assert study.spent().amounts == (0.0, 0.0)


@pytest.mark.parametrize("constant", NOT_NUMBERS, ids=repr)
@pytest.mark.parametrize("cls", FOUR)
def test_b75_no_constant_of_the_account_can_be_one(cls, constant):
    for build in (
        lambda: cls(constant, 1),
        lambda: cls(1, constant),
        lambda: cls(1, Sensitivity(per_value=constant, values=1)),
        lambda: cls(1, Sensitivity(l1=constant, l2=constant)),
    ):
        with pytest.raises(InvalidParameterError):
            build()


def test_b75_a_price_that_is_not_a_number_refuses_the_release(open_study, pair, monkeypatch):
    for amount in (math.nan, math.inf, -1.0):
        monkeypatch.setattr(pair, "price", lambda self, form, orders=None, cost=amount: (cost, Fraction(0)))
        study = open_study(ADP(1.0))
        with pytest.raises(PrivacyAccountantError):
            study.release(5, pair(0.1), label="count")
        assert study.history() == ()
