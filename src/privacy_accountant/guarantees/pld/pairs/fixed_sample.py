r"""Gaussian noise on a sample of fixed size without replacement, one record exchanged for another.

With (B, A) the mechanism's own pair and q = size / population, the profile is at most that of ((1-q) A + q B, A) at e >= 0 and its mirror image
below, whatever the other records are (Balle, Barthe and Gaboardi 2018, arXiv 1807.01647; Zhu, Dong and Wang 2022, arXiv 2106.08567, Theorem 11).
That is the profile of one symmetric law: positive losses as in ((1-q) A + q B, A), negative ones mirrored, and the rest at 0.
"""

from __future__ import annotations

import attrs
import numpy as np
from scipy.special import ndtr

from privacy_accountant.exact import Real, positive
from privacy_accountant.guarantees.pld.pairs.grid_pair import GridPair
from privacy_accountant.guarantees.pld.pairs.gridded_gaussian import GriddedGaussianPair
from privacy_accountant.guarantees.pld.pairs.subsampled import read_sampling
from privacy_accountant.numerics.contour.grids import HalfCells


def _mu_squared(value: object) -> Real:
    return positive(value, "mu_squared")


@attrs.frozen(cache_hash=True)
class FixedSizeGaussianPair(GridPair):
    """The Gaussian mechanism on a sample of fixed size.

    Attributes:
        sampling: Probability q of a record to be in the sample.
        mu_squared: (sensitivity / sigma)^2 for one record exchanged for another, exact.

    Example:
        >>> from privacy_accountant.guarantees.pld import PLD
        >>> once = PLD.of(FixedSizeGaussianPair(0.1, 1))
        >>> bool(0.0382 < once.get_delta(0.0) < 0.0384)
        True
    """

    sampling: Real = attrs.field(converter=read_sampling)
    mu_squared: Real = attrs.field(converter=_mu_squared)

    def half_cells(self) -> HalfCells:
        """See `GridPair.half_cells`."""
        right = GriddedGaussianPair(self.sampling, self.mu_squared, True)
        q, mu = float(self.sampling), right.mu
        step, (_, last) = right.layout()
        loss = np.arange(2.0 * last + 1) * (step / 2)
        p, a, error, _, above = right.cells(loss)
        # An output x has a positive loss where x > mu/2.
        even = (1 - q) * float(ndtr(mu / 2) - ndtr(-mu / 2))
        left, down = p[::-1].copy(), a[::-1].copy()
        p[0] += even
        a[0] += even
        mirrored_p, mirrored_q = np.concatenate((down, p)), np.concatenate((left, a))
        return HalfCells(
            step, -last, mirrored_p, mirrored_q, np.concatenate((error[::-1], error)), above[1], above[0]
        )
