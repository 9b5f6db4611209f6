"""The least noise that meets a target: bracket, solve, then round to the side that the target confirms."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from scipy.optimize import toms748

from privacy_accountant.calibration.targets import goal_for
from privacy_accountant.errors import CalibrationError, InvalidParameterError, PrivacyAccountantError
from privacy_accountant.exact import integer
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.neighbors import Neighbors

M = TypeVar("M", bound=Mechanism)

_WIDEST = 1000.0
"""log2 of the largest noise that is tried, and minus that of the smallest."""
_GUESSES = 4
_SPARE, _NARROWEST = 2e-5, 1e-14
"""How far below its target a bound may stay that is itself known to 1e-4 only."""
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
    **fixed: Any,
) -> M:
    """The least noise with which equal releases meet a target; see `Mechanism.calibrate`."""
    count = integer(releases, "releases", "an integer >= 1", least=1)
    for other in with_other:
        if not isinstance(other, PrivacyGuarantee):
            raise InvalidParameterError("with_other", "a sequence of guarantees", other)
    goal = goal_for(target, with_other)

    def build(noise: float) -> M:
        parameters = {cls.noise_parameter: noise, "sensitivity": sensitivity, "neighbors": neighbors}
        return cls(**parameters, **fixed)

    @functools.cache
    def excess(log_noise: float) -> float:
        return goal.excess(build(2.0**log_noise), count)

    low, high = _bracket(excess, target, *_likely(goal.likely(count), build))
    if excess(low) <= 0:
        return build(2.0**low)
    if not goal.is_closed(build(2.0**high), count):
        return build(2.0 ** _narrow(excess, low, high))
    return build(
        _confirm(lambda noise: goal.excess(build(noise), count) <= 0, _root(excess, low, high), 2.0**high)
    )


def _likely(
    guess: tuple[float, float] | None, build: Callable[[float], Mechanism]
) -> tuple[float, float | None]:
    """About the log2 noise that meets the target, and how much excess a doubled noise takes away; rho falls nearly as its square."""
    if guess is None:
        return 0.0, None
    rho, fall = guess
    log_noise = 0.0
    try:
        for _ in range(_GUESSES):
            have = float(build(2.0**log_noise).price(ZCDP)[0])
            log_noise += min(max(math.log2(have / rho) / 2, -_WIDEST / 4), _WIDEST / 4)
    except (PrivacyAccountantError, OverflowError, ValueError, ZeroDivisionError):
        return 0.0, None
    return log_noise, 2 * fall


def _bracket(
    excess: Callable[[float], float], target: Any, start: float, fall: float | None
) -> tuple[float, float]:
    """Two log2 noises, the lower one too small (or the smallest that is tried), the upper one enough."""
    low = high = start
    step = 1.0
    if fall is not None:
        step = min(max(abs(excess(start)) / fall, _SPARE), 1.0)
    while excess(high) > 0:
        low, high = high, high + step
        step *= 2
        if high > _WIDEST:
            raise CalibrationError(target, f"no amount of noise meets it: {_why(excess(low))}")
    while low == high or excess(low) <= 0:
        if low == -_WIDEST:
            break
        high, low = low, max(low - step, -_WIDEST)
        step *= 2
    return low, high


def _why(excess: float) -> str:
    """What an excess at the most noise that is tried says."""
    if excess == math.inf:
        return "it allows exactly none of a risk that this noise never takes away entirely"
    return "the other releases alone are more than it allows"


def _narrow(excess: Callable[[float], float], low: float, high: float) -> float:
    """A log2 noise that meets the target and wastes no more of it than a certified bound is loose: the Illinois rule, aimed low."""
    left, right = min(excess(low), 1e6), max(excess(high), -1e6)
    side = 0
    while excess(high) < -_SPARE and high - low > _NARROWEST:
        aim = left + 0.4 * _SPARE
        at = low + (high - low) * aim / (left - right)
        if not low < at < high:
            at = (low + high) / 2
        value = excess(at)
        if value > 0:
            low, left, right = at, value, right / 2 if side > 0 else right
        else:
            high, right, left = at, value, left / 2 if side < 0 else left
        side = 1 if value > 0 else -1
    return high


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
