"""Numbers too large for an exponential."""

import math

import pytest

from privacy_accountant import ADP, GDP


def test_b11_gaussian_profile_at_a_large_epsilon():
    release = GDP(100)
    assert release.get_delta(5000) == pytest.approx(0.49601097601864319, rel=1e-12)
    assert release.get_epsilon(1e-5) == pytest.approx(5425.50984614742956, rel=1e-12)


@pytest.mark.parametrize("epsilon", [800.0, 1e4, 1e300, math.inf])
def test_b11_nothing_overflows_in_a_pure_guarantee(epsilon):
    release = ADP(epsilon)
    assert release.advantage == 1
    assert release.beta(0.5) == 0
    assert release.get_delta(1.0) == 1
    assert release.bayes_risk(0.5) < 1e-300
