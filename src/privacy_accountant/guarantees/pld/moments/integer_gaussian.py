"""The discrete Gaussian's moment function, whose losses go on for ever in both directions."""

from __future__ import annotations

import math

import attrs
import numpy as np

from privacy_accountant.guarantees.pld.moments.families import UNIT, Array, Complex, Cumulant, LossFamily
from privacy_accountant.numerics.contour import ratios


@attrs.frozen(eq=False)
class DiscreteGaussianFamily(LossFamily):
    r"""Integer Gaussians of variance `sigma_squared` moved by the integer `shift`.

    With :math:`\theta(s) = \sum_x e^{-(x+s)^2/2\sigma^2}` over the integers,
    :math:`M(z) = e^{\mu^2(z^2+z)/2}\,\theta(\text{shift}\,z)/\theta(0)` where mu = shift / sigma. The losses lie on a lattice
    of step g = shift / sigma^2, so |M| has period 2 pi / g along the contour, and nodes are folded into |omega| <= pi / g.
    Below sigma = 1 theta is summed directly, above by its Poisson dual.
    """

    sigma_squared: float
    shift: int
    count: int

    @property
    def _mu_squared(self) -> float:
        return self.shift * self.shift / self.sigma_squared

    def _center(self, c: float) -> tuple[float, float]:
        """The integer nearest to -shift c, and the rest; summing over x + shift c starts there."""
        moved = self.shift * c
        whole = -float(np.rint(moved))
        return whole, whole + moved

    def cumulant(self, c: float) -> Cumulant:
        """See `LossFamily.cumulant`."""
        m, n = self._mu_squared, self.count
        if self.sigma_squared >= 1:
            here = ratios.theta_poisson(self._center(c)[1], self.sigma_squared, np.zeros(1))[0].real
            origin = ratios.theta_poisson(0.0, self.sigma_squared, np.zeros(1))[0].real
            value, first, second = math.log1p(here) - math.log1p(origin), m * (c + 0.5), m
        else:
            value, first, second = self._summed(c)
        # The rounding of the center: theta's slope there is 1 / sigma^2, or what the Poisson dual leaves of it.
        slope = (
            32 * math.exp(-2 * math.pi**2 * self.sigma_squared)
            if self.sigma_squared >= 1
            else 1 / self.sigma_squared
        )
        size = 4 + 2 * m * (c * c + abs(c)) + abs(self.shift * c) * slope
        return Cumulant(n * (value + m * (c * c + c) / 2), n * first, n * second, 16 * UNIT * n * size)

    def _summed(self, c: float) -> tuple[float, float, float]:
        whole, rest = self._center(c)
        _, log_here = ratios.theta_direct(rest, self.sigma_squared, np.zeros(1))
        _, log_origin = ratios.theta_direct(0.0, self.sigma_squared, np.zeros(1))
        j = np.arange(-12.0, 13.0)
        with np.errstate(under="ignore"):
            weight = np.exp(-((j + rest) ** 2) / (2 * self.sigma_squared) - log_here)
        loss = self.shift / self.sigma_squared * (self.shift / 2 - whole - j)
        mean = float(weight @ loss)
        return log_here - log_origin, mean, float(weight @ (loss - mean) ** 2)

    def log_ratio(self, c: float, index: Array, spacing: float) -> tuple[Complex, Array]:
        """See `LossFamily.log_ratio`."""
        period = min(2 * math.pi * self.sigma_squared / self.shift, 1e300)
        omega = index * spacing
        turns = np.rint(omega / period)
        near = omega - turns * period
        log, error = (self._poisson if self.sigma_squared >= 1 else self._direct)(c, omega, near)
        # M(z + 2 pi i / g) = (-1)^shift M(z)
        odd = np.pi * (turns % 2) * (self.shift * self.count % 2)
        return self.count * log + 1j * odd, self.count * (error + 8 * UNIT * np.abs(log))

    def _poisson(self, c: float, omega: Array, near: Array) -> tuple[Complex, Array]:
        m, size = self._mu_squared, abs(self.shift * c)
        rest = self._center(c)[1]
        with np.errstate(under="ignore"):
            reach = np.exp(2 * np.pi * (self.shift * np.abs(near) - np.pi * self.sigma_squared))
            slack = 64 * UNIT * reach * (1 + size + self.shift * omega)
            origin = ratios.theta_poisson(rest, self.sigma_squared, np.zeros(1))[0]
            moved = ratios.theta_poisson(rest, self.sigma_squared, self.shift * near)
            log, inexact = ratios.log_one_plus((moved - origin) / (1 + origin.real), slack)
        gaussian = m / 2 * (-near * near + 1j * near * (2 * c + 1))
        return log + gaussian, inexact + 8 * UNIT * omega * m * (abs(c) + 1 + np.abs(near))

    def _direct(self, c: float, omega: Array, near: Array) -> tuple[Complex, Array]:
        step, size = self.shift / self.sigma_squared, abs(self.shift * c)
        whole, rest = self._center(c)
        y, _ = ratios.theta_direct(rest, self.sigma_squared, near * step)
        slack = 64 * UNIT * omega * step * (1 + size / self.sigma_squared)
        log, inexact = ratios.log_one_plus(y, slack)
        log = log + 1j * near * step * (self.shift / 2 - whole)
        return log, inexact + 8 * UNIT * omega * step * (self.shift + abs(whole) + 1)
