"""What has been spent survives whatever happens to the program."""

import json
import math
import os
import pickle
import signal

import pytest

from privacy_accountant import (
    ADP,
    GDP,
    RDP,
    ZCDP,
    Accountant,
    BudgetExceededError,
    BudgetMismatchError,
    Gaussian,
    InvalidParameterError,
    Laplace,
    LedgerError,
)
from privacy_accountant.codec import decode, encode

STEP = Gaussian(sigma=10, sensitivity=1)


def begin(path):
    return Accountant.open(path, study="training", budget=GDP(1.0), adaptive=False)


def run(study, steps):
    for _ in range(steps):
        study.release(5, STEP, label="step")


def check_whole(study):
    """A hundred steps: epsilon 4.377, and not the 2.943 of the fifty that one run remembers."""
    claim = study.guarantee()
    assert claim.get_epsilon(1e-5) == pytest.approx(4.37717809568122463, rel=1e-12)
    assert GDP(0.5**0.5).get_epsilon(1e-5) == pytest.approx(2.94322523980136, rel=1e-12)
    assert study.spent().amounts == (1.0,)
    with pytest.raises(BudgetExceededError):
        run(study, 1)


def test_b89_a_restored_study_continues(tmp_path):
    with begin(tmp_path / "x.db") as study:
        run(study, 50)
        assert study.guarantee().get_epsilon(1e-5) == pytest.approx(2.94322523980136, rel=1e-12)
    with Accountant.open(tmp_path / "x.db", study="training") as study:
        run(study, 50)
        check_whole(study)


def test_b89_a_pickled_study_is_the_same_study(tmp_path):
    with begin(tmp_path / "x.db") as study:
        run(study, 50)
        saved = pickle.dumps(study)
        run(study, 20)
        with pickle.loads(saved) as restored:  # noqa: S301 - our own bytes
            run(restored, 30)
            check_whole(restored)
        check_whole(study)


def test_b89_a_study_in_memory_refuses_to_be_saved_rather_than_forget():
    with pytest.raises(LedgerError, match="copied"):
        pickle.dumps(Accountant(budget=GDP(1.0)))


@pytest.mark.processes
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_b89_a_crash_keeps_the_spend(tmp_path, forked):
    def work():
        study = begin(tmp_path / "x.db")
        run(study, 50)
        study.publishes(STEP, label="step")(lambda: os.kill(os.getpid(), signal.SIGKILL))()

    assert forked(work)() == -signal.SIGKILL
    with Accountant.open(tmp_path / "x.db", study="training") as study:
        assert len(study.pending()) == 1
        assert study.remaining(STEP) == 49
        run(study, 49)
        check_whole(study)
        study.verify()


@pytest.mark.parametrize(
    "value",
    [math.inf, ADP(math.inf), ADP(1, 1), GDP(math.inf), RDP((2, 3), (1, math.inf)), ZCDP(0.1)],
    ids=repr,
)
def test_b89_infinity_survives_json(value):
    text = json.dumps(encode(value), allow_nan=False)
    assert decode(json.loads(text)) == value


def test_b89_nan_is_refused_and_never_read_as_a_number():
    with pytest.raises(InvalidParameterError):
        ADP(math.nan)
    infinite, nan = json.dumps(encode(math.inf)), json.dumps(encode(math.nan))
    forged = json.dumps(encode(ADP(math.inf))).replace(infinite, nan)
    assert nan in forged
    for text in (nan, forged, "NaN"):
        with pytest.raises(InvalidParameterError):
            decode(json.loads(text))


def test_b89_no_generator_stands_in_the_way_of_a_pickle():
    STEP.randomize(5)
    assert pickle.loads(pickle.dumps(STEP)) == STEP  # noqa: S301 - our own bytes


def test_b56_the_budget_is_settled_when_the_study_is_created(tmp_path):
    with Accountant.open(tmp_path / "x.db", study="metrics", budget=ADP(1)) as study:
        study.release(5, Laplace(scale=1, sensitivity=1), label="all of it")
    for budget in (ADP(2), ADP(1, 1e-9), ZCDP(1)):
        with pytest.raises(BudgetMismatchError):
            Accountant.open(tmp_path / "x.db", study="metrics", budget=budget)
    with Accountant.open(tmp_path / "x.db", study="metrics", budget=ADP(1)) as study:
        with pytest.raises(BudgetExceededError):
            study.release(5, Laplace(scale=1, sensitivity=1), label="again")
        with pytest.raises(AttributeError):
            study.budget = ADP(2)
    with pytest.raises(LedgerError):
        study.release(5, Laplace(scale=100, sensitivity=1), label="after the end")
