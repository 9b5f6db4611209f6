"""OpenDP measurements, read through their own privacy maps."""

import math

import pytest

from privacy_accountant import (
    ADP,
    GDP,
    RDP,
    ZCDP,
    InvalidParameterError,
    TradeOff,
    UnsupportedConversionError,
)
from privacy_accountant.interop import from_opendp

dp = pytest.importorskip("opendp.prelude", reason="the extra `opendp` is not installed")
dp.enable_features("contrib", "honest-but-curious")
SPACE = dp.atom_domain(T=int), dp.absolute_distance(T=int)


def test_pure():
    assert from_opendp(dp.m.make_laplace(*SPACE, scale=2.0), 1) == ADP(0.5)
    assert from_opendp(dp.m.make_laplace(*SPACE, scale=2.0), 3) == ADP(1.5)


def test_concentrated():
    assert from_opendp(dp.m.make_gaussian(*SPACE, scale=2.0), 1) == ZCDP(0.125)


def test_approximate():
    fixed = dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(*SPACE, scale=2.0)), delta=1e-6)
    epsilon, delta = fixed.map(1)
    assert from_opendp(fixed, 1) == ADP(epsilon, delta)


def test_approximately_concentrated():
    whole = dp.c.make_approximate(dp.m.make_gaussian(*SPACE, scale=2.0))
    assert from_opendp(whole, 1) == ZCDP(0.125)


def test_a_profile_is_met_from_above():
    measurement = dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(*SPACE, scale=2.0))
    curve, profile = from_opendp(measurement, 1), measurement.map(1)
    assert isinstance(curve, TradeOff)
    for epsilon in (0.0, 0.013, 0.3, 1.0, 2.5, 4.0):
        assert curve.get_delta(epsilon) <= profile.delta(epsilon) * 1.02 + 1e-30
    assert curve.advantage < profile.delta(0.0)  # its lines at other epsilons say more than the one at 0
    for delta in (1e-3, 1e-9, 1e-20):
        assert curve.get_epsilon(delta) == pytest.approx(profile.epsilon(delta), rel=1e-3)
    # The profile is of a bound, and no better than the Gaussian's own.
    assert all(curve.beta(alpha) <= GDP(0.5).beta(alpha) for alpha in (1e-6, 0.01, 0.3))


def test_a_curve_of_orders():
    measurement = dp.m.make_user_measurement(
        *SPACE,
        dp.renyi_divergence(),
        function=lambda value: value,
        privacy_map=lambda distance: lambda order: order * distance * distance / 8,
    )
    curve = from_opendp(measurement, 1)
    assert isinstance(curve, RDP)
    assert curve.at((2.0,)).epsilons == (0.25,)
    truth = ZCDP(0.125).get_epsilon(1e-6)
    assert truth <= curve.get_epsilon(1e-6) <= truth * 1.003


def test_a_noiseless_measurement_promises_nothing():
    assert from_opendp(dp.m.make_laplace(*SPACE, scale=0.0), 1).epsilon == math.inf
    assert from_opendp(dp.m.make_laplace(*SPACE, scale=0.0), 0) == ADP(0)


def test_a_measure_of_the_users_own_is_named():
    own = dp.m.make_user_measurement(
        *SPACE, dp.user_divergence("tCDP"), function=lambda value: value, privacy_map=lambda distance: 1.0
    )
    with pytest.raises(UnsupportedConversionError, match="in ExtrinsicDivergence"):
        from_opendp(own, 1)


@pytest.mark.parametrize("wrong", [None, 3, "laplace", dp.atom_domain(T=int)], ids=str)
def test_what_is_no_measurement(wrong):
    with pytest.raises(InvalidParameterError, match="measurement"):
        from_opendp(wrong, 1)
