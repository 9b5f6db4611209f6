"""The deep tail of zCDP: never above the closed form at its best order, and never below the truth."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from privacy_accountant.numerics.renyi import zcdp_delta


@mpmath.workdps(60)
def closed_form(epsilon, rho):
    """Canonne, Kamath and Steinke 2020, Cor. 13, at the best order."""
    epsilon, rho = mpmath.mpf(epsilon), mpmath.mpf(rho)

    def log_bound(s):
        return s * (rho * (1 + s) - epsilon - mpmath.log1p(1 / s)) - mpmath.log1p(s)

    best = mpmath.findroot(
        lambda s: rho * (2 * s + 1) + mpmath.log(s / (1 + s)) - epsilon, epsilon / (2 * rho)
    )
    return mpmath.exp(log_bound(best))


@pytest.mark.parametrize(
    ("epsilon", "rho"),
    [
        (1.0, 0.001),
        (3.0, 0.05),
        (10.0, 0.05),
        (10.0, 0.5),
        (35.7, 0.5),
        (0.3, 1e-4),
        (60.0, 2.0),
        (700.0, 200.0),
        (1e-4, 1e-11),
    ],
)
def test_the_tail_meets_the_closed_form_to_the_last_digits(epsilon, rho):
    bound, truth = zcdp_delta(np.array([epsilon]), rho)[0], closed_form(epsilon, rho)
    assert bound <= truth * (1 + mpmath.mpf(10) ** -13)
    # The region's own optimum is below the closed form by a relative delta or so at most this deep.
    assert bound >= truth * (1 - mpmath.mpf(10) ** -6)
