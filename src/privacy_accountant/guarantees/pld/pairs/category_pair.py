"""k-ary randomized response as a dominating pair: two inputs and everything else."""

from __future__ import annotations

import math
from fractions import Fraction

import attrs
import numpy as np

from privacy_accountant.exact import Real, exact, integer, non_negative_or_infinite
from privacy_accountant.guarantees.pld.moments.families import UNIT, Array, LossFamily, Several
from privacy_accountant.guarantees.pld.moments.lattice_family import LatticeFamily
from privacy_accountant.guarantees.pld.pairs.closed_pairs import EpsilonPair, Members, as_float
from privacy_accountant.guarantees.pld.profiles.atomic import MOST_ATOMS, MOST_CONVOLVED
from privacy_accountant.numerics.contour.atoms import POWER_LOST, power_law


def _epsilon(value: object) -> Real:
    return non_negative_or_infinite(value, "epsilon")


def _categories(value: object) -> int:
    return integer(value, "categories", "an integer >= 2", least=2)


@attrs.frozen(cache_hash=True)
class CategoryPair(EpsilonPair):
    r"""The true one of k categories with probability :math:`p = e^\varepsilon q`, each other one with :math:`q = 1/(e^\varepsilon + k - 1)`.

    Two inputs differ in two outcomes only: their losses are :math:`\pm\varepsilon`, and every third category has loss 0. So for k > 2
    it reveals less than the binary kind, which is :math:`k = 2` (Kairouz, Bonawitz and Ramage 2016, arXiv 1602.07387).

    Attributes:
        epsilon: The largest loss, exact; infinity promises nothing.
        categories: How many categories there are, k.

    Example:
        >>> from privacy_accountant import ADP, PLD
        >>> binary, ten = PLD.of(CategoryPair(1.0, 2)), PLD.of(CategoryPair(1.0, 10))
        >>> round(binary.advantage, 6), round(ADP(1.0).advantage, 6), round(ten.advantage, 6)
        (0.462117, 0.462117, 0.146633)
    """

    epsilon: Real = attrs.field(converter=_epsilon)
    categories: int = attrs.field(converter=_categories)

    @property
    def lattice(self) -> tuple[Fraction, Fraction] | None:
        """See `DominatingPair.lattice`."""
        size = exact(self.epsilon) if self.epsilon < math.inf else Fraction(0)
        return size, Fraction(0)

    @property
    def log_masses(self) -> Array:
        """Logarithms of the masses at losses -eps, 0 and eps; minus infinity where there is no third category."""
        epsilon, others = as_float(self.epsilon), self.categories - 2
        total = math.log1p((self.categories - 1) * math.exp(-epsilon))
        middle = math.log(others) - epsilon - total if others else -math.inf
        return np.array([-epsilon - total, middle, -total])

    def count_atoms(self, count: int) -> float:
        """See `DominatingPair.count_atoms`."""
        size = 2 * count + 1
        return size if size <= (MOST_ATOMS if count == 1 else MOST_CONVOLVED) else math.inf

    def law(self, count: int) -> tuple[Array, Array, float]:
        """See `DominatingPair.law`."""
        logs, steps = self.log_masses, np.arange(-1.0, 2.0)
        lost = 0.0
        if count > 1:
            with np.errstate(under="ignore", divide="ignore"):
                logs = np.log(power_law(np.exp(logs), count))
            steps, lost = np.arange(-float(count), count + 1.0), len(logs) * POWER_LOST
        keep = logs > -math.inf
        return steps[keep] * as_float(self.epsilon), np.asarray(logs[keep]), lost

    @classmethod
    def family(cls, members: Members) -> LossFamily:
        """See `DominatingPair.family`."""
        return Several(tuple(_family(pair, count) for pair, count in members if pair.has_loss))


def _family(pair: CategoryPair, count: int) -> LatticeFamily:
    """Masses are off by a few ulp of 1 + eps each, and by what underflows."""
    epsilon, logs = as_float(pair.epsilon), pair.log_masses
    with np.errstate(under="ignore"):
        masses = np.exp(logs)
    keep = masses > 0
    missing = 8 * UNIT * (4 + min(epsilon, 800.0)) + 3e-300
    index = np.arange(-1.0, 2.0)[keep]
    return LatticeFamily(epsilon * index, masses[keep], count, missing, epsilon, index)
