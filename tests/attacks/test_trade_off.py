"""No attack on real output beats the claim; and the same attack does beat mechanisms that are broken."""

import numpy as np
import pytest

from privacy_accountant import (
    ADP,
    GDP,
    ZCDP,
    Accountant,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    UnsupportedConversionError,
)

RELEASES = 150_000
FEWER = 50_000  # a fault this gross shows at once


def claims(mechanism):
    """Everything that the mechanism says about one release."""
    forms = (ADP, {"delta": 0}), (ADP, {"delta": 1e-3}), (ZCDP, {}), (GDP, {})
    converted = [claim_in(mechanism, form, parameters) for form, parameters in forms]
    return [mechanism.guarantee(), *(claim for claim in converted if claim is not None)]


def claim_in(mechanism, form, parameters):
    try:
        return mechanism.guarantee(form, **parameters)
    except UnsupportedConversionError:
        return None


def test_randomize_never_beats_its_claims(move, attack):
    outputs = [move.mechanism.randomize(value) for value in move.inputs(RELEASES)]
    assert attack(claims(move.mechanism), *outputs) <= 0


def test_half_the_noise_is_found_out(move, attack):
    broken = type(move.mechanism)(move.noise / 2, move.sensitivity)
    outputs = [broken.randomize(value) for value in move.inputs(FEWER)]
    assert attack(move.mechanism.guarantee(), *outputs) > 0.01


@pytest.mark.parametrize(
    "mechanism",
    [Laplace(2, 1), Gaussian(1.5, 1), DiscreteLaplace(1.5, 1), DiscreteGaussian(1.5, 1)],
    ids=repr,
)
def test_subtler_faults_are_found_out_as_well(mechanism, attack):
    """Noise 15% too small; noise cast toward zero; no noise at all for 8% of the releases."""
    zeros, generator = np.zeros(400_000, dtype=int), np.random.default_rng(5)
    claim, noise = mechanism.guarantee(), getattr(mechanism, mechanism.noise_parameter)
    smaller = type(mechanism)(noise * 0.85, 1)
    assert attack(claim, smaller.randomize(zeros), smaller.randomize(zeros + 1)) > 0

    def cast(values):
        draw = generator.laplace if "Laplace" in type(mechanism).__name__ else generator.normal
        return values + np.trunc(draw(0, noise, values.size)).astype(int)

    assert attack(claim, cast(zeros), cast(zeros + 1)) > 0

    def forgetful(values):
        return np.where(generator.random(values.size) < 0.08, values, mechanism.randomize(values))

    assert attack(claim, forgetful(zeros), forgetful(zeros + 1)) > 0


def test_a_claim_for_too_small_a_sensitivity_is_found_out(move, attack):
    outputs = [move.mechanism.randomize(value) for value in move.inputs(FEWER)]
    twice = [outputs[0], move.mechanism.randomize(move.inputs(FEWER)[0] + 2 * np.array(move.change))]
    assert attack(move.mechanism.guarantee(), *twice) > 0.01


@pytest.mark.parametrize(
    "mechanism", [Laplace(2, 1), Gaussian(2, 1), DiscreteLaplace(2, 1), DiscreteGaussian(2, 1)], ids=repr
)
def test_what_an_accountant_releases_never_beats_the_claims(mechanism, attack):
    """One released column stands for as many releases of one count; a second study holds the neighbouring data."""
    outputs = []
    for count in (842, 843):
        with Accountant(budget=ZCDP(1)) as study:
            outputs.append(study.release(np.full(60_000, count), mechanism, label="count"))
            assert study.history()[0].mechanism == mechanism
    assert attack(claims(mechanism), *outputs) <= 0


@pytest.mark.parametrize(
    "mechanism", [Laplace(2, 1), Gaussian(2, 1), DiscreteLaplace(2, 1), DiscreteGaussian(2, 1)], ids=repr
)
def test_single_counts_never_beat_the_claims(mechanism, attack):
    """The path of one Python integer, through the mechanism and through the accountant."""
    direct = [[mechanism.randomize(count) for _ in range(4000)] for count in (842, 843)]
    assert attack(mechanism.guarantee(), *map(np.array, direct)) <= 0
    released = []
    for count in (842, 843):
        study = Accountant(budget=ZCDP(10**6))
        released.append([study.release(count, mechanism, label="count") for _ in range(400)])
    assert attack(mechanism.guarantee(), *map(np.array, released)) <= 0


def test_a_plan_of_releases_never_beats_what_the_study_claims(attack):
    """Eight columns of a study that was fixed in advance, attacked together against the composition that it states."""
    outputs, claim = [], None
    for count in (100, 101):
        study = Accountant(budget=ADP(5, 1e-6), adaptive=False)
        columns = [
            study.release(np.full(60_000, count), mechanism, label="count")
            for mechanism in (Laplace(4, 1), Gaussian(3, 1), DiscreteLaplace(5, 1), DiscreteGaussian(4, 1))
            * 2
        ]
        outputs.append(np.stack(columns, axis=1))
        claim = study.guarantee()
    assert attack(claim, *outputs) <= 0
    assert attack(Laplace(4, 1).guarantee(), *outputs) > 0.1
