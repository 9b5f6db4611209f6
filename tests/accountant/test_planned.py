"""Releases that are declared in advance: charged as a whole, drawn in any order."""

import threading

import pytest

from privacy_accountant.accountant import Accountant
from privacy_accountant.errors import (
    BudgetExceededError,
    InvalidParameterError,
    LedgerCorruptedError,
    LedgerError,
    ReleaseFailedError,
)
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.composing import compose
from privacy_accountant.ledger import verify_export
from privacy_accountant.mechanisms import Gaussian, Laplace

MONTHLY = Gaussian(20, 1)
TENTH = Laplace(10, 1)
PLAN = [(MONTHLY, "March"), (MONTHLY, "April"), (TENTH, "beds"), (TENTH, "beds")]


@pytest.fixture
def study(open_study):
    begun = open_study(budget=ADP(1.0, 1e-6), adaptive=False)
    begun.plan(PLAN)
    return begun


def labels(releases):
    return [release.label for release in releases]


def test_the_claim_is_the_whole_plan_from_its_declaration_on(study):
    whole = compose(*(mechanism.guarantee() for mechanism, _ in PLAN))
    claim = study.guarantee()
    assert claim.get_epsilon(1e-6) == pytest.approx(whole.get_epsilon(1e-6), rel=1e-6)
    study.release(5, TENTH, label="beds")
    study.release(5, MONTHLY, label="April")
    assert study.guarantee() == claim
    assert study.verify().ok


def test_planned_releases_are_drawn_in_any_order_and_charged_once(study):
    spent = study.spent()
    for mechanism, label in reversed(PLAN):
        study.release(5, mechanism, label=label)
    assert study.spent() == spent
    assert study.planned() == study.pending() == ()
    assert labels(study.history()) == ["beds", "beds", "April", "March"]
    assert study.verify().ok
    study.release(5, TENTH, label="beds")  # a third one was not planned, and is charged
    assert study.spent() != spent


def test_what_is_planned_is_listed_apart(study):
    assert labels(study.planned()) == ["March", "April", "beds", "beds"]
    assert {release.status for release in study.planned()} == {"planned"}
    assert study.pending() == study.history() == ()
    study.release(5, MONTHLY, label="April")
    assert labels(study.planned()) == ["March", "beds", "beds"]


def test_reports_say_how_much_of_the_plan_is_open(study):
    assert "It includes 4 planned releases not made so far." in study.report().study.claim
    for mechanism, label in PLAN[:3]:
        study.release(5, mechanism, label=label)
    assert "It includes 1 planned release not made so far." in study.report().study.claim
    study.release(5, TENTH, label="beds")
    assert "planned" not in study.report().study.claim


def test_another_label_or_mechanism_is_outside_the_plan(study):
    study.release(5, MONTHLY, label="May")
    study.release(5, Gaussian(21, 1), label="March")
    assert len(study.planned()) == len(PLAN)


def test_a_plan_fits_as_a_whole_or_not_at_all(open_study):
    study = open_study(budget=ADP(1.0), adaptive=False)
    with pytest.raises(BudgetExceededError, match=r"the plan as a whole reaches 1.1 of 1 \(epsilon\)"):
        study.plan([(TENTH, "x")] * 11)
    assert study.verify().entries == 1
    study.plan([(TENTH, "x")] * 10)
    with pytest.raises(BudgetExceededError):
        study.release(5, TENTH, label="not planned")
    for _ in range(10):
        study.release(5, TENTH, label="x")
    with pytest.raises(BudgetExceededError):
        study.release(5, TENTH, label="x")
    assert study.verify().ok


def test_keys_work_within_a_plan(study):
    answer = study.release(5, MONTHLY, label="April", key="a")
    assert study.release(99, MONTHLY, label="April", key="a") == answer
    assert labels(study.planned()) == ["March", "beds", "beds"]


def test_a_failure_uses_its_place_in_the_plan(study):
    with pytest.raises(ReleaseFailedError):
        study.publishes(MONTHLY, label="April")(lambda: 1 / 0)()
    assert labels(study.planned()) == ["March", "beds", "beds"]
    assert study.verify().ok


def test_a_voided_release_goes_back_to_the_plan(study):
    claim = study.guarantee()
    entry = study._reserve(study._desk.quote(MONTHLY), "April", None, []).entry.sequence
    assert labels(study.pending()) == ["April"]
    study.void(entry, reason="the server was switched off before the query ran")
    assert study.guarantee() == claim
    assert sorted(labels(study.planned())) == ["April", "March", "beds", "beds"]
    assert "It includes 4 planned releases" in study.report().study.claim
    study.release(5, MONTHLY, label="April")
    assert study.verify().ok


def test_a_plan_stays_declared(study):
    with pytest.raises(LedgerError, match="a plan stays declared"):
        study.void(study.planned()[0].entry, reason="we have seen enough")
    assert len(study.planned()) == len(PLAN)
    assert study.verify().ok


def test_threads_never_draw_a_place_twice(study):
    spent = study.spent()
    threads = [
        threading.Thread(target=lambda: study.release(5, TENTH, label="beds")),
        threading.Thread(target=lambda: study.release(5, TENTH, label="beds")),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert study.spent() == spent
    assert labels(study.planned()) == ["March", "April"]
    assert study.verify().ok


def test_a_plan_survives_and_its_export_is_checked(tmp_path):
    with Accountant.open(tmp_path / "a.db", study="a", budget=ADP(1.0, 1e-6), adaptive=False) as study:
        study.plan(PLAN)
        study.release(5, MONTHLY, label="March")
    with Accountant.open(tmp_path / "a.db", study="a") as study:
        assert labels(study.planned()) == ["April", "beds", "beds"]
        study.release(5, TENTH, label="beds")
        found = study.export(tmp_path / "a.jsonl")
    lines = (tmp_path / "a.jsonl").read_text().splitlines()
    assert verify_export(lines) == found
    with pytest.raises(LedgerCorruptedError):
        verify_export([lines[0], *lines[2:]])


@pytest.mark.parametrize(
    "releases", [[], None, "x", [TENTH], [(TENTH,)], [("x", TENTH)], [(TENTH, "")], [(TENTH, 3)]]
)
def test_other_lists_are_refused(releases):
    study = Accountant(budget=ADP(1.0), adaptive=False)
    with pytest.raises(InvalidParameterError):
        study.plan(releases)
    assert study.verify().entries == 1


def test_an_adaptive_study_has_no_plan():
    with pytest.raises(InvalidParameterError, match="adaptive must be False"):
        Accountant(budget=ADP(1.0)).plan([(TENTH, "x")])
