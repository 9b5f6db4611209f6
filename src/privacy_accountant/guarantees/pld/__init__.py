"""Privacy loss distributions: symbolic parts, certified composition."""

from privacy_accountant.guarantees.pld.discrete import DiscreteGaussianPair as DiscreteGaussianPair
from privacy_accountant.guarantees.pld.discrete import DiscreteLaplacePair as DiscreteLaplacePair
from privacy_accountant.guarantees.pld.form import PLD as PLD
from privacy_accountant.guarantees.pld.lattice_pair import LatticePair as LatticePair
from privacy_accountant.guarantees.pld.pairs import DominatingPair as DominatingPair
from privacy_accountant.guarantees.pld.pairs import GaussianPair as GaussianPair
from privacy_accountant.guarantees.pld.pairs import LaplacePair as LaplacePair
from privacy_accountant.guarantees.pld.pairs import RandomizedResponsePair as RandomizedResponsePair
from privacy_accountant.guarantees.pld.pairs import pair_of as pair_of
from privacy_accountant.guarantees.pld.precision import PrecisionWarning as PrecisionWarning

__all__ = [
    "PLD",
    "DiscreteGaussianPair",
    "DiscreteLaplacePair",
    "DominatingPair",
    "GaussianPair",
    "LaplacePair",
    "LatticePair",
    "PrecisionWarning",
    "RandomizedResponsePair",
    "pair_of",
]
