"""Risk targets: what may be asked for, and when a guarantee meets it."""

from __future__ import annotations

import math

import pytest

from privacy_accountant import ADP, GDP, InvalidParameterError, Risk


def test_each_target_is_compared_with_the_guarantees_own_bound():
    gaussian = GDP(mu=1.0)
    assert Risk(advantage=gaussian.advantage).is_met_by(gaussian)
    assert not Risk(advantage=math.nextafter(gaussian.advantage, 0)).is_met_by(gaussian)
    assert Risk(fpr=0.01, tpr=0.0924).is_met_by(gaussian)
    assert not Risk(fpr=0.01, tpr=0.0923).is_met_by(gaussian)
    assert Risk(prior=0.5, bayes_risk=0.308).is_met_by(gaussian)
    assert not Risk(prior=0.5, bayes_risk=0.309).is_met_by(gaussian)
    assert Risk(baseline=0.1, success=0.39).is_met_by(gaussian)
    assert not Risk(baseline=0.1, success=0.38).is_met_by(gaussian)


def test_all_targets_must_hold():
    both = Risk(advantage=0.4, fpr=0.01, tpr=0.011)
    assert not both.is_met_by(GDP(mu=1.0))
    assert both.is_met_by(ADP(0, 0))


def test_no_privacy_and_perfect_privacy():
    assert Risk(advantage=0).is_met_by(GDP(0))
    assert not Risk(advantage=0.999).is_met_by(ADP(math.inf, 0))
    assert Risk(advantage=1).is_met_by(ADP(math.inf, 0))


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "risk"),
        ({"fpr": 0.1}, "tpr"),
        ({"tpr": 0.1}, "fpr"),
        ({"prior": 0.1}, "bayes_risk"),
        ({"success": 0.1}, "baseline"),
        ({"fpr": 0.1, "tpr": 0.05}, "tpr"),
        ({"baseline": 0.5, "success": 0.4}, "success"),
        ({"prior": 0.1, "bayes_risk": 0.2}, "bayes_risk"),
        ({"advantage": 1.5}, "advantage"),
        ({"advantage": math.nan}, "advantage"),
        ({"advantage": True}, "advantage"),
        ({"fpr": -0.1, "tpr": 0.1}, "fpr"),
    ],
)
def test_bad_targets_are_refused_on_the_field(arguments, field):
    with pytest.raises(InvalidParameterError, match=f"^{field} must be") as caught:
        Risk(**arguments)
    assert "\n" not in str(caught.value)


def test_repr_shows_what_was_asked_for():
    assert repr(Risk(fpr=0.01, tpr=0.05)) == "Risk(fpr=0.01, tpr=0.05)"
