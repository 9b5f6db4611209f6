"""Contours on a shelf: which one answers which threshold, and how fine it has to be."""

from __future__ import annotations

import math
from collections.abc import Callable

import attrs
import numpy as np
from numpy.typing import NDArray

from privacy_accountant.guarantees.pld.moments.families import Array
from privacy_accountant.guarantees.pld.profiles.contour import SERVED, Contour, Measure, Samples
from privacy_accountant.guarantees.pld.profiles.nodes_of_contour import (
    build,
    decayed_reach,
    node_count,
    sides,
)
from privacy_accountant.numerics.contour.nodes import alias_bound, chernoff_constant

MOST_NODES = 1 << 21
"""Cap on the nodes of one contour: they take about a third of a gibibyte while it is built."""
_MOST_DECAYED = 1 << 17
"""So many nodes are looked at rather than smoothed away."""
_MOST_WORK = 1 << 31
"""Cap on nodes times thresholds of one refinement."""
_MOST_CONTOURS, _MOST_KEPT = 64, 1 << 21
_LEVELS, _FINER, _LONGER, _NEAR = 7, 30.0, 16, 0.5
_WINDOW_FINER, _WINDOW_NODES, _WINDOW_POINTS = 6.0, 1 << 17, 4096
_WINDOW_USED, _WINDOW_REST = 1.75, 1 / 16
_NEGLIGIBLE = -746.0
"""log of what is below every double."""


@attrs.frozen(eq=False)
class Found:
    """Bounds at thresholds, an estimate of -d/de of the profile, and the smoothing of the contour that answered last."""

    low: Array
    high: Array
    flow: Array
    fineness: Array


