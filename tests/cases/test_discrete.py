"""Integer noise has its own curve, above or below that of the continuous law."""

import pytest

from privacy_accountant import ZCDP, DiscreteGaussian


@pytest.mark.parametrize(
    ("sigma", "epsilon", "advantage"),
    [
        (1, 4.4302380552794121, 0.398942278266862),
        (2, 2.011339821347705, 0.199471140200716),
        (10, 0.340818285246244, 0.0398942280401433),
    ],
)
def test_b33_discrete_gaussian_has_its_own_curve(sigma, epsilon, advantage):
    release = DiscreteGaussian(sigma=sigma, sensitivity=1).guarantee()
    assert epsilon * (1 - 1e-14) <= release.get_epsilon(1e-5) <= epsilon * (1 + 1e-4)
    assert release.advantage == pytest.approx(advantage, rel=1e-12)
    assert float(release.to(ZCDP).rho) == 1 / (2 * sigma**2)


def test_b33_the_discrete_value_may_lie_below_the_continuous():
    release = DiscreteGaussian(sigma=1, sensitivity=1).guarantee()
    assert 4.499590982194 <= release.get_epsilon(1e-6) <= 4.49959098219432 * (1 + 1e-4) < 4.88655411746221
