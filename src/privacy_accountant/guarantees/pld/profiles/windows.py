"""The half-line of thresholds in windows, each answered as a whole by one contour, and only when a question falls into it."""

from __future__ import annotations

import functools
import math

import attrs
import numpy as np
from numpy.typing import NDArray

from privacy_accountant.guarantees.pld.moments.families import UNIT, Array
from privacy_accountant.guarantees.pld.moments.loss_sum import LossSum
from privacy_accountant.guarantees.pld.profiles.atomic import AtomicLaw
from privacy_accountant.guarantees.pld.profiles.contour import Samples
from privacy_accountant.guarantees.pld.profiles.profile import LINE_TOLERANCE
from privacy_accountant.guarantees.pld.profiles.shelf import Shelf

_APART, _ASIDE = 3.4, 1.6
_MOST_WINDOWS = 200
_LOG_LEAST, _LOG_LITTLE = -760.0, math.log(1e-10)


@attrs.frozen(eq=False)
class Spot:
    """Where a window lies, and estimates there.

    Attributes:
        c: Its abscissa.
        right: Whether it answers the profile, or left of the mean the complement.
        e: The threshold in its middle.
        width: Standard deviation of the tilted loss.
        level: About log of the profile or of the complement.
        first: About log Q(L > e).
        second: About log P(L > e).
    """

    c: float
    right: bool
    e: float
    width: float
    level: float
    first: float
    second: float


@attrs.frozen(eq=False)
class Cover:
    """Windows that are next to each other or apart, as one table.

    Attributes:
        samples: Thresholds in ascending order with their bounds.
        right: For each whether it bounds the profile; else the complement.
    """

    samples: Samples
    right: NDArray[np.bool_]


