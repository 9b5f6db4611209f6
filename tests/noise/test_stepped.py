"""The rejection at large scales: its threshold to the last bit, and each integer in exactly one way."""

from collections import Counter
from fractions import Fraction
from functools import partial

import mpmath
import numpy as np
import pytest
from scipy import stats

from privacy_accountant.noise.entropy import integer, operating_system
from privacy_accountant.noise.stepped import FIRST_BITS, FLOAT_BITS, INT64_STEPS, Stepped, below
from privacy_accountant.numerics.enclosure import exp_minus


def stepped(scale, *, gaussian, rounded, k):
    scale = Fraction(scale)
    linear, square = (Fraction(0), 1 / (2 * scale**2)) if gaussian else (1 / scale, Fraction(0))
    return Stepped(linear, square, k, rounded=rounded)


def first_accepted(sampler, q, remainder, u, read):
    """The array path of a single candidate."""
    kind = np.int64 if sampler.k <= INT64_STEPS else object
    return bool(sampler._accept(np.array([q]), np.array([remainder], kind), np.array([u]), read)[0])


class Fixed:
    """A table that always gives the same q."""

    def __init__(self, q):
        self.q, self.last = q, 0

    def draw_one(self, read):
        return self.q

    def draw(self, count, read):
        return np.full(count, self.q)


