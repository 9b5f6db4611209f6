"""Nobody waits for the ledger while somebody else composes losses: what takes long is done without its lock."""

import contextlib
import threading

import pytest

from privacy_accountant.accountant import Accountant
from privacy_accountant.accountant.budgets import plans
from privacy_accountant.errors import BudgetExceededError
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.mechanisms import Gaussian

MONTHLY = Gaussian(20, 1)
BUDGET = ADP(1.0, 1e-6)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.db"


@contextlib.contextmanager
def slow_composition(monkeypatch):
    """The first composition that is asked for takes until the block ends; `begun` is set when it begins."""
    begun, go_on = threading.Event(), threading.Event()
    meets = plans._meets
    plans._meets.cache_clear()

    def slowly(counted, budget):
        if not begun.is_set():
            begun.set()
            assert go_on.wait(30)
        return meets(counted, budget)

    monkeypatch.setattr(plans, "_meets", slowly)
    try:
        yield begun
    finally:
        go_on.set()


LONG = {
    "release": lambda study: study.release(5, MONTHLY, label="x"),
    "plan": lambda study: study.plan([(MONTHLY, "x"), (MONTHLY, "y")]),
    "can_afford": lambda study: study.can_afford(MONTHLY),
    "remaining": lambda study: study.remaining(MONTHLY),
    "preview": lambda study: study.preview([MONTHLY]),
}


@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("shared", [False, True], ids=["two handles", "one handle"])
def test_others_write_meanwhile(path, monkeypatch, name, shared):
    with (
        Accountant.open(path, study="a", budget=BUDGET, adaptive=False) as study,
        contextlib.ExitStack() as stack,
    ):
        other = study if shared else stack.enter_context(Accountant.open(path, study="a"))
        working = threading.Thread(target=LONG[name], args=(study,))
        with slow_composition(monkeypatch) as begun:
            working.start()
            assert begun.wait(30)
            other.note("nobody waits")
        working.join(30)
        assert not working.is_alive()
        study.verify()
        assert study.budget == BUDGET


def test_what_came_between_is_checked_again(path, monkeypatch):
    """The check under the lock is the one that counts."""
    with Accountant.open(path, study="a", budget=BUDGET, adaptive=False) as study:
        room = study.remaining(MONTHLY)
        refused = []

        def release():
            try:
                study.release(5, MONTHLY, label="late")
            except BudgetExceededError:
                refused.append(True)

        working = threading.Thread(target=release)
        with slow_composition(monkeypatch) as begun:
            working.start()
            assert begun.wait(30)
            monkeypatch.undo()
            with Accountant.open(path, study="a") as other:
                other.plan([(MONTHLY, "month")] * room)
        working.join(30)
        assert refused == [True]
        assert study.remaining(MONTHLY) == 0
        study.verify()


def test_a_planned_release_composes_nothing(path, monkeypatch):
    with Accountant.open(path, study="a", budget=BUDGET, adaptive=False) as study:
        study.plan([(MONTHLY, "March")])

        def never(counted, budget):
            raise AssertionError

        monkeypatch.setattr(plans, "_meets", never)
        assert isinstance(study.release(5, MONTHLY, label="March"), int)
