"""Choices, thresholds and randomized answers, as people met them with other libraries."""

import math

import pytest

from privacy_accountant import (
    ADP,
    RDP,
    ZCDP,
    DiscreteLaplace,
    Gaussian,
    InvalidParameterError,
    NoisyThreshold,
    RandomizedResponse,
    ReportNoisyMax,
)


def test_b48_permute_and_flip_has_no_bounded_range():
    """Scores (0, 0) and (1, -1), scale 1: the divergence of order 2 that permute-and-flip really has."""
    really, exponential_mechanism = 1.37691873960034, 0.867561660966054
    flip = ReportNoisyMax(scale=1, sensitivity=1, noise="exponential")
    gumbel = ReportNoisyMax(scale=1, sensitivity=1)
    (declared,) = flip.guarantee(RDP, orders=[2]).epsilons
    (of_gumbel,) = gumbel.guarantee(RDP, orders=[2]).epsilons
    assert declared >= really > of_gumbel >= exponential_mechanism
    assert 2 * float(flip.guarantee(ZCDP).rho) >= really
    assert flip.guarantee() == ADP(2)


def test_b49_the_rule_that_is_drawn_is_the_rule_that_is_charged():
    noise = DiscreteLaplace(scale=1, sensitivity=1)
    for strict, truth in ((False, 0.0133898049326985), (True, 0.00492583395603573)):
        have = float(NoisyThreshold(noise, threshold=5, strict=strict).delta)
        assert truth * (1 - 1e-14) <= have <= truth * (1 + 1e-13)


def test_b50_a_real_threshold_is_not_cut_off():
    near = DiscreteLaplace(scale=1e-3, sensitivity=1)  # so little that nothing moves
    assert NoisyThreshold(near, threshold=37.3).randomize({"a": 37, "b": 38}) == {"b": 38}
    noise = Gaussian(sigma=3.73063163482, sensitivity=1)
    for threshold, truth in ((17, 1.62791501203e-5), (18, 4.87051441002e-6)):
        have = float(NoisyThreshold(noise, threshold=threshold, strict=False).delta)
        assert have == pytest.approx(truth, rel=1e-9)
    # The formula's 16.91 rounds up to 17, which is too low for noise that is rounded.
    assert float(NoisyThreshold(noise, threshold=16.9107365148, strict=False).delta) > 1e-5


def test_b51_the_threshold_fits_the_noise_that_is_drawn():
    found = NoisyThreshold.calibrate(ADP(1.0, 2e-5), sensitivity=1, noise=Gaussian)
    assert isinstance(found.noise, Gaussian)
    assert float(found.delta) <= 1e-5
    assert found.guarantee().get_delta(1.0) <= 2e-5
    laplace_formula = 1 - math.log(2 * 1e-5)  # right for Laplace noise of scale 1, not for this
    assert float(NoisyThreshold(found.noise, threshold=laplace_formula).delta) > 1e-5


def test_b67_epsilon_is_that_of_the_law_that_is_drawn():
    """Truth with 3/4 and otherwise a draw that is true with 3/4 again keeps 15/16: epsilon is log 15, not log 3."""
    keep = RandomizedResponse(epsilon=math.log(15))
    with pytest.raises(InvalidParameterError, match="categories"):
        RandomizedResponse(epsilon=math.log(3), categories=(True, True))
    answers = keep.randomize([True] * 200_000)
    assert len(answers) == 200_000
    kept = sum(answers) / 200_000
    assert abs(kept - 0.9375) < 4.9 * math.sqrt(0.9375 * 0.0625 / 200_000)
    assert keep.guarantee().get_epsilon(0) == pytest.approx(2.70805020110221, rel=1e-14)
    vectors = [keep.randomize([True] * 4) for _ in range(400)]
    assert all(any(not vector[place] for vector in vectors) for place in range(4))  # the last bit too
