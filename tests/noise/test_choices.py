"""Choices of one among many: enumerated word by word, and drawn."""

import itertools
from collections import Counter
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from privacy_accountant.noise.choices import _place, permute_and_flip, proportional
from privacy_accountant.noise.entropy import operating_system

FALSE_ALARM = 1e-8
CASES = [
    (0,),
    (0, 0),
    (0, 1),
    (Fraction(1, 3), 0, Fraction(5, 2)),
    (4, 0, 0, Fraction(1, 10**12), 3),
    (0, 10**6),
    (1000, 0, 30),
]
cases = pytest.mark.parametrize(
    "exponents", [tuple(map(Fraction, case)) for case in CASES], ids=lambda case: ",".join(map(str, case))
)


def weights(exponents):
    return [mpmath.exp(-mpmath.mpf(x.numerator) / x.denominator) for x in exponents]


def flipped(exponents):
    """The law of permute-and-flip: over every order, the first that is accepted (McKenna and Sheldon 2020, Algorithm 1)."""
    accept, law = weights(exponents), [mpmath.mpf(0)] * len(exponents)
    orders = list(itertools.permutations(range(len(exponents))))
    for order in orders:
        alive = mpmath.mpf(1) / len(orders)
        for at in order:
            law[at] += alive * accept[at]
            alive *= 1 - accept[at]
    return law


@cases
def test_every_first_word_decides_as_the_partial_sums_say(exponents, fed):
    with mpmath.workdps(60):
        weight = weights(exponents)
        ends = [sum(weight[: i + 1]) / sum(weight) for i in range(len(weight))]
        open_ = 0
        for word in range(256):
            chosen = fed(lambda read, w=word: proportional(exponents, read, word=8), (word, 8))
            if chosen is None:
                open_ += 1
                continue
            start = ends[chosen - 1] if chosen else 0
            assert 256 * start <= word + mpmath.mpf(10) ** -50
            assert word + 1 <= 256 * ends[chosen] + mpmath.mpf(10) ** -50
    assert open_ <= len(exponents)


@cases
@pytest.mark.parametrize("word", [1, 64])
@pytest.mark.parametrize("draw", [proportional, permute_and_flip])
def test_candidates_come_up_as_often_as_they_should(draw, word, exponents):
    """With a first word of one bit nearly every draw reads on."""
    total = 3000
    law = weights(exponents) if draw is proportional else flipped(exponents)
    expected = np.array([float(p / sum(law)) for p in law]) * total
    counts = Counter(draw(exponents, operating_system, word=word) for _ in range(total))
    seen = np.array([counts[i] for i in range(len(exponents))], dtype=float)
    assert seen[expected < 1e-9 * total].sum() == 0
    often = expected >= 5
    if often.sum() > 1:
        rest = total - seen[often].sum(), total - expected[often].sum()
        cells = [*zip(seen[often], expected[often], strict=True), *([rest] if rest[1] > 1e-6 * total else [])]
        statistic = sum((o - e) ** 2 / e for o, e in cells)
        assert stats.chi2.sf(statistic, len(cells) - 1) > FALSE_ALARM


@given(
    weights=st.lists(st.integers(1, 60), min_size=1, max_size=5),
    slack=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=5, max_size=5),
    word=st.integers(0, 255),
)
def test_what_crude_bounds_decide_is_right_for_every_weight_between_them(weights, slack, word):
    """The true weights are any within their bounds: a place is decided only where all of them agree."""
    low = [max(weight - below, 1) for weight, (below, _) in zip(weights, slack, strict=False)]
    high = [weight + above for weight, (_, above) in zip(weights, slack, strict=False)]
    place = _place(word, 8, list(itertools.accumulate(low)), list(itertools.accumulate(high)))
    for true in (
        weights,
        low,
        high,
        *(high[:i] + low[i:] for i in range(len(low))),
        *(low[:i] + high[i:] for i in range(len(low))),
    ):
        ends = [Fraction(end, sum(true)) for end in itertools.accumulate(true)]
        if place is not None:
            start = ends[place - 1] if place else 0
            assert 256 * start <= word
            assert word + 1 <= 256 * ends[place]


def test_the_two_laws_differ():
    with mpmath.workdps(30):
        exponents = tuple(map(Fraction, (0, 1, 2)))
        gumbel, flip = weights(exponents), flipped(exponents)
        assert flip[0] > gumbel[0] / sum(gumbel) + mpmath.mpf("0.01")
