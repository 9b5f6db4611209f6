"""The composed loss as numbers: log M of a sum of independent parts, on the real axis and along a contour."""

from __future__ import annotations

import math
from typing import TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from privacy_accountant.guarantees.pld.moments.families import (
    UNIT,
    Array,
    Complex,
    Cumulant,
    LossFamily,
    added,
)

Indices: TypeAlias = NDArray[np.intp]

_SLICE = 1 << 12
"""Nodes taken at a time, so that the memory for many parts stays small."""

_LOG_C_LEAST, _LOG_C_MOST, _HALVINGS = -30.0, 80.0, 20
_LOGIT_MOST = 20.0


@attrs.frozen(eq=False)
class Ratios:
    """log(M(c + i omega) / M(c)) at the nodes that matter.

    Attributes:
        index: Which nodes they are, counted from 1; omega = index * spacing.
        log: The logarithms.
        error: Bounds on their absolute errors.
        dropped: For each node that was dropped, a bound on the log modulus, with its index.
    """

    index: Array
    log: Complex
    error: Array
    dropped: tuple[Array, Array]


@attrs.frozen(eq=False)
class LossSum:
    """Gaussians of total variance `gaussian` and families of other pairs; finite losses only, M(0) = 1."""

    gaussian: float
    families: tuple[LossFamily, ...]

    def cumulant(self, c: float) -> Cumulant:
        """log M(c), two derivatives, and a bound on the error of the value."""
        square = c * c + c
        values, firsts = [self.gaussian * square / 2], [self.gaussian * (c + 0.5)]
        seconds, errors = [self.gaussian], [8 * UNIT * self.gaussian * (c * c + abs(c))]
        for family in self.families:
            part = family.cumulant(c)
            values.append(part.value)
            firsts.append(part.first)
            seconds.append(part.second)
            errors.append(part.error)
        slack = 2 * UNIT * math.fsum(abs(v) for v in values)
        return Cumulant(
            math.fsum(values), math.fsum(firsts), math.fsum(seconds), (math.fsum(errors) + slack) * (1 + 1e-9)
        )

    @property
    def effort(self) -> int:
        """See `LossFamily.effort`."""
        return max((family.effort for family in self.families), default=1)

    def decay(self, c: float, edges: Array) -> tuple[Array, float, float]:
        """See `LossFamily.decay`; of a Gaussian part the logs alone."""
        rest = (
            added(family.decay(c, edges) for family in self.families)
            if self.families
            else (0.0 * edges, 0.0, 0.0)
        )
        return rest[0] - self.gaussian * edges**2 / 2, rest[1], rest[2]

    def sketched(self) -> LossSum:
        """A sum much like it that chooses abscissas quickly."""
        return LossSum(self.gaussian, tuple(family.sketched() for family in self.families))

    def saddle(self, c: float) -> tuple[float, float]:
        """The threshold at which c is the stationary abscissa of M(z) e^{-ez} / (z(z+1)), and the curvature there."""
        return _saddle(c, self.cumulant(c))

    def level(self, c: float) -> tuple[float, float]:
        """The threshold at which c is stationary, and log delta there (of the complement for c < 0), about.

        A saddle-point estimate: it chooses, it never certifies.
        """
        k = self.cumulant(c)
        e, v = _saddle(c, k)
        return e, k.value - c * e - math.log(abs(c * (c + 1))) - 0.5 * math.log(2 * math.pi * v)

    def abscissa(self, e: float, *, right: bool) -> float:
        """The stationary c > 0 (`right`) or -1 < c < 0 for a threshold; a few digits are enough."""
        if right:
            low, high = _LOG_C_LEAST, _LOG_C_MOST
            for _ in range(_HALVINGS):
                middle = (low + high) / 2
                low, high = (middle, high) if self.saddle(math.exp(middle))[0] < e else (low, middle)
            return math.exp(low)
        low, high = -_LOGIT_MOST, _LOGIT_MOST
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.saddle(-1 / (1 + math.exp(middle)))[0] < e else (low, middle)
        c = -1 / (1 + math.exp(low))
        # The closed forms are 0/0 at -1/2; a step of a fraction of 1/sd costs nothing.
        away = min(1e-2, 0.3 / math.sqrt(self.saddle(c)[1]))
        return c if abs(c + 0.5) > away else -0.5 + away

    def ratios(self, c: float, spacing: float, floor: Array) -> Ratios:
        """The ratios at nodes 1..len(floor); a node is dropped once its partial product is below e^floor.

        Every part's ratio is at most 1 in modulus, so a partial product bounds the whole.
        """
        kept, logs, errors, lost_index, lost_log = [], [], [], [], []
        pieces = [piece for family in self.families for piece in family.chunks()]
        for start in range(0, len(floor), _SLICE):
            index = np.arange(start + 1, min(start + _SLICE, len(floor)) + 1, dtype=np.float64)
            log, error, live = self._slice(c, spacing, index, floor[start : start + _SLICE], pieces)
            kept.append(index[live])
            logs.append(log[live])
            errors.append(error[live])
            lost_index.append(index[~live])
            lost_log.append(log[~live].real)
        dropped = np.concatenate(lost_index), np.concatenate(lost_log)
        return Ratios(np.concatenate(kept), np.concatenate(logs), np.concatenate(errors), dropped)

    def _slice(
        self, c: float, spacing: float, index: Array, floor: Array, pieces: list[LossFamily]
    ) -> tuple[Complex, Array, NDArray[np.bool_]]:
        omega = index * spacing
        log: Complex = np.asarray(self.gaussian * (1j * omega * (2 * c + 1) - omega * omega) / 2)
        error = 64 * UNIT + 8 * UNIT * np.abs(log)
        live: Indices = np.flatnonzero(log.real > floor)
        for piece in pieces:
            if not len(live):
                break
            part, slack = piece.log_ratio(c, index[live], spacing)
            log[live] += part
            error[live] += slack + 2 * UNIT * np.abs(log[live])
            live = live[log[live].real > floor[live]]
        mask = np.zeros(len(index), dtype=np.bool_)
        mask[live] = True
        return log, error, mask


def _saddle(c: float, k: Cumulant) -> tuple[float, float]:
    return k.first - 1 / c - 1 / (c + 1), k.second + 1 / (c * c) + 1 / ((c + 1) * (c + 1))
