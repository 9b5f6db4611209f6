"""Losses with finitely many values: the moment function is a finite sum."""

from __future__ import annotations

import math

import attrs
import numpy as np

from privacy_accountant.guarantees.pld.moments.families import UNIT, Array, Complex, Cumulant, LossFamily
from privacy_accountant.numerics.contour.ratios import log_one_plus

_AT_ONCE = 1 << 21
_SKETCHED = 1 << 11


@attrs.frozen(eq=False)
class PointFamily(LossFamily):
    """`count` losses that take the values `losses`, in ascending order, with probabilities `masses`.

    `missing` bounds the relative error of the masses as a whole.
    """

    losses: Array
    masses: Array
    count: int
    missing: float

    def tilted(self, c: float) -> tuple[Array, float]:
        """Weights proportional to mass * e^{c loss}, and log of their sum."""
        exponents = np.log(self.masses) + c * self.losses
        most = float(exponents.max())
        with np.errstate(under="ignore"):
            weights = np.exp(exponents - most)
        total = float(weights.sum())
        return weights / total, most + math.log(total)

    def sketched(self) -> LossFamily:
        """See `LossFamily.sketched`: neighbours put together."""
        if len(self.losses) <= 2 * _SKETCHED:
            return self
        starts = np.arange(0, len(self.losses), math.ceil(len(self.losses) / _SKETCHED))
        masses = np.add.reduceat(self.masses, starts)
        losses = np.add.reduceat(self.masses * self.losses, starts) / masses
        return PointFamily(np.asarray(losses), np.asarray(masses), self.count, self.missing)

    @property
    def size(self) -> float:
        """The largest loss in absolute value."""
        return float(np.max(np.abs(self.losses)))

    def cumulant(self, c: float) -> Cumulant:
        """See `LossFamily.cumulant`."""
        weights, value = self.tilted(c)
        mean = float(weights @ self.losses)
        spread = float(weights @ (self.losses - mean) ** 2)
        work = 4 + abs(c) * self.size + math.log2(len(weights) + 1) + abs(value)
        n = self.count
        return Cumulant(n * value, n * mean, n * spread, n * (16 * UNIT * work + 2 * self.missing))

    def log_ratio(self, c: float, index: Array, spacing: float) -> tuple[Complex, Array]:
        """See `LossFamily.log_ratio`."""
        weights, _ = self.tilted(c)
        omega = index * spacing
        values, slack = self.summed(c, weights, index, spacing)
        log, inexact = log_one_plus(values - 1, slack + 4 * UNIT)
        log = log + 1j * omega * float(self.losses[-1])
        error = inexact + 8 * UNIT * (np.abs(log) + omega * self.size)
        return self.count * log, self.count * error

    def summed(self, c: float, weights: Array, index: Array, spacing: float) -> tuple[Complex, Array]:
        """Sum of weight * e^{i omega (loss - largest loss)}, and a bound on its error."""
        omega, behind = index * spacing, self.losses - self.losses[-1]
        values = _powers(behind * spacing, weights, index)
        reach = -float(behind[0])
        slack = 64 * UNIT * omega * (reach + self.size + abs(c) * self.size * reach)
        return values, slack + UNIT * (8 + math.sqrt(len(weights)))


def _powers(angles: Array, weights: Array, index: Array) -> Complex:
    """Sum of weight * e^{i k angle} at the ascending integers k of `index`: each power the product of a coarse and a fine one."""
    if not len(index):
        return np.zeros(0, dtype=np.complex128)
    first, count = index[0], int(index[-1] - index[0]) + 1
    block = math.ceil(math.sqrt(count))
    coarse, fine = first + block * np.arange(math.ceil(count / block)), np.arange(block)
    total = np.zeros((len(coarse), block), dtype=np.complex128)
    columns = max(1, _AT_ONCE // (len(coarse) + block))
    for i in range(0, len(angles), columns):
        some = angles[i : i + columns]
        left = np.exp(1j * np.multiply.outer(coarse, some)) * weights[i : i + columns]
        total += left @ np.exp(1j * np.multiply.outer(fine, some)).T
    return np.asarray(total.ravel()[(index - first).astype(np.intp)])
