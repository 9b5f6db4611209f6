"""Profiles of composed losses by contours: thresholds by side, lattices between their points, atoms on their own."""

from __future__ import annotations

import math
from fractions import Fraction

import attrs
import numpy as np
from numpy.typing import NDArray

from privacy_accountant.guarantees.pld.moments.families import UNIT, Array
from privacy_accountant.guarantees.pld.moments.loss_sum import LossSum
from privacy_accountant.guarantees.pld.profiles.atomic import AtomicLaw
from privacy_accountant.guarantees.pld.profiles.contour import Measure
from privacy_accountant.guarantees.pld.profiles.infinity import Infinity
from privacy_accountant.guarantees.pld.profiles.profile import TINY, Bounds, Corners, Profile
from privacy_accountant.guarantees.pld.profiles.shelf import Found, Shelf
from privacy_accountant.guarantees.pld.profiles.summit import Summit
from privacy_accountant.guarantees.pld.profiles.windows import Cover, Windows

_POINTS_PER_WIDTH = 16
_SEARCHES = 3
_MOST_CORNERS = 4096
_NEXT_TO_TOP = 1e-6
_CEILINGS = (0.0, 0.5, 1.0)
_GUESS_HALVINGS, _LOGIT_MOST = 20, 20.0
SMALL_MEAN = 0.5


class ContourProfile(Profile):
    """Certified composition of a measure, with atoms that are summed exactly split off."""

    def __init__(
        self,
        infinity: Infinity,
        top: Fraction | None,
        measure: Measure,
        *,
        step: float = 0.0,
        atoms: AtomicLaw | None = None,
        summit: Summit | None = None,
    ) -> None:
        super().__init__(infinity, top)
        self._summit = summit
        self._loss, self._atoms = measure.whole, atoms
        self._shelf = Shelf(measure, step)
        # The profile at 0 is at most sqrt(mean / 2), by Pinsker; below a half no complement is needed at any e >= 0.
        mean = self._loss.cumulant(0.0).first
        self._mean = mean if mean >= SMALL_MEAN else -math.inf
        # Losses without a largest one: nothing that a double can hold is left beyond some threshold.
        self._far = math.inf if top is not None else 2 * self.guess(TINY, 1.0)[0] + 1
        self._windows = Windows(self._loss.sketched(), self._shelf, self._mean, self.top_high, atoms)
        self._known: tuple[Cover, Corners] | None = None

    def _finite(self, e: Array, tolerance: float) -> Bounds:
        far = e > self._far
        near = np.minimum(e, self._far)
        out = self._integrated(near, tolerance)
        out.delta_low[far], out.room_high[far] = 0.0, 1.0
        return out

    def _integrated(self, e: Array, tolerance: float) -> Bounds:
        """Bounds at any thresholds that are not too far out."""
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
        """The profile, split-off atoms included; next to the top by its series."""
        reach = 0.0 if self._summit is None else self._summit.reach(tolerance)
        above = e >= self.top_low - reach
        if self._summit is None or not above.any():
            return self._below_summit(e, known, tolerance)
        out = Found(*(np.zeros(len(e)) for _ in attrs.fields(Found)))
        out.low[above], out.high[above], out.flow[above] = self._summit.bounds(e[above])
        below = ~above
        if below.any():
            part = self._below_summit(e[below], (known[0][below], known[1][below]), tolerance)
            out.low[below], out.high[below], out.flow[below] = part.low, part.high, part.flow
        return out

    def _below_summit(self, e: Array, known: tuple[Array, Array], tolerance: float) -> Found:
        """The same by contours; close to the top the split-off atoms are all there is, and a chord bounds the rest."""
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

    def is_exact_near(self, delta: float) -> bool:
        """Whether contours need no smoothing where the profile is about delta."""
        return self._shelf.is_exact(max(self.guess(delta, 1.0)[1], 1e-12))

    def guess(self, delta: float, rest: float) -> tuple[float, float]:
        """See `Profile.guess`."""
        loss = self._loss.sketched()
        if rest < delta:
            return (_where_left(loss, rest) if self._mean > 0 else 0.0), 0.0
        goal, low, high = math.log(delta), -30.0, 80.0
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

    def swift(self, e: Array) -> tuple[Array, Array]:
        """See `Profile.swift`."""
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
        found = self._covered(place)
        for _ in range(_SEARCHES if len(found.e) else 0):
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


def _where_left(loss: LossSum, rest: float) -> float:
    """Where the complement is about `rest`, left of the mean."""
    goal, low, high = math.log(rest), -_LOGIT_MOST, _LOGIT_MOST
    for _ in range(_GUESS_HALVINGS):  # the complement falls as c goes from 0 to -1
        middle = (low + high) / 2
        low, high = (middle, high) if loss.level(-1 / (1 + math.exp(-middle)))[1] > goal else (low, middle)
    return max(loss.saddle(-1 / (1 + math.exp(-low)))[0], 0.0)
