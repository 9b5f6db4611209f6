"""Tests of a mechanism of one's own, to be copied: the laws, and a reference that the package did not write."""

import importlib.util
import math
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from privacy_accountant import ADP, Accountant, Sensitivity
from privacy_accountant.testing import check_mechanism


@pytest.fixture(scope="module")
def own():
    path = Path(__file__).parents[2] / "examples" / "own_mechanism.py"
    spec = importlib.util.spec_from_file_location("own_mechanism", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["own_mechanism"] = module  # classes that are pickled must be found again
    spec.loader.exec_module(module)
    yield module
    del sys.modules["own_mechanism"]


def test_both_keep_every_law(own):
    for mechanism in (
        own.Logistic(scale=1, sensitivity=1),
        own.Staircase(scale=1, sensitivity=1, grid=2**-5),
    ):
        assert check_mechanism(mechanism, draws=4000, false_alarm=1e-7).skipped == ()


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_the_staircase_is_pure_and_has_the_least_expected_error(own, epsilon):
    noise = own.Staircase(scale=1 / epsilon, sensitivity=1, grid=2**-14)
    assert epsilon <= noise.guarantee(ADP, delta=0).epsilon <= epsilon * (1 + 1e-9)
    draws = np.abs([noise.randomize(0.0) for _ in range(20_000)])
    least = math.exp(epsilon / 2) / (math.exp(epsilon) - 1)  # Theorem 4 of Geng and Viswanath
    assert abs(draws.mean() - least) < 5.5 * draws.std() / math.sqrt(draws.size) + 2**-8


@pytest.mark.parametrize("scale", [0.5, 2.0, 10.0])
def test_logistic_noise_against_the_curve_of_the_continuous_law(own, scale):
    """The best test of a location of log-concave noise is a threshold; the bars widen the noise by less than they cost."""
    noise = own.Logistic(scale=scale, sensitivity=1, grid="auto").guarantee()
    alphas = np.linspace(0.01, 0.99, 25)
    law = scipy.stats.logistic(scale=scale)
    assert noise.beta(alphas) == pytest.approx(law.cdf(law.isf(alphas) - 1), abs=2e-3)


def test_vectors_and_budgets(own):
    table = own.Logistic(scale=4, sensitivity=Sensitivity(per_value=1, values=2))
    study = Accountant(budget=ADP(1.0))
    assert len(study.release([12, 7, 30], table, label="table")) == 3
    assert study.remaining(table) == 1


def test_the_example_runs(own, capsys):
    own.main()
    told = capsys.readouterr().out
    assert (
        "Held to the laws: Staircase(scale=1.0, sensitivity=1.0, grid=2**-6) keeps the laws of frozenness"
        in told
    )
    assert "The ledger names it example.Staircase." in told
