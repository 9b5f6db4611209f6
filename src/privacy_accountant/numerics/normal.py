"""The normal distribution where its textbook formulas lose digits: Mills ratio and the Gaussian privacy profile.

Notation: phi and Phi are the standard normal density and distribution function, R(x) = Phi(-x) / phi(x) the Mills ratio.
For a Gaussian pair at distance mu and a threshold eps >= 0 put a = eps/mu - mu/2 and b = a + mu. Then e^eps phi(b) = phi(a) and

    delta(eps) = Phi(-a) - e^eps Phi(-b) = phi(a) (R(a) - R(b)),      1 - delta(eps) = Phi(a) + phi(a) R(b).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf, erfcx, ndtr, ndtri, ndtri_exp

Array = NDArray[np.float64]

TINY = 5e-324
_ROOT_HALF = math.sqrt(0.5)
_ROOT_HALF_PI = math.sqrt(math.pi / 2)
_LOG_ROOT_2PI = 0.5 * math.log(2 * math.pi)
_SMALL_MU = 0.5
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)
_FRACTION_FROM, _FRACTION_TERMS = 4.0, 60
_UNIT_ROUND = 2.0**-53
_FAR = 1e300
_HUGE_MU = 1e150
_GUESSES = 2
_CLOSE = 1e-8
"""A Newton step as short as this, relatively, leaves an error of its square."""


def mills(x: Array) -> Array:
    """R(x) = Phi(-x) / phi(x); overflows to infinity below about -38."""
    return np.asarray(_ROOT_HALF_PI * erfcx(x * _ROOT_HALF))


def mills_slope(x: Array) -> Array:
    """-R'(x) = 1 - x R(x) without cancellation, by the continued fraction of R where x is large."""
    far = x > _FRACTION_FROM
    if not far.any():
        return np.asarray(1 - x * mills(x))
    y = np.where(far, x, _FRACTION_FROM)
    c = np.zeros_like(y)
    for k in range(_FRACTION_TERMS, 0, -1):
        c = k / (y + c)
    near = np.where(far, 0.0, x)
    return np.where(far, c / (y + c), 1 - near * mills(near))


def _mills_drop(a: Array, mu: float) -> Array:
    """Upper bound on R(a) - R(a + mu) for a >= -mu/2: a difference, or for small mu the integral of 1 - x R(x)."""
    if mu > _SMALL_MU:
        start = mills(a)
        return np.asarray(start - mills(a + mu) + 8 * _UNIT_ROUND * start)
    x = a[:, None] + mu / 2 * (1 + _NODES[None, :])
    return np.asarray(mu / 2 * (mills_slope(x) @ _WEIGHTS))


def gaussian_log_delta(epsilon: Array, mu: float) -> Array:
    """log of an upper bound on delta(eps), for finite eps >= 0 and mu > 0, where delta itself may underflow."""
    a = epsilon / mu - mu / 2
    with np.errstate(all="ignore"):
        start = np.maximum(a, -mu / 2 if mu <= _SMALL_MU else 0.0)
        right = -a * a / 2 - _LOG_ROOT_2PI + np.log(_mills_drop(start, mu)) + _round_off(epsilon, mu)
        left = np.log1p(-gaussian_complement(epsilon, mu))
    return np.where((a >= 0) | (mu <= _SMALL_MU), right, left)


def gaussian_delta(epsilon: Array, mu: float) -> Array:
    """Upper bound on delta(eps) of a Gaussian pair at distance mu > 0, for eps >= 0.

    A true value below the range of doubles comes back as the smallest positive one.
    """
    with np.errstate(all="ignore"):
        a = epsilon / mu - mu / 2
        density = np.exp(-a * a / 2 - _LOG_ROOT_2PI)
        if mu <= _SMALL_MU:
            value = density * _mills_drop(a, mu)
        else:
            tail = density * _mills_drop(np.maximum(a, 0.0), mu)
            head = ndtr(-a)
            value = np.where(a >= 0, tail, head - density * mills(a + mu) + 16 * _UNIT_ROUND * head)
        value = np.where(epsilon < math.inf, value, 0.0)
        return np.clip(value * (1 + _round_off(epsilon, mu)), TINY, 1.0)


def gaussian_complement(epsilon: Array, mu: float) -> Array:
    """Lower bound on 1 - delta(eps) of a Gaussian pair at distance mu > 0, for eps >= 0, with its own digits."""
    with np.errstate(all="ignore"):
        a = epsilon / mu - mu / 2
        density = np.exp(-a * a / 2 - _LOG_ROOT_2PI)
        right = density * mills(a + mu)
        value = ndtr(a) + right
        moved = (
            4 * _UNIT_ROUND * np.minimum(epsilon / mu + mu / 2, _FAR) * density
        )  # what the rounding of a does to Phi(a)
        return np.maximum(value * (1 - 16 * _UNIT_ROUND) - moved - right * _round_off(epsilon, mu), 0.0)


