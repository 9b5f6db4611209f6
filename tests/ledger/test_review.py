"""What an adversary found in the ledger, and does not find any more."""

import json
import os
import sqlite3
import sys
import threading
import time

import attrs
import pytest

from privacy_accountant.accountant import Accountant
from privacy_accountant.errors import LedgerCorruptedError, LedgerError
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.ledger import Draft, Kind, MemoryRecorder, verify
from privacy_accountant.ledger.sqlite import SqliteRecorder
from privacy_accountant.mechanisms import Gaussian, Laplace

NOISE = Gaussian(2, 1)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.db"


def tamper(path, statement, *values):
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement, values)
    connection.close()


def settings_of(path):
    connection = sqlite3.connect(path)
    (settings,) = connection.execute("SELECT settings FROM ledger_studies").fetchone()
    connection.close()
    return json.loads(settings)


def text(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def refuse(path, match):
    with pytest.raises(LedgerCorruptedError, match=match):
        Accountant.open(path, study="a")


def test_larger_limits_in_the_checkpoint_are_refused(path):
    with Accountant.open(path, study="a", budget=GDP(1.0)) as study:
        study.release(5, NOISE, label="x")
    settings = settings_of(path)
    settings["currency"]["limits"] = ["100"]
    tamper(path, "UPDATE ledger_studies SET settings = ?", text(settings))
    refuse(path, "settings are not those")


def test_a_budget_that_was_raised_in_the_checkpoint_alone_is_refused(path):
    with Accountant.open(path, study="a", budget=GDP(1.0)) as study:
        study.amend(budget=GDP(2.0), reason="the board said so")
        study.amend(budget=GDP(3.0), reason="and again")
    with Accountant.open(path, study="a") as study:
        assert study.budget == GDP(3.0)
    settings = settings_of(path)
    settings["budget"]["mu"] = "9"
    tamper(path, "UPDATE ledger_studies SET settings = ?", text(settings))
    refuse(path, "settings are not those")


@pytest.mark.parametrize("adaptive", [True, False])
def test_a_balance_that_was_set_back_is_refused(path, adaptive):
    with Accountant.open(path, study="a", budget=ADP(1.0, 1e-6), adaptive=adaptive) as study:
        study.release(5, Gaussian(20, 1), label="x")
        study.release(5, Gaussian(20, 1), label="x")
        study.note("the last entry holds the balance, of whatever kind it is")
        study.verify()
    Accountant.open(path, study="a").close()
    if adaptive:
        tamper(path, "UPDATE ledger_totals SET low = '[0,0]', high = '[0,0]'")
    else:
        tamper(path, "UPDATE ledger_balances SET count = 1")
    refuse(path, "balance")


def test_limits_that_exceed_the_budget_are_refused_even_when_they_were_hashed(path, monkeypatch):
    from privacy_accountant.accountant.budgets.filters import Filter

    describe = Filter.describe
    monkeypatch.setattr(Filter, "describe", lambda self: {**describe(self), "limits": ["100"]})
    with pytest.raises(LedgerCorruptedError, match="do not imply its budget"):
        Accountant.open(path, study="a", budget=GDP(1.0))
    monkeypatch.undo()
    refuse(path, "do not imply its budget")


@pytest.mark.parametrize("budget", [ADP(1.0, 1e-6), GDP(1.0)])
def test_an_export_whose_balance_does_not_add_up_is_refused(path, budget, monkeypatch):
    from privacy_accountant.ledger import book, checkpoints, verify_export

    def lower(head, *rest):
        return checkpoints.tally(attrs.evolve(head, low=(0,) * len(head.low)), *rest)

    monkeypatch.setattr(book, "tally", lower)
    with Accountant.open(path, study="a", budget=budget) as study:
        study.release(5, Gaussian(20, 1), label="x")
        with pytest.raises(LedgerCorruptedError, match="another balance"):
            study.export(path.with_suffix(".jsonl"))
        lines = [f'{{"entry":{one.body},"hash":"{one.hash}"}}' for one in study._recorder.entries("a")]
    with pytest.raises(LedgerCorruptedError, match="another balance"):
        verify_export(lines)


def interrupted(at, work):
    """Run work and raise KeyboardInterrupt before its at-th line in memory.py or recorder.py; False when it had fewer."""
    lines = iter(range(10**9))

    def trace(frame, event, argument):
        if event == "line" and next(lines) == at:
            raise KeyboardInterrupt
        return trace

    def calls(frame, event, argument):
        return trace if frame.f_code.co_filename.endswith(("memory.py", "recorder.py")) else None

    before = sys.gettrace()
    sys.settrace(calls)
    try:
        work()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def draft(kind=Kind.RESERVE, **fields):
    charge = {"cost": ("1/10",), "label": "x", "shape": [], "mechanism": {}}
    return Draft(kind, **(charge if kind is Kind.RESERVE else {}), **fields)


STEPS = {
    "reserve": lambda held: held.reserve("a", draft(key="new"), lambda balance: None),
    "void": lambda held: held.resolve("a", draft(Kind.VOID, refers_to=2, reason="x")),
    "post": lambda held: held.resolve("a", draft(Kind.POST, refers_to=2, answer=3)),
    "amend": lambda held: held.remark("a", draft(Kind.AMEND, settings={"b": 1}), lambda balance: None),
    "create": lambda held: held.create("b", {"budget": "1"}, 1),
}


@pytest.mark.parametrize("step", STEPS)
def test_an_interrupt_anywhere_leaves_a_ledger_in_memory_whole(step):
    for at in range(10**9):
        held = MemoryRecorder()
        held.create("a", {"budget": "1"}, 1)
        held.reserve("a", draft(key="old"), lambda balance: None)
        hit = interrupted(at, lambda held=held: STEPS[step](held))
        assert verify(held, "a").entries == len(held.entries("a"))
        assert [entry.sequence for entry in held.entries("a")] == list(range(1, held.find("a").sequence + 1))
        held.reserve("a", draft(key="after"), lambda balance: None)
        keyed = [entry.draft.key for entry in held.entries("a") if entry.draft.key]
        with held.snapshot() as work:
            assert all(work.keyed("a", key).draft.key == key for key in keyed)
            assert (work.keyed("a", "new") is None) == ("new" not in keyed)
        for study in held.studies():
            verify(held, study)
        if not hit:
            assert at > 10
            return


def test_an_interrupt_of_the_undoing_is_made_good_by_the_next_transaction():
    held = MemoryRecorder()
    held.create("a", {"budget": "1"}, 1)

    def twice():
        with held.transaction(write=True) as work:
            work.count("a", "x", 1)
            held._work._undo.append((once, "x", None))
            raise ValueError

    class Once(dict):
        def pop(self, key, default):
            if self.setdefault("interrupts", 1):
                self["interrupts"] = 0
                raise KeyboardInterrupt

    once = Once()
    with pytest.raises(KeyboardInterrupt):
        twice()
    assert verify(held, "a").entries == 1


@pytest.mark.parametrize("kind", [MemoryRecorder, SqliteRecorder])
def test_a_transaction_is_not_entered_twice_by_one_thread(kind, path):
    recorder = kind() if kind is MemoryRecorder else kind(path)
    recorder.create("a", {"budget": "1"}, 1)

    def again(balance):
        recorder.reserve("a", draft(), lambda balance: None)

    with pytest.raises(LedgerError, match="in the middle of a transaction"):
        recorder.reserve("a", draft(), again)
    recorder.reserve("a", draft(), lambda balance: None)
    assert verify(recorder, "a").entries == 2
    recorder.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_fork_in_the_middle_of_another_threads_transaction_leaves_the_child_free(path):
    recorder = SqliteRecorder(path, patience=2)
    recorder.create("a", {"budget": "1"}, 1)
    inside, done = threading.Event(), []

    def slowly(balance):
        inside.set()
        time.sleep(0.3)

    thread = threading.Thread(target=lambda: done.append(recorder.reserve("a", draft(), slowly)))
    thread.start()
    inside.wait()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            recorder.reserve("a", draft(), lambda balance: None)
            status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    thread.join()
    recorder.reserve("a", draft(), lambda balance: None)
    assert len(done) == 1
    assert verify(recorder, "a").entries == 4
    recorder.close()


@pytest.mark.parametrize("create", [True, False])
def test_somebody_elses_database_is_left_as_it_was(path, create):
    tamper(path, "CREATE TABLE patients (name TEXT)")
    before = path.read_bytes()
    with pytest.raises(LedgerError, match="not a ledger"):
        SqliteRecorder(path, create=create)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_an_empty_file_is_left_as_it_was(path):
    path.touch()
    with pytest.raises(LedgerError, match="no ledger is here"):
        SqliteRecorder(path, create=False)
    assert path.read_bytes() == b""


def test_counts_that_were_lowered_never_settle_a_comparison(path):
    third = Laplace(3, 1)
    with Accountant.open(path, study="a", budget=ADP(1.0)) as study:
        study.release(5, third, label="x")
        study.release(5, third, label="x")
    tamper(path, "UPDATE ledger_balances SET count = 1")
    with Accountant.open(path, study="a") as study:
        with pytest.raises(LedgerCorruptedError, match="counted costs"):
            study.release(5, third, label="x")
        assert len(study.history()) == 2
