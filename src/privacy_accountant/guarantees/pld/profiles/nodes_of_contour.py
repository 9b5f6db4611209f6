"""Building a contour: which nodes it needs, and the moment functions there."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from privacy_accountant.guarantees.pld.moments.families import Array, Complex
from privacy_accountant.guarantees.pld.moments.loss_sum import LossSum
from privacy_accountant.guarantees.pld.profiles.contour import Contour, Level, Measure
from privacy_accountant.numerics.contour import nodes

_SKIP = 1e-24
_FAR, _FURTHER = 1 << 13, 20
_COUNTLESS = 1e18
_SHORTEST_TAIL, _LONGEST_TAIL = 4.0, 80.0
_SIDE_STEPS = (0.5, 1, 2, 4, 6, 8, 10, 14, 20)
_SIDE_SHARES = (0.75, 0.5, 0.25, 0.1, 0.01)


def node_count(measure: Measure, c: float, period: float, step: float, variance: float, share: float) -> int:
    """How many nodes a contour has to look at, so that those beyond are a share of the answer at most, or a rounding."""
    if step:
        return round(period / step) // 2
    curvature, spread = measure.whole.saddle(c)[1], variance + measure.whole.gaussian
    size, tail = math.sqrt(curvature) * abs(c * c + c) / share, _LONGEST_TAIL
    for _ in range(3):  # beyond omega the nodes add up to size * e^{-tail/2} / omega
        omega = math.sqrt(tail / max(spread, 1e-300))
        tail = min(max(2 * math.log(max(size / omega, 1.0)), _SHORTEST_TAIL), _LONGEST_TAIL)
    return math.ceil(math.sqrt(tail / spread) * period / (2 * math.pi)) + 1


def decayed_reach(measure: Measure, c: float, period: float, share: float, most: int) -> float | None:
    """The frequency beyond which nodes are a share of the answer at most, because the moment functions themselves decay.

    None when more than `most` would be needed, or nothing is known about the decay.
    """
    if measure.atoms is not None:
        return None
    size = math.sqrt(measure.whole.saddle(c)[1]) * abs(c * c + c) / share
    edges = _edges(2 * math.pi / period, period, most)
    enough = np.flatnonzero((_rest(measure, c, edges) * size <= 1) & (edges * period <= 2 * math.pi * most))
    return float(edges[enough[0]]) if len(enough) else None


def _edges(omega: float, period: float, most: int) -> Array:
    """Frequencies from omega to the last of `most` nodes, closely, and far beyond, where the decay is that of a power."""
    last = max(2 * math.pi / period * most, omega * 2)
    near = np.geomspace(omega, last, 12 + 4 * math.ceil(math.log2(last / omega)))
    return np.append(near, last * 2.0 ** np.arange(1, _FURTHER))


def _rest(measure: Measure, c: float, edges: Array) -> Array:
    """Bounds on the integral from each edge of the modulus of the ratio over omega^2, from its decay."""
    logs, power, size = measure.whole.decay(c, edges)
    with np.errstate(under="ignore"):
        pieces = np.exp(logs[:-1]) * -np.diff(1 / edges)
    last = math.exp(min(size - (power + 1) * math.log(edges[-1]), 0.0)) / (power + 1)
    return np.append(np.cumsum(pieces[::-1])[::-1], 0.0) + max(last, 0.0)


def build(
    measure: Measure, c: float, period: float, step: float, variance: float, *, cut: float, count: int
) -> Contour:
    """Evaluate the moment functions on the contour Re z = c.

    Args:
        measure: The law.
        c: Abscissa, in (-1, 0) or above 0.
        period: T; with a lattice an even multiple of the step.
        step: Lattice step, 0 for none.
        variance: t of the smoothing, 0 when a Gaussian part or a lattice makes it needless.
        cut: Share of the answer that small nodes may be cut off for; it is counted as error.
        count: Number of nodes to look at.
    """
    spacing = 2 * math.pi / period
    k, (center, curvature) = measure.whole.cumulant(c), measure.whole.saddle(c)
    omega: Array = spacing * np.arange(1.0, count + 1)
    factor = _factors(np.asarray(c + 1j * omega), c, step)
    first = float(_factors(np.array([c + 0j]), c, step)[0].real)
    floor = (
        math.log(max(_SKIP, 0.1 * cut / count))
        - np.log(np.abs(factor) / first)
        + variance * omega * omega / 2
    )
    terms = [(1.0, 0.0, 0.0, measure.whole)]
    if measure.atoms is not None:
        part = measure.atoms.cumulant(c)
        terms.append((-1.0, measure.log_share + part.value - k.value, part.error + k.error, measure.atoms))
    weights, error = np.zeros(count, dtype=np.complex128), 0.0
    for term in terms:
        error += _add_nodes(weights, term, floor, factor, c=c, spacing=spacing, variance=variance)
    error += first * sum(math.exp(shift) * math.expm1(slack) for _, shift, slack, _ in terms)
    if not step:
        error += len(terms) * _beyond(measure, c, period, float(omega[-1]), variance, count)
    origin = first * sum(sign * math.exp(shift) for sign, shift, _, _ in terms)
    right, left = sides(measure.whole, c, curvature)
    kept, lost = _cut(weights, omega, origin, center + step if c > 0 else center, cut)
    return Contour(
        c=c, center=center, width=math.sqrt(curvature), period=period, step=step, top=measure.top,
        log_m=(k.value, k.error), origin=origin, omega=omega[kept],
        levels=_levels(c, omega[kept], weights[kept], variance, error + lost), right=right, left=left,
    )  # fmt: skip


def _beyond(measure: Measure, c: float, period: float, omega: float, variance: float, count: int) -> float:
    """Bound on twice the sum of the nodes above omega."""
    rest = nodes.truncation(omega, variance + measure.whole.gaussian, period)
    if measure.atoms is not None or variance > 0:
        return rest
    decayed = _rest(measure, c, _edges(omega, period, max(count, _FAR)))
    return min(rest, period / math.pi * float(decayed[0]))


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


def sides(
    loss: LossSum, c: float, curvature: float
) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Abscissas on either side with upper bounds of log M, for the aliases."""
    sd = math.sqrt(curvature)
    right = [c + f / sd for f in _SIDE_STEPS] if c > 0 else [c * f for f in _SIDE_SHARES]
    left = [] if c > 0 else [c + (-1 - c) * f for f in (*_SIDE_SHARES, 1.0)]

    def bound(x: float) -> tuple[float, float]:
        k = loss.cumulant(x)
        return x, k.value + k.error

    return [bound(x) for x in right], [bound(x) for x in left]
