"""Studies that outlive their process."""

import copy
import json
import os
import pickle
import sqlite3
import stat

import pytest

from privacy_accountant.accountant import Accountant
from privacy_accountant.errors import (
    BudgetExceededError,
    BudgetMismatchError,
    InvalidParameterError,
    LedgerCorruptedError,
    LedgerError,
    UnsupportedConversionError,
)
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.pld import PLD, GaussianPair, LaplacePair
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.risk_target import Risk
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.mechanisms import Gaussian, Laplace
from privacy_accountant.neighbors import Neighbors

TENTH = Laplace(10, 1)

BUDGETS = [
    (ADP(1.0), True),
    (ADP(1, 1e-6), True),
    (GDP(1.0), True),
    (ZCDP(0.5), True),
    (RDP((2, 8, 32), (0.1, 0.5, 2)), True),
    (Risk(advantage=0.1, fpr=0.01, tpr=0.05), True),
    (ADP(1, 1e-6), False),
    (GDP(1.0), False),
    (Risk(advantage=0.1), False),
    (PLD(((GaussianPair(0.5), 1), (LaplacePair(0.1), 3))), False),
]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ward-7.db"


def reopen(path, **terms):
    return Accountant.open(path, study="ward-7", **terms)


@pytest.mark.parametrize(("budget", "adaptive"), BUDGETS)
def test_every_budget_continues_where_it_was(path, budget, adaptive):
    mechanism = Laplace(20, 1) if budget == ADP(1.0) else Gaussian(20, 1)
    with reopen(path, budget=budget, adaptive=adaptive) as study:
        answer = study.release(5, mechanism, label="x", key="k")
        before = study.spent(), study.guarantee(), study.remaining(mechanism), study.history(), study.verify()
    with reopen(path) as study:
        assert (study.budget, study.adaptive, study.neighbors) == (
            budget,
            adaptive,
            Neighbors.ADD_OR_REMOVE_ONE,
        )
        assert before == (
            study.spent(),
            study.guarantee(),
            study.remaining(mechanism),
            study.history(),
            study.verify(),
        )
        assert study.release(9, mechanism, label="x", key="k") == answer
    with reopen(path, budget=budget, adaptive=adaptive) as study:
        assert study.spent() == before[0]


def test_a_spend_survives_the_close_of_a_full_study(path):
    with reopen(path, budget=ADP(1.0)) as study:
        for _ in range(10):
            study.release(5, TENTH, label="x")
    with reopen(path) as study, pytest.raises(BudgetExceededError):
        study.release(5, TENTH, label="x")


@pytest.mark.parametrize(
    ("terms", "field"),
    [
        ({"budget": ADP(2.0)}, "budget"),
        ({"budget": GDP(1.0)}, "budget"),
        ({"budget": Risk(advantage=0.1)}, "budget"),
        ({"neighbors": Neighbors.REPLACE_ONE}, "neighbors"),
        ({"adaptive": False}, "adaptive"),
        ({"currency": ZCDP}, "currency"),
    ],
)
def test_terms_that_differ_from_the_ledgers_are_refused(path, terms, field):
    reopen(path, budget=ADP(1.0)).close()
    with pytest.raises(BudgetMismatchError) as caught:
        reopen(path, **terms)
    assert caught.value.field == field
    assert str(caught.value).startswith(f"ward-7: {field} must be ")
    assert "\n" not in str(caught.value)
    with reopen(
        path, budget=ADP(1.0), neighbors=Neighbors.ADD_OR_REMOVE_ONE, adaptive=True, currency=ADP
    ) as study:
        assert study.verify().entries == 1


def test_the_message_names_both(path):
    reopen(path, budget=ADP(1.0)).close()
    with pytest.raises(BudgetMismatchError) as caught:
        reopen(path, budget=ADP(2.0))
    assert str(caught.value) == (
        "ward-7: budget must be ADP(epsilon=1.0, delta=0.0), as the ledger holds it; got ADP(epsilon=2.0, delta=0.0)"
    )
    with pytest.raises(
        BudgetMismatchError,
        match="neighbors must be Neighbors.ADD_OR_REMOVE_ONE, as the ledger holds it; got Neighbors.REPLACE_ONE",
    ):
        reopen(path, neighbors=Neighbors.REPLACE_ONE)


def test_a_budget_typed_otherwise_is_the_same_budget(path):
    reopen(path, budget=ADP(1, 1e-6)).close()
    reopen(path, budget=ADP(1.0, 0.000001)).close()


@pytest.mark.parametrize(
    ("terms", "field"),
    [
        ({"budget": 1.0}, "budget"),
        ({"budget": "1"}, "budget"),
        ({"budget": ADP}, "budget"),
        ({"budget": ADP(float("inf"))}, "budget"),
        ({"budget": GDP(float("inf"))}, "budget"),
        ({"budget": ZCDP(float("inf"))}, "budget"),
        ({"budget": RDP((2, 3), (1, float("inf")))}, "budget"),
        ({"budget": ADP(1.0, 1)}, "budget"),
        ({"budget": PLD.of(GaussianPair(1))}, "budget"),
        ({"budget": ADP(1.0), "neighbors": "REPLACE_ONE"}, "neighbors"),
        ({"budget": ADP(1.0), "adaptive": 1}, "adaptive"),
        ({"budget": ADP(1.0), "currency": "GDP"}, "currency"),
        ({"budget": ADP(1.0), "currency": PLD}, "currency"),
        ({"budget": ADP(1.0), "currency": ADP, "adaptive": False}, "currency"),
    ],
)
def test_bad_terms_are_refused_and_leave_no_study_behind(path, terms, field):
    with pytest.raises(InvalidParameterError, match=f"^{field} must be") as caught:
        Accountant(**terms)
    assert "\n" not in str(caught.value)
    with pytest.raises(InvalidParameterError, match=f"^{field} must be"):
        reopen(path, **terms)
    with pytest.raises((LedgerError, InvalidParameterError)):
        reopen(path)


