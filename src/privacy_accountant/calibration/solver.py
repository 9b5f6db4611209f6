"""The least noise that meets a target: bracket, solve, then round to the side that the target confirms."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from scipy.optimize import toms748

from privacy_accountant.calibration.targets import goal_for
from privacy_accountant.errors import CalibrationError, InvalidParameterError
from privacy_accountant.exact import integer
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.neighbors import Neighbors

M = TypeVar("M", bound=Mechanism)

_WIDEST = 1000.0
"""log2 of the largest noise that is tried, and minus that of the smallest."""
_ROUND_OFF = 2e-15
"""How far, relatively, the root finder's answer may be from the root; a shorter decimal this close is preferred."""


def calibrate(
    cls: type[M],
    target: Any,
    *,
    sensitivity: Any,
    releases: int = 1,
    with_other: Sequence[PrivacyGuarantee] = (),
    neighbors: Neighbors | None = None,
) -> M:
    """The least noise with which equal releases meet a target; see `Mechanism.calibrate`."""
    count = integer(releases, "releases", "an integer >= 1", least=1)
    for other in with_other:
        if not isinstance(other, PrivacyGuarantee):
            raise InvalidParameterError("with_other", "a sequence of guarantees", other)
    goal = goal_for(target, with_other)

    def build(noise: float) -> M:
        return cls(**{cls.noise_parameter: noise, "sensitivity": sensitivity, "neighbors": neighbors})

    @functools.cache
    def excess(log_noise: float) -> float:
        return goal.excess(build(2.0**log_noise), count)

    low, high = _bracket(excess, target)
    if excess(low) <= 0:
        return build(2.0**low)
    return build(
        _confirm(lambda noise: goal.excess(build(noise), count) <= 0, _root(excess, low, high), 2.0**high)
    )


def _bracket(excess: Callable[[float], float], target: Any) -> tuple[float, float]:
    """Two log2 noises, the lower one too small (or the smallest that is tried), the upper one enough."""
    low = high = 0.0
    step = 1.0
    while excess(high) > 0:
        low, high = high, high + step
        step *= 2
        if high > _WIDEST:
            raise CalibrationError(target, "no amount of noise meets it")
    while low == high or excess(low) <= 0:
        if low == -_WIDEST:
            break
        high, low = low, max(low - step, -_WIDEST)
        step *= 2
    return low, high


def _root(excess: Callable[[float], float], low: float, high: float) -> float:
    """The noise at which the excess changes sign, to the last bits; infinities are kept out of the interpolation."""
    value = toms748(lambda x: max(min(excess(x), 1e6), -1e6), low, high, xtol=1e-15, rtol=4e-16, maxiter=200)
    return float(2.0**value)


def _confirm(met: Callable[[float], bool], noise: float, enough: float) -> float:
    """The shortest decimal that is the root up to its rounding error and meets the target; else step up from the root."""
    for digits in range(1, 16):
        short = float(f"{noise:.{digits}g}")
        if abs(short - noise) <= _ROUND_OFF * noise and met(short):
            return short
    step = math.ulp(noise)
    while not met(noise):
        noise += step
        step *= 2
        if noise >= enough:
            return enough
    return noise
