r"""One contour: certified values of a composed profile at thresholds near its stationary point.

Let L be the finite part of the composed loss, M(z) = E[e^{zL}]. On Re z = c > 0 the integral of M(z) e^{-ez} / (z(z+1)) over
2 pi i is E(1 - e^{e-L})_+, the profile; on -1 < c < 0 minus the integral is E min(1, e^{e-L}), its complement. Both are computed
by the trapezoid rule. What the rule leaves is bounded:

- smoothing: B_t, the profile composed with a Gaussian of mu^2 = t, cuts the integral off. B_t >= delta, and
  delta >= (1+C) B_t - C B_2t with C = e^{t/4} / (sqrt 2 - 1), for any non-negative law of L. A Gaussian part makes t = 0;
- lattice: losses on a lattice need no smoothing, their nodes fold exactly, and delta is linear in e^e between lattice points;
- aliases are non-negative and bounded by Chernoff; nodes that are left out are bounded by the partial products that they had;
- round-off is counted node by node.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from privacy_accountant.guarantees.pld.moments.families import UNIT, Array, Complex
from privacy_accountant.guarantees.pld.moments.loss_sum import LossSum
from privacy_accountant.numerics.contour import nodes

Bounds: TypeAlias = tuple[Array, Array]

_EVALUATED_AT_ONCE = 1 << 21
_MOST_SMOOTHED = 40.0
"""With more smoothing than this only one of the two sides is worth anything."""
_MOST_ON_GRID = 1 << 21
SERVED = 2.2
"""A contour serves so many of its widths on either side."""


@attrs.frozen(eq=False)
class Measure:
    """The law whose profile is wanted: `whole`, minus `atoms` of total mass e^{log_share} that are treated exactly elsewhere."""

    whole: LossSum
    atoms: LossSum | None = None
    log_share: float = 0.0
    top: float = math.inf


@attrs.frozen(eq=False)
class Level:
    """Nodes at one amount of smoothing: e^{-i omega e} is all that is missing."""

    variance: float
    weights: Complex
    sizes: Array
    error: float


@attrs.frozen(eq=False)
class Samples:
    """Bounds of the profile (of the complement, left of the poles) at thresholds.

    Attributes:
        e: The thresholds.
        low: Lower bounds.
        high: Upper bounds.
        flow: Estimates of -d/de of the profile.
    """

    e: Array
    low: Array
    high: Array
    flow: Array

    @classmethod
    def none(cls) -> Samples:
        """No thresholds."""
        return cls(*(np.zeros(0) for _ in attrs.fields(cls)))

    @classmethod
    def joined(cls, pieces: Sequence[Samples]) -> Samples:
        """One piece after the other."""
        return cls(*(np.concatenate([getattr(piece, f.name) for piece in pieces]) for f in attrs.fields(cls)))

    def taken(self, index: NDArray[np.intp]) -> Samples:
        """Some of the thresholds."""
        return Samples(self.e[index], self.low[index], self.high[index], self.flow[index])


@attrs.frozen(eq=False)
class Contour:
    """A contour that is ready to answer.

    Attributes:
        c: Abscissa.
        center: Threshold at which c is stationary.
        width: Standard deviation of the tilted loss: the scale on which the contour serves.
        period: T of the trapezoid rule.
        step: Lattice step, or 0 for a smoothed contour.
        top: Largest loss.
        log_m: log M(c), and a bound on its error.
        origin: The node at omega = 0.
        omega: The other nodes that matter.
        levels: Their weights, for one or two amounts of smoothing.
        right: Abscissas right of c with upper bounds of log M, for the aliases.
        left: The same left of c.
        fineness: The relative gap that the smoothing was chosen for.
    """

    c: float
    center: float
    width: float
    period: float
    step: float
    top: float
    log_m: tuple[float, float]
    origin: float
    omega: Array
    levels: tuple[Level, ...]
    right: list[tuple[float, float]]
    left: list[tuple[float, float]]
    fineness: float = 0.0

    @property
    def size(self) -> int:
        """Number of nodes that are evaluated at each threshold."""
        return len(self.omega)

    def serves(self, e: Array) -> NDArray[np.bool_]:
        """Whether thresholds are near enough to the stationary one."""
        return np.asarray(np.abs(e - self.center) <= SERVED * self.width)

    def bounds(self, e: Array) -> Samples:
        """Bounds at any thresholds; on a lattice e must hold lattice points."""
        rows = max(1, _EVALUATED_AT_ONCE // max(self.size, 1))
        return Samples.joined([self._direct(e[i : i + rows]) for i in range(0, len(e), rows)])

    def _direct(self, e: Array) -> Samples:
        shifted = self._shifted(e)
        with np.errstate(over="ignore", under="ignore"):
            turned = np.exp(-1j * np.multiply.outer(shifted, self.omega))
        return self._samples(e, lambda weights: np.real(turned @ weights), 64 + 4 * self.size)

    def grid(self, step: float) -> Samples:
        """Bounds at equidistant thresholds around the stationary one, `step` apart or less where that is not too many.

        One FFT for each level.
        The whole of what the contour serves costs little more than one threshold does. Not for lattices.
        """
        size = 1 << max(4, math.ceil(math.log2(min(self.period / step, _MOST_ON_GRID))))
        spacing = self.period / size
        reach = math.floor(SERVED * self.width / spacing)
        place = np.rint(self.omega * (self.period / (2 * math.pi))).astype(np.int64) % size
        start = np.exp(-1j * self.omega * self.center)
        where = np.arange(-reach, reach + 1)

        def transform(weights: Complex) -> Array:
            turned = weights * start
            folded = np.bincount(place, turned.real, size) + 1j * np.bincount(place, turned.imag, size)
            return np.asarray(np.real(np.fft.fft(folded))[where % size])

        # An FFT is right within u log2(size) in the 2-norm; sqrt(size) makes that a bound for every single value.
        work = 64 + 4 * self.size + 8 * math.log2(size) * math.sqrt(size)
        return self._samples(np.asarray(self.center + spacing * where), transform, work)

    def _shifted(self, e: Array) -> Array:
        return e + self.step if self.c > 0 else e

    def _samples(self, e: Array, summed: Callable[[Complex], Array], work: float) -> Samples:
        """Bounds at e, given how weighted nodes are summed there and how many roundings that takes."""
        shifted = self._shifted(e)
        with np.errstate(over="ignore", under="ignore"):
            sums = [self._level(level, e, shifted, summed(level.weights), work) for level in self.levels]
            weights = self.levels[0].weights
            flow = self.origin * self.c + 2 * summed(weights * (self.c + 1j * self.omega))
            slope = np.abs(flow) * np.exp(np.minimum(self.log_m[0] - self.c * shifted, 700.0)) / self.period
        lower, upper = sums[0]
        if len(sums) > 1:
            lower, upper = _unsmoothed(self.c, self.levels[0].variance, *sums)
        good = np.isfinite(lower) & np.isfinite(upper)
        return Samples(e, np.where(good, np.maximum(lower, 0.0), 0.0), np.where(good, upper, np.inf), slope)

    def _level(self, level: Level, e: Array, shifted: Array, half: Array, work: float) -> Bounds:
        """Bounds of B_t at e, given the sum of its nodes there."""
        c, t = self.c, level.variance
        total = self.origin + 2 * half
        phase = 8 * UNIT * self.omega * (float(np.max(np.abs(shifted))) + t * (abs(c) + 1))
        error = level.error + 2 * float(level.sizes @ np.expm1(np.minimum(phase, 600.0)))
        error += work * UNIT * (abs(self.origin) + 2 * float(level.sizes.sum()))
        smooth = t * (c * c + c) / 2
        exponent = self.log_m[0] + smooth - c * shifted
        inexact = self.log_m[1] + 16 * UNIT * (4 + abs(smooth) + np.abs(c * shifted))
        scale = np.exp(np.minimum(exponent, 700.0)) / self.period
        alias = np.exp(np.minimum(self._alias(e, t), 700.0))
        spread = np.expm1(np.minimum(inexact, 600.0))
        lower = scale * ((total - error) - np.abs(total - error) * spread) - alias
        upper = scale * ((total + error) + np.abs(total + error) * spread)
        return lower, np.where(exponent < 700, np.maximum(upper, 0.0), np.inf)

    def _alias(self, e: Array, t: float) -> Array:
        right = [(x, k + t * (x * x + x) / 2) for x, k in self.right]
        left = [(x, k + t * (x * x + x) / 2) for x, k in self.left]
        if t == 0 and self.c > 0 and float(e.min()) + self.period >= self.top:
            right = []
        return nodes.alias_bound(e, self.c, self.period, right, left)


def _unsmoothed(c: float, t: float, once: Bounds, twice: Bounds) -> Bounds:
    """From bounds of B_t and B_2t (of their complements, c < 0) to bounds of what was smoothed."""
    if t > _MOST_SMOOTHED:
        return (np.zeros_like(once[0]), once[1]) if c > 0 else (once[0], np.full_like(once[1], np.inf))
    spread = math.exp(t / 4) / (math.sqrt(2) - 1) * (1 + 8 * UNIT)
    if c > 0:
        return (1 + spread) * once[0] - spread * twice[1] - 8 * UNIT * once[1], once[1]
    return once[0], (1 + spread) * once[1] - spread * twice[0] + 8 * UNIT * once[1]
