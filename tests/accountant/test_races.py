"""Processes that compete and processes that are killed, on both databases.

The short forms run with every other test; the long ones, marked `ledger`, in a nox session of their own.
"""

import contextlib
import os
import random
import signal
import time

import pytest

from privacy_accountant.accountant import Accountant
from privacy_accountant.accountant.desk import Desk
from privacy_accountant.accountant.results.treatment import Treatment
from privacy_accountant.errors import BudgetExceededError, LedgerError, PrivacyAccountantError
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.ledger.recorder import Recorder
from privacy_accountant.ledger.sql import SqlTransaction
from privacy_accountant.mechanisms import Laplace

UNIT = Laplace(100, 1)
pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.filterwarnings("ignore:This process:DeprecationWarning"),
]


@pytest.fixture(params=["sqlite", "postgres"])
def ledger(request, tmp_path):
    """Where a ledger can be opened by any process."""
    if request.param == "sqlite":
        return str(tmp_path / "study.db")
    return request.getfixturevalue("postgres_url")


def begin(ledger, budget):
    return Accountant.open(ledger, study="race", budget=ADP(budget))


def start(work):
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


def race(ledger, processes, units):
    """Let processes take one unit after the other until there are none; how many each got."""
    begin(ledger, units / 100).close()
    ready, go = os.pipe()

    def work():
        with begin(ledger, units / 100) as study:
            os.close(go)
            os.read(ready, 1)  # returns when every writing end is closed
            taken = 0
            with contextlib.suppress(BudgetExceededError):
                while True:
                    study.release(5, UNIT, label="unit")
                    taken += 1
            return taken

    children = [start(work) for _ in range(processes)]
    os.close(go)
    taken = [finish(child) for child in children]
    os.close(ready)
    return taken


def check_race(ledger, processes, units):
    taken = race(ledger, processes, units)
    assert sum(taken) == units, taken
    with Accountant.open(ledger, study="race") as study:
        assert study.verify().entries == 1 + 2 * units
        assert study.remaining(UNIT) == 0
        assert [line.status for line in study.history()] == ["posted"] * units


def test_two_processes_never_spend_a_unit_twice(ledger):
    check_race(ledger, processes=2, units=20)


@pytest.mark.ledger
@pytest.mark.parametrize("turn", range(20))
def test_eight_processes_never_spend_a_unit_twice(ledger, turn):
    check_race(ledger, processes=8, units=100)


def die(*arguments, **named):
    os.kill(os.getpid(), signal.SIGKILL)


def in_the_reserve(patch):
    append = SqlTransaction.append
    patch.setattr(SqlTransaction, "append", lambda work, entry: (append(work, entry), die()))


def before_the_reserve_commits(patch):
    patch.setattr(SqlTransaction, "set_head", die)


def between_reserve_and_contact(patch):
    patch.setattr(Desk, "publish", die)


def at_contact(patch):
    """The value kills whoever asks what it is."""
    patch.setattr(Treatment, "publish", die)


def between_draw_and_post(patch):
    patch.setattr(Recorder, "resolve", die)


def in_the_post(patch):
    patch.setattr(SqlTransaction, "clear_pending", die)


def after_the_post(patch):
    resolve = Recorder.resolve
    patch.setattr(Recorder, "resolve", lambda *arguments: (resolve(*arguments), die()))


STATUS = {
    in_the_reserve: None,
    before_the_reserve_commits: None,
    between_reserve_and_contact: "pending",
    at_contact: "pending",
    between_draw_and_post: "pending",
    in_the_post: "pending",
    after_the_post: "posted",
}


def kill_at(ledger, point, times):
    """Let a child open the ledger, begin a release and die at a point of it, again and again."""
    begin(ledger, 100).close()

    def work(turn):
        with pytest.MonkeyPatch.context() as patch, begin(ledger, 100) as study:
            point(patch)
            study.release(5, UNIT, label="x", key=str(turn))
        return 0

    for turn in range(times):
        assert finish(start(lambda turn=turn: work(turn))) == -signal.SIGKILL
    with Accountant.open(ledger, study="race") as study:
        left = 0 if STATUS[point] is None else times
        history = study.history()
        assert [line.status for line in history] == [STATUS[point]] * left
        assert len(study.pending()) == (left if STATUS[point] == "pending" else 0)
        for line in history[:3]:
            check_key(study, line)
        assert study.remaining(UNIT) == 10_000 - left
        study.verify()


def check_key(study, line):
    """Whoever asks again gets what was published; what is pending is not drawn again, for a release may be under way."""
    if line.status == "posted":
        assert study.release(99, UNIT, label="x", key=line.key) == line.answer
    else:
        with pytest.raises(LedgerError, match="pending"):
            study.release(5, UNIT, label="x", key=line.key)


@pytest.mark.parametrize("point", STATUS, ids=lambda point: point.__name__)
def test_a_kill_at_any_point_never_loses_a_spend(ledger, point):
    kill_at(ledger, point, times=2)


@pytest.mark.ledger
@pytest.mark.parametrize("point", STATUS, ids=lambda point: point.__name__)
def test_two_hundred_kills_at_any_point_never_lose_a_spend(ledger, point):
    kill_at(ledger, point, times=200)


def publish_until_killed(ledger, after):
    """What a child handed out before it was killed at a moment of nobody's choosing."""
    reading, writing = os.pipe()

    def work():
        with begin(ledger, 1000) as study:
            os.write(writing, b"open\n")
            while True:
                answer = study.release(5, UNIT, label="x")
                os.write(writing, f"{study.last.entry} {answer}\n".encode())

    child = start(work)
    os.close(writing)
    if after > 0.05:
        # Most die while they publish, however long it took to open the ledger; the others while they open it.
        os.read(reading, len("open\n"))
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    finish(child)
    with os.fdopen(reading) as lines:
        told = [line for line in lines if line.endswith("\n") and line != "open\n"]
    return [tuple(map(int, line.split())) for line in told]


def check_killed(ledger, times):
    begin(ledger, 1000).close()
    dice = random.Random(5)  # noqa: S311 - moments at which to kill
    published = [pair for _ in range(times) for pair in publish_until_killed(ledger, dice.uniform(0.02, 0.2))]
    with Accountant.open(ledger, study="race") as study:
        study.verify()
        history = study.history()
        paid = {line.entry: line.answer for line in history if line.status == "posted"}
        assert dict(published).items() <= paid.items()
        assert len(set(dict(published))) == len(published)
        assert study.remaining(UNIT) == 100_000 - len(history)
    return len(published)


def test_whatever_was_published_is_in_the_ledger(ledger):
    check_killed(ledger, times=3)


@pytest.mark.ledger
def test_whatever_was_published_is_in_the_ledger_after_two_hundred_kills(ledger):
    assert check_killed(ledger, times=200) > 0


def test_hosts_that_race_on_a_key_publish_one_answer(ledger):
    begin(ledger, 1).close()

    def work():
        with begin(ledger, 1) as study:
            try:
                return study.release(0, UNIT, label="x", key="k") % 100
            except PrivacyAccountantError:
                return 200

    answers = {finish(child) for child in [start(work) for _ in range(3)]} - {200}
    with Accountant.open(ledger, study="race") as study:
        (line,) = study.history()
        assert answers == {line.answer % 100}
        assert study.remaining(UNIT) == 99
