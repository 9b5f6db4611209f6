r"""From two-sided profiles to the trade-off function.

Every threshold e >= 0 gives two supporting lines, 1 - delta(e) - e^e alpha and e^{-e} (1 - delta(e) - alpha), and any of them is
a valid lower bound of f. The best one for an alpha touches f: e^{-e} flow = Q(L > e) = alpha on the first branch, P(L > e) =
1 - alpha on the second. A table of thresholds says about where that is, Newton's method says it better, and the bound is taken
from the line itself.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import attrs
import numpy as np

from privacy_accountant.guarantees.pld.moments.families import UNIT, Array
from privacy_accountant.guarantees.pld.profiles.envelope import Envelope, envelope
from privacy_accountant.guarantees.pld.profiles.profile import LINE_TOLERANCE, Bounds, Corners, Profile

_MANY = 512
"""More questions than this are answered from the envelope of a table's lines."""
_NEWTON_STEPS = 2
Lines: TypeAlias = Callable[[Bounds, Array, Array], Array]
"""What the supporting lines at thresholds say about alphas: more is better."""
_WORSE = (
    ("delta_low", np.maximum),
    ("delta_high", np.maximum),
    ("room_low", np.minimum),
    ("room_high", np.minimum),
    ("flow", np.maximum),
)


def beta(profiles: tuple[Profile, ...], alpha: Array, tolerance: float) -> Array:
    """Lower bound on f at each alpha for the pair whose directions have these profiles (one when it is symmetric)."""
    inside = alpha[(alpha > 0) & (alpha < 1)]
    result = np.zeros_like(alpha)
    if len(alpha) > _MANY and len(inside):
        for profile in profiles:
            table = profile.table(*_goals(np.array([inside.min(), inside.max()])), between=True)
            if len(table.e):
                result = np.maximum(result, _envelope(profiles, profile, table).at(alpha))
    else:
        for profile in profiles if len(inside) else ():
            table = profile.table(*_goals(inside), between=False)
            if len(table.e):
                result = np.maximum(
                    result, _searched(profiles, profile, table, alpha, tolerance, lines=_below)
                )
        top = max(profile.top_high for profile in profiles)
        if top < math.inf:
            at = np.full(1, top)
            result = np.maximum(result, _below(joint(profiles, at, tolerance), at, alpha))
    at_zero = min(profile.infinity.rest_low for profile in profiles)
    result = np.minimum(result, 1 - alpha)
    if len(inside) < len(alpha):
        result = np.where(alpha > 0, np.where(alpha < 1, result, 0.0), at_zero)
    return result


def power(profiles: tuple[Profile, ...], alpha: Array, tolerance: float) -> Array | None:
    """Upper bound on 1 - f with digits of its own, from lines delta(e) + e^e alpha; None for too many questions."""
    inside = alpha[(alpha > 0) & (alpha < 1)]
    if len(alpha) > _MANY or not len(inside):
        return None
    result = np.full_like(alpha, -1.0)
    for profile in profiles:
        table = profile.table(*_goals(inside), between=False)
        if len(table.e):
            result = np.maximum(result, _searched(profiles, profile, table, alpha, tolerance, lines=_told))
    top = max(profile.top_high for profile in profiles)
    if top < math.inf:
        at = np.full(1, top)
        result = np.maximum(result, _told(joint(profiles, at, tolerance), at, alpha))
    return np.asarray(np.maximum(-result, alpha))


def _goals(alpha: Array) -> tuple[Array, Array]:
    return _log(alpha), _log1m(alpha)


@functools.lru_cache(maxsize=16)
def _envelope(profiles: tuple[Profile, ...], profile: Profile, table: Corners) -> Envelope:
    """The envelope of a table's lines and of those at both ends, the worse direction taken at every threshold."""
    ends = np.array([0.0, profile.top_high] if profile.top_high < math.inf else [0.0])
    part = joint(profiles, ends, LINE_TOLERANCE)
    nothing = np.zeros_like(ends)
    # At 0 everything lies above, at the top nothing; only where to look for these lines depends on that.
    before, after = np.append(table.before[:1], nothing[1:]), np.append(table.after[:1], nothing[1:])
    if len(ends) > 1:
        before[1] = table.after[-1]
    corners = Corners.joined(
        [
            Corners(ends[:1], before[:1], after[:1], part.delta_high[:1], part.room_low[:1]),
            table,
            Corners(ends[1:], before[1:], after[1:], part.delta_high[1:], part.room_low[1:]),
        ]
    )
    for other in profiles:
        if other is not profile:
            high, room = corners.delta_high.copy(), corners.room_low.copy()
            may = other.ceiling(corners.e) > high  # elsewhere the other direction cannot be the worse one
            if may.any():
                more, less = other.swift_bounds(corners.e[may])
                high[may], room[may] = np.maximum(high[may], more), np.minimum(room[may], less)
            corners = attrs.evolve(corners, delta_high=high, room_low=room)
    return envelope(corners)


