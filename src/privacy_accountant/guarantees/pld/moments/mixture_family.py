"""Releases on Poisson samples as a family of losses."""

from __future__ import annotations

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from privacy_accountant.guarantees.pld.moments.families import UNIT, Array, Complex, Cumulant, LossFamily
from privacy_accountant.guarantees.pld.moments.mixture import Mixture, Sheet
from privacy_accountant.numerics.contour.ratios import log_one_plus

_AT_ONCE, _KEPT, _BLOCK, _SPLIT = 1 << 16, 64, 64, 64
_LIGHT = 1e-19
"""Points of less weight are not evaluated along a contour."""
_CLEAR = 0.01
_TERMS, _SMALL = 14, 0.05
_FAR, _DEEP = 30.0, -690.0


@attrs.frozen(eq=False)
class MixtureFamily(LossFamily):
    """`count` losses log E of the release with the record (`removal`), or -log E of the one without it."""

    effort = 16

    mixture: Mixture
    removal: bool
    count: int
    _sheets: dict[tuple[float, int], Sheet] = attrs.field(factory=dict, init=False)

    def _exponent(self, c: float) -> float:
        return c + 1 if self.removal else -c

    def _sheet(self, b: float, omega: float) -> Sheet:
        """The rule for frequencies up to omega or somewhat more."""
        level = max(math.ceil(math.log2(omega)), 0) if omega > 0 else -1
        key = b, level
        if key not in self._sheets:
            if len(self._sheets) > _KEPT:
                self._sheets.clear()
            self._sheets[key] = self.mixture.sheet(b, omega if level < 0 else 2.0**level)
        return self._sheets[key]

    def cumulant(self, c: float) -> Cumulant:
        """See `LossFamily.cumulant`."""
        b, n, sign = self._exponent(c), self.count, 1.0 if self.removal else -1.0
        if (far := self.mixture.beyond(b)) is not None:
            return Cumulant(n * far[0], n * sign * far[1], n * far[2], math.inf)
        sheet = self._sheet(b, 0.0)
        mean = float(sheet.weight @ sheet.loss)
        spread = float(sheet.weight @ (sheet.loss - mean) ** 2)
        value, error = self._log_moment(b, sheet)
        error += 2 * UNIT * abs(b * (mean + sheet.origin))  # b itself is rounded
        return Cumulant(n * value, n * sign * (mean + sheet.origin), n * spread, n * error)

    def _log_moment(self, b: float, sheet: Sheet) -> tuple[float, float]:
        """log A(b), given that P is finite, and a bound on its error: next to 0 by a sum in which nothing cancels."""
        value = sheet.log + b * sheet.origin
        if abs(value) < 0.5:
            value, error = self._remainder(b, sheet)
        else:
            exponents = float(sheet.weight @ (abs(b) * sheet.blur + sheet.blur_base))
            work = exponents + 8 * (abs(b * sheet.origin) + abs(value)) + 16 + math.log2(len(sheet.u))
            error = (UNIT * work + sheet.wrong) * (1 + 1e-9)
        if self.removal and self.mixture.lost > 0:
            rest = math.log1p(-self.mixture.lost)
            value, error = value - rest, error + 8 * UNIT * abs(rest) + self.mixture.slack
        return value, error

    def _remainder(self, b: float, sheet: Sheet) -> tuple[float, float]:
        """log A(b) from E^b - 1 - b (E - 1), which is never negative or never positive; the mean of E - 1 is `surplus`."""
        loss = sheet.loss + sheet.origin
        far = (b * loss > _FAR) | (sheet.base < _DEEP)
        parts = self._rest_near(b, sheet, loss, ~far), self._rest_far(b, sheet, loss, far)
        shift = b * self.mixture.surplus
        total = parts[0][0] + parts[1][0] + shift
        wrong = sheet.wrong * (4 + 4 * abs(b)) + 2 * UNIT * (parts[0][1] + parts[1][1] + 2 * abs(shift))
        value = math.log1p(total)
        return value, (wrong / (1 + total) + 2 * UNIT * abs(value)) * (1 + 1e-9)

    def _rest_near(self, b: float, sheet: Sheet, loss: Array, here: NDArray[np.bool_]) -> tuple[float, float]:
        """Its sum over points at which E^b is moderate, and what round-off can do to it."""
        q, loss, u = self.mixture.q, loss[here], np.minimum(sheet.u[here], 700.0)
        with np.errstate(over="ignore", under="ignore"):
            s, density = q * np.expm1(u), np.exp(sheet.base[here])
            # Both forms keep their digits: the first next to b = 0, the second next to b = 1.
            if abs(b) < abs(b - 1):
                terms, power = (np.expm1(b * loss), -b * s), b
            else:
                terms, power = ((1 + s) * np.expm1((b - 1) * loss), -(b - 1) * s), b - 1
            small = np.abs(s) * (1 + abs(b)) < _SMALL
            rest = np.where(small, _series(b, np.where(small, s, 0.0)), terms[0] + terms[1])
            direct = 8 * (1 + np.abs(power * loss)) * (np.abs(terms[0]) + np.abs(terms[1]))
            # How far E - 1 may be off, its digits and those of u, and what that does.
            moved = 4 * np.abs(s) + q * np.exp(u) * (2 + sheet.blur_u[here])
            blur = np.where(small, 0.0, direct) + abs(b) * np.abs(np.expm1((b - 1) * loss)) * moved
            work = density @ blur + ((64 + sheet.blur_base[here]) * density) @ np.abs(rest)
        return float(density @ rest), float(work)

    def _rest_far(self, b: float, sheet: Sheet, loss: Array, here: NDArray[np.bool_]) -> tuple[float, float]:
        """The same where E^b is large or the density underflows."""
        base, loss, u = sheet.base[here], loss[here], sheet.u[here]
        with np.errstate(under="ignore", over="ignore"):
            power = np.exp(base + b * loss)
            # b (E - 1) times the density, from its parts
            linear = b * self.mixture.q * (np.exp(np.minimum(base + u, 0.0)) - np.exp(base))
            rest = power - np.exp(base) - linear
            work = power @ (16 + abs(b) * sheet.blur[here] + sheet.blur_base[here])
            work += (np.abs(linear) + np.exp(base)) @ (16 + sheet.blur_u[here] + sheet.blur_base[here])
        return float(rest.sum()), float(work)

    def sketched(self) -> LossFamily:
        """See `LossFamily.sketched`."""
        return MixtureSketch(self.mixture, self.removal, self.count)

    def decay(self, c: float, edges: Array) -> tuple[Array, float, float]:
        """See `LossFamily.decay`.

        Between two edges from |M(c + i omega) / M(c)|^2 = 1 - E[1 - cos omega (L - L')] for tilted losses, where
        1 - cos x >= 2 x^2 / pi^2 up to pi; and by parts.
        """
        b = self._exponent(c)
        sheet = self._sheet(b, 0.0)
        log = self.mixture.log_variation(b, sheet.log + b * sheet.origin)
        if log is None:
            return np.zeros_like(edges), 0.0, 0.0
        spread = self.mixture.within(b, math.pi / edges[1:])
        between = 0.5 * np.log1p(-np.minimum(2 / math.pi**2 * edges[:-1] ** 2 * spread, 0.9))
        ends = np.append(np.minimum(between, 0.0), 0.0)
        return self.count * np.minimum(ends, log - np.log(edges)), float(self.count), self.count * log

    def log_ratio(self, c: float, index: Array, spacing: float) -> tuple[Complex, Array]:
        """See `LossFamily.log_ratio`; low frequencies need fewer points."""
        octave = np.ceil(np.log2(index * spacing) / 2)
        starts = np.flatnonzero(np.diff(octave, prepend=-np.inf)).tolist() if len(index) > _SPLIT else [0]
        ends = [*starts[1:], len(index)]
        pieces = [self._log_ratio(c, index[a:b], spacing) for a, b in zip(starts, ends, strict=True)]
        return np.concatenate([log for log, _ in pieces]), np.concatenate([error for _, error in pieces])

    def _log_ratio(self, c: float, index: Array, spacing: float) -> tuple[Complex, Array]:
        b, omega = self._exponent(c), index * spacing
        sheet = self._sheet(b, float(omega[-1]))
        if not sheet.wrong < _CLEAR:
            return np.zeros(len(index), dtype=np.complex128), np.full(len(index), math.log(3))
        heavy = sheet.weight > _LIGHT
        weight, loss, blur = sheet.weight[heavy], sheet.loss[heavy], sheet.blur[heavy]
        mean = float(weight @ loss)
        behind = loss - mean
        y, exact = _turned(index, spacing, behind, weight)
        # What phases, weights and sums are off by, each a share of the angle at most.
        work = 2 * (abs(b) * blur + sheet.blur_base[heavy]) + len(weight) + 40
        lost = 2 * float(sheet.weight[~heavy].sum()) + 2.1 * sheet.wrong
        slack = lost + 2 * UNIT * omega * float(weight @ (blur + np.abs(behind) * work))
        slack = slack if exact else slack + UNIT * (len(weight) + 16)
        clear = slack < _CLEAR
        log, inexact = log_one_plus(np.where(clear, y, 0.0), np.where(clear, slack, 0.0))
        log = log + 1j * omega * (mean + sheet.origin)
        error = inexact + 8 * UNIT * (np.abs(log) + omega * (abs(mean) + abs(sheet.origin)))
        # What the points do not resolve is some number of modulus 1 at most.
        log = np.where(clear, self.count * log, 0.0)
        return (log if self.removal else np.conj(log)), np.where(clear, self.count * error, math.log(3))


