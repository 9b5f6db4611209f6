r"""From two-sided profiles to the trade-off function.

Every threshold e >= 0 gives two supporting lines, 1 - delta(e) - e^e alpha and e^{-e} (1 - delta(e) - alpha), and any of them is
a valid lower bound of f. The best one for an alpha touches f: e^{-e} flow = Q(L > e) = alpha on the first branch, P(L > e) =
1 - alpha on the second. A table of thresholds says about where that is, Newton's method says it better, and the bound is taken
from the line itself.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from privacy_accountant.guarantees.pld.families import UNIT, Array
from privacy_accountant.guarantees.pld.profile import Bounds, Profile

Table: TypeAlias = tuple[Array, Array, Array]
"""Thresholds with log Q(L > e) and log P(L > e)."""

_MANY = 2048
"""More questions than this are answered from a table."""
_FINER = 16
_NEWTON_STEPS = 2


def beta(profiles: tuple[Profile, ...], alpha: Array, tolerance: float) -> Array:
    """Lower bound on f at each alpha for the pair whose directions have these profiles (one when it is symmetric)."""
    top = max(profile.top_high for profile in profiles)
    result = np.zeros_like(alpha)
    for end in [0.0, top] if top < math.inf else [0.0]:
        at = np.full(1, end)
        result = np.maximum(result, _lines(joint(profiles, at, tolerance), at, alpha))
    for profile in profiles:
        table = _table(profile, *profile.corners())
        if len(table[0]) < 2:
            continue
        early = _log(alpha) <= table[1][0]
        for first, where in ((True, early), (False, ~early)):
            if where.any():
                found = _branch(profiles, profile, table, alpha[where], tolerance, first=first)
                result[where] = np.maximum(result[where], found)
    at_zero = min(profile.infinity.rest_low for profile in profiles)
    return np.where(alpha > 0, np.where(alpha < 1, np.minimum(result, 1 - alpha), 0.0), at_zero)


def _branch(
    profiles: tuple[Profile, ...],
    profile: Profile,
    table: Table,
    alpha: Array,
    tolerance: float,
    *,
    first: bool,
) -> Array:
    """The best lines of one branch: by Newton's method, or from a dense table when there are many questions."""
    goal = _log(alpha) if first else _log1m(alpha)
    if len(alpha) > _MANY:
        (e, *branches), bounds = _dense(profiles, profile, tolerance)
        i = np.searchsorted(-branches[0 if first else 1], -goal)
        lines = [
            _lines(_taken(bounds, j), e[j], alpha) for j in (np.clip(i - k, 0, len(e) - 1) for k in (0, 1))
        ]
        return np.asarray(np.max(lines, axis=0))
    e, branch = table[0], table[1 if first else 2]
    near = np.interp(-goal, -branch, e)
    steep = _steepness(e, branch, near)
    result = np.zeros_like(alpha)
    for step in range(_NEWTON_STEPS + 1):
        for at in profile.snap(near):
            bounds = joint(profiles, at, tolerance)
            result = np.maximum(result, _lines(bounds, at, alpha))
        if step < _NEWTON_STEPS:
            near = _moved(profile, bounds, at, goal, steep, first=first)
    return result


@functools.lru_cache(maxsize=8)
def _dense(profiles: tuple[Profile, ...], profile: Profile, tolerance: float) -> tuple[Table, Bounds]:
    """A table with `_FINER` thresholds for one, and the bounds there; a corner stays a corner."""
    e, flow, tail = profile.corners()
    place = np.linspace(0, len(e) - 1, _FINER * (len(e) - 1) + 1)
    fine = np.interp(place, np.arange(len(e)), e)
    table = _table(
        profile, fine, *(np.exp(np.interp(place, np.arange(len(e)), _log(y))) for y in (flow, tail))
    )
    unique, back = np.unique(table[0], return_inverse=True)
    return table, _taken(joint(profiles, unique, tolerance), back)


def _taken(bounds: Bounds, index: NDArray[np.intp]) -> Bounds:
    return Bounds(*(getattr(bounds, field.name)[index] for field in attrs.fields(Bounds)))


def joint(profiles: Sequence[Profile], e: Array, tolerance: float) -> Bounds:
    """Bounds of the worse direction at each threshold."""
    parts = [profile.bounds(e, tolerance) for profile in profiles]
    if len(parts) == 1:
        return parts[0]
    return Bounds(
        np.max([p.delta_low for p in parts], axis=0),
        np.max([p.delta_high for p in parts], axis=0),
        np.min([p.room_low for p in parts], axis=0),
        np.min([p.room_high for p in parts], axis=0),
        np.max([p.flow for p in parts], axis=0),
    )


def _lines(bounds: Bounds, e: Array, alpha: Array) -> Array:
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


def _table(profile: Profile, e: Array, flow: Array, tail: Array) -> Table:
    """Thresholds with log Q(L > e) and log P(L > e), both made descending for interpolation."""
    good = (flow > 0) & (tail > 0)
    e, flow, tail = e[good], flow[good], tail[good]
    scale = profile.infinity.rest_high
    first = np.minimum.accumulate(np.log(flow) + math.log(scale) - e) if len(e) else e
    second = np.minimum.accumulate(np.log(tail * scale + profile.infinity.high)) if len(e) else e
    return e, first, second


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
