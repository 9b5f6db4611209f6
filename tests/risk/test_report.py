"""The report's questions: the guarantee's own answers, in the shape of the question."""

import json
import pickle
import subprocess
import sys
from fractions import Fraction

import attrs
import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_accountant import ADP, GDP, Neighbors
from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.risk import RiskReport, StudyFacts

ENDS = [
    GDP(0),
    GDP(1e-6),
    GDP(1),
    GDP(50),
    GDP(float("inf")),
    ADP(0, 0),
    ADP(1, 1e-6),
    ADP(800, 0),
    ADP(0, 1),
]
RATES = np.array([0.0, 5e-324, 1e-300, 1e-9, 0.01, 0.5, 1 - 2**-53, 1.0])
STUDY = StudyFacts(neighbors=Neighbors.REPLACE_ONE, adaptive=False)


@pytest.mark.parametrize("guarantee", ENDS, ids=repr)
def test_questions_are_forwarded(guarantee):
    report = RiskReport(guarantee)
    assert not np.isnan(report.bayes_risk(RATES)).any()
    assert np.array_equal(report.beta(RATES), guarantee.beta(RATES))
    assert np.array_equal(report.bayes_risk(RATES), guarantee.bayes_risk(RATES))
    assert np.array_equal(report.attack_success(RATES), guarantee.attack_success(RATES))
    assert np.array_equal(report.ppv(RATES, 0.1), guarantee.ppv(RATES, 0.1))
    assert np.array_equal(report.get_epsilon(RATES), guarantee.get_epsilon(RATES))
    assert np.array_equal(report.get_delta(RATES - 0.5), guarantee.get_delta(RATES - 0.5))
    assert report.advantage == guarantee.advantage


@pytest.mark.parametrize("guarantee", ENDS, ids=repr)
def test_the_true_positive_rate_is_never_below_one_minus_beta(guarantee):
    report = RiskReport(guarantee)
    for alpha, tpr in zip(RATES, report.tpr(RATES), strict=True):
        least = 1 - Fraction(report.beta(float(alpha)))
        assert 0 <= tpr <= 1
        assert tpr == alpha if report.advantage == 0 else Fraction(float(tpr)) >= least
        assert tpr <= max(np.nextafter(float(least), 2), alpha)


@given(st.floats(1e-3, 8), st.floats(1e-12, 1))
def test_the_true_positive_rate_of_a_gaussian_against_many_digits(mu, alpha):
    with mpmath.workdps(60):
        inverse = mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(alpha) - 1) if alpha < 1 else mpmath.inf
        truth = mpmath.ncdf(inverse + mpmath.mpf(repr(mu)))
    assert RiskReport(GDP(mu)).tpr(alpha) >= truth * (1 - mpmath.mpf("1e-14"))
    assert RiskReport(GDP(mu)).tpr(alpha) <= truth * (1 + mpmath.mpf("1e-11")) + mpmath.mpf("1e-13")


def test_perfect_privacy_is_shown_as_such():
    assert RiskReport(GDP(0)).tpr([0.001, 0.01, 0.1]).tolist() == [0.001, 0.01, 0.1]
    assert RiskReport(ADP(0)).tpr(0.01) == 0.01


def test_scalars_give_floats_and_arrays_keep_their_shape():
    report = RiskReport(GDP(1))
    assert type(report.tpr(0.1)) is float
    assert type(report.tpr(1)) is float
    assert report.tpr(np.full((2, 3), 0.1, dtype=np.float32)).shape == (2, 3)
    assert report.tpr([0, 1]).dtype == np.float64


@pytest.mark.parametrize("alpha", [-0.1, 1.1, float("nan"), True, "0.1", [], [[0.1], [0.1, 0.2]], None])
def test_bad_rates_are_refused(alpha):
    with pytest.raises(InvalidParameterError) as refused:
        RiskReport(GDP(1)).tpr(alpha)
    assert refused.value.field == "alpha"


@pytest.mark.parametrize("guarantee", [None, 1.0, "GDP(1)", GDP, STUDY])
def test_what_is_no_guarantee_is_refused(guarantee):
    with pytest.raises(InvalidParameterError, match="guarantee must be"):
        RiskReport(guarantee)


@pytest.mark.parametrize("study", ["ward-7", {}, GDP(1)])
def test_what_are_no_facts_is_refused(study):
    with pytest.raises(InvalidParameterError, match="study must be"):
        RiskReport(GDP(1), study=study)


def test_a_report_is_a_value():
    report = RiskReport(GDP(1), study=STUDY)
    assert report == RiskReport(GDP(1), study=STUDY)
    assert str(report) == str(pickle.loads(pickle.dumps(report)))  # noqa: S301 (its own)
    assert hash(report) == hash(RiskReport(GDP(1), study=STUDY))
    assert repr(RiskReport(GDP(1))) == "RiskReport(guarantee=GDP(mu=1.0), study=None, for_group=())"
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        report.guarantee = GDP(2)
    with pytest.raises(TypeError):
        RiskReport(GDP(1), STUDY)


def test_a_page_asks_the_guarantee_once():
    asked = []

    @attrs.frozen
    class Counted(GDP):
        def _beta(self, alpha):
            asked.append(len(alpha))
            return super()._beta(alpha)

    report = RiskReport(Counted(1))
    str(report)
    before = len(asked)
    str(report), report.to_json(), report._repr_html_()
    assert len(asked) == before


def test_reading_a_report_loads_neither_a_ledger_nor_pictures():
    code = (
        "import sys, json; from privacy_accountant.risk import RiskReport; from privacy_accountant import GDP;"
        "r = RiskReport(GDP(1)); str(r); r.to_json(); print(json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = json.loads(done.stdout)
    for name in ("matplotlib", "sqlalchemy", "privacy_accountant.ledger", "privacy_accountant.accountant"):
        assert name not in loaded
