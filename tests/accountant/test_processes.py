"""Crashes and races between processes."""

import contextlib
import os
import signal
import subprocess
import sys

import pytest

from privacy_accountant.accountant import Accountant
from privacy_accountant.errors import BudgetExceededError, LedgerError
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.ledger.recorder import Recorder
from privacy_accountant.ledger.sql import SqlTransaction
from privacy_accountant.mechanisms import Laplace

TENTH = Laplace(10, 1)
pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.filterwarnings("ignore:This process:DeprecationWarning"),
]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ward-7.db"


def begin(path):
    return Accountant.open(path, study="ward-7", budget=ADP(1.0))


def start(work):
    """Run work in a child that ends without tidying up; its exit status is what work returns."""
    child = os.fork()
    if child == 0:
        status = 255
        try:
            status = work()
        finally:
            os._exit(status)
    return child


def finish(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def die(*arguments):
    os.kill(os.getpid(), signal.SIGKILL)


def dies_inside_the_reserve(study, patch):
    append = SqlTransaction.append
    patch.setattr(SqlTransaction, "append", lambda work, entry: (append(work, entry), die()))
    study.release(5, TENTH, label="x", key="k")


def dies_between_reserve_and_contact(study, patch):
    patch.setattr(type(study._desk), "publish", die)
    study.release(5, TENTH, label="x", key="k")


def dies_at_contact(study, patch):
    study.publishes(TENTH, label="x")(die)()


def dies_between_draw_and_post(study, patch):
    patch.setattr(Recorder, "resolve", die)
    study.release(5, TENTH, label="x", key="k")


def dies_inside_the_post(study, patch):
    patch.setattr(SqlTransaction, "clear_pending", die)
    study.release(5, TENTH, label="x", key="k")


def dies_after_the_post(study, patch):
    resolve = Recorder.resolve
    patch.setattr(Recorder, "resolve", lambda *arguments: (resolve(*arguments), die()))
    study.release(5, TENTH, label="x", key="k")


@pytest.mark.parametrize(
    ("release", "spent", "statuses"),
    [
        (dies_inside_the_reserve, 0.0, []),
        (dies_between_reserve_and_contact, 0.1, ["pending"]),
        (dies_at_contact, 0.1, ["pending"]),
        (dies_between_draw_and_post, 0.1, ["pending"]),
        (dies_inside_the_post, 0.1, ["pending"]),
        (dies_after_the_post, 0.1, ["posted"]),
    ],
)
def test_a_kill_never_loses_a_spend(path, monkeypatch, release, spent, statuses):
    assert finish(start(lambda: release(begin(path), monkeypatch))) == -signal.SIGKILL
    with Accountant.open(path, study="ward-7") as study:
        assert study.spent().amounts == (spent, 0.0)
        assert [line.status for line in study.history()] == statuses
        assert [line.status for line in study.pending()] == [
            status for status in statuses if status == "pending"
        ]
        assert study.remaining(TENTH) == 10 - len(statuses)
        study.verify()
        if statuses == ["posted"]:
            assert study.release(99, TENTH, label="x", key="k") == study.history()[0].answer
        elif statuses and study.history()[0].key == "k":
            with pytest.raises(LedgerError, match="pending"):
                study.release(5, TENTH, label="x", key="k")
        assert study.spent().amounts == (spent, 0.0)


SCRIPT = """
import os, signal, sys
from privacy_accountant.accountant import Accountant
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.mechanisms import Laplace
study = Accountant.open(sys.argv[1], study="ward-7", budget=ADP(1.0))
study.publishes(Laplace(10, 1), label="x")(lambda: os.kill(os.getpid(), signal.SIGKILL))()
"""


def test_a_killed_interpreter_leaves_its_spend(path):
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(path)], timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    with Accountant.open(path, study="ward-7") as study:
        assert study.spent().amounts == (0.1, 0.0)
        assert [line.status for line in study.pending()] == ["pending"]
        study.verify()


def test_processes_never_spend_the_last_of_a_budget_twice(path):
    begin(path).close()
    ready, go = os.pipe()

    def work():
        with begin(path) as study:
            os.close(go)
            os.read(ready, 1)  # returns when every writing end is closed
            count = 0
            with contextlib.suppress(BudgetExceededError):
                while True:
                    study.release(5, Laplace(50, 1), label="x")
                    count += 1
            return count

    children = [start(work) for _ in range(4)]
    os.close(go)
    counts = [finish(child) for child in children]
    os.close(ready)
    assert sum(counts) == 50
    with Accountant.open(path, study="ward-7") as study:
        assert study.spent().amounts == (1.0, 0.0)
        assert study.verify().entries == 101


def test_processes_may_create_the_same_study_at_once(path):
    children = [start(lambda: begin(path).verify().entries) for _ in range(6)]
    assert [finish(child) for child in children] == [1] * 6


def test_two_hosts_racing_on_a_key_publish_one_answer(path):
    begin(path).close()

    def work():
        with begin(path) as study:
            try:
                study.release(5, TENTH, label="x", key="k")
            except LedgerError:
                return 20
            return 10

    statuses = [finish(child) for child in [start(work) for _ in range(4)]]
    assert set(statuses) <= {10, 20}
    assert 10 in statuses
    with Accountant.open(path, study="ward-7") as study:
        assert study.spent().amounts == (0.1, 0.0)
        assert len(study.history()) == 1


def test_a_forked_child_shares_the_file_and_never_the_memory(path):
    def release_in_child(study):
        def work():
            try:
                study.release(5, TENTH, label="x")
            except LedgerError:
                return 20
            except BudgetExceededError:
                return 30
            return 10

        return finish(start(work))

    assert release_in_child(Accountant(budget=ADP(1.0))) == 20
    with Accountant.open(path, study="a", budget=ADP(0.2)) as study:
        study.release(5, TENTH, label="x")
        assert release_in_child(study) == 10
        assert study.remaining(TENTH) == 0
        assert release_in_child(study) == 30
        study.verify()
