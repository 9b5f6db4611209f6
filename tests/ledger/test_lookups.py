"""No question that a release or an opening asks scans the record: a ledger of a million entries is as quick as one of ten."""

import pytest

from privacy_accountant.accountant import Accountant
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.ledger import prepared, schema
from privacy_accountant.ledger.sql import SqlTransaction
from privacy_accountant.mechanisms import Gaussian, Laplace

WHOLE_RECORD = {"LIST_ENTRIES"}
NAMES = [
    name
    for name in vars(schema)
    if name.startswith(("GET_", "SET_", "ADD_TO", "DROP_")) and name not in ("SET_VERSION", "GET_VERSION")
]


@pytest.fixture
def study(tmp_path):
    with Accountant.open(tmp_path / "ledger.db", study="a", budget=GDP(1.0)) as study:
        yield study


@pytest.mark.parametrize("name", NAMES)
def test_every_lookup_has_an_index_of_its_own(study, name):
    compiled = getattr(schema, name).compile(dialect=prepared._DIALECT)
    driver = study._recorder._connect().connection.driver_connection
    parameters = ("x",) * len(compiled.positiontup or ())
    plan = [row[-1] for row in driver.execute(f"EXPLAIN QUERY PLAN {compiled}", parameters)]
    for step in plan:
        if "ledger_entries" in step:
            assert "ledger_entries_amendments" in step or " AND " in step, plan
        elif "ledger_schema" not in step:
            assert not step.startswith("SCAN"), plan


@pytest.fixture
def asked(monkeypatch):
    """The names of the statements that are run."""
    names = {id(statement): name for name, statement in vars(schema).items() if name.isupper()}
    asked = []
    for transaction in (SqlTransaction, prepared.PreparedTransaction):
        run = transaction._run

        def listen(work, statement, run=run, **values):
            asked.append(names.get(id(statement)))
            return run(work, statement, **values)

        monkeypatch.setattr(transaction, "_run", listen)
    return asked


def questions(asked, work):
    del asked[:]
    work()
    return list(asked)


def test_what_is_asked_does_not_grow_with_the_ledger(tmp_path, asked):
    """A key, a partition, an amendment and open releases among them."""
    path = tmp_path / "ledger.db"

    def work():
        with Accountant.open(path, study="a") as study:
            assert study.can_afford(Laplace(1000, 1))
            study.release(5, Laplace(1000, 1), label="x", key=str(len(done)))
            study.release(5, Laplace(1000, 1), label="x", key=str(len(done)))
            study.release(5, Laplace(1000, 1), label="x", partition="north")
            study.spend(Laplace(1000, 1), label="x")
            done.append(True)

    done = []
    with Accountant.open(path, study="a", budget=ADP(1.0)) as study:
        study.amend(budget=ADP(2.0), reason="the board said so")
        for _ in range(9):
            study.release(5, Laplace(1000, 1), label="x", partition="south")
    work()
    early = questions(asked, work)
    with Accountant.open(path, study="a") as study:
        for _ in range(100):
            study.release(5, Laplace(1000, 1), label="x", partition="south")
    late = questions(asked, work)
    assert sorted(map(str, early)) == sorted(map(str, late))
    assert not WHOLE_RECORD & set(late)


def test_a_report_is_one_reading(study, monkeypatch):
    """What it says about the balance and about the entries is of one moment, whoever releases meanwhile."""
    study.release(5, Gaussian(4, 1), label="x")
    transaction = type(study._recorder).transaction
    begun = []

    def listen(recorder, *, write):
        begun.append(write)
        return transaction(recorder, write=write)

    monkeypatch.setattr(type(study._recorder), "transaction", listen)
    assert study.report().study.releases == 1
    assert begun == [False]