def test_a_pld_budget_says_what_it_needs():
    with pytest.raises(InvalidParameterError, match="a PLD needs adaptive=False"):
        Accountant(budget=PLD.of(GaussianPair(1)))


@pytest.mark.parametrize(
    ("budget", "currency"),
    [(ADP(1.0), ZCDP), (ADP(1.0), GDP), (ADP(1.0), RDP), (GDP(1.0), ZCDP), (ZCDP(1.0), RDP)],
)
def test_a_currency_that_cannot_imply_the_budget_says_which_can(budget, currency):
    with pytest.raises(UnsupportedConversionError, match="currencies that do: ADP"):
        Accountant(budget=budget, currency=currency)


def test_a_new_study_needs_a_budget_and_the_error_lists_what_there_is(path):
    with pytest.raises(LedgerError, match="no ledger is here; one is created when a budget is given"):
        reopen(path)
    assert not path.exists()
    with Accountant.open(path, study="ward-8", budget=ADP(1.0)):
        pass
    with pytest.raises(
        InvalidParameterError,
        match=r"study must be one that the ledger holds \('ward-8'\), or new with a budget; got 'ward-7'",
    ):
        reopen(path)


@pytest.mark.parametrize("study", ["", " ", None, 7, "a\nb"])
def test_a_study_has_a_name(path, study):
    with pytest.raises(InvalidParameterError, match="study must be a non-empty line of text"):
        Accountant.open(path, study=study, budget=ADP(1.0))
    assert not path.exists()


def test_one_file_holds_many_studies(path):
    with (
        Accountant.open(path, study="a", budget=ADP(1.0)) as a,
        Accountant.open(path, study="b", budget=GDP(1.0)) as b,
    ):
        a.release(5, TENTH, label="x", key="k")
        b.release(5, Gaussian(3, 1), label="x", key="k")
        assert a.spent().amounts == (0.1, 0.0)
        assert b.remaining(Gaussian(3, 1)) == 8
        a.verify(), b.verify()


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
def test_the_file_is_its_owners_alone(path):
    reopen(path, budget=ADP(1.0)).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_nothing_raw_is_in_the_file(path):
    secret = 918273645546372819
    with reopen(path, budget=ADP(1.0)) as study:
        # Wide noise: that it happens to be zero has probability 1e-10.
        study.release(secret, Laplace(10**10, 1), label="x")
        study.release([secret, 1], Laplace(10**10, 1), label="x")
    connection = sqlite3.connect(path)
    text = "\n".join(connection.iterdump())
    connection.close()
    assert "ledger_entries" in text
    assert str(secret) not in text
    assert hex(secret) not in text


def test_a_copy_or_pickle_is_another_handle_and_not_another_budget(path):
    with reopen(path, budget=ADP(0.2)) as study:
        handles = [copy.copy(study), copy.deepcopy(study), pickle.loads(pickle.dumps(study))]  # noqa: S301 - its own bytes
        handles[0].release(5, TENTH, label="x")
        handles[2].release(5, TENTH, label="x")
        for handle in (study, *handles):
            assert handle.remaining(TENTH) == 0
            with pytest.raises(BudgetExceededError):
                handle.release(5, TENTH, label="x")
        for handle in handles:
            handle.close()


def test_a_study_in_memory_cannot_be_copied():
    study = Accountant(budget=ADP(1.0))
    for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(LedgerError, match="in memory cannot be copied"):
            duplicate(study)


def test_errors_can_be_pickled():
    study = Accountant(budget=ADP(0.1))
    with pytest.raises(BudgetExceededError) as caught:
        study.spend(Laplace(1, 1), label="x")
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - its own bytes
    assert str(again) == str(caught.value)
    assert again.requested == caught.value.requested


def tamper(path, statement, *values):
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement, values)
    connection.close()


def test_tampering_is_found(path):
    with reopen(path, budget=ADP(1.0)) as study:
        for _ in range(3):
            study.release(5, TENTH, label="x")
    tamper(path, "UPDATE ledger_balances SET count = 1")
    with reopen(path) as study, pytest.raises(LedgerCorruptedError, match="counted costs"):
        study.verify()
    tamper(path, "UPDATE ledger_entries SET body = replace(body, '1/10', '1/99') WHERE sequence = 4")
    with reopen(path) as study, pytest.raises(LedgerCorruptedError) as caught:
        study.verify()
    assert caught.value.entry == 4


def test_terms_of_a_later_version_are_refused(path):
    reopen(path, budget=ADP(1.0)).close()
    connection = sqlite3.connect(path)
    (settings,) = connection.execute("SELECT settings FROM ledger_studies").fetchone()
    connection.close()
    for change in (
        {"digest": "hmac-sha256"},
        {"partitions": 2},
        {"neighbors": "MARTIANS"},
        {"budget": {"type": "Martian"}},
        {"currency": None},
    ):
        tamper(path, "UPDATE ledger_studies SET settings = ?", json.dumps(json.loads(settings) | change))
        with pytest.raises(LedgerError):
            reopen(path)
