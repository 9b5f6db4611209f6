"""What noise does to a published number: its spread, its usual error, and the error relative to a count."""

from __future__ import annotations

import functools
import math
from fractions import Fraction

import attrs
import numpy as np
from scipy.special import ndtr

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import Real, exact, positive
from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.mechanisms.discrete_gaussian import DiscreteGaussian
from privacy_accountant.mechanisms.discrete_laplace import DiscreteLaplace
from privacy_accountant.mechanisms.gaussian import Gaussian
from privacy_accountant.mechanisms.laplace import Laplace
from privacy_accountant.risk.rounding import Side, number, percent_above

_WIDE = 4.0
"""A Gaussian of this sigma and its rounded or discrete kin differ in variance by less than doubles can tell."""


@attrs.frozen
class Utility:
    """What one noised number is worth. `str()` says it in words.

    Attributes:
        mechanism: The mechanism.
        standard_deviation: Of the noise in one number; None for a mechanism whose law is not known here.
        error: Half the width of the interval that holds the noise with probability 0.95 at least.
        count: The count that errors are related to, or None.
        relative_error: `error` over `count`, or None.
    """

    mechanism: Mechanism
    standard_deviation: float | None
    error: float
    count: Real | None = None
    relative_error: float | None = None

    def __str__(self) -> str:
        said = f"19 of 20 published numbers are within {number(self.error, Side.AT_MOST)} of the truth"
        if self.count is not None and self.relative_error is not None:
            said += f", {percent_above(self.relative_error)} of a count of {float(self.count):,g}"
        if self.standard_deviation is None:
            return f"{said}."
        return f"{said}; the standard deviation of the noise is {self.standard_deviation:.3g}."


def utility(mechanism: Mechanism, *, count: object = None) -> Utility:
    """What noise does to one published number, before any rounding or clamping of it.

    Args:
        mechanism: The mechanism.
        count: A count that errors are related to, such as the smallest that must still be readable.

    Raises:
        InvalidParameterError: When the mechanism is none, or the count is not positive and finite.
        UnsupportedConversionError: When the mechanism does not add noise to numbers.

    Example:
        >>> from privacy_accountant import Gaussian
        >>> print(utility(Gaussian(sigma=4.0, sensitivity=1), count=100))
        19 of 20 published numbers are within 8 of the truth, 8% of a count of 100; the standard deviation of the noise is 4.01.
    """
    given: object = mechanism
    if not isinstance(given, Mechanism):
        raise InvalidParameterError(
            "mechanism", "a Mechanism such as Gaussian(sigma=4.0, sensitivity=1)", given
        )
    whole = None if count is None else positive(count, "count")
    error = float(given.noise_interval(0.95))
    relative = None if whole is None else error / float(whole)
    return Utility(given, _deviation(given), error, whole, relative)


@functools.singledispatch
def _deviation(mechanism: Mechanism) -> float | None:
    """Standard deviation of the noise in one number; a kind that is not listed has none that is known here."""
    del mechanism
    return None


@_deviation.register
def _(mechanism: Gaussian) -> float:
    unit = _unit(mechanism.grid)
    sigma = exact(mechanism.sigma) / unit
    return float(unit) * _rounded_gaussian(float(sigma))


@_deviation.register
def _(mechanism: Laplace) -> float:
    unit = _unit(mechanism.grid)
    rate = float(unit / exact(mechanism.scale))
    # P(k) = exp(-|k| rate) sinh(rate / 2) away from 0.
    half = math.exp(-rate / 2)
    return float(unit) * math.sqrt(half * (1 + half * half)) / -math.expm1(-rate)


@_deviation.register
def _(mechanism: DiscreteLaplace) -> float:
    rate = float(1 / exact(mechanism.scale))
    return math.sqrt(2 * math.exp(-rate)) / -math.expm1(-rate)


@_deviation.register
def _(mechanism: DiscreteGaussian) -> float:
    sigma = float(mechanism.sigma)
    if sigma >= _WIDE:
        return sigma
    steps = np.arange(1.0, 64.0)
    with np.errstate(under="ignore", over="ignore"):
        weights = np.exp(-0.5 * (steps / sigma) ** 2)
    return math.sqrt(2 * float(steps**2 @ weights) / (1 + 2 * float(weights.sum())))


def _rounded_gaussian(sigma: float) -> float:
    if sigma >= _WIDE:
        return math.sqrt(sigma * sigma + 1 / 12) if sigma < 1e100 else sigma
    steps = np.arange(1.0, 64.0)
    with np.errstate(under="ignore", over="ignore"):
        return math.sqrt(2 * float((2 * steps - 1) @ ndtr((0.5 - steps) / sigma)))


def _unit(grid: object) -> Fraction:
    """What one step of the noise stands for."""
    return grid if isinstance(grid, Fraction) else Fraction(1)
