"""Where the noise comes from: nothing that can be seeded, copied, predicted or biased."""

import inspect
import os
import random
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from privacy_accountant import (
    ADP,
    Accountant,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    Mechanism,
)
from privacy_accountant.noise import laws
from privacy_accountant.numerics.enclosure import exp_minus

FOUR = [Laplace, Gaussian, DiscreteLaplace, DiscreteGaussian]


@pytest.mark.parametrize("first", [b"\x00", b"\xff", b"\x80", b"\x7f"], ids=["0", "1-", "1/2", "1/2-"])
@pytest.mark.parametrize("scale", [1, 100, 1000, 10**20])
@pytest.mark.parametrize("cls", FOUR)
def test_b77_whatever_the_first_bits_are_an_integer_comes_out(monkeypatch, cls, scale, first):
    """The uniforms 0, just below 1 and one half to 64 bits and more: never an infinity, a NaN or a negative zero."""
    left = [4]

    def read(size):
        left[0] -= 1
        return first * size if left[0] >= 0 else os.urandom(size)

    monkeypatch.setattr(laws, "operating_system", read)
    for value in (0, [0, 0, 0]):
        left[0] = 4
        for noisy in np.asarray(cls(scale, 1).randomize(value)).reshape(-1).tolist():
            assert type(noisy) is int
            assert abs(noisy) < 2000 * scale
    assert left[0] < 4


@pytest.mark.parametrize(
    ("g", "probability"),
    [
        (Fraction(1, 3), 0.716531310573789),
        (Fraction(2, 3), 0.513417119032592),
        (Fraction(5, 7), 0.489541659556953),
    ],
    ids=["1/3", "2/3", "5/7"],
)
def test_b78_bernoulli_of_exp_minus_g(g, probability):
    """In a discrete Laplace of scale 1/g each further unit has exactly this probability."""
    low, high = exp_minus(g, 60)
    assert low / 2**60 == pytest.approx(probability, rel=1e-14)
    assert high - low <= 3
    noisy = np.abs(DiscreteLaplace(scale=1 / g, sensitivity=1).randomize(np.zeros(400_000, dtype=int)))
    for k in (1, 2, 3):
        reached, passed = int((noisy >= k).sum()), int((noisy > k).sum())
        assert stats.binomtest(passed, reached, probability).pvalue > 1e-7


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(7, 5), 3, Fraction(22, 7)], ids=str)
@pytest.mark.parametrize("cls", [DiscreteLaplace, DiscreteGaussian])
def test_b78_discrete_laws_by_chi_square(cls, scale):
    noisy = cls(scale, 1).randomize(np.zeros(400_000, dtype=int))
    ks, s = np.arange(-200, 201), float(scale)
    weights = np.exp(-np.abs(ks) / s) if cls is DiscreteLaplace else np.exp(-(ks**2) / (2 * s * s))
    expected = weights / weights.sum() * noisy.size
    inner = expected >= 25
    seen = np.array([(noisy == k).sum() for k in ks[inner]])
    observed = [*seen, noisy.size - seen.sum()]
    wanted = [*expected[inner], noisy.size - expected[inner].sum()]
    if wanted[-1] < 25:
        observed, wanted = [*observed[:-2], sum(observed[-2:])], [*wanted[:-2], sum(wanted[-2:])]
    assert stats.chisquare(observed, wanted).pvalue > 1e-7


SEEDS = {"seed", "rng", "random_state", "random", "generator", "source", "state", "key_seed"}


def test_b80_there_is_nothing_to_seed():
    functions = [Mechanism.calibrate, Accountant, Accountant.open, Accountant.release, Accountant.publishes]
    functions += [part for cls in FOUR for part in (cls, cls.randomize, cls.noise_interval)]
    for function in functions:
        assert SEEDS.isdisjoint(inspect.signature(function).parameters)
    for cls in FOUR:
        with pytest.raises(TypeError):
            cls(1, 1, seed=42)
        with pytest.raises(TypeError):
            cls(1, 1).randomize(7, seed=42)


def test_b80_two_releases_of_one_count_do_not_give_it_away():
    """With one seed 2 y1 - y2 was the count exactly; with noise of their own it is the count as rarely as chance has it."""
    wide, narrow = Laplace(scale=200, sensitivity=1), Laplace(scale=100, sensitivity=1)
    counts = np.full(2000, 7)
    study = Accountant(budget=ADP(1))
    y1 = study.release(counts, narrow, label="at epsilon 0.01")
    y2 = study.release(counts, wide, label="at epsilon 0.005")
    recovered = int((2 * y1 - y2 == 7).sum())
    assert recovered < 50


@pytest.mark.processes
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("cls", FOUR)
def test_b81_forked_workers_draw_their_own(tmp_path, forked, cls):
    mechanism = cls(1000, 1)
    mechanism.randomize([0] * 20)
    np.random.seed(1)  # noqa: NPY002 - the generator that repeats itself after a fork
    random.seed(1)

    def work(name):
        def write():
            (tmp_path / name).write_text(repr(mechanism.randomize([0] * 20)))
            return 0

        return write

    children = [forked(work("one")), forked(work("two"))]
    assert [wait() for wait in children] == [0, 0]
    drawn = {(tmp_path / name).read_text() for name in ("one", "two")} | {repr(mechanism.randomize([0] * 20))}
    assert len(drawn) == 3


@pytest.mark.parametrize("scale", [10, 10**6, 10**30])
@pytest.mark.parametrize("cls", FOUR)
def test_b82_global_generators_neither_decide_nor_move(cls, scale):
    drawn, mechanism = [], cls(scale, 1)
    for _ in range(2):
        random.seed(7)
        np.random.seed(7)  # noqa: NPY002 - the generator that must not matter
        before = random.getstate(), np.random.get_state()[1].tobytes()  # noqa: NPY002
        drawn.append(repr(mechanism.randomize([0] * 60)))
        assert (random.getstate(), np.random.get_state()[1].tobytes()) == before  # noqa: NPY002
    assert drawn[0] != drawn[1]


@pytest.mark.parametrize("cls", FOUR)
def test_b82_every_bit_comes_from_the_operating_system(monkeypatch, cls):
    """With the entropy taken away nothing can be drawn: there is no second source."""

    class NoEntropyError(Exception):
        pass

    def dry(size):
        raise NoEntropyError

    monkeypatch.setattr(laws, "operating_system", dry)
    for scale in (0.3, 7, 5000):
        with pytest.raises(NoEntropyError):
            cls(scale, 1).randomize(5)
