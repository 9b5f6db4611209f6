"""The ratios M(c + i omega) / M(c) of moment functions, as complex logarithms free of cancellation at small omega.

Each ratio is written e^{i omega r} (1 + y) where r is the largest loss and y vanishes with omega. The computed y is off by at
most `UNIT * WORK * omega * r * (1 + 1/(2w))`: its building blocks are exponentials and sines of products with relative errors
of a few ulp, and |1 + y| <= 1. Elementary functions are assumed right within a few ulp.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from privacy_accountant.numerics.contour.moments import discrete_laplace_core

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

UNIT = 2.0**-53
WORK = 64.0


def randomized_response_ratio(w: float, omega: Array, epsilon: Array) -> Complex:
    """y for cosh((w + i omega) eps) / cosh(w eps) = e^{i omega eps} (1 + y)."""
    x = np.exp(-2 * w * epsilon)
    return np.asarray(x / (1 + x) * _turn(2 * omega * epsilon))


def laplace_ratio(w: float, omega: Array, epsilon: Array) -> Complex:
    """y for the Laplace pair, from 1 + x + (1-x)/(2w) at x = e^{-2 w eps} and the same at w + i omega."""
    moved = np.exp(-2 * w * epsilon) * _turn(2 * omega * epsilon)
    gap = np.expm1(-2 * w * epsilon)
    base = 2 + gap - gap / (2 * w)
    bend = 1j * omega / (2 * w * (w + 1j * omega))
    return np.asarray(((1 - 1 / (2 * w)) * moved + bend * (gap + moved)) / base)


def discrete_laplace_ratio(w: float, omega: Array, rate: Array, shift: Array) -> Complex:
    """y for the discrete Laplace pair, from `discrete_laplace_core` at w and w + i omega."""
    x, power = np.exp(-2 * w * rate), np.exp(-2 * w * rate * shift)
    turn = x * _turn(2 * omega * rate)  # x(w + i omega) - x(w)
    power_turn = power * _turn(2 * omega * rate * shift)
    gap = -np.expm1(-2 * w * rate)
    square = gap * (gap - turn)
    there = square != 0  # it underflows for rates below 1e-160, where all of this is nothing
    inner = (turn * -np.expm1(-2 * w * rate * shift) - power_turn * gap) / np.where(there, square, 1.0)
    inner = np.where(there, inner, 0.0)
    return np.asarray((power_turn - np.expm1(-rate) * inner) / discrete_laplace_core(w, rate, shift))


def _turn(angle: Array) -> Complex:
    """expm1(-i angle)."""
    half = np.sin(angle / 2)
    return np.asarray(-2 * half * half - 1j * np.sin(angle))


def log_one_plus(y: Complex, slack: Array) -> tuple[Complex, Array]:
    """log(1 + y) where y is known within `slack`, and a bound x on its error: e^{log} is off by at most |e^{log}| expm1(x).

    Next to a zero the modulus is taken as 16 slack. numpy's own complex log1p loses the real part of small y.
    """
    near = np.abs(y) < 0.5
    size, error = bounded_size(1 + y, slack)
    small = np.where(near, y, 0.0)
    part = 0.5 * np.log1p(2 * small.real + small.real**2 + small.imag**2)
    with np.errstate(divide="ignore"):
        real = np.where(near, part, np.log(size))
    return real + 1j * np.arctan2(y.imag, 1 + y.real), error


def bounded_size(ratio: Complex, slack: Array) -> tuple[Array, Array]:
    """The modulus of a ratio known within `slack`, at least 16 slack, and the bound on the error of its logarithm."""
    modulus = np.hypot(ratio.real, ratio.imag)
    size = np.maximum(modulus, 16 * slack)
    # Where the modulus was raised even the direction is unknown: both are below 17 slack, and 16 expm1(1.4) > 33.
    with np.errstate(divide="ignore", invalid="ignore"):
        return size, np.where(size > modulus, 1.4, np.where(slack > 0, slack / size, 0.0))


def theta_direct(center: float, sigma_squared: float, step_angle: Array) -> tuple[Complex, float]:
    """Sum over integers j of v_j expm1(-i j angle), v_j = e^{-(j + f)^2 / 2 sigma^2} / sum, and log sum; f = `center`, |f| <= 1/2."""
    reach = math.ceil(9.5 * math.sqrt(sigma_squared)) + 2
    j = np.arange(-reach, reach + 1)
    exponent = -((j + center) ** 2) / (2 * sigma_squared)
    top = float(exponent.max())
    weight = np.exp(exponent - top)
    total = float(weight.sum())
    return _turn(np.multiply.outer(step_angle, j)) @ (weight / total), top + math.log(total)


def theta_poisson(center: float, sigma_squared: float, height: Array) -> Complex:
    """2 sum_{k >= 1} e^{-2 pi^2 sigma^2 k^2} cos(2 pi k (center + i height)), for |height| <= pi sigma^2 and sigma >= 1.

    Terms from k = 3 are below e^{-118} and left out.
    """
    result = np.zeros_like(height, dtype=np.complex128)
    for k in (1, 2):
        turn = complex(math.cos(2 * math.pi * k * center), math.sin(2 * math.pi * k * center))
        damp = -2 * math.pi**2 * sigma_squared * k * k
        result += turn * np.exp(damp - 2 * math.pi * k * height)
        result += turn.conjugate() * np.exp(damp + 2 * math.pi * k * height)
    return result
