r"""The trade-off function of a bar chart that is moved by up to so many bars, as supporting lines with proved intercepts.

Which move is the worst? When the chart is log-concave, which is checked on its integers, the likelihood ratio of the chart and
the moved one falls along the bars whatever the move, so the best test at every level is a threshold, and its power
grows with the move (Karlin and Rubin; Dong, Roth and Su 2019, arXiv 1905.02383, Proposition 2.3): the largest move is the worst.
Otherwise every move is worked out and each threshold takes its largest delta. The largest of several profiles is convex
in :math:`e^\varepsilon`, so it is the profile of a curve, and that curve covers them all under composition too.

In the tails both charts recur with the same ratio, so the loss recurs and infinitely many bars are one outcome. Losses are raised and
masses enlarged by more than their evaluation can err.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import attrs
import numpy as np
from numpy.typing import NDArray

from privacy_accountant.guarantees.tradeoff import TradeOff
from privacy_accountant.mechanisms.densities.bars import Bars
from privacy_accountant.numerics.polyline import Line, log_of, symmetric_above

Array = NDArray[np.float64]

_LINES = 256
"""So many thresholds are spread evenly, and as many are put where losses are."""

_NEAR = 4096.0
_STEEPEST = 700.0
_ULP = 2.0**-52


def trade_off(bars: Bars) -> TradeOff:
    """What one entry that moves by the sensitivity at most reveals, in both directions."""
    logs = _log_masses(bars)
    least = bars.layout.moved if bars.log_concave else 1
    each = {moved: tuple(_outcomes(bars, logs, moved)) for moved in range(least, bars.layout.moved + 1)}
    at = _thresholds(each)
    profiles = {moved: _larger(one, at) for moved, one in each.items()}
    worst = profiles.pop(bars.layout.moved)
    if bars.layout.share < 1:
        worst = worst * float(bars.layout.share) * (1 + 4 * _ULP)
    for profile in profiles.values():
        worst = np.maximum(worst, profile)
    return TradeOff._of(symmetric_above(_lines(at, worst)))


@attrs.frozen(eq=False)
class _Outcomes:
    """The positive losses of one direction, the largest first, with running sums of both masses; finite losses only.

    Attributes:
        losses: From above.
        p: Running sums of the masses under P, from above.
        q: Running sums of the masses under Q, from below.
        infinite: The mass of an infinite loss, from above.
    """

    losses: Array
    p: Array
    q: Array
    infinite: float

    def profile(self, at: Array) -> Array:
        """delta at thresholds, from above."""
        count = np.searchsorted(-self.losses, -at, side="left")
        p, q = np.append(0.0, self.p)[count], np.append(0.0, self.q)[count]
        delta = np.maximum((p - np.exp(at) * q) * (1 + 8 * _ULP) + 8 * _ULP * p, 0.0)
        return np.asarray(np.minimum(delta + self.infinite, 1.0))


def _log_masses(bars: Bars) -> Array:
    """Logarithms of the masses of the bars, and of as many beyond the chart as a move and a period reach; relative to the total."""
    total = log_of(bars.total)
    beyond = bars.layout.moved + bars.period
    left = _beyond(bars.left_block, bars.left, beyond)[::-1]
    chart = [math.log(weight) if weight else -math.inf for weight in bars.weights]
    return np.array([*left, *chart, *_beyond(bars.right_block, bars.right, beyond)]) - total


def _beyond(block: tuple[int, ...], ratio: Fraction, count: int) -> list[float]:
    if ratio == 0:
        return [-math.inf] * count
    step = log_of(ratio)
    logs = [math.log(weight) if weight else -math.inf for weight in block]
    return [logs[i % len(block)] + (i // len(block) + 1) * step for i in range(count)]


def _outcomes(bars: Bars, logs: Array, moved: int) -> Iterator[_Outcomes]:
    """Both directions of a move; of a symmetric chart one, as they are mirror images."""
    here, there = logs[moved:].copy(), logs[:-moved].copy()
    period = bars.period
    for side, ratio in ((slice(None, period), bars.left), (slice(-period, None), bars.right)):
        recurring = -log_of(1 - ratio) if ratio else 0.0
        here[side] += recurring
        there[side] += recurring
    yield _direction(here, there)
    if not bars.is_symmetric:
        yield _direction(there, here)


def _direction(p: Array, q: Array) -> _Outcomes:
    size = float(np.max(np.abs(p[p > -math.inf])))
    slack = (
        24 * _ULP * (64 + size)
    )  # logarithms of integers of 64 bits and more, and of powers of the tails' ratios
    known = (p > -math.inf) & (q > -math.inf)
    losses = p[known] - q[known] + slack
    order = np.argsort(-losses, kind="stable")
    order = order[losses[order] > 0]
    losses = losses[order]
    with np.errstate(under="ignore"):
        masses = np.exp(p[known][order])
        others = masses * np.exp(-losses)
        lost = float(np.sum(np.exp(p[(p > -math.inf) & ~known]))) * (1 + slack + len(p) * _ULP)
    error = slack + 8 * _ULP + len(p) * float(np.finfo(np.longdouble).eps)
    sums = (np.cumsum(part, dtype=np.longdouble).astype(np.float64) for part in (masses, others))
    above, below = (np.asarray(part) for part in sums)
    return _Outcomes(losses, above * (1 + error), below * (1 - error), lost)


def _thresholds(each: dict[int, tuple[_Outcomes, ...]]) -> Array:
    """Where lines are taken: evenly up to the largest loss, and at the losses of the largest move.

    None are near 0 but not 0: there slopes differ by less than what losses were raised by.
    """
    top = max(
        (float(one.losses[0]) for pair in each.values() for one in pair if len(one.losses)), default=0.0
    )
    losses = np.unique(np.concatenate([one.losses for one in each[max(each)]]))
    chosen = (
        losses[np.unique(np.linspace(0, len(losses) - 1, _LINES).astype(np.intp))] if len(losses) else losses
    )
    at = np.unique(np.concatenate((np.linspace(0.0, top, _LINES), chosen, [0.0])))
    return np.asarray(at[(at == 0) | ((at > top / _NEAR) & (at <= _STEEPEST))])


def _larger(pair: tuple[_Outcomes, ...], at: Array) -> Array:
    return np.asarray(np.max([one.profile(at) for one in pair], axis=0))


def _lines(at: Array, delta: Array) -> list[Line]:
    """Supporting lines; the steepest has exactly the mass of infinite losses below 1."""
    slopes = np.exp(at) * (1 + 4 * _ULP)
    slopes[0] = 1.0
    return [(Fraction(d), Fraction(s)) for d, s in zip(delta.tolist(), slopes.tolist(), strict=True)]