def _searched(
    profiles: tuple[Profile, ...],
    profile: Profile,
    table: Corners,
    alpha: Array,
    tolerance: float,
    *,
    lines: Lines,
) -> Array:
    """The best lines by Newton's method, alpha by alpha."""
    e = np.repeat(table.e, 2)
    flow = np.ravel(np.column_stack((table.before, table.after)))
    first = np.minimum.accumulate(_log(flow) - e)
    second = np.minimum.accumulate(_log(flow + np.repeat(table.delta_high, 2)))
    result = np.full_like(alpha, -1.0)
    early = _log(alpha) <= first[0]
    for branch, goal, where in ((first, _log(alpha), early), (second, _log1m(alpha), ~early)):
        if where.any():
            found = _branch(
                profiles,
                profile,
                (e, branch),
                (alpha[where], goal[where]),
                tolerance,
                first=branch is first,
                lines=lines,
            )
            result[where] = found
    return result


def _branch(
    profiles: tuple[Profile, ...],
    profile: Profile,
    table: tuple[Array, Array],
    questions: tuple[Array, Array],
    tolerance: float,
    *,
    first: bool,
    lines: Lines,
) -> Array:
    """The best lines of one branch."""
    (e, branch), (alpha, goal) = table, questions
    near = np.interp(-goal, -branch, e)
    steep = _steepness(e, branch, near)
    result = np.full_like(alpha, -1.0)
    for step in range(_NEWTON_STEPS + 1):
        for at in profile.snap(near):
            bounds = joint(profiles, at, tolerance)
            result = np.maximum(result, lines(bounds, at, alpha))
        if step < _NEWTON_STEPS:
            near = _moved(profile, bounds, at, goal, steep, first=first)
    return result


def joint(profiles: Sequence[Profile], e: Array, tolerance: float) -> Bounds:
    """Bounds of the worse direction at each threshold; a direction that cannot be the worse one is not worked out."""
    ordered = sorted(profiles, key=lambda profile: -profile.top_high)
    worst = ordered[0].bounds(e, tolerance)
    for other in ordered[1:]:
        may = other.ceiling(e) > worst.delta_low
        if may.any():
            part = other.bounds(e[may], tolerance)
            for name, worse in _WORSE:
                values = getattr(worst, name).copy()
                values[may] = worse(values[may], getattr(part, name))
                worst = attrs.evolve(worst, **{name: values})
    return worst


def _told(bounds: Bounds, e: Array, alpha: Array) -> Array:
    """Minus the power that the steep supporting line at e allows, rounded away from 0."""
    with np.errstate(over="ignore", under="ignore"):
        tilt = np.exp(np.minimum(e + np.log(np.maximum(alpha, 1e-300)), 1.0))
        return -np.minimum(
            (bounds.delta_high + tilt * (1 + 4 * UNIT * (2 + np.abs(e)))) * (1 + 8 * UNIT), 1.0
        )


def _below(bounds: Bounds, e: Array, alpha: Array) -> Array:
    """The better of the two supporting lines at e, rounded down."""
    slack = 8 * UNIT
    with np.errstate(over="ignore", under="ignore"):
        tilt = np.where(alpha > 0, np.exp(np.minimum(e + _log(alpha), 700.0)), 0.0)
        tilt = tilt * (1 + slack + 4 * UNIT * np.abs(e))
        small = bounds.delta_high < 0.5
        rest = np.where(small, (1 - alpha) - bounds.delta_high, bounds.room_low - alpha)
        rest = rest - slack * np.where(
            small, np.maximum(bounds.delta_high, 1 - alpha), np.maximum(bounds.room_low, alpha)
        )
        rest = np.where(alpha > 0, rest, bounds.room_low)
        first = np.where(tilt > 0, bounds.room_low * (1 - slack) - tilt, bounds.room_low)
        second = np.exp(-e) * rest * (1 - slack - 4 * UNIT * np.abs(e))
    return np.maximum(np.maximum(first, second), 0.0)


def _steepness(e: Array, branch: Array, near: Array) -> Array:
    """-d branch / de around each threshold, infinite at a corner."""
    i = np.clip(np.searchsorted(e, near), 1, len(e) - 1)
    wide = e[i] - e[i - 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(wide > 0, (branch[i - 1] - branch[i]) / np.where(wide > 0, wide, 1.0), np.inf)
    return np.maximum(slope, 1e-300)


def _moved(profile: Profile, bounds: Bounds, near: Array, goal: Array, steep: Array, *, first: bool) -> Array:
    """One Newton step towards the line that touches."""
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        here = np.log(bounds.flow) - near if first else np.log(bounds.delta_high + bounds.flow)
        step = (here - goal) / steep
    top = profile.top_high
    step = np.where(np.isfinite(step), step, 0.0)
    return np.clip(near + step, 0.0, top if top < math.inf else None)


def _log(alpha: Array) -> Array:
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(alpha), -800.0)


def _log1m(alpha: Array) -> Array:
    with np.errstate(divide="ignore"):
        return np.maximum(np.log1p(-alpha), -800.0)