class Windows:
    """Thresholds from 0 to where nothing is left, in windows that are worked out one at a time."""

    def __init__(self, loss: LossSum, shelf: Shelf, mean: float, top: float, atoms: AtomicLaw | None) -> None:
        self._loss, self._shelf, self._mean, self._top, self._atoms = loss, shelf, mean, top, atoms
        self._spots: list[Spot] = []
        self._built: dict[int, Samples] = {}
        self._cover: tuple[frozenset[int], Cover] | None = None

    @property
    def spots(self) -> list[Spot]:
        """All windows."""
        if not self._spots:
            self._spots = self._laid_out()
        return self._spots

    @property
    def built(self) -> list[int]:
        """Numbers of the windows that are there."""
        return sorted(self._built)

    def cover(self, wanted: NDArray[np.intp]) -> Cover:
        """The windows with these numbers and all others that are there already."""
        for i in np.unique(wanted):
            if int(i) not in self._built:
                spot = self.spots[int(i)]
                more = functools.partial(self._atomic, right=spot.right)
                window = self._shelf.window(spot.c, more, LINE_TOLERANCE, right=spot.right)
                self._built[int(i)] = self._clipped(int(i), window)
        there = frozenset(self._built)
        if self._cover is None or self._cover[0] != there:
            order = sorted(there)
            sides = [np.full(len(self._built[i].e), self.spots[i].right) for i in order]
            self._cover = there, Cover(Samples.joined([self._built[i] for i in order]), np.concatenate(sides))
        return self._cover[1]

    def at(self, e: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Safe values at any e in [0, top), and where they are upper bounds of the profile, else lower ones of the complement.

        The profile is convex in e^e and the complement concave, so chords keep to the safe side.
        """
        place = self.place_of(e)
        # Where nearly nothing is left the end of the window before is bound enough, unless the window is there.
        last = max(
            i for i, spot in enumerate(self.spots) if i == 0 or not spot.right or spot.level > _LOG_LITTLE
        )
        place = np.where((place > last) & ~np.isin(place, self.built), last, place)
        self.cover(place)
        value, side = np.zeros_like(e), np.zeros(len(e), dtype=np.bool_)
        for i in np.unique(place):
            mine = place == i
            right, window = self.spots[int(i)].right, self._built[int(i)]
            side[mine] = right
            if right:
                value[mine] = _chord(window.e, window.high, e[mine], before=1.0) * (1 + 16 * UNIT)
            else:
                value[mine] = _chord(window.e, window.low, e[mine], before=0.0) * (1 - 16 * UNIT)
        return value, side

    def place_of(self, e: Array) -> NDArray[np.intp]:
        """The windows of thresholds."""
        return np.searchsorted(np.array([self._edge(i) for i in range(len(self.spots) - 1)]), e)

    def places(self, first: Array, second: Array, *, between: bool) -> NDArray[np.intp]:
        """The windows where about log Q(L > e) is in `first` or log P(L > e) in `second`, and all `between` them."""
        found = []
        for name, goals in (("first", first), ("second", second)):
            place = _places(np.array([getattr(spot, name) for spot in self.spots]), goals)
            found.append(np.arange(place.min(), place.max() + 1) if between else place)
        return np.unique(np.concatenate(found))

    def missing(self, place: NDArray[np.intp], e: Array, falling: Array, goals: Array) -> NDArray[np.intp]:
        """Windows next to those at `place` that hold the goals beyond them, given what falls along the thresholds e."""
        ends = np.array([self._edge(i) if i + 1 < len(self.spots) else e[-1] for i in place])
        starts = np.array([self._edge(i - 1) if i else 0.0 for i in place])
        at_end, at_start = np.interp(ends, e, falling), np.interp(starts, e, falling)
        k = np.searchsorted(-at_end, -goals)
        over, k = k == len(place), np.minimum(k, len(place) - 1)
        wanted = np.where(over, place[k] + 1, np.where(goals > at_start[k], place[k] - 1, place[k]))
        return np.unique(np.clip(wanted, 0, len(self.spots) - 1))

    def _atomic(self, e: Array, *, right: bool) -> Array:
        if self._atoms is None:
            return np.zeros_like(e)
        return self._atoms.bounds(e)[0 if right else 2]

    def _clipped(self, i: int, window: Samples) -> Samples:
        """What lies between the edges of window i, with one grid point beyond each, and the top where it is inside."""
        start = self._edge(i - 1) if i else 0.0
        end = min(self._edge(i), self._top) if i + 1 < len(self.spots) else self._top
        first = max(int(np.searchsorted(window.e, start, side="right")) - 1, 0)
        last = min(int(np.searchsorted(window.e, end)) + 1, len(window.e))
        window = window.taken(np.arange(first, last))
        flow = np.where(np.isfinite(window.flow), window.flow, 0.0)
        window = attrs.evolve(window, high=np.minimum(window.high, 1.0), flow=flow)
        if len(window.e) and window.e[-1] >= self._top:
            inside = window.taken(np.flatnonzero(window.e < self._top))
            value = np.full(1, 0.0 if self.spots[i].right else 1.0)
            flow = inside.flow[-1:] if len(inside.e) else np.zeros(1)
            return Samples.joined([inside, Samples(np.array([self._top]), value, value, flow)])
        return window

    def _edge(self, i: int) -> float:
        """Where window i ends and the next one begins."""
        a, b = self.spots[i], self.spots[i + 1]
        return (a.e * b.width + b.e * a.width) / (a.width + b.width)

    def _laid_out(self) -> list[Spot]:
        spots: list[Spot] = []
        right = self._mean <= 0
        spot = self._start(0.0, right=right)
        while len(spots) < _MOST_WINDOWS:
            spots.append(spot)
            over = spot.e + 2 * spot.width
            if over >= self._top or (right and self._done(spot)):
                break
            if not right and over >= self._mean:
                right = True
                spot = self._start(max(self._mean, spot.e), right=True)
            else:
                spot = self._next(spot)
        return spots

    def _done(self, spot: Spot) -> bool:
        return spot.second < _LOG_LEAST or self._top - spot.e < 1e-13 * self._top

    def _start(self, e: float, *, right: bool) -> Spot:
        """A window that begins about at e."""
        c = self._loss.abscissa(e, right=right)
        spot = self._spot(c, right=right)
        for share in (_ASIDE, _ASIDE / 2, 0.0):
            moved = self._spot(self._along(c, share / spot.width), right=right)
            if moved.e - 2 * moved.width <= e:
                return moved
        return spot

    def _next(self, spot: Spot) -> Spot:
        """The window after this one, no further than the two reach."""
        step = _APART / spot.width
        while True:
            after = self._spot(self._along(spot.c, step), right=spot.right)
            if after.e - spot.e <= 2 * (spot.width + after.width) or step < 1e-6 * abs(spot.c):
                return after
            step /= 2

    @staticmethod
    def _along(c: float, step: float) -> float:
        moved = c + step
        return moved if c > 0 else min(moved, c / 2)

    def _spot(self, c: float, *, right: bool) -> Spot:
        e, level = self._loss.level(c)
        width = math.sqrt(self._loss.saddle(c)[1])
        level = min(level, 0.0)
        if right:  # the profile falls like e^{-ce}, and its slope is e^e Q(L > e)
            return Spot(
                c, right, e, width, level, min(math.log(c) + level - e, 0.0), min(math.log1p(c) + level, 0.0)
            )
        room = math.exp(level)
        return Spot(
            c,
            right,
            e,
            width,
            level,
            min(math.log(-c) + level - e, 0.0),
            math.log1p(-room * min(1 + c, 0.999999)),
        )


def _places(estimates: Array, goals: Array) -> NDArray[np.intp]:
    falling = np.minimum.accumulate(estimates)
    return np.searchsorted(-(falling[1:] + falling[:-1]) / 2, -goals)


def _chord(x: Array, y: Array, e: Array, *, before: float) -> Array:
    """Values between those at grid points, linear in e^e; the last one beyond their end."""
    if len(x) < 2:
        return np.full_like(e, before)
    j = np.clip(np.searchsorted(x, e, side="right") - 1, 0, len(x) - 2)
    gap = x[j + 1] - x[j]
    inside = np.clip(e - x[j], 0.0, gap)
    with np.errstate(under="ignore"):
        share = np.clip(np.exp(inside - gap) * np.expm1(-inside) / np.expm1(-gap), 0.0, 1.0)
    return np.where(e < x[0], before, (1 - share) * y[j] + share * y[j + 1])
