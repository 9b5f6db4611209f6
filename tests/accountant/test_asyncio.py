"""Releases from asyncio: charged before, posted after, never more than there is, and a cancellation spends what it charged."""

import asyncio
import contextlib
import functools
import inspect
import sqlite3
import threading
import time

import pytest

from privacy_accountant.accountant import Accountant
from privacy_accountant.errors import (
    BudgetExceededError,
    InvalidParameterError,
    LedgerError,
    ReleaseFailedError,
)
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.mechanisms import Laplace

ONE = Laplace(1, 1)
WITHHELD = "patient 4711"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.db"


@pytest.fixture
def filed(path):
    with Accountant.open(path, study="a", budget=ADP(50.0)) as study:
        yield study


@contextlib.contextmanager
def locked(path):
    """Somebody else has the ledger's write lock."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("COMMIT")


def statuses(study):
    return [release.status for release in study.history()]


def spent(study):
    (epsilon, _) = study.spent().amounts
    return epsilon


def test_the_signature_is_that_of_release():
    assert inspect.signature(Accountant.arelease) == inspect.signature(Accountant.release)
    assert inspect.iscoroutinefunction(Accountant.arelease)
    assert Accountant.arelease.__qualname__ == "Accountant.arelease"


def test_an_answer_is_posted_before_it_is_returned(open_study):
    study = open_study(budget=ADP(50.0))
    answer = asyncio.run(study.arelease([5, 6], ONE, label="x", key="k"))
    assert study.history()[0].answer == answer
    assert asyncio.run(study.arelease([5, 6], ONE, label="x", key="k")) == answer
    assert spent(study) == 1
    study.verify()


def test_a_hundred_tasks_never_spend_more_than_there_is(open_study):
    study = open_study(budget=ADP(50.0))

    async def race():
        calls = (study.arelease(5, ONE, label=f"release {n}") for n in range(100))
        return await asyncio.gather(*calls, return_exceptions=True)

    found = asyncio.run(race())
    assert sum(isinstance(one, int) for one in found) == 50
    assert sum(isinstance(one, BudgetExceededError) for one in found) == 50
    assert statuses(study) == ["posted"] * 50
    assert study.verify().entries == 101


def test_two_loops_share_one_study(open_study):
    study = open_study(budget=ADP(20.0))
    found = []

    async def race():
        calls = (study.arelease(5, ONE, label="x") for _ in range(20))
        return await asyncio.gather(*calls, return_exceptions=True)

    loops = [threading.Thread(target=lambda: found.extend(asyncio.run(race()))) for _ in range(2)]
    for loop in loops:
        loop.start()
    for loop in loops:
        loop.join()
    assert sum(isinstance(one, int) for one in found) == 20
    assert statuses(study) == ["posted"] * 20
    study.verify()


@pytest.mark.parametrize(
    ("value", "mechanism"), [(1.5, ONE), ("x", ONE), (5, "no mechanism"), ([], ONE)], ids=str
)
def test_what_release_refuses_is_refused(open_study, value, mechanism):
    study = open_study(budget=ADP(50.0))
    with pytest.raises(InvalidParameterError):
        asyncio.run(study.arelease(value, mechanism, label="x"))
    assert study.history() == ()


def test_the_loop_goes_on_while_the_ledger_is_locked(path, filed):
    async def publish():
        ticks = 0
        with locked(path):
            call = asyncio.create_task(filed.arelease(5, ONE, label="x"))
            until = time.monotonic() + 0.3
            while time.monotonic() < until:
                await asyncio.sleep(0.01)
                ticks += 1
            assert not call.done()
        return ticks, await call

    ticks, answer = asyncio.run(publish())
    assert ticks > 10
    assert filed.history()[0].answer == answer


def test_what_is_cancelled_before_it_begins_spends_nothing(open_study):
    study = open_study(budget=ADP(50.0))

    async def cancel():
        loop = asyncio.get_running_loop()
        busy, free = threading.Semaphore(0), threading.Event()
        for _ in range(64):
            loop.run_in_executor(None, lambda: (busy.release(), free.wait()))
        busy.acquire()
        call = asyncio.create_task(study.arelease(5, ONE, label="x"))
        await asyncio.sleep(0.05)
        call.cancel()
        await asyncio.sleep(0.05)
        free.set()
        with pytest.raises(asyncio.CancelledError):
            await call

    asyncio.run(cancel())
    assert study.history() == ()


def test_what_is_cancelled_while_it_is_charged_is_not_drawn_and_stays_spent(path, filed):
    async def cancel():
        with locked(path):
            call = asyncio.create_task(filed.arelease(5, ONE, label="x", key="k"))
            await asyncio.sleep(0.2)
            for _ in range(3):
                call.cancel(WITHHELD)
                await asyncio.sleep(0.01)
            assert not call.done()
        with pytest.raises(asyncio.CancelledError) as cancelled:
            await call
        assert WITHHELD not in repr(cancelled.value)

    asyncio.run(cancel())
    assert statuses(filed) == ["failed"]
    assert filed.history()[0].answer is None
    assert spent(filed) == 1
    with pytest.raises(ReleaseFailedError):
        filed.release(5, ONE, label="x", key="k")
    filed.verify()


def test_an_async_function_is_charged_before_and_posted_after(open_study):
    study = open_study(budget=ADP(50.0))

    @study.publishes(ONE, label="cells")
    async def cells(rows, *, extra=0):
        seen.append(statuses(study))
        await asyncio.sleep(0)
        return sum(rows) + extra

    seen = []
    assert inspect.iscoroutinefunction(cells)
    assert str(inspect.signature(cells)) == "(rows, *, extra=0)"
    assert not hasattr(cells, "__wrapped__")
    answer = asyncio.run(cells([1, 2], extra=3))
    assert seen == [["pending"]]
    assert study.history()[0].answer == answer
    assert statuses(study) == ["posted"]


class Counter:
    async def __call__(self, rows):
        return sum(rows)


async def total(rows):
    return sum(rows)


@pytest.mark.parametrize("function", [Counter(), functools.partial(total), Counter().__call__])
def test_whatever_is_awaited_is_awaited(function):
    study = Accountant(budget=ADP(50.0))
    assert isinstance(asyncio.run(study.publishes(ONE, label="x")(function)([1, 2])), int)


async def generated(rows):
    yield 1


@pytest.mark.parametrize("function", [generated, functools.partial(generated)])
def test_generators_are_refused(function):
    with pytest.raises(InvalidParameterError, match="or an async one"):
        Accountant(budget=ADP(50.0)).publishes(ONE, label="x")(function)


def test_async_functions_never_publish_more_than_there_is(open_study):
    study = open_study(budget=ADP(10.0))
    ran = []

    @study.publishes(ONE, label="x")
    async def count(n):
        ran.append(n)
        await asyncio.sleep(0.001)
        return n

    async def race():
        return await asyncio.gather(*map(count, range(30)), return_exceptions=True)

    found = asyncio.run(race())
    assert sum(isinstance(one, int) for one in found) == len(ran) == 10
    assert sum(isinstance(one, BudgetExceededError) for one in found) == 20
    assert statuses(study) == ["posted"] * 10


@pytest.mark.parametrize("error", [ValueError(WITHHELD), SystemExit(WITHHELD), LedgerError(WITHHELD)])
def test_what_an_async_function_raises_is_withheld(open_study, error):
    study = open_study(budget=ADP(50.0))

    @study.publishes(ONE, label="x")
    async def fails():
        await asyncio.sleep(0)
        raise error

    with pytest.raises(ReleaseFailedError) as failed:
        asyncio.run(fails())
    assert WITHHELD not in str(failed.value)
    assert (failed.value.__cause__, failed.value.__context__) == (None, None)
    assert statuses(study) == ["failed"]
    assert spent(study) == 1


@pytest.mark.parametrize("result", [1.5, None, "x"])
def test_what_an_async_function_must_not_return_is_a_failure(open_study, result):
    study = open_study(budget=ADP(50.0))

    @study.publishes(ONE, label="x")
    async def wrong():
        return result

    with pytest.raises(ReleaseFailedError):
        asyncio.run(wrong())
    with pytest.raises(ReleaseFailedError):
        asyncio.run(study.publishes(ONE, label="x")(total)())
    assert statuses(study) == ["failed", "failed"]


def test_a_cancelled_async_function_stays_spent(open_study):
    study = open_study(budget=ADP(50.0))
    cleaned = []

    @study.publishes(ONE, label="x")
    async def slow(begun):
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            cleaned.append(True)

    async def begin():
        begun = asyncio.Event()
        call = asyncio.create_task(slow(begun))
        await begun.wait()
        return call

    async def cancel():
        call = await begin()
        call.cancel(WITHHELD)
        with pytest.raises(asyncio.CancelledError) as cancelled:
            await call
        assert WITHHELD not in repr(cancelled.value)
        assert cancelled.value.__context__ is None
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(await begin(), 0.01)

    asyncio.run(cancel())
    assert cleaned == [True, True]
    assert statuses(study) == ["failed", "failed"]
    assert spent(study) == 2
    study.verify()


def test_a_cancellation_that_the_function_itself_meets_is_a_failure(open_study):
    study = open_study(budget=ADP(50.0))

    @study.publishes(ONE, label="x")
    async def gives_up():
        raise asyncio.CancelledError(WITHHELD)

    async def publish():
        with pytest.raises(asyncio.CancelledError) as cancelled:
            await gives_up()
        assert WITHHELD not in repr(cancelled.value)

    asyncio.run(publish())
    assert statuses(study) == ["failed"]


def test_a_call_that_is_never_awaited_again_stays_pending(open_study):
    study = open_study(budget=ADP(50.0))

    @study.publishes(ONE, label="x")
    async def slow():
        await asyncio.Event().wait()

    async def abandon():
        call = slow()
        call.send(None)
        while not study.pending():
            await asyncio.sleep(0.01)
        call.close()

    asyncio.run(abandon())
    assert spent(study) == 1
    assert statuses(study) == ["pending"]


def test_a_release_under_way_cannot_be_voided(open_study):
    study = open_study(budget=ADP(50.0))

    @study.publishes(ONE, label="x")
    async def slow():
        with pytest.raises(LedgerError, match="in flight"):
            study.void(study.pending()[0].entry, reason="x")
        return 5

    assert isinstance(asyncio.run(slow()), int)
    assert statuses(study) == ["posted"]


def test_a_store_that_was_published_outlives_a_cancellation(tmp_path, filed, monkeypatch):
    """Whoever is cancelled after the result was posted does not take it away again."""
    posted = threading.Event()
    post = type(filed._desk)._post

    def slowly(desk, *arguments, **fields):
        post(desk, *arguments, **fields)
        posted.set()
        time.sleep(0.1)

    monkeypatch.setattr(type(filed._desk), "_post", slowly)

    @filed.publishes(ONE, label="x", out=tmp_path / "cells")
    async def cells():
        return [1, 2, 3]

    async def cancel():
        call = asyncio.create_task(cells())
        await asyncio.get_running_loop().run_in_executor(None, posted.wait)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    asyncio.run(cancel())
    assert statuses(filed) == ["posted"]
    assert (tmp_path / "cells" / "answer.json").exists()
