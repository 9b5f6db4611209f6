"""A piecewise-linear trade-off function in floats: every answer from sums of positive terms, on its safe side."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privacy_accountant.exact import canonical, float_down, float_up
from privacy_accountant.guarantees.arguments import Array
from privacy_accountant.numerics.polyline import Point, log_of

_UNIT = 2.0**-53
_TINY = 5e-324
_LOG_SLACK = 32 * _UNIT
"""Pays for the rounding of a log slope, which is relative."""


def _up(values: Iterable[Fraction]) -> Array:
    return _kept([float_up(canonical(value)) for value in values])


def _down(values: Iterable[Fraction]) -> Array:
    return _kept([float_down(canonical(value)) for value in values])


def _kept(values: Sequence[float]) -> Array:
    """An array that nobody changes: what holds it is frozen."""
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array


class Polygon:
    """The float side of a convex, symmetric polygon given by exact corners (alpha_j, beta_j), j = 0, ..., n.

    The profile is piecewise linear in x = e^eps: between the slopes S_{j-1} > x > S_j of the sides that meet in corner j it is
    1 - beta_j - x alpha_j, which is written as D_{j-1} + alpha_j (S_{j-1} - x) with the intercept D_{j-1} = delta(log S_{j-1}).
    """

    def __init__(self, points: Sequence[Point]) -> None:
        sides = list(itertools.pairwise(points))
        slopes = [(a[1] - b[1]) / (b[0] - a[0]) for a, b in sides]
        intercepts = [1 - a[1] - slope * a[0] for (a, _), slope in zip(sides, slopes, strict=True)]
        flows = [slope * b[0] for (_, b), slope in zip(sides, slopes, strict=True)]
        logs = [log_of(slope) if slope > 0 else -math.inf for slope in slopes]
        self._alpha_low, self._alpha_high = _down(a for a, _ in points), _up(a for a, _ in points)
        self._beta = _down(b for _, b in points)
        self._slope_low, self._slope_high = _down(slopes), _up(slopes)
        self._log = _kept([min(log, 0.0) if s <= 1 else log for log, s in zip(logs, slopes, strict=True)])
        self._intercept = _up(intercepts)
        self._flow_low, self._flow_high = _down(flows), _up(flows)
        self.advantage = float_up(canonical(max(1 - b - a for a, b in points)))

    def beta(self, alpha: Array) -> Array:
        """Lower bound on f: the side's line from its far end, where all terms are positive."""
        i = np.clip(np.searchsorted(self._alpha_low, alpha, side="right") - 1, 0, len(self._log) - 1)
        far = self._alpha_low[i + 1]
        with np.errstate(under="ignore"):
            gap = np.maximum((far - alpha) - 2 * _UNIT * far, 0.0)
            value = (self._beta[i + 1] + self._slope_low[i] * gap) * (1 - 4 * _UNIT)
        value = np.maximum(value, self._beta[i + 1])
        value = np.where(alpha == self._alpha_low[i], self._beta[i], value)
        return np.where(alpha < 1, np.minimum(value, 1 - alpha), 0.0)

    def power(self, alpha: Array) -> Array:
        """Upper bound on 1 - f: the side's line from its intercept, where all terms are positive too."""
        i = np.clip(np.searchsorted(self._alpha_low, alpha, side="right") - 1, 0, len(self._log) - 1)
        with np.errstate(under="ignore", over="ignore", invalid="ignore"):
            value = (self._intercept[i] + np.where(alpha > 0, self._slope_high[i] * alpha, 0.0)) * (
                1 + 4 * _UNIT
            )
        return np.asarray(np.minimum(np.where(alpha > 0, value + _TINY, self._intercept[0]), 1.0))

    def _gap(self, epsilon: Array) -> tuple[NDArray[np.intp], Array]:
        """Corner of each eps, and how far its eps is, at most, below the log slope of the side before."""
        corner = np.searchsorted(-self._log, -epsilon, side="left")
        before = np.maximum(corner, 1) - 1
        size = np.where(epsilon < math.inf, epsilon, 0.0)
        log = np.where(corner > 0, self._log[before], size)
        gap = np.maximum(log - size, 0.0) + _LOG_SLACK * (np.abs(log) + size)
        return corner, np.asarray(gap)

    def delta(self, epsilon: Array) -> Array:
        """Upper bound on the profile at eps >= 0."""
        corner, gap = self._gap(epsilon)
        before = np.maximum(corner, 1) - 1
        with np.errstate(under="ignore"):
            inside = (self._intercept[before] - self._flow_high[before] * np.expm1(-gap)) * (1 + 4 * _UNIT)
        return np.asarray(np.where(corner > 0, np.clip(inside, _TINY, 1.0), self._intercept[0]))

    def complement(self, epsilon: Array) -> Array:
        """Lower bound on 1 - profile at eps >= 0: beta_j + x alpha_j."""
        corner, gap = self._gap(epsilon)
        before = np.maximum(corner, 1) - 1
        with np.errstate(under="ignore"):
            inside = (self._beta[corner] + self._flow_low[before] * np.exp(-gap)) * (1 - 4 * _UNIT)
        return np.asarray(np.where(corner > 0, inside, self._beta[0]))

    def epsilon(self, delta: Array) -> Array:
        """Upper bound on the least eps >= 0 with profile at most delta."""
        found = np.searchsorted(self._intercept, delta, side="right") - 1
        side = np.maximum(found, 0)
        with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
            share = (delta - self._intercept[side]) / self._flow_high[side] * (1 - 8 * _UNIT)
            log = self._log[side] + _LOG_SLACK * np.abs(self._log[side])
            inside = log + np.log1p(-np.clip(np.nan_to_num(share, nan=0.0), 0.0, 1.0)) * (1 - 8 * _UNIT)
        inside = np.where(delta >= self.advantage, 0.0, np.maximum(inside, 0.0))
        return np.where(found < 0, math.inf, inside)
