"""A discrete mechanism on a Poisson sample: the outputs are its atoms."""

from __future__ import annotations

import attrs
import numpy as np

from privacy_accountant.guarantees.pld.moments.families import Array
from privacy_accountant.guarantees.pld.moments.mixture import Mixture, Sheet


@attrs.frozen(eq=False)
class AtomsMixture(Mixture):
    """E = rest + q e^u at the atoms u = log B/A; where B is 0, u is minus infinity.

    Attributes:
        q: Probability of the record to take part.
        rest: 1 - q.
        u: The atoms.
        base: Logs of their masses under A.
        missing: Mass of B where A is 0.
        wrong: Bound on what the masses miss, relative.
    """

    q: float
    rest: float
    u: Array
    base: Array
    missing: float
    wrong: float

    @property
    def lost(self) -> float:
        """See `Mixture.lost`."""
        return self.q * self.missing

    def sheet(self, b: float, omega: float = 0.0) -> Sheet:
        """See `Mixture.sheet`: they stand for themselves."""
        del omega
        return attrs.evolve(self.sketch(b), wrong=self.wrong)

    def sketch(self, b: float) -> Sheet:
        """See `Mixture.sketch`."""
        finite = np.where(np.isfinite(self.u), np.abs(self.u), 0.0)
        return self.at(b, self.u, self.base, 4 * finite, 16 + np.abs(self.base))
