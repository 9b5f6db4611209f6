"""Laplace noise on a Poisson sample: two atoms, and the outputs between them by Gauss's rule on panels, with a proved bound.

u = log B/A has the atoms -epsilon and epsilon, of A-mass 1/2 and e^-epsilon / 2, and between them the density e^{-(u + epsilon)/2} / 4.
An n-point rule on a panel of half width r is off by at most 64/15 r S rho^{-2(n-1)} / (1 - rho^-2), where S bounds the analytic integrand
on the ellipse of parameter rho (Trefethen 2020, Approximation Theory and Approximation Practice, Theorem 19.3).
"""

from __future__ import annotations

import functools
import math

import attrs
import numpy as np

from privacy_accountant.guarantees.pld.moments.families import Array
from privacy_accountant.guarantees.pld.moments.mixture import MOST_POINTS, NEAT, Mixture, Sheet

_ORDER = 32
_ELLIPSES = (8.0, 4.0, 3.0, 2.5, 2.0)
_DEEP = 60.0


@attrs.frozen(eq=False)
class LaplaceMixture(Mixture):
    """E = rest + q e^u with the loss u of Laplace noise of scale 1 that is moved by epsilon."""

    q: float
    rest: float
    epsilon: float

    def sheet(self, b: float, omega: float = 0.0) -> Sheet:
        """See `Mixture.sheet`."""
        panels = max(1, math.ceil(self.epsilon / 2))
        least = NEAT if omega > 0 else _DEEP - 2 * math.log(self.q) - 2 * math.log(min(self.epsilon, 1.0))
        while True:
            sheet = self._laid_out(b, panels)
            wrong = self._wrong(b, omega, panels, sheet)
            if wrong < math.exp(-least) or 2 * panels * _ORDER > MOST_POINTS:
                return attrs.evolve(sheet, wrong=wrong)
            panels *= 2

    def sketch(self, b: float) -> Sheet:
        """See `Mixture.sketch`."""
        return self._laid_out(b, max(1, math.ceil(self.epsilon)))

    def _laid_out(self, b: float, panels: int) -> Sheet:
        nodes, weights = _rule()
        half = self.epsilon / panels
        centers = -self.epsilon + half * (2 * np.arange(panels) + 1.0)
        inner = (centers[:, None] + half * nodes[None, :]).ravel()
        u = np.concatenate(([-self.epsilon], inner, [self.epsilon]))
        log_weights = np.tile(np.log(weights), panels) + (math.log(half) - math.log(4))
        ends = -math.log(2), -self.epsilon - math.log(2)
        base = np.concatenate(([ends[0]], log_weights - (inner + self.epsilon) / 2, [ends[1]]))
        return self.at(b, u, base, np.full_like(u, 2 * self.epsilon), np.abs(base) + 16 + 2 * self.epsilon)

    def _wrong(self, b: float, omega: float, panels: int, sheet: Sheet) -> float:
        """Bound on the error of all panels at exponents b + i omega', |omega'| <= omega, as a share of A(b)."""
        half = self.epsilon / panels
        centers = -self.epsilon + half * (2 * np.arange(panels) + 1.0)
        best = math.inf
        for rho in _ELLIPSES:
            high = half * (rho - 1 / rho) / 2
            if high >= 0.9 * math.pi:
                continue
            wide = half * (rho + 1 / rho) / 2
            low, top = (self._losses(np.asarray(centers + s * wide), below=b < 0) for s in (-1, 1))
            size = -(centers - wide + self.epsilon) / 2 + b * (
                top[0] if b >= 0 else low[0] + math.log(math.cos(high / 2))
            )
            if omega > 0:
                size = size + omega * np.arctan2(
                    top[1] * math.sin(high), 1 - top[1] + top[1] * math.cos(high)
                )
            most = float(size.max())
            log = most + math.log(float(np.exp(size - most).sum())) + math.log(64 * half / 60) - sheet.log
            log -= 2 * (_ORDER - 1) * math.log(rho) + math.log1p(-1 / rho**2)
            best = min(best, log)
        return 1.01 * math.exp(best) if best < 0 else math.inf


@functools.cache
def _rule() -> tuple[Array, Array]:
    nodes, weights = np.polynomial.legendre.leggauss(_ORDER)
    return nodes, weights
