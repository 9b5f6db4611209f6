"""Sixteen requests at once for ten places."""

import asyncio
import threading

import pytest

from privacy_accountant import ADP, Accountant, BudgetExceededError, Laplace

TENTH = Laplace(scale=10, sensitivity=1)


def attempt(study):
    try:
        study.release(5, TENTH, label="count")
    except BudgetExceededError:
        return 0
    return 1


def test_b91_sixteen_threads_get_ten_releases(open_study):
    study, start, counts = open_study(ADP(1.0)), threading.Barrier(16), []

    def work():
        start.wait()
        counts.append(attempt(study))

    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(counts) == 16
    assert sum(counts) == 10
    assert study.spent().amounts == (1.0, 0.0)
    assert len(study.history()) == 10
    study.verify()


def test_b91_sixteen_tasks_get_ten_releases(open_study):
    study = open_study(ADP(1.0))

    async def race():
        calls = (study.arelease(5, TENTH, label="count") for _ in range(16))
        return await asyncio.gather(*calls, return_exceptions=True)

    found = asyncio.run(race())
    assert sum(isinstance(one, int) for one in found) == 10
    assert sum(isinstance(one, BudgetExceededError) for one in found) == 6
    assert study.spent().amounts == (1.0, 0.0)
    study.verify()


@pytest.mark.processes
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_b91_two_processes_get_ten_releases_together(tmp_path, forked):
    path = tmp_path / "x.db"
    Accountant.open(path, study="ward-7", budget=ADP(1.0)).close()

    def work():
        with Accountant.open(path, study="ward-7") as study:
            return sum(attempt(study) for _ in range(8))

    children = [forked(work), forked(work)]
    assert sum(wait() for wait in children) == 10
    with Accountant.open(path, study="ward-7") as study:
        assert study.spent().amounts == (1.0, 0.0)
        study.verify()
