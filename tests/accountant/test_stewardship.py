import pytest

from privacy_accountant.accountant import Accountant
from privacy_accountant.errors import BudgetExceededError, BudgetMismatchError, InvalidParameterError
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.pld import PLD
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.risk_target import Risk
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.mechanisms import Gaussian, Laplace

TENTH = Laplace(10, 1)


def test_a_raised_budget_admits_more_and_is_the_claim(open_study):
    study = open_study(budget=ADP(0.2))
    for _ in range(2):
        study.release(5, TENTH, label="x")
    with pytest.raises(BudgetExceededError):
        study.release(5, TENTH, label="x")
    study.amend(budget=ADP(0.3), reason="the board extended the study")
    assert study.budget == study.guarantee() == ADP(0.3)
    assert study.remaining(TENTH) == 1
    study.release(5, TENTH, label="x")
    with pytest.raises(BudgetExceededError, match="of 0.3 left"):
        study.release(5, TENTH, label="x")
    assert study.spent().limits[0] == 0.3
    assert study.last.balance.limits[0] == 0.3
    assert study.verify().ok


def test_reports_show_both_budgets_and_the_reason(open_study):
    study = open_study(budget=GDP(1.0))
    study.amend(budget=GDP(1.5), reason="the board extended the study to June")
    facts = study.report().study
    assert facts.budget == "GDP(mu=1.0) amended to GDP(mu=1.5)"
    assert "the board extended the study to June" in facts.claim
    assert "the board extended the study to June" in str(study.report())


def test_reports_show_what_was_voided_and_why(open_study):
    study = open_study(budget=GDP(1.0))
    entry = study._reserve(study._desk.quote(Gaussian(3, 1)), "x", None, []).entry.sequence
    study.void(entry, reason="the server was switched off before the query ran")
    assert "the server was switched off before the query ran" in " ".join(str(study.report()).split())


@pytest.mark.parametrize(
    ("budget", "wrong"),
    [
        (GDP(1.0), [GDP(1.0), GDP(0.9), ZCDP(9), ADP(9, 1e-6), 3, GDP(float("inf"))]),
        (ADP(1.0), [ADP(0.5), ADP(1.0)]),
        (ADP(1.0, 1e-6), [ADP(2.0, 1e-7), ADP(0.5, 1e-5)]),
        (ZCDP(1.0), [ZCDP(0.5)]),
        (RDP((2, 4), (1, 2)), [RDP((2, 8), (2, 4)), RDP((2, 4), (2, 1)), RDP((2,), (2,))]),
        (Risk(advantage=0.1), [Risk(advantage=0.05), Risk(fpr=0.01, tpr=0.2)]),
        (Risk(fpr=0.01, tpr=0.05), [Risk(fpr=0.02, tpr=0.06), Risk(fpr=0.01, tpr=0.04)]),
    ],
)
def test_a_budget_is_only_raised_and_in_its_own_terms(budget, wrong):
    study = Accountant(budget=budget)
    for other in wrong:
        with pytest.raises(InvalidParameterError, match="budget"):
            study.amend(budget=other, reason="why not")
    assert study.budget == budget
    assert study.verify().entries == 1


@pytest.mark.parametrize(
    ("budget", "larger"),
    [
        (ADP(1.0, 1e-6), ADP(2.0, 1e-6)),
        (ZCDP(1.0), ZCDP(2.0)),
        (RDP((2, 4), (1, 2)), RDP((2, 4), (1, 3))),
        (Risk(advantage=0.1), Risk(advantage=0.2)),
        (Risk(fpr=0.01, tpr=0.05), Risk(fpr=0.01, tpr=0.06)),
    ],
)
@pytest.mark.parametrize("adaptive", [True, False])
def test_every_form_can_be_raised(budget, larger, adaptive):
    study = Accountant(budget=budget, adaptive=adaptive)
    before = study.remaining(Gaussian(20, 1))
    study.amend(budget=larger, reason="more time")
    assert study.budget == larger
    assert study.remaining(Gaussian(20, 1)) > before or isinstance(budget, RDP)
    assert study.verify().ok


def test_a_pld_budget_stays_as_it_is():
    budget = Gaussian(1, 1).guarantee().to(PLD)
    study = Accountant(budget=budget, adaptive=False)
    with pytest.raises(InvalidParameterError, match="budget"):
        study.amend(budget=Gaussian(0.5, 1).guarantee().to(PLD), reason="more")


@pytest.mark.parametrize("reason", ["", "  ", None, 3, "two\nlines"])
def test_a_reason_is_one_line_of_text(reason):
    study = Accountant(budget=GDP(1.0))
    with pytest.raises(InvalidParameterError, match="reason"):
        study.amend(budget=GDP(2.0), reason=reason)
    with pytest.raises(InvalidParameterError, match="text"):
        study.note(reason)


def test_another_handle_sees_the_raised_budget_at_once(tmp_path):
    path = tmp_path / "a.db"
    with Accountant.open(path, study="a", budget=ADP(0.1)) as one, Accountant.open(path, study="a") as other:
        other.release(5, TENTH, label="x")
        one.amend(budget=ADP(0.2), reason="more time")
        assert other.guarantee() == ADP(0.2)
        other.release(5, TENTH, label="y")
        with pytest.raises(BudgetExceededError, match="of 0.2 left"):
            other.release(5, TENTH, label="z")
        assert other.budget == ADP(0.2)
    with pytest.raises(BudgetMismatchError):
        Accountant.open(path, study="a", budget=ADP(0.1))
    with Accountant.open(path, study="a", budget=ADP(0.2)) as study:
        assert study.verify().ok


def test_a_note_changes_nothing(open_study):
    study = open_study(budget=GDP(1.0))
    before = study.spent()
    study.note("the sensitivity was reviewed by the methods group")
    assert study.spent() == before
    assert study.history() == ()
    assert study._recorder.entries(study.study)[-1].draft.reason == (
        "the sensitivity was reviewed by the methods group"
    )
    assert study.verify().entries == 2
