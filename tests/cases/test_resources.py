"""Questions that took others minutes and gigabytes."""

import pytest

from privacy_accountant import ADP, GDP, Gaussian


@pytest.mark.parametrize(
    ("sigma", "epsilon"), [(0.1, 91.8172896246637), (0.03, 696.777791541727), (0.02, 1462.2850159647798)]
)
def test_b28_small_sigma_in_closed_form(sigma, epsilon):
    assert Gaussian(sigma=sigma, sensitivity=1).guarantee().get_epsilon(1e-5) == pytest.approx(
        epsilon, rel=1e-12
    )


def test_b28_calibration_starts_from_no_noise():
    assert Gaussian.calibrate(ADP(0.01, 1e-5), sensitivity=1).sigma == pytest.approx(
        243.785437675678029, rel=1e-12
    )
    assert GDP(1000).get_epsilon(1e-5) < 510_000
