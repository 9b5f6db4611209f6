"""Nobody's noise repeats anybody's: forks, pickles, copies, threads, interpreters."""

import copy
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import privacy_accountant
from privacy_accountant import (
    ZCDP,
    Accountant,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
)

FOUR = [Laplace, Gaussian, DiscreteLaplace, DiscreteGaussian]
VECTOR = [0] * 20  # two equal draws of twenty numbers at scale 1000 have a chance below 1e-60


@pytest.fixture
def path(tmp_path):
    where = tmp_path / "study.db"
    Accountant.open(where, study="ward-7", budget=ZCDP(1)).close()
    return where


def answers(path):
    with Accountant.open(path, study="ward-7") as study:
        study.verify()
        return [tuple(line.answer) for line in study.history()]


@pytest.mark.processes
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("cls", FOUR)
@pytest.mark.parametrize("handle", ["shared", "own"])
def test_forked_workers_release_their_own_noise(path, cls, handle):
    """The parent has drawn and released before; workers use its open study or one that they open."""
    mechanism = cls(1000, 1)
    study = Accountant.open(path, study="ward-7")
    study.release(VECTOR, mechanism, label="parent")
    children = []
    for worker in range(3):
        child = os.fork()
        if child == 0:
            status = 255
            try:
                mine = study if handle == "shared" else Accountant.open(path, study="ward-7")
                mine.release(VECTOR, mechanism, label=f"worker {worker}")
                status = 0
            finally:
                os._exit(status)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 3
    study.release(VECTOR, mechanism, label="parent again")
    study.close()
    assert len(set(answers(path))) == 5


@pytest.mark.parametrize("cls", FOUR)
def test_two_loads_of_one_pickle_do_not_repeat(path, cls):
    mechanism = cls(1000, 1)
    mechanism.randomize(VECTOR)
    with Accountant.open(path, study="ward-7") as study:
        study.release(VECTOR, mechanism, label="before")
        saved = pickle.dumps((study, mechanism))
    for copied in (saved, saved):
        restored, same = pickle.loads(copied)  # noqa: S301 - our own bytes
        with restored:
            assert same == mechanism
            restored.release(VECTOR, same, label="after")
            restored.release(VECTOR, copy.deepcopy(same), label="after")
    assert len(set(answers(path))) == 5


def test_threads_do_not_repeat(path):
    study, start = Accountant.open(path, study="ward-7"), threading.Barrier(8)

    def work():
        start.wait()
        study.release(VECTOR, Gaussian(1000, 1), label="thread")

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    study.close()
    assert len(answers(path)) == len(set(answers(path))) == 8


WORKER = """
import random, sys
import numpy as np
from privacy_accountant import Accountant, DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
random.seed(0)
np.random.seed(0)
with Accountant.open(sys.argv[1], study="ward-7") as study:
    for cls in (Laplace, Gaussian, DiscreteLaplace, DiscreteGaussian):
        study.release([0] * 20, cls(1000, 1), label="worker")
"""


@pytest.mark.processes
def test_equal_constructors_in_many_workers_do_not_repeat(path):
    """Interpreters that start alike, hash alike and seed alike: Dask workers and pre-forked servers do."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(privacy_accountant.__file__).parents[1]),
        "PYTHONHASHSEED": "0",
    }
    workers = [subprocess.Popen([sys.executable, "-c", WORKER, str(path)], env=environment) for _ in range(3)]
    assert [worker.wait(timeout=120) for worker in workers] == [0] * 3
    assert len(answers(path)) == len(set(answers(path))) == 12