class Shelf:
    """Certified bounds of a measure, one side at a time: the profile (`right`) or its complement.

    The profile is small to the right, the complement to the left, so thresholds are answered from the bulk outwards: once a
    Chernoff bound says that one is negligible, so are all that follow.
    """

    def __init__(self, measure: Measure, step: float) -> None:
        self._measure, self._step, self._sketch = measure, step, measure.whole.sketched()
        self._contours: dict[bool, list[Contour]] = {True: [], False: []}

    def find(self, e: Array, known: tuple[Array, Array], tolerance: float, *, right: bool) -> Found:
        """Bounds refined until the gap is a share `tolerance` of the value, or as far as it goes.

        Args:
            e: Thresholds.
            known: Lower and upper bounds of what the measure leaves out, to be added.
            tolerance: The share.
            right: The side.
        """
        out = Found(known[0].copy(), np.full(len(e), np.inf), np.zeros(len(e)), np.zeros(len(e)))
        todo = np.argsort(e if right else -e, kind="stable")
        for level in range(_LEVELS):
            before, fineness = out.high[todo] - out.low[todo], out.fineness[todo]
            smoothing = min(tolerance, 0.2) * _FINER**-level
            if not self._sweep(e, known, todo, smoothing, out, right=right, first=level == 0):
                break
            high, gap = out.high[todo], out.high[todo] - out.low[todo]
            size = np.minimum(
                high, np.maximum(1 - high, 0.01)
            )  # the other side is read as a difference from 1
            mine = gap - (known[1][todo] - known[0][todo])  # what is known gets no better here
            wide = (gap > tolerance * size) & (mine > tolerance / 2 * size) & (high > 1e-300)
            # A finer contour that stood there from before may serve several levels alike.
            same = (out.fineness[todo] == fineness) & (fineness > 0)
            todo = todo[wide & (same | (gap <= before / 2))]
            if not len(todo):
                break
        return out

    def _sweep(
        self,
        e: Array,
        known: tuple[Array, Array],
        todo: NDArray[np.intp],
        smoothing: float,
        out: Found,
        *,
        right: bool,
        first: bool,
    ) -> bool:
        """Answer thresholds in order, each contour as many as it serves; False when a cap stops it."""
        done, order = 0, e[todo]
        while done < len(todo):
            contour = self._contour(order[done:], smoothing, right=right, first=first)
            if isinstance(contour, float):
                rest = todo[done:]
                out.high[rest] = np.minimum(out.high[rest], known[1][rest] + math.exp(contour))
                return True
            if contour is None or (not first and contour.size * (len(todo) - done) > _MOST_WORK):
                return False
            served = contour.serves(order[done:])
            if not first and contour.fineness == 0:
                served &= np.abs(order[done:] - order[done]) <= _NEAR * contour.width
            count = max(1, len(served) if served.all() else int(np.argmin(served)))
            take = todo[done : done + count]
            found = contour.bounds(e[take])
            out.low[take] = np.maximum(out.low[take], known[0][take] + found.low)
            out.high[take] = np.minimum(out.high[take], known[1][take] + found.high)
            out.flow[take], out.fineness[take] = found.flow, contour.fineness
            done += count
        return True

    def window(self, c: float, more: Callable[[Array], Array], tolerance: float, *, right: bool) -> Samples:
        """Bounds on a fine grid around the threshold at which c is stationary; refined like those of `find`, while it is cheap.

        Between grid points a chord in e^e is as good: it is off by less than the tolerance.

        Args:
            c: The abscissa.
            more: What the measure leaves out, at given thresholds; the tolerance is a share of the whole.
            tolerance: The share.
            right: The side.
        """
        width = math.sqrt(self._measure.whole.saddle(c)[1])
        far = c + _WINDOW_USED / width if right else c
        bend = c * c + c if right else max(-c * c - c, 1 / width**2)
        steep = far * far + far if right else bend
        step = math.sqrt(8 * tolerance / (steep + 1 / width**2))
        step = max(step, width / _WINDOW_POINTS)
        center, gap, best = self._measure.whole.saddle(c)[0], math.inf, Samples.none()
        # Next to the top the profile vanishes and no share of it is reached; chords to the top are good enough.
        end = self._measure.top - _WINDOW_REST * min(width, self._measure.top - center)
        for level in range(_LEVELS):
            smoothing = tolerance * _WINDOW_FINER**-level
            contour = self._build(
                c, smoothing, right=right, first=level == 0, most=_WINDOW_NODES, share=bend / steep
            )
            if contour is None:
                break
            self._keep(contour, right=right)
            best, before = contour.grid(step), gap
            inside = (best.e >= 0) & (best.e <= end) & (best.high > 1e-300) & (best.high < math.inf)
            inside &= np.abs(best.e - contour.center) <= _WINDOW_USED * width
            high = best.high[inside] + more(best.e[inside])
            gap = float(np.max((best.high - best.low)[inside] / high, initial=0.0))
            if gap <= tolerance or gap > before / 2:
                break
        return best

    def tail(self, e: Array) -> Array:
        """Chernoff bound on P(L >= e) from the contours at hand: the steepest that the profile can be."""
        result = np.ones_like(e)
        for contour in self._contours[True]:
            exponent = contour.log_m[0] + contour.log_m[1] - contour.c * e
            with np.errstate(under="ignore"):
                result = np.minimum(result, np.exp(np.minimum(exponent, 0.0)))
        return result

    def _contour(self, order: Array, smoothing: float, *, right: bool, first: bool) -> Contour | float | None:
        """A contour that serves the first threshold, and as much as it can of what follows.

        A float instead is the log of a bound that makes it, and all that follow, negligible; None says that the cap forbids.
        """
        loss, e = self._measure.whole, float(order[0])
        for contour in self._contours[right]:
            # An exact contour that was too far away to be good enough is not asked again.
            far = not first and contour.fineness == 0 and abs(e - contour.center) > _NEAR * contour.width
            if contour.fineness <= smoothing * (1 + 1e-9) and contour.serves(order[:1])[0] and not far:
                return contour
        c = self._sketch.abscissa(e, right=right)
        k = loss.cumulant(c)
        log_bound = (
            k.value
            + k.error
            - c * e * (1 - math.copysign(1e-15, c))
            + (chernoff_constant(c) if right else 0.0)
        )
        if log_bound < _NEGLIGIBLE:
            return log_bound
        if len(order) > 1 and first:
            c = self._ahead(order, c, right=right)
        built = self._build(c, smoothing, right=right, first=first)
        if built is not None:
            self._keep(built, right=right)
        return built

    def _ahead(self, order: Array, c: float, *, right: bool) -> float:
        """The abscissa of a contour further on that still serves the first threshold."""
        loss, e, last = self._measure.whole, float(order[0]), float(order[-1])
        reach = 1.5 * math.sqrt(loss.saddle(c)[1])
        goal = min(last, e + reach) if right else max(last, e - reach)
        ahead = self._sketch.abscissa(goal, right=right)
        center, curvature = loss.saddle(ahead)
        return ahead if abs(e - center) <= 2.0 * math.sqrt(curvature) else c

    def _keep(self, contour: Contour, *, right: bool) -> None:
        every = [kept.size for side in self._contours.values() for kept in side]
        if len(every) >= _MOST_CONTOURS or sum(every) + contour.size > _MOST_KEPT:
            for side in self._contours.values():
                side.clear()
        self._contours[right].append(contour)

    def _longer(self, c: float, period: float, share: float) -> float:
        """A period whose aliases are a small share of the answer, also where the tilted loss is far from normal."""
        loss = self._measure.whole
        right, left = sides(loss, c, loss.saddle(c)[1])
        e, level = loss.level(c)
        for _ in range(_LONGER):
            ahead = right if e + period < self._measure.top else []
            if float(alias_bound(np.array([e]), c, period, ahead, left)[0]) <= level + share:
                break
            period *= 1.3
        return period

    def is_exact(self, c: float) -> bool:
        """Whether a contour at c > 0 needs no smoothing."""
        loss = self._measure.whole
        if self._step or loss.gaussian > 0:
            return True
        period = max(9 * math.sqrt(loss.saddle(c)[1]), (max(0.0, -loss.level(c)[1]) + 30) / c)
        return decayed_reach(self._measure, c, period, 1e-17, _MOST_DECAYED) is not None

    def _build(
        self,
        c: float,
        smoothing: float,
        *,
        right: bool,
        first: bool,
        most: int = MOST_NODES,
        share: float = 1.0,
    ) -> Contour | None:
        loss, step = self._measure.whole, self._step
        most = min(most, MOST_NODES // loss.effort)
        if right and step:
            c = min(c, 30 / step)
        curvature = loss.saddle(c)[1]
        inward = c if right else min(-c, 1 + c)
        width = math.sqrt(curvature)
        # At the far end of what it serves the answer is smaller by the tilt, and aliases are measured against that.
        depth = max(0.0, -loss.level(c)[1]) + abs(c) * SERVED * width
        period = max(9 * width, (depth + 30) / inward)
        exact = step > 0 or loss.gaussian > share * smoothing / (2.5 * abs(c * c + c))
        reach = None if exact else decayed_reach(self._measure, c, period, 1e-17, _MOST_DECAYED)
        exact = exact or reach is not None
        period = self._longer(c, period, math.log(1e-10 if exact else 0.02 * smoothing))
        # The gap is about 2.4 times variance times half the density over the value: by the tilt right, by the spread left.
        bend = 1 / (curvature if right else max(loss.cumulant(c).second, 1e-280))
        variance, cut = share * smoothing / (2.5 * max(abs(c * c + c), bend)), 1e-2 * smoothing
        if step:
            period, variance, cut = step * 2 * (math.ceil(period / step / 2) + 1), 0.0, 1e-17
        elif reach is not None or loss.gaussian > variance:
            variance, cut = 0.0, 1e-17
        share = max(cut, 1e-17)
        count = (
            node_count(self._measure, c, period, step, variance, share)
            if reach is None
            else math.ceil(reach * period / (2 * math.pi)) + 1
        )
        if count > most:
            if not first or step or variance == 0:
                return None
            coarser = (count / (most - 4)) ** 2
            variance, smoothing = variance * coarser, smoothing * coarser
            count = min(node_count(self._measure, c, period, step, variance, share), most)
        built = build(self._measure, c, period, step, variance, cut=cut, count=count)
        return attrs.evolve(built, fineness=smoothing if variance > 0 else 0.0)
