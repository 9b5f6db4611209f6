"""Contours on a shelf: which one answers which threshold, and how fine it has to be."""

from __future__ import annotations

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from privacy_accountant.guarantees.pld.contour import TAIL, Contour, Measure, build, node_count
from privacy_accountant.guarantees.pld.families import Array
from privacy_accountant.numerics.contour.nodes import chernoff_constant

MOST_NODES = 1 << 21
"""Cap on the nodes of one contour: they take about a third of a gibibyte while it is built."""
_MOST_WORK = 1 << 31
"""Cap on nodes times thresholds of one refinement."""
_MOST_CONTOURS, _MOST_KEPT = 64, 1 << 21
_LEVELS, _FINER = 7, 30.0
_NEGLIGIBLE = -746.0
"""log of what is below every double."""


@attrs.frozen(eq=False)
class Found:
    """Bounds at thresholds, and an estimate of -d/de of the profile."""

    low: Array
    high: Array
    flow: Array


class Shelf:
    """Certified bounds of a measure, one side at a time: the profile (`right`) or its complement.

    The profile is small to the right, the complement to the left, so thresholds are answered from the bulk outwards: once a
    Chernoff bound says that one is negligible, so are all that follow.
    """

    def __init__(self, measure: Measure, step: float) -> None:
        self._measure, self._step = measure, step
        self._contours: dict[tuple[bool, float], list[Contour]] = {}

    def find(self, e: Array, known: tuple[Array, Array], tolerance: float, *, right: bool) -> Found:
        """Bounds refined until the gap is a share `tolerance` of the value, or as far as it goes.

        Args:
            e: Thresholds.
            known: Lower and upper bounds of what the measure leaves out, to be added.
            tolerance: The share.
            right: The side.
        """
        out = Found(known[0].copy(), np.full(len(e), np.inf), np.zeros(len(e)))
        todo = np.argsort(e if right else -e, kind="stable")
        for level in range(_LEVELS):
            before = out.high[todo] - out.low[todo]
            if not self._sweep(
                e, known, todo, min(tolerance, 0.2) * _FINER**-level, out, right=right, first=level == 0
            ):
                break
            high, gap = out.high[todo], out.high[todo] - out.low[todo]
            mine = gap - (known[1][todo] - known[0][todo])  # what is known gets no better here
            wide = (gap > tolerance * high) & (mine > tolerance / 2 * high) & (high > 1e-300)
            todo = todo[wide & (gap <= before / 2)]
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
            count = max(1, len(served) if served.all() else int(np.argmin(served)))
            take = todo[done : done + count]
            low, high, flow = contour.bounds(e[take])
            out.low[take] = np.maximum(out.low[take], known[0][take] + low)
            out.high[take] = np.minimum(out.high[take], known[1][take] + high)
            out.flow[take] = flow
            done += count
        return True

    def tail(self, e: Array) -> Array:
        """Chernoff bound on P(L >= e) from the contours at hand: the steepest that the profile can be."""
        result = np.ones_like(e)
        for (right, _), contours in self._contours.items():
            for contour in contours if right else ():
                exponent = contour.log_m[0] + contour.log_m[1] - contour.c * e
                with np.errstate(under="ignore"):
                    result = np.minimum(result, np.exp(np.minimum(exponent, 0.0)))
        return result

    def _contour(self, order: Array, smoothing: float, *, right: bool, first: bool) -> Contour | float | None:
        """A contour that serves the first threshold, and as much as it can of what follows.

        A float instead is the log of a bound that makes it, and all that follow, negligible; None says that the cap forbids.
        """
        kept = self._contours.setdefault((right, smoothing), [])
        for contour in kept:
            if contour.serves(order[:1])[0]:
                return contour
        loss, e = self._measure.whole, float(order[0])
        c = loss.abscissa(e, right=right)
        k = loss.cumulant(c)
        log_bound = (
            k.value
            + k.error
            - c * e * (1 - math.copysign(1e-15, c))
            + (chernoff_constant(c) if right else 0.0)
        )
        if log_bound < _NEGLIGIBLE:
            return log_bound
        if len(order) > 1:
            c = self._ahead(order, c, right=right)
        built = self._build(c, smoothing, right=right, first=first)
        if built is not None:
            self._keep(kept, built)
        return built

    def _ahead(self, order: Array, c: float, *, right: bool) -> float:
        """The abscissa of a contour further on that still serves the first threshold."""
        loss, e, last = self._measure.whole, float(order[0]), float(order[-1])
        reach = 1.5 * math.sqrt(loss.saddle(c)[1])
        goal = min(last, e + reach) if right else max(last, e - reach)
        ahead = loss.abscissa(goal, right=right)
        center, curvature = loss.saddle(ahead)
        return ahead if abs(e - center) <= 2.0 * math.sqrt(curvature) else c

    def _keep(self, kept: list[Contour], contour: Contour) -> None:
        every = [c for contours in self._contours.values() for c in contours]
        if len(every) >= _MOST_CONTOURS or sum(c.size for c in every) + contour.size > _MOST_KEPT:
            for contours in self._contours.values():
                contours.clear()
        kept.append(contour)

    def _build(self, c: float, smoothing: float, *, right: bool, first: bool) -> Contour | None:
        loss, step = self._measure.whole, self._step
        if right and step:
            c = min(c, 30 / step)
        curvature = loss.saddle(c)[1]
        inward = c if right else min(-c, 1 + c)
        period = max(9 * math.sqrt(curvature), (max(0.0, -loss.level(c)[1]) + 30) / inward)
        # The gap is about 2.4 times variance times half the density over the value: by the tilt right, by the spread left.
        bend = 1 / (curvature if right else max(loss.cumulant(c).second, 1e-280))
        variance, cut = smoothing / (2.5 * max(abs(c * c + c), bend)), 1e-3 * smoothing
        if step:
            period, variance, cut = step * 2 * (math.ceil(period / step / 2) + 1), 0.0, 1e-17
        elif loss.gaussian > variance:
            variance, cut = 0.0, 1e-17
        if node_count(self._measure, period, step, variance) > MOST_NODES:
            if not first or step:
                return None
            variance = TAIL * (period / (2 * math.pi * (MOST_NODES - 4))) ** 2
        return build(self._measure, c, period, step, variance, cut)
