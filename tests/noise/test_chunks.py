"""Chunks, threads, and what happens when one fails."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from privacy_accountant.noise import chunks
from privacy_accountant.noise.chunks import gather


def counting():
    """A draw whose cells are 1, 2, 3, ... in the order in which they were drawn."""
    lock, given = threading.Lock(), iter(range(10**9))

    def draw(count):
        with lock:
            return np.array([next(given) + 1 for _ in range(count)], dtype=np.int64)

    return draw


@pytest.mark.parametrize("cores", [1, 2])
@pytest.mark.parametrize("count", [0, 1, 9, 10, 11, 99, 100, 101, 1234])
def test_every_cell_is_drawn_once(monkeypatch, cores, count):
    monkeypatch.setattr(chunks, "_cores", lambda: cores)
    values = gather(count, counting(), chunk=10, large=50)
    assert values.dtype == np.int64
    assert sorted(values.tolist()) == list(range(1, count + 1))


@pytest.mark.parametrize("cores", [1, 2])
def test_one_wide_chunk_makes_all_python_ints(monkeypatch, cores):
    monkeypatch.setattr(chunks, "_cores", lambda: cores)

    def draw(count):
        return np.array([2**70] * count, dtype=object) if count == 3 else np.ones(count, np.int64)

    values = gather(103, draw, chunk=10, large=50)
    assert values.dtype == object
    assert {type(x) for x in values} == {int}
    assert values.tolist() == [1] * 100 + [2**70] * 3


@pytest.mark.parametrize("cores", [1, 2])
@pytest.mark.parametrize("bad", range(4))
def test_a_failure_in_any_thread_surfaces(monkeypatch, cores, bad):
    monkeypatch.setattr(chunks, "_cores", lambda: cores)
    turn = iter(range(100))

    def draw(count):
        if next(turn) == bad:
            raise OSError("no entropy")
        return np.ones(count, np.int64)

    with pytest.raises(OSError, match="no entropy"):
        gather(40, draw, chunk=10, large=20)


def test_two_threads_take_part(monkeypatch):
    monkeypatch.setattr(chunks, "_cores", lambda: 2)
    before = set(threading.enumerate())
    meet, seen = threading.Barrier(2, timeout=20), set()

    def draw(count):
        meet.wait()
        seen.add(threading.get_ident())
        return np.ones(count, np.int64)

    assert gather(40, draw, chunk=10, large=20).sum() == 40
    assert len(seen) == 2
    assert set(threading.enumerate()) <= before  # none is left behind


def test_no_thread_to_be_had(monkeypatch):
    def refuse(self, *arguments):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(chunks, "_cores", lambda: 2)
    monkeypatch.setattr(ThreadPoolExecutor, "submit", refuse)
    assert sorted(gather(105, counting(), chunk=10, large=20).tolist()) == list(range(1, 106))


@pytest.mark.parametrize("cores", [1, 2])
def test_large_draws_go_by_larger_chunks(monkeypatch, cores):
    monkeypatch.setattr(chunks, "_cores", lambda: cores)
    for count, most in (
        (100_000, chunks.SMALL_CHUNK),
        (chunks.SMALL - 1, chunks.SMALL_CHUNK),
        (chunks.SMALL, chunks.CHUNK),
    ):
        sizes = []

        def draw(size, sizes=sizes):
            sizes.append(size)
            return np.ones(size, np.int64)

        assert gather(count, draw).sum() == sum(sizes) == count
        assert max(sizes) == most
