"""Rounding, clamping and cutting what was published reveals nothing more and costs nothing more."""

import numpy as np
import pytest

from privacy_accountant import (
    ZCDP,
    Accountant,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
)

RELEASES = 200_000
STEPS = {
    "at least 0": lambda y: np.maximum(y, 0),
    "into 840..845": lambda y: np.clip(y, 840, 845),
    "to tens": lambda y: (y + 5) // 10 * 10,
    "even or odd": lambda y: y % 2,
    "remainder by 7": lambda y: y % 7,
    "above 842": lambda y: (y > 842).astype(int),
    "distance from 842": lambda y: np.abs(y - 842),
}


@pytest.fixture(
    scope="module",
    params=[Laplace(2, 1), Gaussian(1.5, 1), DiscreteLaplace(1.5, 1), DiscreteGaussian(1.5, 1)],
    ids=repr,
)
def released(request):
    """A mechanism, and what studies published with it on neighbouring data."""
    outputs, mechanism = [], request.param
    for count in (842, 843):
        study = Accountant(budget=ZCDP(1))
        outputs.append(study.release(np.full(60_000, count), mechanism, label="count"))
        outputs[-1] = np.concatenate([outputs[-1], mechanism.randomize(np.full(RELEASES - 60_000, count))])
    return mechanism, outputs


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_the_claim_holds_after_any_step(released, attack, step):
    mechanism, outputs = released
    assert attack(mechanism.guarantee(), *map(step, outputs)) <= 0


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_the_account_does_not_change(step):
    study = Accountant(budget=ZCDP(1))
    mechanism = Gaussian(3, 1)
    answer = study.release(np.full(10, 842), mechanism, label="count", key="once")
    before = study.spent(), study.guarantee(), study.remaining(mechanism), study.last.cost
    step(answer)
    assert (study.spent(), study.guarantee(), study.remaining(mechanism), study.last.cost) == before
    assert study.verify().entries == 3


@pytest.mark.parametrize("cls", [Laplace, Gaussian])
def test_rounding_the_noise_is_rounding_the_noisy_sum(cls, attack):
    """Rounded noise on integers against rounded sums of continuous noise: one law, so no attack tells them apart."""
    generator = np.random.default_rng(11)
    draw = generator.laplace if cls is Laplace else generator.normal
    ours = cls(1.7, 1).randomize(np.full(RELEASES, 842))
    theirs = np.rint(842 + draw(0, 1.7, RELEASES)).astype(int)
    assert attack(ZCDP(0), ours, theirs) <= 0
