"""Processes that share a ledger in other ways than racing (see test_races): killed interpreters, forks, the same beginning."""

import asyncio
import os
import pickle
import signal
import subprocess
import sys
import threading

import pytest

from privacy_accountant.accountant import Accountant, flights
from privacy_accountant.errors import BudgetExceededError, LedgerError
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.mechanisms import Laplace

TENTH = Laplace(10, 1)
pytestmark = pytest.mark.processes
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
forks = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")


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


SCRIPT = """
import os, signal, sys
from privacy_accountant.accountant import Accountant
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.mechanisms import Laplace
study = Accountant.open(sys.argv[1], study="ward-7", budget=ADP(1.0))
study.publishes(Laplace(10, 1), label="x")(lambda: os.kill(os.getpid(), signal.SIGKILL))()
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_interpreter_leaves_its_spend(path):
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(path)], timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    with Accountant.open(path, study="ward-7") as study:
        assert study.spent().amounts == (0.1, 0.0)
        assert [line.status for line in study.pending()] == ["pending"]
        study.verify()


@needs_fork
@forks
def test_processes_may_create_the_same_study_at_once(path):
    children = [start(lambda: begin(path).verify().entries) for _ in range(6)]
    assert [finish(child) for child in children] == [1] * 6


@needs_fork
@forks
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


@needs_fork
@forks
def test_a_fork_while_another_thread_begins_a_release_leaves_the_child_free(path):
    with begin(path) as study:
        study.release(5, TENTH, label="x")

        def work():
            signal.alarm(20)  # a child that waits for a lock would wait for ever
            study.release(5, TENTH, label="x")
            return 10

        with flights._lock:
            child = start(work)
        assert finish(child) == 10
        assert study.verify().entries == 5


@needs_fork
@forks
def test_a_fork_from_within_an_event_loop_leaves_both_at_work(path):
    """The parent's threads are not in the child, which begins a loop of its own."""
    with begin(path) as study:

        async def publish(count):
            await asyncio.gather(*(study.arelease(5, TENTH, label="x") for _ in range(count)))

        async def fork():
            calls = asyncio.create_task(publish(4))
            await asyncio.sleep(0.01)
            child = os.fork()
            if child == 0:
                status = 255
                try:
                    signal.alarm(20)
                    running = threading.Thread(target=lambda: asyncio.run(publish(3)))
                    running.start()
                    running.join()
                    status = 10
                finally:
                    os._exit(status)
            await calls
            return child

        assert finish(asyncio.run(fork())) == 10
        assert [line.status for line in study.history()] == ["posted"] * 7
        study.verify()


WORKER = """
import pickle, sys
from privacy_accountant.errors import BudgetExceededError
from privacy_accountant.mechanisms import Laplace
study = pickle.loads(sys.stdin.buffer.read())
try:
    while True:
        print(study.release(5, Laplace(10, 1), label="there"), study.last.entry)
except BudgetExceededError:
    print("none left")
"""


def test_a_worker_that_is_sent_an_accountant_works_on_the_same_ledger(path):
    """As process pools send it: pickled, to an interpreter that was started afresh."""
    with Accountant.open(path, study="ward-7", budget=ADP(0.2)) as study:
        sent = pickle.dumps(study)
        done = subprocess.run(
            [sys.executable, "-c", WORKER], input=sent, stdout=subprocess.PIPE, timeout=60, check=True
        )
        first, second, last = done.stdout.decode().splitlines()
        assert [f"{line.answer} {line.entry}" for line in study.history()] == [first, second]
        assert last == "none left"
        assert study.remaining(TENTH) == 0
        assert study.verify().entries == 5
