"""Gaussian noise on a Poisson sample in two other ways: without the outputs that never occur, and on the integers."""

from __future__ import annotations

import math

import attrs
import numpy as np
from scipy.special import log_ndtr, ndtr

from privacy_accountant.guarantees.pld.moments.families import Array
from privacy_accountant.guarantees.pld.moments.gaussian_mixture import FAR, REACH, GaussianMixture
from privacy_accountant.guarantees.pld.moments.mixture import Sheet


@attrs.frozen(eq=False)
class CroppedMixture(GaussianMixture):
    """The part of it below `end`, which fades within a few widths of `_fade`: each output x is kept with probability Phi((end - x) / _fade).

    Moments of order b grow like e^{b^2 mu^2 / 2} because of outputs that never occur; without them a contour can go further right.
    """

    end: float

    @property
    def _fade(self) -> float:
        """The fading must be steeper than the growth of E^b; with rare sampling b may be large."""
        return 0.03 if self.q > 1e-5 else 0.006

    @property
    def lost(self) -> float:
        """Bound on the share of the release with the record that is not kept."""
        wide = math.sqrt(1 + self._fade * self._fade)
        return float(self.q * ndtr((self.mu - self.end) / wide) + self.rest * ndtr(-self.end / wide)) * (
            1 + 1e-9
        )

    @property
    def slack(self) -> float:
        """See `Mixture.slack`."""
        return 1e-8 * self.lost

    def _pieces(self, b: float) -> list[tuple[float, float]]:
        return [
            (
                -math.sqrt(2 * self._drop),
                self.end + 13 * self._fade + self._fade * self._fade * max(b, 0.0) * self.mu,
            )
        ]

    def _log_kept(self, x: Array) -> Array:
        return np.asarray(log_ndtr((self.end - x) / self._fade))

    def _bent(self, a: float) -> float:
        return a * a / 2 * (1 + 1 / (self._fade * self._fade))

    def _summits(self, b: float) -> list[float]:
        """See `GaussianMixture._summits`: beyond the piece nothing is left; up to it the fading multiplies by what falls from 1 to 0."""
        end = self._pieces(b)[0][1]
        return [*(x for x in super()._summits(b) if x < end), end]

    def beyond(self, b: float) -> tuple[float, float, float] | None:
        """See `Mixture.beyond`."""
        if b * self.mu <= FAR:
            return None
        share = self._fade * self._fade / (1 + self._fade * self._fade)
        x = self.end + share * (b * self.mu - self.end)
        first, second = math.log(self.q) + self.mu * x - self.mu * self.mu / 2, self.mu * self.mu * share
        return b * first - b * b * second / 2, first, second


@attrs.frozen(eq=False)
class IntegerGaussianMixture(GaussianMixture):
    """The discrete Gaussian: the same points `spacing` apart, which here are all there is.

    Attributes:
        spacing: 1 / sigma.
    """

    spacing: float

    def sheet(self, b: float, omega: float = 0.0) -> Sheet:
        """See `Mixture.sheet`; only what lies outside the pieces is missed."""
        del omega
        pieces = self._pieces(b)
        return attrs.evolve(self._laid_out(b, pieces, self.spacing), wrong=self._left_out(b, pieces))

    def sketch(self, b: float) -> Sheet:
        """See `Mixture.sketch`."""
        return self._laid_out(b, self._pieces(b), self.spacing)

    def log_variation(self, b: float, log: float) -> float | None:
        """See `Mixture.log_variation`: the losses are atoms."""
        del b, log
        return None

    def _log_density(self, step: float) -> float:
        x = step * np.arange(1, math.ceil(REACH / step))
        return -math.log(1 + 2 * float(np.exp(-x * x / 2).sum()))
