"""Attacks on real draws of the mechanisms that do not add noise to numbers: no claim is beaten, and a little less would be."""

import numpy as np
import pytest

from privacy_accountant import (
    ADP,
    PLD,
    AboveThreshold,
    Accountant,
    DiscreteLaplace,
    ExponentialMechanism,
    Neighbors,
    NoisyThreshold,
    RandomizedResponse,
    ReportNoisyMax,
)
from privacy_accountant.guarantees.pld import BoundedRangePair, CategoryPair, RandomizedResponsePair

MANY, SOME = 200_000, 8_000


def many(mechanism, value, encode=lambda answer: answer, releases=SOME):
    return np.array([encode(mechanism.randomize(value)) for _ in range(releases)], dtype=float)


@pytest.mark.parametrize("k", [2, 3, 8])
def test_answers_of_a_whole_study(k, attack):
    """One person for each row, all of whom said the same."""
    ask = RandomizedResponse(1.0, categories=tuple(range(k)))
    outputs = []
    for true in (0, 1):
        study = Accountant(budget=ADP(1), neighbors=Neighbors.REPLACE_ONE)
        outputs.append(study.release(np.full(MANY, true), ask, label="answers"))
    assert attack([ask.guarantee(), ADP(1.0)], *outputs) <= 0
    less = PLD.of(RandomizedResponsePair(0.9) if k == 2 else CategoryPair(0.9, k))
    assert attack(less, *outputs) > 0


@pytest.mark.parametrize(
    ("chooser", "scores"),
    [
        (ExponentialMechanism(scale=1, sensitivity=1), ([0, 1, 0], [1, 0, -1])),
        (ExponentialMechanism(scale=1, sensitivity=1, monotonic=True), ([0, 1, 2], [0, 1, 3])),
        (ReportNoisyMax(scale=1, sensitivity=1), ([0, 0], [1, -1])),
        (ReportNoisyMax(scale=1, sensitivity=1, noise="exponential"), ([0, 0], [1, -1])),
    ],
    ids=repr,
)
def test_selections(chooser, scores, attack):
    outputs = [many(chooser, score) for score in scores]
    assert attack([chooser.guarantee(), ADP(float(chooser._epsilon))], *outputs) <= 0
    assert attack(ADP(0.2 * float(chooser._epsilon)), *outputs) > 0


def test_permute_and_flip_beats_what_bounded_range_would_claim(attack):
    """The two kinds of noise are told apart by real draws too."""
    flip = ReportNoisyMax(scale=1, sensitivity=1, noise="exponential")
    outputs = [many(flip, scores) for scores in ([0, 0], [1, -1])]
    assert attack(PLD.of(BoundedRangePair(2.0)), *outputs) > 0
    assert attack(flip.guarantee(), *outputs) <= 0


def test_the_sparse_vector_technique(attack):
    alarm = AboveThreshold(2, 1, 0, threshold_scale=1)
    outputs = [many(alarm, answers, len, 2 * SOME) for answers in ([-2] * 4, [-1] * 4)]
    assert attack(alarm.guarantee(), *outputs) <= 0
    assert attack(ADP(0.04 * float(alarm.guarantee().epsilon)), *outputs) > 0


@pytest.mark.parametrize("strict", [True, False])
def test_a_group_of_one_person(strict, attack):
    """Whether a person's own group shows up, and how large it then seems; one release of many groups is many releases of one."""
    large = NoisyThreshold(DiscreteLaplace(1, 1), 3, strict=strict)

    def shown(count):
        published = large.randomize(dict.fromkeys(range(MANY // 8), count))
        return np.array([published.get(group, 0) for group in range(MANY // 8)], dtype=float)

    brought = np.zeros(MANY // 8), shown(1)
    assert attack(large.guarantee(), *brought) <= 0
    assert attack(ADP(1.0, 0.2 * large.delta), *brought) > 0
    other = NoisyThreshold(large.noise, 3, strict=True)
    assert (
        attack(ADP(1.0, other.delta), *brought) > 0
    ) is not strict  # the delta of the strict rule, given to the other
    assert attack(large.guarantee(), shown(3), shown(4)) <= 0
