"""Profiles of composed losses by contours: thresholds by side, lattices between their points, atoms on their own."""

from __future__ import annotations

import math
from fractions import Fraction

import attrs
import numpy as np
from numpy.typing import NDArray

from privacy_accountant.guarantees.pld.atomic import AtomicLaw
from privacy_accountant.guarantees.pld.contour import Measure
from privacy_accountant.guarantees.pld.families import UNIT, Array
from privacy_accountant.guarantees.pld.profile import LINE_TOLERANCE, Bounds, Corners, Infinity, Profile
from privacy_accountant.guarantees.pld.shelf import Found, Shelf
from privacy_accountant.guarantees.pld.windows import Cover, Spot, Windows

_POINTS_PER_WIDTH = 16
_SEARCHES = 3
_MOST_CORNERS = 4096
_NEXT_TO_TOP = 1e-6
_CEILINGS = (0.0, 0.5, 1.0)
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
        self._windows = Windows(self._loss.sketched(), self._shelf, self._mean, self.top_high, atoms)
        self._fixed: tuple[tuple[int, ...], Corners] | None = None
        self._known: tuple[Cover, Corners] | None = None

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
            found = self._right(e[right], (base.delta_low[right], base.delta_high[right]), tolerance)
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

    def _right(self, e: Array, known: tuple[Array, Array], tolerance: float) -> Found:
        """The profile, split-off atoms included; next to the top they are all there is, and a chord bounds the rest."""
        last = self.top_high * (1 - _NEXT_TO_TOP)
        close = e > last
        if self._atoms is None or not close.any():
            return self._shelf.find(e, known, tolerance, right=True)
        zero = np.zeros(len(e))
        moved = np.minimum(e, last)
        part = self._shelf.find(
            moved, (np.where(close, 0.0, known[0]), np.where(close, 0.0, known[1])), tolerance, right=True
        )
        with np.errstate(under="ignore"):
            share = (
                np.expm1(np.minimum(e - self.top_high, 0.0)) / math.expm1(last - self.top_high) * (1 + 1e-8)
            )
        return Found(
            np.where(close, known[0], part.low),
            np.where(close, known[1] + part.high * share, part.high),
            part.flow,
            zero,
        )

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
        loss, goal = self._loss.sketched(), math.log(delta)
        if goal > -0.7:
            return (max(self._mean, 0.0) if self._mean < self.top_high else 0.0), 0.0
        low, high = -30.0, 80.0
        for _ in range(_GUESS_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if loss.level(math.exp(middle))[1] > goal else (low, middle)
        c = math.exp(low)
        return min(max(loss.saddle(c)[0], 0.0), self.top_high), c

    def ceiling(self, e: Array) -> Array:
        """See `Profile.ceiling`: Chernoff bounds at a few abscissas."""
        inf = self.infinity
        inside = e[(e < self.top_high) & (e > self._mean)]
        if not len(inside):
            return np.where(e < self.top_high, 1.0, inf.high)
        loss, exponent = self._loss.sketched(), np.zeros_like(e)
        for at in np.quantile(inside, _CEILINGS):
            c = loss.abscissa(float(at), right=True)
            k = self._loss.cumulant(c)
            exponent = np.minimum(exponent, k.value + k.error - c * e * (1 - 1e-15))
        with np.errstate(under="ignore"):
            part = np.where(e < self.top_high, np.exp(exponent), 0.0)
        return np.asarray(np.minimum(inf.high + part * (1 + 1e-9), 1.0))

    def snap(self, e: Array) -> tuple[Array, ...]:
        """See `Profile.snap`: on a lattice only its points matter."""
        if self._lattice is None:
            return (e,)
        low = self._lattice.below(e * (1 + 4 * UNIT))
        return np.maximum(low, 0.0), np.minimum(low + self._lattice.step, self.top_high)

    def swift(self, e: Array) -> tuple[Array, Array]:
        """See `Profile.swift`."""
        if self._lattice is not None:
            part = self._finite(e, LINE_TOLERANCE)
            return part.delta_high, part.room_low
        value, right = self._windows.at(e)
        return self._completed(e, value, right)

    def _completed(self, e: Array, value: Array, right: NDArray[np.bool_]) -> tuple[Array, Array]:
        """Safe profile and complement from those without the split-off atoms, one of the two at each threshold."""
        if self._atoms is not None:
            _, delta, room, _, _ = self._atoms.bounds(e)
            value = value + np.where(right, delta, room)
        value = np.clip(value, 0.0, 1.0)
        return (
            np.where(right, value, (1 - value) * (1 + 2 * UNIT)),
            np.where(right, (1 - value) * (1 - 2 * UNIT), value),
        )

    def corners(self, first: Array, second: Array, *, between: bool) -> Corners:
        """See `Profile.corners`."""
        place = self._windows.places(first, second, between=between)
        if self._lattice is not None:
            return self._lattice_corners(self._lattice, place)
        found = self._covered(place)
        for _ in range(_SEARCHES):
            more = [
                self._windows.missing(place, found.e, falling, goals)
                for falling, goals in ((found.first, first), (found.second, second))
            ]
            wider = np.unique(np.concatenate((place, *more)))
            if len(wider) == len(place):
                break
            place = wider
            found = self._covered(place)
        return found

    def _covered(self, place: NDArray[np.intp]) -> Corners:
        """The table of these windows, with a corner at every split-off atom of some weight."""
        cover = self._windows.cover(place)
        if self._known is not None and self._known[0] is cover:
            return self._known[1]
        e, flow = cover.samples.e, cover.samples.flow
        high, room = self._completed(
            e, np.where(cover.right, cover.samples.high, cover.samples.low), cover.right
        )
        table = Corners(e, flow, flow, high, room)
        if self._atoms is not None:
            table = self._with_atoms(self._atoms, table)
        order = np.argsort(table.e, kind="stable")
        order = order[table.e[order] >= 0]
        self._known = cover, self._topped(table.taken(order))
        return self._known[1]

    def _topped(self, table: Corners) -> Corners:
        """With nothing above the top, where it is in the table."""
        if not len(table.e) or table.e[-1] < self.top_high:
            return table
        before, after = table.before.copy(), table.after.copy()
        before[-1], after[-1] = table.after[max(len(after) - 2, 0)], 0.0
        return attrs.evolve(table, before=before, after=after)

    def _with_atoms(self, atoms: AtomicLaw, table: Corners) -> Corners:
        flow = table.after + atoms.bounds(table.e)[4]
        e, sides, _ = atoms.corners()
        at, before, after = e[::2], sides[::2], sides[1::2]
        heavy = before - after > 1e-9 * np.interp(at, table.e, flow)
        heavy &= (at < self.top_high) & np.isin(self._windows.place_of(at), self._windows.built)
        if np.count_nonzero(heavy) > _MOST_CORNERS:
            return Corners(table.e, flow, flow, table.delta_high, table.room_low)
        at, rest = at[heavy], np.interp(at[heavy], table.e, table.after)
        mine = Corners(at, rest + before[heavy], rest + after[heavy], *self.swift(at))
        return Corners.joined([Corners(table.e, flow, flow, table.delta_high, table.room_low), mine])

    def _lattice_corners(self, lattice: Lattice, place: NDArray[np.intp]) -> Corners:
        """Lattice points, all or some of those in and next to these windows, each with the flow on either side."""
        spots = self._windows.spots
        last = min(spots[-1].e + 2 * spots[-1].width, self.top_high)
        count, first = (
            math.floor((last - lattice.anchor) / lattice.step),
            math.ceil(-lattice.anchor / lattice.step),
        )
        if count - first <= _MOST_CORNERS:
            near = [-1]
            index = np.arange(first, count + 1, dtype=np.float64)
        else:
            near = [i for i in range(len(spots)) if np.min(np.abs(place - i)) <= 1]
            e = np.concatenate([_around(spots[i]) for i in near])
            index = np.unique(np.floor((e - lattice.anchor) / lattice.step))
            index = index[(index >= first) & (index <= count)]
        key = tuple(near)
        if self._fixed is None or self._fixed[0] != key:
            self._fixed = key, self._pointed(lattice, index)
        return self._fixed[1]

    def _pointed(self, lattice: Lattice, index: Array) -> Corners:
        around = np.unique(np.concatenate((index - 1, index, index + 1)))
        part = self._at_points(lattice.anchor + around * lattice.step, LINE_TOLERANCE)
        i = np.searchsorted(around, index)
        delta = (part.delta_low + part.delta_high) / 2
        shrink = -math.expm1(-lattice.step)
        with np.errstate(under="ignore"):
            before = np.maximum(delta[i - 1] - delta[i], 0.0) / shrink
            after = np.maximum(delta[i] - delta[i + 1], 0.0) * math.exp(-lattice.step) / shrink
        e = lattice.anchor + index * lattice.step
        bounds = self._on_lattice(lattice, e, LINE_TOLERANCE)
        return Corners(e, before, after, bounds.delta_high, bounds.room_low)


def _around(spot: Spot) -> Array:
    """Thresholds of a window, close for its width and for its tilt; next to 0 a loss may be narrow, and its own tilted law wide."""
    reach = 2 * spot.width
    step = max(
        min(spot.width, 1 / max(spot.c, 1e-300) if spot.right else spot.width) / _POINTS_PER_WIDTH,
        reach / 512,
    )
    return np.asarray(spot.e + np.arange(-reach, reach, step))