@pytest.mark.parametrize("gaussian", [False, True])
@pytest.mark.parametrize(
    ("rounded", "k"),
    [(False, 1), (True, 0), (False, 13), (True, 13), (False, 61), (True, 61), (False, 62), (True, 1320)],
)
@pytest.mark.parametrize("close", [None, 1.0])
def test_acceptance_to_the_last_bit(gaussian, rounded, k, close, fed):
    """128 bits of U around exp(-y): just below accepted, just above refused, at it read on."""
    sampler = stepped(100 << k, gaussian=gaussian, rounded=rounded, k=k)
    sampler.close = close or sampler.close
    known = k + rounded
    zeros = [(0, FLOAT_BITS - known)] if rounded and known < FLOAT_BITS else []
    for q in (0, 1, 57, 203, 420):
        for remainder in (1, (1 << known) - 1, (1 << known) // 3 + 1):
            with mpmath.workprec(300):
                v = mpmath.mpf(remainder) / 2**known
                y = ((q + v) ** 2 - q * q) / 20000 if gaussian else v / 100
                edge = int(mpmath.floor(mpmath.exp(-y) * 2**128))
            near = [(-8, True), (0, None), (8, False)]
            for offset, expected in near if close else [*near, (-(2**86), True), (2**86, False)]:
                word = edge + offset
                if word >> 128:
                    continue
                further = [(word % 2**64, 64), (0, 64)] if rounded else [(word % 2**64, 64)]
                further = further if abs(offset) <= 8 else []
                u, rest = divmod(word >> 64, 2**56)
                one = fed(partial(sampler._accept_one, q, remainder), *zeros, (word >> 64, 64), *further)
                many = fed(partial(first_accepted, sampler, q, remainder, u), *zeros, (rest, 56), *further)
                assert one is many is expected, (q, remainder, offset)


def test_no_distance_is_always_accepted(scripted):
    """y = 0 at x = step q: exp(-0) is 1, exactly."""
    sampler = stepped(1000, gaussian=True, rounded=False, k=3)
    sampler.close = 1.0
    assert sampler._accept_one(5, 0, scripted((2**64 - 1, 64))) is True
    assert first_accepted(sampler, 5, 0, 255, scripted((2**56 - 1, 56))) is True


@pytest.mark.parametrize("gaussian", [False, True])
def test_what_is_accepted_at_once_would_be_accepted_anyway(gaussian):
    """sure[q] / 2**8 lies below exp(-y) even at v = 1, and not far below."""
    sampler = stepped(1000, gaussian=gaussian, rounded=False, k=3)
    assert sampler.sure[-1] == 0
    with mpmath.workprec(200):
        for q in range(0, sampler.table.last, 7):
            y = mpmath.mpf((2 * q + 1) if gaussian else 1) / ((2 * 125**2) if gaussian else 125)
            sure = int(sampler.sure[q])
            assert sure <= mpmath.exp(-y) * 256
            assert sure >= (1 - y) * 256 - 1


@pytest.mark.parametrize("k", [1, 3, 6])
def test_each_integer_comes_up_in_one_way(k, scripted):
    sampler = stepped(100 << k, gaussian=True, rounded=False, k=k)
    seen = Counter()
    for q in range(3):
        sampler.table, sampler.sure = Fixed(q), np.array([2**FIRST_BITS])
        for bits in range(2 ** (k + 1)):
            seen[sampler.draw_one(scripted((bits, k + 1), (0, 64)))] += 1
    assert seen == Counter(range(-3 << k, 3 << k))


@pytest.mark.parametrize("k", [0, 1, 4])
def test_each_half_cell_comes_up_in_one_way_when_rounded(k, scripted):
    """With v to k + 1 bits: 0 has one half of a cell on each side, every other integer two on its own."""
    sampler = stepped(100 << k, gaussian=True, rounded=True, k=k)
    seen = Counter()
    for q in range(3):
        sampler.table, sampler.sure = Fixed(q), np.array([2**FIRST_BITS])
        for bits in range(2 ** (k + 2)):
            seen[sampler.draw_one(scripted((bits, k + 2), (0, FLOAT_BITS - k - 1), (0, 64)))] += 1
    edge = 3 << k
    assert seen == Counter({x: 1 if abs(x) == edge else 2 for x in range(-edge, edge + 1)})


@pytest.mark.parametrize(
    ("rounded", "k"), [(True, 0), *((rounded, k) for rounded in (False, True) for k in (5, 61, 62, 200))]
)
def test_arrays_and_single_draws_read_alike(rounded, k, scripted):
    """The same bytes give the same candidates, int64 or not."""
    sampler = stepped(100 << k, gaussian=False, rounded=rounded, k=k)
    rng = np.random.default_rng(k)
    for q in (0, 1, 2, 3, 900):
        sampler.table, sampler.sure = Fixed(q), np.array([2**FIRST_BITS])
        bits = int.from_bytes(rng.bytes(40), "little") >> (320 - sampler.known - 1)
        read = bits, sampler.known + 1
        more = [(0, FLOAT_BITS - sampler.known)] if rounded and sampler.known < FLOAT_BITS else []
        one = sampler.draw_one(scripted(read, *more, (0, 64)))
        many = sampler.draw(1, scripted(read, (0, FIRST_BITS)))
        assert many.tolist() == [one]
        assert many.dtype == (np.int64 if -(2**63) <= one < 2**63 else object)


@pytest.mark.parametrize("k", [INT64_STEPS - 8, INT64_STEPS, INT64_STEPS + 1, 1000])
@pytest.mark.parametrize("rounded", [False, True])
def test_results_beyond_int64_are_python_ints(k, rounded):
    drawn = stepped(100 << k, gaussian=True, rounded=rounded, k=k).draw(2000, operating_system)
    wide = max(abs(int(x)) for x in drawn) >= 2**63
    assert drawn.dtype == (object if wide else np.int64)
    assert not wide or {type(x) for x in drawn} == {int}
    assert len(set(drawn.tolist())) > 1900


@pytest.mark.parametrize(
    ("g", "p"), [("1/3", 0.716531310573789), ("2/3", 0.513417119032592), ("5/7", 0.489541659556953)]
)
def test_bernoulli_exp(g, p, scripted):
    """Case B78."""
    threshold = partial(exp_minus, Fraction(g))
    with mpmath.workdps(60):
        edge = int(
            mpmath.floor(mpmath.exp(-mpmath.mpf(Fraction(g).numerator) / Fraction(g).denominator) * 2**192)
        )
    assert edge / 2**192 == pytest.approx(p, rel=1e-14)
    for extra, expected in ((-4, True), (4, False)):
        word = edge + extra
        parts = [word >> 128, word >> 64 & (2**64 - 1), word & (2**64 - 1)]
        assert below(threshold, parts[0], 64, scripted((parts[1], 64), (parts[2], 64))) is expected
    hits = sum(below(threshold, integer(64, operating_system), 64, operating_system) for _ in range(20000))
    assert stats.binomtest(hits, 20000, p).pvalue > 1e-8


def test_what_is_refused_is_drawn_again_in_its_place(monkeypatch):
    """Three rounds, the second with a value beyond int64."""
    sampler = stepped(1000, gaussian=True, rounded=False, k=3)
    rounds = [
        (np.array([11, 12, 13, 14, 15]), np.array([True, False, False, True, False])),
        (np.array([22, 2**70 + 1, 25], dtype=object), np.array([False, True, False])),
        (np.array([32, 35]), np.array([True, True])),
    ]
    asked = []

    def propose(count, read):
        asked.append(count)
        values, accepted = rounds.pop(0)
        return values, accepted.copy()

    monkeypatch.setattr(sampler, "_propose", propose)
    assert sampler.draw(5, operating_system).tolist() == [11, 32, 2**70 + 1, 14, 35]
    assert asked == [5, 3, 2]
