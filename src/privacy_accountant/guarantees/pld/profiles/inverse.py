"""From delta back to epsilon: a root is found, and then both ends are moved outwards until the bounds confirm them.

Where delta is near 1 the complement is asked instead, which has digits of its own there.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import attrs
import numpy as np

from privacy_accountant.exact import exact
from privacy_accountant.guarantees.pld.moments.families import UNIT

if TYPE_CHECKING:
    from privacy_accountant.guarantees.pld.profiles.profile import Profile

_NEWTON_STEPS, _TO_THE_LAST_BIT = 80, 8
"""After so many steps the function is not smooth, and where it costs something a root well within the tolerance has to do."""
_WELL_WITHIN, _NEARLY_THERE = 0.02, 1e-10
_OFF = 0.1
"""A root is not where the logarithms differ by more than this, unless the function jumps."""
_REFINEMENTS = 4
_STEPS_OUT = 200
_LIKELY = 0.02
"""Above this delta it is looked at first whether epsilon = 0 will do."""
_TINY = 5e-324


def epsilon(profile: Profile, delta: float, tolerance: float) -> tuple[float, float]:
    """Bounds of the least e >= 0 at which the profile is at most delta, about `tolerance` apart."""
    inf = profile.infinity
    if delta >= 1:
        return 0.0, 0.0
    # Where the mass is known, the question's delta is compared with it as the decimal that it is.
    allowed = delta >= inf.high if inf.whole is None else exact(delta) >= inf.whole
    if inf.rest_low == 0 or (not allowed and (inf.whole is not None or delta < inf.low)):
        return math.inf, math.inf
    if inf.whole is not None and exact(delta) == inf.whole:
        return profile.top_low, profile.top_high
    most = profile.top_high if allowed else math.inf
    lower, upper = _targets(profile, delta)
    middle = min(max(upper[0], _TINY), 1.0)
    guess = profile.guess(middle, max(upper[1], _TINY))
    if guess[0] <= 0 or middle > _LIKELY:
        start = profile.bounds(np.zeros(1), tolerance)
        if start.delta_high[0] <= delta or start.room_low[0] >= 1 - delta:
            return 0.0, 0.0
    near_top = profile.top_low * (1 - tolerance / 4)
    close = not profile.is_cheap and most < math.inf and guess[0] >= near_top
    if close and profile.bounds(np.array([near_top]), tolerance).delta_low[0] > delta:
        return near_top, most
    high = most
    if upper[0] > 0:
        high = min(most, _Search(profile, *upper, upper=True).end(guess, tolerance))
    low = _Search(profile, *lower, upper=False).end(guess, tolerance) if lower[0] > 0 else 0.0
    return min(low, high), high


def _targets(profile: Profile, delta: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """What the finite profile, and its complement, may be: at the lower end, and at the upper one."""
    inf = profile.infinity
    if inf.high == 0:
        return (delta, 1 - delta), (delta, 1 - delta)
    margin, up, down = 2 * UNIT * delta, 1 + 4 * UNIT, 1 - 4 * UNIT
    rest = 1 - delta
    with_low = min((delta - inf.low + margin) / inf.rest_low * up, 1.0), rest / inf.rest_high * down
    with_high = (delta - inf.high - margin) / inf.rest_high * down, min(rest / inf.rest_low * up, 1.0)
    return with_low, with_high


@attrs.frozen(eq=False)
class _Search:
    """The proved end on one side: where the bound of the finite profile is at most the target (upper), or above it (lower).

    Attributes:
        profile: The profile.
        delta: The target.
        rest: 1 - delta, with digits of its own.
        upper: Which end.
    """

    profile: Profile
    delta: float
    rest: float
    upper: bool = attrs.field(kw_only=True)

    @property
    def _by_complement(self) -> bool:
        return self.rest < self.delta

    @property
    def _goal(self) -> float:
        return -math.log(max(self.rest, _TINY)) if self._by_complement else math.log(self.delta)

    def end(self, guess: tuple[float, float], tolerance: float) -> float:
        """The end, given a threshold near it and the steepness there."""
        # An epsilon within `tolerance` needs a delta within tolerance * epsilon * steepness; half of that, to be well inside.
        e, steep = guess
        fineness = min(max(tolerance, 0.5 * tolerance * e * steep), 0.1)
        grain = _NEARLY_THERE if self.profile.is_cheap else _WELL_WITHIN * tolerance
        for _ in range(_REFINEMENTS):
            root, steep = self._root(e, fineness, grain)
            wanted = tolerance * max(root, 0.0) * steep
            if wanted >= 1.5 * fineness or fineness < 1e-9:
                break
            fineness, e = max(min(wanted / 2, fineness / 4), 1e-10), root
        return self._proved(root, min(1e-6 * fineness / steep, grain * root), fineness)

    def _value(self, e: float, fineness: float) -> tuple[float, float]:
        """What falls through the goal at the root, log of the profile or minus log of its complement, and how steeply."""
        if e >= self.profile.top_high:
            return (0.0 if self._by_complement else -math.inf), 1.0
        part = self.profile._finite(np.array([max(e, 0.0)]), fineness)
        flow = float(part.flow[0])
        if self._by_complement:
            value = float((part.room_low if self.upper else part.room_high)[0])
            middle = max(float(part.room_high[0] + part.room_low[0]) / 2, _TINY)
            return (-math.log(value) if value > 0 else math.inf), max(flow / middle, 1e-12)
        value = float((part.delta_high if self.upper else part.delta_low)[0])
        middle = max(float(part.delta_high[0] + part.delta_low[0]) / 2, _TINY)
        return (math.log(value) if value > 0 else -math.inf), max(flow / middle, 1e-12)

    def _root(self, guess: float, fineness: float, grain: float) -> tuple[float, float]:
        """Newton's method inside a bracket, halved where that makes no way; nothing is proved here."""
        goal, low, high = self._goal, 0.0, self.profile.top_high
        e = min(max(guess, 0.0), high)
        steep = 1.0
        for step in range(_NEWTON_STEPS):
            value, steep = self._value(e, fineness)
            low, high = (e, high) if value > goal else (low, e)
            late = step >= _TO_THE_LAST_BIT
            new = e + (value - goal) / steep if math.isfinite(value) else math.inf
            middle = (low + high) / 2 if high < math.inf else 2 * e + 1
            if not low <= new <= min(high, 2 * e + 1) or (late and step % 2):
                new = middle
            close = min(1e-6 * fineness / steep, grain * e) + 4 * UNIT * e
            if abs(new - e) <= close and abs(value - goal) > _OFF and high - low > grain * e:
                new = middle  # the slope was wrong
            if abs(new - e) <= close or (late and high - low <= grain * e):
                return new, steep
            e = new
        return e, steep

    def _proved(self, root: float, step: float, fineness: float) -> float:
        """Step outward from the root until the bound confirms it."""
        goal = self._goal
        step = max(step, 8 * UNIT * root, 1e-300)
        e = root
        for _ in range(_STEPS_OUT):
            e = min(max(root + (step if self.upper else -step), 0.0), self.profile.top_high)
            value, _ = self._value(e, fineness)
            if (value <= goal) if self.upper else (value > goal):
                return e
            if e in (0.0, self.profile.top_high):
                break
            step *= 4
        return self.profile.top_high if self.upper else 0.0
