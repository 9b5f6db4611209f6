"""A number that means 'none' must never look like a small one."""

import math

import pytest

from privacy_accountant import ADP, GDP, PLD, RDP, ZCDP, InvalidParameterError


def test_b21_no_epsilon_below_the_failure_mass_is_infinity():
    release = ADP(1.0, 0.01)
    assert release.get_epsilon(1e-6) == math.inf
    assert release.to(PLD).get_epsilon(1e-6) == math.inf
    assert release.to(ADP, delta=1e-6).epsilon == math.inf


def test_b21_a_gaussian_has_no_epsilon_at_delta_zero():
    assert GDP(1.0).get_epsilon(0) == ZCDP(0.5).get_epsilon(0) == RDP(2, 0.5).get_epsilon(0) == math.inf


@pytest.mark.parametrize(
    "build", [lambda: ADP(-1), lambda: GDP(-1), lambda: ZCDP(-1), lambda: RDP(2, -1), lambda: ADP(1, -1e-9)]
)
def test_b21_a_negative_parameter_cannot_be_constructed(build):
    with pytest.raises(InvalidParameterError):
        build()
