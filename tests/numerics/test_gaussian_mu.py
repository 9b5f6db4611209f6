import math

import mpmath
import numpy as np
import pytest

from privacy_accountant.numerics.gaussian_mu import symmetric_mu, vertices_mu


@pytest.mark.parametrize("epsilon", [1e-300, 1e-30, 1e-8, 1e-3, 0.1, 1.0, 2.9, 3.1, 37.0, 100.0, 745.0, 1e4])
def test_symmetric_mu_is_above_and_close(epsilon):
    """Randomized response: Phi(-mu/2) = 1 / (1 + e^eps)."""
    ours = symmetric_mu(math.tanh(epsilon / 2), -(epsilon + math.log1p(math.exp(-epsilon))))
    with mpmath.workdps(40):
        e = mpmath.mpf(epsilon)
        if epsilon < 1:
            truth = 2 * mpmath.sqrt(2) * mpmath.erfinv(mpmath.tanh(e / 2))
        else:
            log_error = -e - mpmath.log1p(mpmath.exp(-e))
            truth = 2 * mpmath.findroot(
                lambda z: mpmath.log(mpmath.erfc(z / mpmath.sqrt(2)) / 2) - log_error, ours / 2
            )
        assert truth <= ours <= truth * (1 + mpmath.mpf(10) ** -12) + mpmath.mpf(5e-324)


def test_an_advantage_that_underflowed_still_has_a_distance():
    assert 0 < symmetric_mu(0.0, -math.log(2)) < 1e-300


@pytest.mark.parametrize("mu", [1e-6, 0.01, 1.0, 20.0, 60.0])
def test_vertices_on_a_gaussian_curve_give_its_mu(mu):
    with mpmath.workdps(40):
        z = [mu * mpmath.mpf(share) / 8 for share in range(9)]
        log_alpha = np.array([float(mpmath.log(mpmath.erfc(x / mpmath.sqrt(2)) / 2)) for x in z])
        log_beta = np.array([float(mpmath.log(mpmath.erfc((mu - x) / mpmath.sqrt(2)) / 2)) for x in z])
    ours = vertices_mu(log_alpha, log_beta)
    assert mu <= ours <= mu * (1 + 1e-12) + 2e-14
