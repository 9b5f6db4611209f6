r"""From zCDP to a proved mu.

An attack with false positive rate alpha and power p obeys, from the Renyi bounds of all orders above 1, for one,
sqrt(-log p) >= sqrt(-log alpha) - sqrt(rho). With alpha = Phi(-v), p = Phi(-u) and psi(x) = sqrt(-log Phi(-x)) that is

    psi(v) - psi(u) <= sqrt(rho),

and mu-GDP is v - u <= mu. psi is convex: with the hazard h = phi(x) / Phi(-x), psi' = h / (2 psi), and 2 psi^2 - h / (h - x) has
the derivative h h'' / (h - x)^2 > 0, since the hazard is convex (Sampford 1953), and the limit 0 at minus infinity. So

* beyond u the distance v - u is at most sqrt(rho) / psi'(u);
* at all attacks it is at most 2 v, where psi(v) - psi(-v) = sqrt(rho): tight for large rho, 18% loose for small.

Where alpha is not tiny, the corners of supporting lines of the whole region say more; the attack with equal errors is
among them, and is the worst.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from scipy.special import log_ndtr, ndtri_exp

from privacy_accountant.conversions import tangents
from privacy_accountant.exact import float_up
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.numerics.gaussian_mu import corners_mu
from privacy_accountant.numerics.polyline import corner_logs, symmetric_above

_LINES, _NEAR = 96, 48
_MOST = 100.0
"""Above this rho the bound on all attacks has every digit, and the lines leave the range of doubles."""
_LEAST = 1e-14
"""Below this rho the lines' slopes differ from 1 by round-off only."""
_SLACK = 1e-13


def mu(guarantee: ZCDP) -> float:
    """A mu with which the guarantee is GDP, rounded up."""
    rho = float_up(guarantee.rho)
    if rho in (0.0, math.inf):
        return rho
    if rho <= _LEAST:
        bound = _near_the_diagonal(rho)
    else:
        bound = _over_all(rho)
        if rho < _MOST:
            bound = min(bound, _over_corners(guarantee, rho))
    return float_up(Fraction(bound))


def _near_the_diagonal(rho: float) -> float:
    """sqrt(rho) / psi'(-x), x so far from 0 that the attacks with larger power are their mirror images."""
    root = math.sqrt(rho) * (1 + _SLACK) + 5e-324
    return root / _psi_slope(-1.2 * root) * (1 + _SLACK)


def _over_all(rho: float) -> float:
    """2 v with psi(v) - psi(-v) = sqrt(rho), from above, by bisection."""
    goal = math.sqrt(rho) * (1 + _SLACK)
    low, high = 0.0, 4.0 * goal
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (
            (middle, high) if _psi(middle) - _psi(-middle) < goal + _SLACK * _psi(middle) else (low, middle)
        )
    return 2 * high


def _over_corners(guarantee: ZCDP, rho: float) -> float:
    kink = 2 * math.atanh(min(guarantee.advantage, 1 - 2.0**-50))
    near = tangents.at_thresholds(guarantee, kink * np.geomspace(1e-4, 1.0, _NEAR))
    points = symmetric_above([*tangents.spread(guarantee, _LINES), *near])
    logs = corner_logs(points)
    if not len(logs[0]):
        return math.inf
    u = -float(ndtri_exp(logs[2][0]))
    beyond = math.sqrt(rho) / _psi_slope(u) * (1 + _SLACK)
    return max(beyond, corners_mu(*logs))


def _psi(x: float) -> float:
    return math.sqrt(-float(log_ndtr(-x)))


def _psi_slope(x: float) -> float:
    hazard = math.exp(-x * x / 2 - math.log(2 * math.pi) / 2 - float(log_ndtr(-x)))
    return hazard / (2 * _psi(x))
