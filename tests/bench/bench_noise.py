"""Noise on a million cells and on a single number, against OpenDP's exact noise and numpy's rounded floats.

Run by itself, this file prints what no ratio tells: how far the time of a single release goes with the noise in it, and the
memory of a sampler.
"""

import gc
import time
import tracemalloc
from fractions import Fraction
from statistics import median
from unittest.mock import patch

import numpy as np
import opendp.prelude as dp
from harness import Comparison
from scipy.stats import spearmanr

from privacy_accountant import ADP, ZCDP, Accountant, DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
from privacy_accountant.noise import chunks, laws

CELLS, OPENDP_CELLS, SINGLE = 1_000_000, 10_000, 200
VALUES = np.arange(CELLS) % 1000
SCALES = {1: 1 / 200, 10: 1 / 200, 1000: 1 / 100, 1_000_000: 1 / 100}
LAPLACE, GAUSSIAN = (Laplace, DiscreteLaplace), (Gaussian, DiscreteGaussian)
MECHANISMS = LAPLACE + GAUSSIAN
TWO_CORES = (
    "the second thread needs an idle core: on a busy machine rows of both cores come near those of one thread"
)

dp.enable_features("contrib", "honest-but-curious")


def each(task, count):
    """Seconds that a task takes for each of the `count` things that it does."""

    def run():
        start = time.perf_counter()
        task()
        return (time.perf_counter() - start) / count

    return run


def name_of(kind, scale):
    return f"{kind.__name__} at scale {scale:g}"


# ------------------------------------------------------------------------------------------ arrays


def one_thread(task):
    """The task as on a machine with one core: `chunks._cores` is what decides on a second thread."""

    def run():
        with patch.object(chunks, "_cores", return_value=1):
            task()

    return run


def opendp_vector(kind, scale):
    domain = dp.vector_domain(dp.atom_domain(T=int))
    if kind in LAPLACE:
        release = dp.m.make_laplace(domain, dp.l1_distance(T=int), scale=float(scale))
    else:
        release = dp.m.make_gaussian(domain, dp.l2_distance(T=float), scale=float(scale))
    values = VALUES[:OPENDP_CELLS].tolist()
    return each(lambda: release(values), OPENDP_CELLS)


def numpy_vector(kind, scale):
    generator = np.random.default_rng()
    draw = generator.laplace if kind in LAPLACE else generator.normal
    return each(lambda: np.rint(draw(0, scale, CELLS)), CELLS)


def arrays(kind, scale, opendp_goal):
    mechanism = kind(scale, sensitivity=1)
    task = f"{name_of(kind, scale)}: a cell of 1,000,000"

    def ours():
        mechanism.randomize(VALUES)

    def against_numpy(threads, task_of_ours, goal):
        name = f"numpy {'laplace' if kind in LAPLACE else 'normal'} and rint, not private"
        peer = numpy_vector(kind, scale)
        return Comparison(
            f"{task}, {threads}",
            name,
            each(task_of_ours, CELLS),
            peer,
            goal,
            rounds=9,
            self_timed=True,
            note=TWO_CORES if (kind, scale, threads) == (Laplace, 1, "both cores") else "",
        )

    yield Comparison(
        task,
        f"OpenDP {'laplace' if kind in LAPLACE else 'gaussian'}, a cell of {OPENDP_CELLS:,}",
        each(ours, CELLS),
        opendp_vector(kind, scale),
        opendp_goal,
        rounds=5,
        self_timed=True,
    )
    yield against_numpy("one thread", one_thread(ours), 2.85)
    yield against_numpy("both cores", ours, 2.0)


# ----------------------------------------------------------------------------------- single numbers


def opendp_scalar(kind, scale, number):
    whole = isinstance(number, int)
    domain = dp.atom_domain(T=int) if whole else dp.atom_domain(T=float, nan=False)
    if kind in LAPLACE:
        return dp.m.make_laplace(domain, dp.absolute_distance(T=type(number)), scale=float(scale))
    return dp.m.make_gaussian(domain, dp.absolute_distance(T=float), scale=float(scale))


def single(kind, scale, number=842, name="one number", **grid):
    mechanism = kind(scale, sensitivity=1, **grid)
    theirs = number.item() if isinstance(number, np.generic) else number

    def repeat(task, value):
        return each(lambda: [task(value) for _ in range(SINGLE)], SINGLE)

    return Comparison(
        f"{name_of(kind, scale)}: {name}",
        f"OpenDP {'laplace' if kind in LAPLACE else 'gaussian'} of one number",
        repeat(mechanism.randomize, number),
        repeat(opendp_scalar(kind, scale, theirs), theirs),
        goal=1.0,
        self_timed=True,
        note=sampler_sizes() if (kind, scale, name) == (Laplace, 1, "one number") else "",
    )


def singles():
    """Whole numbers at every scale, and at one scale every other kind of number."""
    yield from (single(kind, scale) for scale in SCALES for kind in MECHANISMS)
    for kind in MECHANISMS:
        yield single(kind, 10, np.int64(842), "one numpy int64")
    for kind in (Laplace, Gaussian):
        yield single(kind, 10, 842.25, "one float on a grid", grid="auto")
        yield single(kind, 10, np.float64(842.25), "one numpy float64 on a grid", grid="auto")


def sampler_kib(kind, scale):
    """Memory that a first draw leaves behind."""
    mechanism = kind(scale, sensitivity=1)
    mechanism.randomize(0)
    laws._sampler.cache_clear()
    gc.collect()
    tracemalloc.start()
    mechanism.randomize(0)
    gc.collect()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return held / 2**10


def sampler_sizes():
    sizes = [sampler_kib(kind, scale) for kind in MECHANISMS for scale in SCALES]
    return f"the samplers of these laws and scales, built once each, hold {min(sizes):.0f} to {max(sizes):.0f} KiB"


COMPARISONS = [
    *(row for scale, goal in SCALES.items() for kind in MECHANISMS for row in arrays(kind, scale, goal)),
    *singles(),
]


# --------------------------------------------------------------------------------------------- time


def time_and_noise(release, count):
    """Spearman's correlation of |noise| and time; the median time of the largest 1 % of the noise over that of all."""
    taken, noise = np.empty(count), np.empty(count)
    for at in range(-count // 20, count):
        start = time.perf_counter_ns()
        noisy = release(0)
        if at >= 0:
            taken[at], noise[at] = time.perf_counter_ns() - start, abs(noisy)
    largest = np.argsort(noise, kind="stable")[-count // 100 :]
    return spearmanr(noise, taken).statistic, median(taken[largest]) / median(taken)


def in_a_study(mechanism):
    budget = ADP(epsilon=Fraction(10**9)) if isinstance(mechanism, LAPLACE) else ZCDP(rho=Fraction(10**9))
    study = Accountant(budget=budget)
    return lambda value: study.release(value, mechanism, label="bench")


def main():
    print("| noise | KiB | randomize: correlation | ratio | release: correlation | ratio |")
    print("|---|---|---|---|---|---|")
    for scale in SCALES:
        for kind in MECHANISMS:
            mechanism = kind(scale, sensitivity=1)
            figures = (
                *time_and_noise(mechanism.randomize, 40_000),
                *time_and_noise(in_a_study(mechanism), 4_000),
            )
            shown = " | ".join(
                f"{figure:+.3f}" if at % 2 == 0 else f"{figure:.3f}" for at, figure in enumerate(figures)
            )
            print(f"| {name_of(kind, scale)} | {sampler_kib(kind, scale):.0f} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
