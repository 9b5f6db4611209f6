"""Profiles of losses on a lattice: certified at its points, and linear in e^epsilon between them."""

from __future__ import annotations

import math
from fractions import Fraction

import attrs
import numpy as np

from privacy_accountant.guarantees.pld.moments.families import UNIT, Array
from privacy_accountant.guarantees.pld.profiles.contour import Measure
from privacy_accountant.guarantees.pld.profiles.contour_profile import ContourProfile
from privacy_accountant.guarantees.pld.profiles.infinity import Infinity
from privacy_accountant.guarantees.pld.profiles.profile import LINE_TOLERANCE, Bounds, Corners
from privacy_accountant.guarantees.pld.profiles.windows import Spot

_POINTS_PER_WIDTH = 16
_MOST_CORNERS = 4096


@attrs.frozen(eq=False)
class Lattice:
    """All finite losses are anchor + k step."""

    step: float
    anchor: float

    def below(self, e: Array) -> Array:
        """The lattice points at or below e, up to round-off."""
        return np.asarray(self.anchor + np.floor((e - self.anchor) / self.step) * self.step)


class LatticeProfile(ContourProfile):
    """Certified composition of a measure on a lattice, without smoothing."""

    def __init__(self, infinity: Infinity, top: Fraction | None, measure: Measure, lattice: Lattice) -> None:
        super().__init__(infinity, top, measure, step=lattice.step)
        self._lattice = lattice
        self._fixed: tuple[tuple[int, ...], Corners] | None = None

    def _integrated(self, e: Array, tolerance: float) -> Bounds:
        """Linear in e^e between lattice points; a threshold or a point that is off by a rounding is paid for."""
        lattice = self._lattice
        start = lattice.below(e)
        points, where = np.unique(np.concatenate((start, start + lattice.step)), return_inverse=True)
        low_at, high_at = where[: len(e)], where[len(e) :]
        part = self._at_points(points, tolerance)
        below, above = points[low_at], points[high_at]
        with np.errstate(under="ignore"):
            share = -np.exp(e - above) * np.expm1(below - e) / -math.expm1(-lattice.step)
        share = np.clip(share, 0.0, 1.0)
        moved = 8 * UNIT * (np.abs(e) + abs(lattice.anchor) + lattice.step)
        drop = np.where(  # from whichever of the two has digits
            part.room_high[low_at] < 0.5,
            part.room_high[high_at] - part.room_low[low_at],
            part.delta_high[low_at] - part.delta_low[high_at],
        )
        drop = np.maximum(drop, 0.0)
        with np.errstate(under="ignore"):
            flow = drop * np.exp(e - above) / -math.expm1(-lattice.step)
        # A rounding moves the profile by its slope, the steepest one where it may cross the lattice point below; the
        # complement times e^-e never grows.
        slip = moved * np.where(e - below <= 4 * moved, self._shelf.tail(below), flow)
        shrink = np.maximum(1 - moved - 8 * UNIT, 0.0)

        def between(values: Array) -> Array:
            return np.asarray((1 - share) * values[low_at] + share * values[high_at])

        return Bounds(
            np.maximum(between(part.delta_low) * (1 - 8 * UNIT) - slip, 0.0),
            between(part.delta_high) * (1 + 8 * UNIT) + slip,
            between(part.room_low) * shrink,
            between(part.room_high) * (2 - shrink),
            flow,
        )

    def _at_points(self, points: Array, tolerance: float) -> Bounds:
        """Bounds at lattice points, beyond the top included."""
        n = len(points)
        part = Bounds(np.zeros(n), np.zeros(n), np.ones(n), np.ones(n), np.zeros(n))
        inside = points < self.top_high - self._lattice.step / 2
        if inside.any():
            found = self._at(points[inside], tolerance)
            for name in ("delta_low", "delta_high", "room_low", "room_high"):
                getattr(part, name)[inside] = getattr(found, name)
        return part

    def snap(self, e: Array) -> tuple[Array, ...]:
        """See `Profile.snap`: only lattice points matter."""
        low = self._lattice.below(e * (1 + 4 * UNIT))
        return np.maximum(low, 0.0), np.minimum(low + self._lattice.step, self.top_high)

    def swift(self, e: Array) -> tuple[Array, Array]:
        """See `Profile.swift`."""
        part = self._finite(e, LINE_TOLERANCE)
        return part.delta_high, part.room_low

    def corners(self, first: Array, second: Array, *, between: bool) -> Corners:
        """See `Profile.corners`: lattice points, all or some of those in and next to these windows, each with the flow on either side."""
        place = self._windows.places(first, second, between=between)
        lattice, spots = self._lattice, self._windows.spots
        last = min(spots[-1].e + 2 * spots[-1].width, self.top_high)
        lowest = math.ceil(-lattice.anchor / lattice.step)
        highest = math.floor((last - lattice.anchor) / lattice.step)
        if highest - lowest <= _MOST_CORNERS:
            near = [-1]
            index = np.arange(lowest, highest + 1, dtype=np.float64)
        else:
            near = [i for i in range(len(spots)) if np.min(np.abs(place - i)) <= 1]
            e = np.concatenate([_around(spots[i]) for i in near])
            index = np.unique(np.floor((e - lattice.anchor) / lattice.step))
            index = index[(index >= lowest) & (index <= highest)]
        key = tuple(near)
        if self._fixed is None or self._fixed[0] != key:
            self._fixed = key, self._pointed(index)
        return self._fixed[1]

    def _pointed(self, index: Array) -> Corners:
        lattice = self._lattice
        around = np.unique(np.concatenate((index - 1, index, index + 1)))
        part = self._at_points(lattice.anchor + around * lattice.step, LINE_TOLERANCE)
        i = np.searchsorted(around, index)
        delta = (part.delta_low + part.delta_high) / 2
        shrink = -math.expm1(-lattice.step)
        with np.errstate(under="ignore"):
            before = np.maximum(delta[i - 1] - delta[i], 0.0) / shrink
            after = np.maximum(delta[i] - delta[i + 1], 0.0) * math.exp(-lattice.step) / shrink
        e = lattice.anchor + index * lattice.step
        bounds = self._integrated(e, LINE_TOLERANCE)
        return Corners(e, before, after, bounds.delta_high, bounds.room_low)


def _around(spot: Spot) -> Array:
    """Thresholds of a window, close for its width and for its tilt; next to 0 a loss may be narrow, and its own tilted law wide."""
    reach = 2 * spot.width
    step = max(
        min(spot.width, 1 / max(spot.c, 1e-300) if spot.right else spot.width) / _POINTS_PER_WIDTH,
        reach / 512,
    )
    return np.asarray(spot.e + np.arange(-reach, reach, step))
