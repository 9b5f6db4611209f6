"""Where a function that falls along a line stops being positive: for one that is known to the last bits, and for a bound that is not."""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy.optimize import toms748

Excess = Callable[[float], float]
"""A function that falls; the searches ask it twice at a place, so it should remember."""

_STEEPEST = 1e6
_PATIENCE = 3
_FAR = 4.0
_NARROWEST = 1e-14


def last_bits(excess: Excess, low: float, high: float) -> float:
    """Where the excess changes sign between two ends, to the last bits; infinities are kept out of the interpolation."""

    def bounded(x: float) -> float:
        return max(min(excess(x), _STEEPEST), -_STEEPEST)

    return float(toms748(bounded, low, high, xtol=1e-15, rtol=4e-16, maxiter=200))


def within(excess: Excess, low: float, high: float, spare: float) -> float:
    """A place where the excess is at most 0 and at least minus `spare`, with few questions: each may cost a composition.

    The inverse is interpolated through the last three answers, aimed a little low, inside a bracket; the bracket is halved where
    that leaves it, where an answer is far off, and where it has not been halved in three steps. Where the excess jumps, the place is
    just beyond the jump.
    """
    last = [(low, excess(low)), (high, excess(high))]
    width, tries = high - low, 0
    while excess(high) < -spare and high - low > _NARROWEST * max(1.0, abs(high)):
        at = _interpolated(last, -0.4 * spare)
        if not low < at < high or tries == _PATIENCE:
            at = (low + high) / 2
            width, tries = (high - low) / 2, -1
        low, high = (at, high) if excess(at) > 0 else (low, at)
        last, tries = [*last[-2:], (at, excess(at))], tries + 1
        if high - low <= width / 2:
            width, tries = high - low, 0
    return high


def _interpolated(known: list[tuple[float, float]], aim: float) -> float:
    """Where the inverse polynomial through the known points takes the aim; NaN where two have the same value, or one is far off."""
    values = [y for _, y in known if abs(y) < _FAR]
    if len(values) < len(known) or len(set(values)) < len(values):
        return math.nan
    return sum(x * math.prod((aim - other) / (y - other) for other in values if other != y) for x, y in known)
