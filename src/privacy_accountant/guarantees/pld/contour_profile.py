"""Profiles of composed losses by contours: thresholds by side, lattices between their points, atoms on their own."""

from __future__ import annotations

import math
from fractions import Fraction

import attrs
import numpy as np

from privacy_accountant.guarantees.pld.atomic import AtomicLaw
from privacy_accountant.guarantees.pld.contour import Measure
from privacy_accountant.guarantees.pld.families import UNIT, Array
from privacy_accountant.guarantees.pld.profile import Bounds, Infinity, Profile
from privacy_accountant.guarantees.pld.shelf import Shelf

_TABLE_PER_WIDTH, _TABLE_WINDOWS = 16, 120
_TABLE_TOLERANCE = 1e-3
_MOST_CORNERS = 4096
_LOG_LEAST = -760.0
_GUESS_HALVINGS = 20
SMALL_MEAN = 0.5


@attrs.frozen(eq=False)
class Lattice:
    """All finite losses are anchor + k step."""

    step: float
    anchor: float

    def below(self, e: Array) -> Array:
        """The lattice points at or below e, up to round-off."""
        return np.asarray(self.anchor + np.floor((e - self.anchor) / self.step) * self.step)


class ContourProfile(Profile):
    """Certified composition of a measure, with atoms that are summed exactly split off."""

    def __init__(
        self,
        infinity: Infinity,
        top: Fraction | None,
        measure: Measure,
        *,
        lattice: Lattice | None = None,
        atoms: AtomicLaw | None = None,
    ) -> None:
        super().__init__(infinity, top)
        self._loss, self._lattice, self._atoms = measure.whole, lattice, atoms
        self._shelf = Shelf(measure, 0.0 if lattice is None else lattice.step)
        # The profile at 0 is at most sqrt(mean / 2), by Pinsker; below a half no complement is needed at any e >= 0.
        mean = self._loss.cumulant(0.0).first
        self._mean = mean if mean >= SMALL_MEAN else -math.inf
        self._corners: tuple[Array, Array, Array] | None = None

    def _finite(self, e: Array, tolerance: float) -> Bounds:
        if self._lattice is not None:
            return self._on_lattice(self._lattice, e, tolerance)
        return self._at(e, tolerance)

    def _at(self, e: Array, tolerance: float) -> Bounds:
        """Each threshold by the side on which its bound is small: the profile right of the mean, the complement left of it."""
        n = len(e)
        base = (
            Bounds(*self._atoms.bounds(e))
            if self._atoms is not None
            else Bounds(*(np.zeros(n) for _ in range(5)))
        )
        out = Bounds(*(np.zeros(n) for _ in range(5)))
        right = e >= self._mean
        if right.any():
            found = self._shelf.find(
                e[right], (base.delta_low[right], base.delta_high[right]), tolerance, right=True
            )
            out.delta_low[right], out.delta_high[right] = found.low, np.minimum(found.high, 1.0)
            out.room_low[right] = np.maximum(1 - out.delta_high[right], 0.0) * (1 - 2 * UNIT)
            out.room_high[right] = (1 - found.low) * (1 + 2 * UNIT)
            out.flow[right] = found.flow + base.flow[right]
        left = ~right
        if left.any():
            found = self._shelf.find(
                e[left], (base.room_low[left], base.room_high[left]), tolerance, right=False
            )
            out.room_low[left], out.room_high[left] = found.low, np.minimum(found.high, 1.0)
            out.delta_low[left] = np.maximum(1 - out.room_high[left], 0.0) * (1 - 2 * UNIT)
            out.delta_high[left] = (1 - found.low) * (1 + 2 * UNIT)
            out.flow[left] = found.flow + base.flow[left]
        return out

    def _at_points(self, points: Array, tolerance: float) -> Bounds:
        """Bounds at lattice points, beyond the top included."""
        n = len(points)
        part = Bounds(np.zeros(n), np.zeros(n), np.ones(n), np.ones(n), np.zeros(n))
        step = 0.0 if self._lattice is None else self._lattice.step
        inside = points < self.top_high - step / 2
        if inside.any():
            found = self._at(points[inside], tolerance)
            for name in ("delta_low", "delta_high", "room_low", "room_high"):
                getattr(part, name)[inside] = getattr(found, name)
        return part

    def _on_lattice(self, lattice: Lattice, e: Array, tolerance: float) -> Bounds:
        """Linear in e^e between lattice points; a threshold or a point that is off by a rounding is paid for."""
        start = lattice.below(e)
        points, where = np.unique(np.concatenate((start, start + lattice.step)), return_inverse=True)
        low_at, high_at = where[: len(e)], where[len(e) :]
        part = self._at_points(points, tolerance)
        below, above = points[low_at], points[high_at]
        with np.errstate(under="ignore"):
            share = -np.exp(e - above) * np.expm1(below - e) / -math.expm1(-lattice.step)
        share = np.clip(share, 0.0, 1.0)
        moved = 8 * UNIT * (np.abs(e) + abs(lattice.anchor) + lattice.step)
        drop = np.maximum(part.delta_high[low_at] - part.delta_low[high_at], 0.0)
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

    # ---- where to look

    def guess(self, delta: float) -> tuple[float, float]:
        """See `Profile.guess`."""
        loss, goal = self._loss, math.log(delta)
        if goal > -0.7:
            return (max(self._mean, 0.0) if self._mean < self.top_high else 0.0), 0.0
        low, high = -30.0, 80.0
        for _ in range(_GUESS_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if loss.level(math.exp(middle))[1] > goal else (low, middle)
        c = math.exp(low)
        return min(max(loss.saddle(c)[0], 0.0), self.top_high), c

    def snap(self, e: Array) -> tuple[Array, ...]:
        """See `Profile.snap`: on a lattice only its points matter."""
        if self._lattice is None:
            return (e,)
        low = self._lattice.below(e * (1 + 4 * UNIT))
        return np.maximum(low, 0.0), np.minimum(low + self._lattice.step, self.top_high)

    def corners(self) -> tuple[Array, Array, Array]:
        """See `Profile.corners`."""
        if self._corners is None:
            e = self._table()
            if self._lattice is not None:
                self._corners = self._lattice_corners(self._lattice, e)
            else:
                part = self._at(e, _TABLE_TOLERANCE)
                smooth = e, part.flow, part.delta_high + part.flow
                self._corners = smooth if self._atoms is None else self._with_atoms(self._atoms, *smooth)
        return self._corners

    def _lattice_corners(self, lattice: Lattice, e: Array) -> tuple[Array, Array, Array]:
        """Lattice points, all or those near the table, each with the flow on either side."""
        count = math.floor((float(e[-1]) - lattice.anchor) / lattice.step)
        first = math.ceil(-lattice.anchor / lattice.step)
        if count - first <= _MOST_CORNERS:
            index = np.arange(first, count + 1, dtype=np.float64)
        else:
            index = np.unique(np.floor((e - lattice.anchor) / lattice.step))
            index = index[index >= first]
        around = np.unique(np.concatenate((index - 1, index, index + 1)))
        part = self._at_points(lattice.anchor + around * lattice.step, _TABLE_TOLERANCE)
        i = np.searchsorted(around, index)
        delta = (part.delta_low + part.delta_high) / 2
        before, here, after = delta[i - 1], delta[i], delta[i + 1]
        shrink = -math.expm1(-lattice.step)
        with np.errstate(under="ignore"):
            left = np.maximum(before - here, 0.0) / shrink
            right = np.maximum(here - after, 0.0) * math.exp(-lattice.step) / shrink
        flow = np.ravel(np.column_stack((left, right)))
        return np.repeat(lattice.anchor + index * lattice.step, 2), flow, np.repeat(here, 2) + flow

    def _with_atoms(self, atoms: AtomicLaw, e: Array, flow: Array, tail: Array) -> tuple[Array, Array, Array]:
        """The table with a corner at every split-off atom of some weight: two entries, either side of its jump."""
        corner, sides, _ = atoms.corners()
        jump = np.repeat(sides[::2] - sides[1::2], 2)
        first = np.arange(len(jump)) % 2 == 0
        nearby = np.interp(corner, e, flow)
        heavy = (jump > 1e-9 * nearby) & (corner < self.top_high)
        corner, first, jump = corner[heavy], first[heavy], jump[heavy]
        if not 0 < len(corner) <= _MOST_CORNERS:
            return e, flow, tail
        part = self._at(corner, _TABLE_TOLERANCE)
        extra = np.where(first, jump, 0.0)
        every = np.concatenate((e, corner))
        order = np.argsort(every, kind="stable")
        return (
            every[order],
            np.concatenate((flow, part.flow + extra))[order],
            np.concatenate((tail, part.delta_high + part.flow + extra))[order],
        )

    def _table(self) -> Array:
        """Thresholds from 0 to where nothing is left, a few for each standard deviation of the tilted loss."""
        loss, right = self._loss, self._mean <= 0
        e, points = 0.0, []
        for _ in range(_TABLE_WINDOWS):
            right = right or e >= self._mean
            c = loss.abscissa(e, right=right)
            width = math.sqrt(loss.saddle(c)[1] if right else loss.cumulant(c).second)
            points.append(e + width * np.arange(0, 2, 1 / _TABLE_PER_WIDTH))
            e += 2 * width
            if e >= self.top_high or (right and loss.level(c)[1] < _LOG_LEAST):
                break
        table = np.concatenate(points)
        if self.top_high < math.inf:
            last = float(min(table[-1], self.top_high))
            table = np.append(
                table[table < self.top_high], self.top_high - (self.top_high - last) * 0.5 ** np.arange(1, 30)
            )
            table = table[table < self.top_high]
        return np.unique(table)