class MixtureSketch(MixtureFamily):
    """The same with few points and no bounds."""

    def cumulant(self, c: float) -> Cumulant:
        """See `LossFamily.sketched`."""
        b, n, sign = self._exponent(c), self.count, 1.0 if self.removal else -1.0
        if (far := self.mixture.beyond(b)) is not None:
            return Cumulant(n * far[0], n * sign * far[1], n * far[2], math.inf)
        sheet = self.mixture.sketch(b)
        mean = float(sheet.weight @ sheet.loss)
        spread = float(sheet.weight @ (sheet.loss - mean) ** 2)
        return Cumulant(
            n * (sheet.log + b * sheet.origin), n * sign * (mean + sheet.origin), n * spread, math.inf
        )


def _turned(index: Array, spacing: float, behind: Array, weight: Array) -> tuple[Complex, bool]:
    """Sums of weight * expm1(i omega l) at omega = index * spacing, and whether small ones have all their digits."""
    if len(index) * len(weight) <= _AT_ONCE:
        half = np.multiply.outer(index * (spacing / 2), behind)
        sine = np.sin(half)
        return np.asarray((2j * sine * np.exp(1j * half)) @ weight), True
    coarse, fine = np.divmod(index.astype(np.int64), _BLOCK)
    rows, where = np.unique(coarse, return_inverse=True)
    first = np.exp(1j * np.multiply.outer(rows * (_BLOCK * spacing), behind)) * weight
    second = np.exp(1j * np.multiply.outer(np.arange(_BLOCK) * spacing, behind))
    return (first @ second.T)[np.ravel(where), fine] - float(weight.sum()), False


def _series(b: float, s: Array) -> Array:
    """(1 + s)^b - 1 - b s by its first terms."""
    total = np.ones_like(s)
    for k in range(_TERMS, 1, -1):
        total = 1 + total * (b - k) / (k + 1) * s
    return np.asarray(b * (b - 1) / 2 * s * s * total)
