r"""Moments of a release on a Poisson sample: sums over points that stand for the outputs, with a bound on what they miss.

Let A and B be the outputs without and with a record, u = log B/A, and q the probability that the record takes part. The likelihood
ratio of the release is E = 1 - q + q e^u, and all moment functions of its losses are A(z) = E_A[E^z]: z = c + 1 for the loss of the
release with the record, z = -c for the other direction.
"""

from __future__ import annotations

import abc
import math

import attrs
import numpy as np

from privacy_accountant.guarantees.pld.moments.families import Array

NEAT = 42.0
"""Along a contour, points stand for the outputs within e^-42."""
MOST_POINTS = 1 << 15
_OVERFLOW = 700.0


@attrs.frozen(eq=False)
class Sheet:
    """The outputs at a real exponent b.

    Attributes:
        u: log B/A at the points.
        base: Logs of the shares of A that they stand for.
        loss: log E there, less `origin`.
        share: w = q e^u / E, how much of the release there comes from B.
        weight: base E^b as shares of its sum.
        origin: What the losses are counted from.
        log: log of the sum of base E^b e^{-b origin}.
        wrong: Bound on the relative error of such sums for all exponents b + i omega that the sheet was made for, round-off excluded.
        blur: Bounds on the absolute round-off of `loss`, as multiples of the unit.
        blur_u: The same for `u`.
        blur_base: The same for `base`.
    """

    u: Array
    base: Array
    loss: Array
    share: Array
    weight: Array
    origin: float
    log: float
    wrong: float
    blur: Array
    blur_u: Array
    blur_base: Array


class Mixture(abc.ABC):
    """E = rest + q e^u, rest = 1 - q."""

    q: float
    rest: float

    @abc.abstractmethod
    def sheet(self, b: float, omega: float = 0.0) -> Sheet:
        """Points for A(b + i omega'), |omega'| <= omega, as many as it takes."""

    @abc.abstractmethod
    def sketch(self, b: float) -> Sheet:
        """A few points for A(b)."""

    def log_variation(self, b: float, log: float) -> float | None:
        """log of a v with |A(b + i omega)| <= A(b) v / omega, given log A(b); None when the losses have atoms."""
        del b, log
        return None

    def within(self, b: float, widths: Array) -> Array:
        """Lower bounds on E[(L - L')^2; |L - L'| <= width] for two independent losses, tilted by b."""
        del b
        return np.zeros_like(widths)

    def beyond(self, b: float) -> tuple[float, float, float] | None:
        """log A(b) and two derivatives at exponents too large for points, about; None at all others."""
        del b
        return None

    @property
    def lost(self) -> float:
        """The share of the release with the record that is not at the points, because its loss is infinite."""
        return 0.0

    @property
    def slack(self) -> float:
        """Bound on the error of `lost`."""
        return 0.0

    @property
    def surplus(self) -> float:
        """The mean of E - 1 over the points."""
        return -self.lost

    def at(self, b: float, u: Array, base: Array, blur_u: Array, blur_base: Array) -> Sheet:
        """The sheet of given points, nothing said about how well they stand for the outputs."""
        loss, share, origin = self._losses(u, below=b < 0)
        exponent = base + b * loss
        most = float(exponent.max())
        with np.errstate(under="ignore"):
            weight = np.exp(exponent - most)
        total = float(weight.sum())
        with np.errstate(invalid="ignore"):
            blur = 8 * (np.abs(loss) + np.where(share > 0, share * (2 + blur_u), 0.0))
        log = most + math.log(total)
        return Sheet(u, base, loss, share, weight / total, origin, log, math.inf, blur, blur_u, blur_base)

    def _losses(self, u: Array, *, below: bool) -> tuple[Array, Array, float]:
        """log E less its origin, and the share w; the origin is log(1 - q) where small losses weigh most (`below`)."""
        with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
            ratio = np.exp(np.minimum(u, _OVERFLOW))
            share = np.where(
                u > 0, self.q / (self.q + self.rest / ratio), self.q * ratio / (self.rest + self.q * ratio)
            )
            if below:
                near = np.log1p(self.q / self.rest * ratio)
                return np.where(u > 600, math.log(self.q) - self.floor + u, near), share, self.floor
            s = self.q * np.expm1(np.minimum(u, _OVERFLOW))
            near = np.where(s < -0.5, np.log(self.rest + self.q * ratio), np.log1p(np.maximum(s, -0.75)))
            return np.where(u > 600, math.log(self.q) + u, near), share, 0.0

    @property
    def floor(self) -> float:
        """The least that log E can be, log(1 - q)."""
        return math.log1p(-self.q) if self.q < 0.5 else math.log(self.rest)
