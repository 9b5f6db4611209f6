"""The sparse vector technique: the exact law of every answer sequence, against the claim and against what is drawn."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from privacy_accountant import (
    ADP,
    GDP,
    ZCDP,
    AboveThreshold,
    Accountant,
    InvalidAggregateError,
    InvalidParameterError,
    Neighbors,
    NeighborsMismatchError,
    UnsupportedConversionError,
)
from privacy_accountant.codec import decode, encode

FALSE_ALARM = 1e-8


def reaches(scale, x):
    """P(Z >= x) of the discrete Laplace."""
    r = math.exp(-1 / scale)
    return np.where(x > 0, r ** np.maximum(x, 0) / (1 + r), 1 - r ** np.maximum(1 - x, 0) / (1 + r))


def sequences(answers, hits):
    """Every sequence of comparisons that may come out."""
    found = []
    for passed in itertools.product((False, True), repeat=answers):
        cut = next((i + 1 for i in range(answers) if sum(passed[: i + 1]) == hits), answers)
        if passed[:cut] not in found:
            found.append(passed[:cut])
    return found


def probability(answers, said, alarm):
    """Of one sequence: a sum over the noise of the threshold, which all comparisons share."""
    scale, own = float(alarm._threshold_scale), float(alarm.scale)
    z = np.arange(-int(40 * scale) - 5, int(40 * scale) + 6)
    weight = np.tanh(1 / (2 * scale)) * np.exp(-np.abs(z) / scale)
    bar = math.ceil(Fraction(repr(alarm.threshold))) + z
    for answer, passed in zip(answers, said, strict=False):
        above = reaches(own, bar - answer)
        weight = weight * (above if passed else 1 - above)
    return float(weight.sum())


# ---------------------------------------------------------------------------------------------- guarantee


@pytest.mark.parametrize("hits", [1, 2])
@pytest.mark.parametrize("monotonic", [False, True])
@pytest.mark.parametrize("threshold_scale", [None, 1])
def test_no_sequence_tells_neighbours_apart_better_than_epsilon(hits, monotonic, threshold_scale):
    alarm = AboveThreshold(3, 1, 1.5, hits=hits, monotonic=monotonic, threshold_scale=threshold_scale)
    epsilon, base = float(alarm.guarantee().epsilon), (0, 2, -1, 1)
    moves = itertools.product((0, 1) if monotonic else (-1, 0, 1), repeat=4)
    said = sequences(4, hits)
    law = np.array([probability(base, one, alarm) for one in said])
    assert law.sum() == pytest.approx(1, abs=1e-12)
    worst = 0.0
    for move in moves:
        other = np.array([probability(np.add(base, move), one, alarm) for one in said])
        worst = max(worst, float(np.abs(np.log(law / other)).max()))
    assert 0.4 * epsilon < worst <= epsilon + 1e-9


@pytest.mark.parametrize(("hits", "monotonic"), [(1, False), (1, True), (3, False), (3, True)])
def test_long_sequences_attain_epsilon(hits, monotonic):
    """Sixty answers below and then as many passes: nothing smaller than the claim is true, nor is what wrong variants charged."""
    alarm = AboveThreshold(4, 1, 0, hits=hits, monotonic=monotonic, threshold_scale=2)
    epsilon = float(alarm.guarantee().epsilon)
    assert epsilon == 1 / 2 + (1 if monotonic else 2) * hits / 4
    said = [False] * 60 + [True] * hits
    one = probability([0] * len(said), said, alarm)
    other = probability([1] * 60 + [0 if monotonic else -1] * hits, said, alarm)
    assert math.log(one / other) == pytest.approx(epsilon, rel=1e-3)
    assert math.log(one / other) <= epsilon + 1e-9


def test_the_default_division_of_epsilon_is_near_the_best():
    for hits, monotonic in ((1, False), (1, True), (5, False), (20, True)):
        default = AboveThreshold(10, 1, 0, hits=hits, monotonic=monotonic)
        count = hits if monotonic else 2 * hits
        ratio = float(default.scale) / float(default._threshold_scale)
        assert ratio == math.floor(100 * count ** (1 / 3) + 1e-9) / 100
    assert AboveThreshold(10, 1, 0).guarantee() == ADP(0.325)
    assert AboveThreshold(10, 1, 0, threshold_scale=5).guarantee() == ADP(0.4)


def test_pure_epsilon_is_all_that_is_claimed():
    alarm = AboveThreshold(10, 1, 50, hits=2)
    assert alarm.price(ADP) == (Fraction(558, 1000), 0)
    assert float(alarm.price(ZCDP)[0]) == pytest.approx(0.558 * math.tanh(0.279), rel=1e-12)
    assert alarm.guarantee(GDP).mu > 0
    with pytest.raises(UnsupportedConversionError):
        alarm.noise_interval()


# ---------------------------------------------------------------------------------------------- law


@pytest.mark.parametrize(
    ("alarm", "answers"),
    [
        (AboveThreshold(2, 1, 1), (0, 2, 1)),
        (AboveThreshold(3, 1, 0.5, hits=2), (1, 0, -1, 2)),
        (AboveThreshold(1, 1, 0, hits=1, monotonic=True, threshold_scale=3), (-2, 0, 1)),
    ],
    ids=repr,
)
def test_what_is_drawn_has_the_law_that_is_accounted(alarm, answers):
    total = 8000
    counts = Counter(tuple(alarm.randomize(answers)) for _ in range(total))
    said = sequences(len(answers), alarm.hits)
    expected = np.array([probability(answers, one, alarm) for one in said]) * total
    assert set(counts) <= set(said)
    seen = np.array([counts[one] for one in said])
    often = expected >= 5
    cells = (
        np.append(seen[often], seen[~often].sum()),
        np.append(expected[often], expected[~often].sum() + 1e-9),
    )
    assert (
        stats.chi2.sf(((cells[0] - cells[1]) ** 2 / cells[1])[: often.sum()].sum(), often.sum()) > FALSE_ALARM
    )


def test_it_stops_at_the_last_hit_and_not_before():
    alarm = AboveThreshold(2, 1, 1000, hits=2)
    assert alarm.randomize([0, 5000, 0, 5000, 0, 5000]) == [False, True, False, True]
    assert alarm.randomize([0, 0, 5000]) == [False, False, True]
    assert alarm.randomize(np.array([0, 0])) == [False, False]


@pytest.mark.parametrize(("threshold", "passes"), [(37.3, 38), (37, 37), (Fraction(73, 2), 37), (-0.5, 0)])
def test_a_real_threshold_is_not_cut_off(threshold, passes):
    """Integers are at least 37.3 from 38 on."""
    sharp = AboveThreshold(1e-6, 1, threshold, threshold_scale=1e-6)
    assert sharp.randomize([passes - 1, passes]) == [False, True]


# ---------------------------------------------------------------------------------------------- real answers


def test_real_answers_are_snapped_to_a_grid():
    alarm = AboveThreshold(2, 1, 0.7, grid=2**-4)
    assert alarm.guarantee() == AboveThreshold(2, 1, 0.7).guarantee()
    assert AboveThreshold(2, 0.3, 0.7, grid=2**-2, threshold_scale=1).guarantee() == ADP(
        1.0
    )  # 0.3 is two steps of a quarter
    sharp = AboveThreshold(1e-6, 1, 0.7, grid=2**-4, threshold_scale=1e-6)
    assert sharp.randomize([0.5, 0.71, 0.72]) == [False, False, True]  # 0.71 is snapped to 11/16, below 0.7
    automatic = AboveThreshold(2, 0.3, 0.7, grid="auto")
    assert decode(encode(automatic)) == automatic
    assert repr(automatic).endswith("grid=2**-22)")
    assert float(automatic.price(ADP)[0]) == pytest.approx(0.3 / 2 * 3.25, rel=1e-5)


def test_snapping_moves_answers_no_further_than_is_charged():
    rng = np.random.default_rng(8)
    alarm = AboveThreshold(2, 0.3, 0, grid=2**-3)
    x = rng.uniform(-10, 10, 5000)
    moved = np.abs(np.array(alarm._read(x)) - np.array(alarm._read(x + rng.uniform(-0.3, 0.3, 5000))))
    assert moved.max() == alarm._moved / alarm._unit == 3


# ---------------------------------------------------------------------------------------------- arguments


@pytest.mark.parametrize("bad", [[], 3, [[1, 2]], [1, "2"], [1, None], [0.5], [True]], ids=repr)
def test_what_is_no_vector_of_integers_is_refused(bad):
    with pytest.raises(InvalidAggregateError, match="^value must be"):
        AboveThreshold(2, 1, 0).check(bad)


@pytest.mark.parametrize(
    ("field", "bad"),
    [
        ("scale", 0),
        ("scale", math.nan),
        ("sensitivity", -1),
        ("sensitivity", 0.5),
        ("threshold", math.inf),
        ("threshold", "1"),
        ("hits", 0),
        ("hits", 1.0),
        ("hits", True),
        ("monotonic", 1),
        ("threshold_scale", 0),
        ("grid", 0.3),
    ],
)
def test_bad_parameters_are_refused_on_the_field(field, bad):
    with pytest.raises(InvalidParameterError, match=f"^{field} must be"):
        AboveThreshold(**{"scale": 2, "sensitivity": 1, "threshold": 0, field: bad})


def test_monotonic_answers_are_about_adding_and_removing():
    with pytest.raises(InvalidParameterError, match="^neighbors must be ADD_OR_REMOVE_ONE"):
        AboveThreshold(2, 1, 0, monotonic=True, neighbors=Neighbors.REPLACE_ONE)
    with pytest.raises(NeighborsMismatchError):
        Accountant(budget=ADP(9), neighbors=Neighbors.REPLACE_ONE).spend(
            AboveThreshold(2, 1, 0, monotonic=True), label="x"
        )


def test_a_study_charges_it_once_however_many_answers_there_are(tmp_path):
    alarm = AboveThreshold(10, 1, 1000)
    with Accountant.open(tmp_path / "x.db", study="s", budget=ADP(1)) as study:
        first = study.release([0] * 500 + [5000], alarm, label="weeks", key="k")
        assert first == [False] * 500 + [True]
        assert study.remaining(alarm) == 2
    with Accountant.open(tmp_path / "x.db", study="s") as study:
        assert study.release([0] * 501, alarm, label="weeks", key="k") == first
        assert study.history()[0].mechanism == alarm


@pytest.mark.parametrize("fixed", [{}, {"hits": 3}, {"monotonic": True}, {"threshold_scale": 50}], ids=str)
def test_calibration(fixed):
    found = AboveThreshold.calibrate(ADP(0.5), sensitivity=1, threshold=100, **fixed)
    assert found.price(ADP)[0] <= Fraction(1, 2)
    assert float(found.price(ADP)[0]) == pytest.approx(0.5, rel=1e-12)
