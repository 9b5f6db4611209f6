"""The least noise that meets a target: bracket, solve, then round to the side that the target confirms."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from privacy_accountant.calibration.search import Excess, last_bits, within
from privacy_accountant.calibration.targets import Guess, goal_for
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
_SPARE = 2e-5
"""How far below its target a bound may stay that is itself known to 1e-4 only."""
_ROUND_OFF = 2e-15
"""How far, relatively, the root finder's answer may be from the root; a shorter decimal this close is preferred."""


def calibrate(
    cls: type[M],
    target: Any,
    *,
    sensitivity: Any = None,
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

    given = {"sensitivity": sensitivity, "neighbors": neighbors, **fixed}
    parameters = {name: value for name, value in given.items() if value is not None}

    def build(noise: float) -> M:
        return cls(**{str(cls.noise_parameter): noise}, **parameters)

    @functools.cache
    def excess(log_noise: float) -> float:
        return goal.excess(build(2.0**log_noise), count)

    guess = goal.likely(count)
    fall = None if guess is None else guess.fall
    low, high = _bracket(excess, target, _likely(guess, build), fall)
    if excess(low) <= 0:
        return build(2.0**low)
    if not goal.is_closed(build(2.0**high), count):
        return build(2.0 ** within(excess, low, high, _SPARE))
    noise = 2.0 ** last_bits(excess, low, high)
    return build(_confirm(lambda noise: goal.excess(build(noise), count) <= 0, noise, 2.0**high))


def _likely(guess: Guess | None, build: Callable[[float], Mechanism]) -> float:
    """About the log2 noise that meets the target; the noise of a rho falls nearly as its root."""
    log_noise = 0.0
    if guess is None:
        return log_noise
    try:
        for _ in range(_GUESSES):
            have = float(build(2.0**log_noise).price(ZCDP)[0])
            log_noise += min(max(math.log2(have / guess.rho) / 2, -_WIDEST / 4), _WIDEST / 4)
    except (PrivacyAccountantError, OverflowError, ValueError, ZeroDivisionError):
        return 0.0
    return log_noise


def _bracket(excess: Excess, target: Any, start: float, fall: float | None) -> tuple[float, float]:
    """Two log2 noises, the lower one too small (or the smallest that is tried), the upper one enough."""
    low = high = start
    grow = 1.0

    def step(at: float) -> float:
        return grow * (1.0 if fall is None else min(max(abs(excess(at)) / fall, _SPARE), 1.0))

    while excess(high) > 0:
        low, high = high, high + step(high)
        grow *= 2
        if high > _WIDEST:
            raise CalibrationError(target, f"no amount of noise meets it: {_why(excess(low))}")
    while low == high or excess(low) <= 0:
        if low == -_WIDEST:
            break
        high, low = low, max(low - step(low), -_WIDEST)
        grow *= 2
    return low, high


def _why(excess: float) -> str:
    """What an excess at the most noise that is tried says."""
    if excess == math.inf:
        return "it allows exactly none of a risk that this noise never takes away entirely"
    return "the other releases alone are more than it allows"


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
