"""Paired timing: ours and the peer's turn by turn in one run, so that a busy machine slows both alike.

What is reported is the median of the ratios of the pairs, with their quartiles. Seconds on one machine mean little on another;
a ratio to a peer travels.
"""

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Comparison:
    """One task done by this library and by a peer.

    `ours` and `peer` do the task once; with `self_timed` they return the seconds that it took.
    `goal` bounds ours / peer from above; None means that the figure is reported without a promise.
    """

    task: str
    peer_name: str
    ours: Callable[[], object]
    peer: Callable[[], object]
    goal: float | None = None
    rounds: int = 15
    note: str = ""
    self_timed: bool = False


@dataclass(frozen=True)
class Result:
    comparison: Comparison
    ours: float
    peer: float
    low: float
    ratio: float
    high: float

    @property
    def met(self) -> bool:
        return self.comparison.goal is None or self.ratio <= self.comparison.goal


def seconds(task: Callable[[], object], self_timed: bool) -> float:
    start = time.perf_counter()
    answer = task()
    elapsed = time.perf_counter() - start
    return answer if self_timed else elapsed


def pairs(comparison: Comparison) -> Iterator[tuple[float, float]]:
    """Times of ours and the peer's, alternately first; one round beforehand warms both up and is not counted."""
    for turn in range(comparison.rounds + 1):
        tasks = [comparison.ours, comparison.peer]
        order = (0, 1) if turn % 2 else (1, 0)
        taken = [0.0, 0.0]
        for side in order:
            taken[side] = seconds(tasks[side], comparison.self_timed)
        if turn:
            yield taken[0], taken[1]


def measure(comparison: Comparison) -> Result:
    times = list(pairs(comparison))
    low, ratio, high = statistics.quantiles([own / theirs for own, theirs in times], n=4)
    own, theirs = (statistics.median(column) for column in zip(*times, strict=True))
    return Result(comparison, own, theirs, low, ratio, high)
