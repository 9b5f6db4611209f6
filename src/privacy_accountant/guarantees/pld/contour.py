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
from typing import TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from privacy_accountant.guarantees.pld.families import UNIT, Array, Complex
from privacy_accountant.guarantees.pld.loss_sum import LossSum
from privacy_accountant.numerics.contour import nodes

Bounds: TypeAlias = tuple[Array, Array]

_LOG_SKIP = math.log(1e-24)
TAIL = 80.0
"""The smoothed integrand is followed down to e^{-TAIL/2} of its peak."""
_EVALUATED_AT_ONCE = 1 << 21
_SERVED = 2.2
_SIDE_STEPS = (0.5, 1, 2, 4, 6, 8, 10, 14, 20)
_SIDE_SHARES = (0.75, 0.5, 0.25, 0.1, 0.01)


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

    @property
    def size(self) -> int:
        """Number of nodes that are evaluated at each threshold."""
        return len(self.omega)

    def serves(self, e: Array) -> NDArray[np.bool_]:
        """Whether thresholds are near enough to the stationary one."""
        return np.asarray(np.abs(e - self.center) <= _SERVED * self.width)

    def bounds(self, e: Array) -> tuple[Array, Array, Array]:
        """Lower and upper bounds at thresholds e, and an estimate of -d/de of the profile.

        On a lattice e must hold lattice points.
        """
        rows = max(1, _EVALUATED_AT_ONCE // max(self.size, 1))
        parts = [self._bounds(e[i : i + rows]) for i in range(0, len(e), rows)]
        low, high, flow = (np.concatenate([part[i] for part in parts]) for i in range(3))
        return low, high, flow

    def _bounds(self, e: Array) -> tuple[Array, Array, Array]:
        shifted = e + self.step if self.c > 0 else e
        with np.errstate(over="ignore", under="ignore"):
            turned = np.exp(-1j * np.multiply.outer(shifted, self.omega))
            sums = [self._level(level, e, shifted, turned) for level in self.levels]
            weights = self.levels[0].weights
            flow = self.origin * self.c + 2 * np.real(turned @ (weights * (self.c + 1j * self.omega)))
            slope = np.abs(flow) * np.exp(np.minimum(self.log_m[0] - self.c * shifted, 700.0)) / self.period
        lower, upper = sums[0]
        if len(sums) > 1:
            lower, upper = _unsmoothed(self.c, self.levels[0].variance, *sums)
        good = np.isfinite(lower) & np.isfinite(upper)
        return np.where(good, np.maximum(lower, 0.0), 0.0), np.where(good, upper, np.inf), slope

    def _level(self, level: Level, e: Array, shifted: Array, turned: Complex) -> Bounds:
        """Bounds of B_t at e."""
        c, t = self.c, level.variance
        total = self.origin + 2 * np.real(turned @ level.weights)
        phase = 8 * UNIT * self.omega * (float(np.max(np.abs(shifted))) + t * (abs(c) + 1))
        error = level.error + 2 * float(level.sizes @ np.expm1(np.minimum(phase, 600.0)))
        error += (64 + 4 * self.size) * UNIT * (abs(self.origin) + 2 * float(level.sizes.sum()))
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
    spread = math.exp(t / 4) / (math.sqrt(2) - 1) * (1 + 8 * UNIT)
    if c > 0:
        return (1 + spread) * once[0] - spread * twice[1] - 8 * UNIT * once[1], once[1]
    return once[0], (1 + spread) * once[1] - spread * twice[0] + 8 * UNIT * once[1]


def node_count(measure: Measure, period: float, step: float, variance: float) -> int:
    """How many nodes a contour would have to look at."""
    if step:
        return round(period / step) // 2
    return math.ceil(math.sqrt(TAIL / (variance + measure.whole.gaussian)) * period / (2 * math.pi)) + 1


def build(measure: Measure, c: float, period: float, step: float, variance: float, cut: float) -> Contour:
    """Evaluate the moment functions on the contour Re z = c.

    Args:
        measure: The law.
        c: Abscissa, in (-1, 0) or above 0.
        period: T; with a lattice an even multiple of the step.
        step: Lattice step, 0 for none.
        variance: t of the smoothing, 0 when a Gaussian part or a lattice makes it needless.
        cut: Share of the answer that small nodes may be cut off for; it is counted as error.
    """
    count, spacing = node_count(measure, period, step, variance), 2 * math.pi / period
    k, (center, curvature) = measure.whole.cumulant(c), measure.whole.saddle(c)
    omega: Array = spacing * np.arange(1.0, count + 1)
    factor = _factors(np.asarray(c + 1j * omega), c, step)
    first = float(_factors(np.array([c + 0j]), c, step)[0].real)
    floor = _LOG_SKIP - np.log(np.abs(factor) / first) + variance * omega * omega / 2
    terms = [(1.0, 0.0, 0.0, measure.whole)]
    if measure.atoms is not None:
        part = measure.atoms.cumulant(c)
        terms.append((-1.0, measure.log_share + part.value - k.value, part.error + k.error, measure.atoms))
    weights, error = np.zeros(count, dtype=np.complex128), 0.0
    for term in terms:
        error += _add_nodes(weights, term, floor, factor, c=c, spacing=spacing, variance=variance)
    error += first * sum(math.exp(shift) * math.expm1(slack) for _, shift, slack, _ in terms)
    if not step:
        error += len(terms) * nodes.truncation(float(omega[-1]), variance + measure.whole.gaussian, period)
    origin = first * sum(sign * math.exp(shift) for sign, shift, _, _ in terms)
    kept, lost = _cut(weights, omega, origin, center + step if c > 0 else center, cut)
    return Contour(
        c=c, center=center, width=math.sqrt(curvature), period=period, step=step, top=measure.top,
        log_m=(k.value, k.error), origin=origin, omega=omega[kept],
        levels=_levels(c, omega[kept], weights[kept], variance, error + lost), **_sides(measure.whole, c, curvature),
    )  # fmt: skip


def _factors(z: Complex, c: float, step: float) -> Complex:
    factor = nodes.folded_pole_factor(z, c, step) if step else nodes.pole_factor(z, c)
    if step and len(z) > 1:
        factor[-1] /= 2  # the last node of an even number is its own mirror image
    return factor


def _add_nodes(
    weights: Complex,
    term: tuple[float, float, float, LossSum],
    floor: Array,
    factor: Complex,
    *,
    c: float,
    spacing: float,
    variance: float,
) -> float:
    """Add one term's smoothed nodes to the weights; returns twice the sum of their error bounds, dropped nodes included."""
    sign, shift, slack, loss = term
    ratios = loss.ratios(c, spacing, floor - shift)
    lost, lost_logs = ratios.dropped
    with np.errstate(under="ignore"):
        damping = (1j * (2 * c + 1) - ratios.index * spacing) * ratios.index * spacing * variance / 2
        at = ratios.index.astype(np.intp) - 1
        values = factor[at] * np.exp(ratios.log + shift + damping)
        weights[at] += sign * values
        wrong = np.abs(values) @ np.expm1(np.minimum(ratios.error + slack, 600.0))
        missing = np.exp(np.minimum(lost_logs + shift, 0.0) - variance * (lost * spacing) ** 2 / 2)
    return 2.002 * float(wrong + np.abs(factor[lost.astype(np.intp) - 1]) @ missing)


def _cut(
    weights: Complex, omega: Array, origin: float, center: float, share: float
) -> tuple[NDArray[np.intp], float]:
    """The nodes to keep, in ascending order, and a bound on twice the sum of the others."""
    total = abs(origin + 2 * float(np.real(np.exp(-1j * omega * center) @ weights)))
    sizes = np.abs(weights)
    order = np.argsort(sizes, kind="stable")
    sums = 2.002 * np.cumsum(sizes[order])
    gone = int(np.searchsorted(sums, share * total, side="right"))
    return np.sort(order[gone:]), float(sums[gone - 1]) if gone else 0.0


def _levels(c: float, omega: Array, weights: Complex, variance: float, error: float) -> tuple[Level, ...]:
    """One level without smoothing; two with it, the second smoothed twice as much and so with smaller nodes."""
    levels = [Level(variance, weights, np.abs(weights), error)]
    if variance > 0:
        with np.errstate(under="ignore"):
            more = weights * np.exp((1j * (2 * c + 1) - omega) * omega * variance / 2)
        levels.append(Level(2 * variance, more, np.abs(more), error))
    return tuple(levels)


def _sides(loss: LossSum, c: float, curvature: float) -> dict[str, list[tuple[float, float]]]:
    """Abscissas on either side with upper bounds of log M, for the aliases."""
    sd = math.sqrt(curvature)
    right = [c + f / sd for f in _SIDE_STEPS] if c > 0 else [c * f for f in _SIDE_SHARES]
    left = [] if c > 0 else [c + (-1 - c) * f for f in (*_SIDE_SHARES, 1.0)]

    def bound(x: float) -> tuple[float, float]:
        k = loss.cumulant(x)
        return x, k.value + k.error

    return {"right": [bound(x) for x in right], "left": [bound(x) for x in left]}
