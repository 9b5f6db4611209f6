"""Large draws, on both cores.

Reading the operating system's entropy and numpy's element-wise work release the interpreter lock, so a
second thread nearly doubles the speed of a large draw (measured; a third has not been). The thread lives
for one call: a pool that outlives it would be dead in a forked child.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

CHUNK = 1 << 17
"""Cells drawn at a time by the largest draws: enough that threads seldom wait for each other."""

SMALL_CHUNK, SMALL = 1 << 15, 1 << 19
"""Draws of fewer cells than the latter go by the former: what they work on then stays with the process, and is not fetched from
the system and given back every time, which may cost more than the drawing (measured: up to twice as much)."""

LARGE = 1 << 17
"""Draws of more cells than this share their chunks with a second thread."""


def gather(
    count: int, draw: Callable[[int], NDArray[Any]], *, chunk: int | None = None, large: int = LARGE
) -> NDArray[Any]:
    """One array of `count` independent values, drawn by chunks.

    A chunk that fails raises here, from whichever thread: no cell is ever returned without its noise.

    Returns:
        int64, or Python ints when a value passes int64.
    """
    chunk = chunk or (CHUNK if count >= SMALL else SMALL_CHUNK)
    shared = count > large and _cores() > 1
    chunk = min(chunk, -(-count // 2)) if shared else chunk
    values = np.empty(count, np.int64)
    wide: dict[int, NDArray[Any]] = {}
    starts, turn = iter(range(0, count, chunk)), threading.Lock()

    def work() -> None:
        while True:
            with turn:
                start = next(starts, None)
            if start is None:
                return
            part = draw(min(chunk, count - start))
            if part.dtype == object:
                wide[start] = part
            else:
                values[start : start + part.size] = part

    if shared:
        _with_a_helper(work)
    else:
        work()
    return _widened(values, wide) if wide else values


def _with_a_helper(work: Callable[[], None]) -> None:
    """Do the work here and in a second thread; alone when none can be had (a limit, a shutdown)."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        try:
            helper = pool.submit(work)
        except RuntimeError:
            helper = None
        work()
        if helper is not None:
            helper.result()


def _widened(values: NDArray[np.int64], wide: dict[int, NDArray[Any]]) -> NDArray[Any]:
    ints = values.astype(object)
    for start, part in wide.items():
        ints[start : start + part.size] = part
    return ints


def _cores() -> int:
    """Cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
