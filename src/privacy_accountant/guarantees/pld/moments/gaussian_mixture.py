r"""Gaussian noise on a Poisson sample: the outputs by the trapezoid rule, with a proved bound on what the rule leaves.

At the standard normal x, u = mu x - mu^2/2. The integrand phi(x) E(x)^z is analytic in the strip |Im x| < pi/mu, so the rule of step h is off by
at most

    2 N_a / (e^{2 pi a / h} - 1),    N_a = sup over |y| <= a of int |phi(x + iy) E(x + iy)^z| dx

for every a in the strip (Trefethen and Weideman 2014, SIAM Review 56, Theorem 5.1). With theta = mu a,
|phi| grows by e^{a^2/2}, |E| shrinks by (1 - 2 w (1-w) (1 - cos theta))^{1/2}, and arg E reaches arg(1 - w + w e^{i theta}), which counts as
often as Im z says.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import attrs
import numpy as np
from scipy.optimize import brentq

from privacy_accountant.guarantees.pld.moments.families import UNIT, Array
from privacy_accountant.guarantees.pld.moments.mixture import MOST_POINTS, NEAT, Mixture, Sheet

_LOG_ROOT = 0.5 * math.log(2 * math.pi)
_DROP = 50.0
"""Where the integrand is below e^-50 of its largest value, times q^2, it is left out."""
_WIDEST, _TRIAL = 0.6, 0.2
"""The longest step (the rule would be good enough at 0.45 for a normal density alone), and the step that shows which one to take."""
_STRIPS = (1.0, 0.7, 0.5, 0.35, 0.25, 0.16, 0.1, 0.06, 0.03, 0.01, 0.003)
_BROADEST = 11.0
FAR = 1e6
REACH = 13.4


@attrs.frozen(eq=False)
class GaussianMixture(Mixture):
    """E(x) = rest + q e^{mu x - mu^2/2} at standard normal x."""

    q: float
    rest: float
    mu: float

    @property
    def _drop(self) -> float:
        return _DROP - 2 * math.log(self.q) + max(0.0, -2 * math.log(self.mu))

    def sheet(self, b: float, omega: float = 0.0) -> Sheet:
        """The rule for A(b + i omega'), |omega'| <= omega, as fine as it takes; at omega = 0 finer, for tiny moments."""
        pieces = self._pieces(b)
        trial = self._trial(pieces)
        length = sum(high - low for low, high in pieces)
        target = self._drop if omega == 0 else NEAT
        strips = self._strips(b, omega, self._laid_out(b, pieces, trial), trial)
        step = min(_WIDEST, max(2 * math.pi * a / (size + target) for a, size in strips))
        step = max(step, length / (MOST_POINTS if omega == 0 else MOST_POINTS // 2))
        sheet = self._laid_out(b, pieces, step)
        aliases = min(size - 2 * math.pi * a / step for a, size in self._strips(b, omega, sheet, step))
        wrong = self._left_out(b, pieces) + (1.01 * math.exp(aliases) if aliases < 0 else math.inf)
        return attrs.evolve(sheet, wrong=wrong)

    def _left_out(self, b: float, pieces: list[tuple[float, float]]) -> float:
        """Bound on what lies outside the pieces, as a share of A(b)."""
        bend = 1 + abs(b) * self.mu * self.mu / 4
        return math.exp(-self._drop) * (pieces[-1][1] - pieces[0][0] + 10) * math.sqrt(bend) * len(pieces)

    def _log_kept(self, x: Array) -> Array:
        """log of the share of each output that counts."""
        return np.zeros_like(x)

    def _log_density(self, step: float) -> float:
        """log of what a point at 0 stands for."""
        return math.log(step) - _LOG_ROOT

    def sketch(self, b: float) -> Sheet:
        """See `Mixture.sketch`."""
        pieces = self._pieces(b)
        return self._laid_out(b, pieces, self._trial(pieces))

    def _trial(self, pieces: list[tuple[float, float]]) -> float:
        """A step that shows about what there is."""
        return max(min(_TRIAL, 2 / self.mu), sum(high - low for low, high in pieces) / MOST_POINTS)

    def log_variation(self, b: float, log: float) -> float | None:
        """See `Mixture.log_variation`: by parts, |A| is at most the variation of phi E^b / l' over omega.

        l' = mu w, so that phi E^b / l' is e^{(b+1) l - (x + mu)^2/2} up to a constant, with one maximum or two.
        """
        tops = [self._height(x, b + 1, self.mu) for x in self._summits(b + 1)]
        most = max(tops)
        peaks = most + math.log(sum(math.exp(t - most) for t in tops)) + 1e-6 + 64 * UNIT * abs(most)
        constant = math.log(3) + self.mu * self.mu - math.log(self.mu) - math.log(self.q) - _LOG_ROOT
        return peaks + constant - log + 1e-9

    def _summits(self, b: float) -> list[float]:
        """Where b l - (x + mu)^2/2 is largest; thrice the sum bounds the variation."""
        return self._modes(b, self.mu)[::2]

    def within(self, b: float, widths: Array) -> Array:
        """See `Mixture.within`: cells have at least the mass that the lesser of their ends says, and are as far apart as their near ends."""
        pieces = self._pieces(b)
        step = min(_TRIAL / 4, 1 / self.mu, max(hi - lo for lo, hi in pieces) / 64)
        step = max(step, sum(high - low for low, high in pieces) / MOST_POINTS)
        x = np.concatenate([np.arange(low, high, step) for low, high in pieces])
        loss, share, _ = self._losses(self.mu * x - self.mu * self.mu / 2, below=b < 0)
        log = b * loss - x * x / 2 + self._log_kept(x)
        log -= float(log.max())
        # Between two points the logarithm is at least the lesser but for how far it may sag, where E^b bends it upwards.
        near = np.where(
            (share[:-1] < 0.5) & (share[1:] > 0.5), 0.5, np.where(share[1:] < 0.5, share[1:], share[:-1])
        )
        sag = step * step / 8 * max(b, 0.0) * self.mu * self.mu * near * (1 - near)
        with np.errstate(under="ignore"):
            lower = np.exp(np.minimum(log[:-1], log[1:]) - sag) * (np.diff(x) < 1.5 * step)
            total = float(np.exp(np.maximum(log[:-1], log[1:])).sum()) * math.exp(self._bent(step) / 4)
        mass = lower / total * (1 - 1e-9)
        middle = (loss[1:] + loss[:-1]) / 2
        sums = [np.append(0.0, np.cumsum(mass * middle**k)) for k in range(3)]
        return np.array([_spread(loss, mass, sums, float(width)) for width in widths])

    def beyond(self, b: float) -> tuple[float, float, float] | None:
        """See `Mixture.beyond`: only the far part counts, E = q e^u."""
        if b * self.mu <= FAR:
            return None
        square = self.mu * self.mu
        return b * math.log(self.q) + square * b * (b - 1) / 2, math.log(self.q) + square * (b - 0.5), square

    def _log_ratio(self, x: float) -> float:
        """l(x) = log E(x)."""
        u = self.mu * x - self.mu * self.mu / 2
        return (
            u + math.log(self.q + self.rest * math.exp(-u)) if u > 0 else math.log1p(self.q * math.expm1(u))
        )

    def _share(self, x: float) -> float:
        """w(x), the share of the mixture's far part."""
        u = self.mu * x - self.mu * self.mu / 2
        if u > 0:
            return self.q / (self.q + self.rest * math.exp(-u))
        return self.q * math.exp(u) / (self.rest + self.q * math.exp(u))

    def _height(self, x: float, b: float, shift: float) -> float:
        return b * self._log_ratio(x) - (x + shift) * (x + shift) / 2

    def _modes(self, b: float, shift: float) -> list[float]:
        """Stationary points of b l(x) - (x + shift)^2/2 in order: a maximum, or two with a minimum between them."""

        def slope(x: float) -> float:
            return b * self.mu * self._share(x) - (x + shift)

        ends = sorted((-shift, b * self.mu - shift))
        ends = [ends[0] - 1e-9 * (1 + abs(ends[0])), ends[1] + 1e-9 * (1 + abs(ends[1]))]
        bend = b * self.mu * self.mu
        if bend <= 4:
            return [_root(slope, ends[0], ends[1])]
        least = 2 / bend / (1 + math.sqrt(1 - 4 / bend))
        logit = math.log(least / (1 - least))
        turns = [(s * logit + math.log(self.rest / self.q)) / self.mu + self.mu / 2 for s in (1, -1)]
        first = turns[0] > ends[0] and slope(turns[0]) < 0
        last = turns[1] < ends[1] and slope(turns[1]) > 0
        if first and last:
            lows = (ends[0], turns[0], turns[1]), (turns[0], turns[1], ends[1])
            return [_root(slope, low, high) for low, high in zip(*lows, strict=True)]
        return [_root(slope, ends[0], turns[0])] if first else [_root(slope, max(turns[1], ends[0]), ends[1])]

    def _pieces(self, b: float) -> list[tuple[float, float]]:
        """Intervals outside which phi E^b, phi and phi e^u are negligible."""
        reach = math.sqrt(2 * self._drop)
        stops = self._modes(b, 0.0)
        floor = max(self._height(x, b, 0.0) for x in stops[::2]) - self._drop
        pieces = [(-reach, reach), (self.mu - reach, self.mu + reach)]
        for i in range(0, len(stops), 2):
            if self._height(stops[i], b, 0.0) < floor:
                continue
            ends = []
            for side in (-1, 1):
                stop = stops[i + side] if 0 <= i + side < len(stops) else side * math.inf
                x = stops[i] + side * reach / 4
                while self._height(x, b, 0.0) > floor and side * (x - stop) < 0:
                    x += side * reach / 4
                ends.append(x)
            pieces.append((ends[0], ends[1]))
        merged = [min(pieces)]
        for low, high in sorted(pieces)[1:]:
            if low <= merged[-1][1] + 2 * _WIDEST:  # so that no point is there twice
                merged[-1] = merged[-1][0], max(high, merged[-1][1])
            else:
                merged.append((low, high))
        return merged

    def _laid_out(self, b: float, pieces: list[tuple[float, float]], step: float) -> Sheet:
        x = np.concatenate(
            [step * np.arange(math.floor(low / step), math.ceil(high / step) + 1) for low, high in pieces]
        )
        base = -x * x / 2 + self._log_density(step) + self._log_kept(x)
        far = self.mu * np.abs(x)
        return self.at(
            b, self.mu * x - self.mu * self.mu / 2, base, 4 * far + 2 * self.mu * self.mu, x * x + 8
        )

    def _bent(self, a: float) -> float:
        """log of what the densities grow by at the distance a from the real axis."""
        return a * a / 2

    def _strips(self, b: float, omega: float, sheet: Sheet, step: float) -> list[tuple[float, float]]:
        """Half widths a of strips, with log of a bound on 2 N_a / A(b): less 2 pi a / step it bounds the error of the rule."""
        share = sheet.share
        before, after = np.append(share[0], share[:-1]), np.append(share[1:], share[-1])
        spread = np.maximum(share * (1 - share), np.maximum(before * (1 - before), after * (1 - after)))
        spread = np.where((before < 0.5) & (after > 0.5), 0.25, spread)
        # Between two points the integrand is at most the larger of them but for its own bend.
        bent = step * step / 8 * (1 + (-b * self.mu * self.mu * spread if b < 0 else np.zeros_like(share)))
        strips = []
        for part in _STRIPS:
            a = part * min(0.9 * math.pi / self.mu, _BROADEST)
            theta = self.mu * a
            exponent = bent
            if b < 0:
                exponent = exponent + 0.5 * b * np.log1p(-2 * spread * (1 - math.cos(theta)))
            if omega > 0:
                turn = np.arctan2(after * math.sin(theta), 1 - after + after * math.cos(theta))
                exponent = exponent + omega * turn
            most = float(exponent.max())
            with np.errstate(under="ignore"):
                inside = most + math.log(max(float(sheet.weight @ np.exp(exponent - most)), 1e-300))
            strips.append((a, inside + math.log(4) + self._bent(a)))
        return strips


def _root(slope: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that changes its sign between low and high is zero, about; the end that is nearer to it without."""
    a, b = slope(low), slope(high)
    if (a > 0) == (b > 0):
        return low if abs(a) < abs(b) else high
    return float(brentq(slope, low, high, xtol=1e-9 * (1 + abs(high - low)), rtol=1e-12))


def _spread(loss: Array, mass: Array, sums: list[Array], width: float) -> float:
    """Lower bound on E (L - L')^2 where both lie in some interval of this width: cell i reaches from loss[i] to loss[i + 1]."""
    last = np.searchsorted(loss, loss[:-1] + width, side="right") - 1
    first = np.arange(len(mass))
    parts = [sum_[last] - sum_[first] for sum_ in sums]
    best = int(np.argmax(np.where(last > first, parts[0] * parts[2] - parts[1] ** 2, -1.0)))
    cells = slice(best, int(last[best]))
    m, low, high = mass[cells], loss[:-1][cells] - loss[best], loss[1:][cells] - loss[best]
    before = [np.append(0.0, np.cumsum(m * high**k)[:-1]) for k in range(3)]
    apart = m @ (low * low * before[0] - 2 * low * before[1] + before[2]) if len(m) else 0.0
    return 2 * max(float(apart), 0.0) * (1 - 1e-9)