def _round_off(epsilon: Array, mu: float) -> Array:
    """Relative error of exp(-a^2/2) and of what it multiplies, elementary functions within a few ulp assumed.

    a = eps/mu - mu/2 is off by at most u (eps/mu + mu/2 + |a|), which the exponential multiplies by |a|.
    """
    size = np.minimum(epsilon / mu + mu / 2, _FAR)
    return np.minimum(_UNIT_ROUND * (16 + 4 * size * np.abs(epsilon / mu - mu / 2)), 0.5)


def gaussian_epsilon(delta: Array, mu: float) -> Array:
    """The least eps >= 0 with delta(eps) <= delta, for delta in (0, 1]; rounded up until the profile confirms it.

    Newton's method on log delta, which is concave in eps, kept inside a bracket: from any point it lands on the right of the root
    and then falls towards it.
    """
    if mu > _HUGE_MU:  # about mu squared over two, past the range of doubles
        return np.where(delta < 1, math.inf, 0.0)
    goal = np.log(delta)
    low = np.zeros_like(delta)
    high = mu * mu / 2 + mu * np.sqrt(-2 * goal)
    eps = np.clip(_near_epsilon(goal, mu), low, high)
    for _ in range(200):
        value = gaussian_log_delta(eps, mu)
        low, high = np.where(value > goal, eps, low), np.where(value <= goal, eps, high)
        new = eps - (value - goal) / _log_slope(eps, mu, value)
        new = np.where((new >= low) & (new <= high), new, (low + high) / 2)
        done = np.abs(new - eps) <= _CLOSE * eps
        eps = new
        if done.all():
            break
    return np.where(delta < gaussian_advantage(mu), _confirm(eps, goal, mu), 0.0)


def _near_epsilon(goal: Array, mu: float) -> Array:
    """A guess: delta is Phi(-a) (1 - R(b) / R(a)), whose second factor hardly changes with a, so it is put in from the last guess."""
    a = -ndtri_exp(goal)
    with np.errstate(all="ignore"):
        for _ in range(_GUESSES):
            a = -ndtri_exp(np.minimum(goal - np.log(_mills_drop(a, mu) / mills(a)), -_UNIT_ROUND))
    return np.nan_to_num(mu * (a + mu / 2), nan=0.0)


def _log_slope(epsilon: Array, mu: float, log_delta: Array) -> Array:
    """d log delta / d eps = -phi(a) R(b) / delta(eps) < 0."""
    a = epsilon / mu - mu / 2
    with np.errstate(all="ignore"):
        log_slope = -a * a / 2 + np.log(mills(a + mu)) - _LOG_ROOT_2PI - log_delta
        return -np.exp(np.clip(log_slope, -700, 700))


def _confirm(epsilon: Array, goal: Array, mu: float) -> Array:
    """Step up by ulps until the log of the profile is at most the goal."""
    step = 2.0**-52
    for _ in range(40):
        bad = gaussian_log_delta(epsilon, mu) > goal
        if not bad.any():
            break
        epsilon = np.where(bad, epsilon * (1 + step) + TINY, epsilon)
        step *= 2
    return epsilon


def gaussian_beta(alpha: Array, mu: float) -> Array:
    """Lower bound on f(alpha) = Phi(-Phi^-1(alpha) - mu), for alpha in [0, 1] and mu > 0."""
    with np.errstate(all="ignore"):
        quantile = ndtri(alpha)
        x = -quantile - mu
        # The error of x, a few ulp of its terms, moves Phi(x) by at most (1 + max(0, -x)) of it, relatively.
        error = _UNIT_ROUND * (8 + 6 * (1 + np.maximum(-x, 0.0)) * (np.abs(quantile) + mu + 1))
        return np.where(alpha > 0, np.where(alpha < 1, ndtr(x) * np.maximum(1 - error, 0.0), 0.0), 1.0)


def gaussian_power(alpha: Array, mu: float) -> Array:
    """Upper bound on 1 - f(alpha) = Phi(Phi^-1(alpha) + mu), with its own digits, for alpha in [0, 1] and mu > 0."""
    with np.errstate(all="ignore"):
        quantile = ndtri(alpha)
        x = quantile + mu
        error = _UNIT_ROUND * (8 + 6 * (1 + np.maximum(-x, 0.0)) * (np.abs(quantile) + mu + 1))
        inside = np.minimum(ndtr(x) * (1 + error) + TINY, 1.0)
        return np.where(alpha > 0, np.where(alpha < 1, inside, 1.0), 0.0)


def gaussian_advantage(mu: float) -> float:
    """Upper bound on the total variation between two unit normals at distance mu."""
    return min(max(float(erf(mu / 2 * _ROOT_HALF)) * (1 + 8 * _UNIT_ROUND), TINY), 1.0)
