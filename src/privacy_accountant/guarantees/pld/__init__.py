"""Privacy loss distributions: symbolic parts, certified composition."""

from privacy_accountant.guarantees.pld.bounded_range import BoundedRangePair as BoundedRangePair
from privacy_accountant.guarantees.pld.category_pair import CategoryPair as CategoryPair
from privacy_accountant.guarantees.pld.discrete import DiscreteGaussianPair as DiscreteGaussianPair
from privacy_accountant.guarantees.pld.discrete import DiscreteLaplacePair as DiscreteLaplacePair
from privacy_accountant.guarantees.pld.finite_pair import FinitePair as FinitePair
from privacy_accountant.guarantees.pld.fixed_sample import FixedSizeGaussianPair as FixedSizeGaussianPair
from privacy_accountant.guarantees.pld.form import PLD as PLD
from privacy_accountant.guarantees.pld.grid_pair import GridPair as GridPair
from privacy_accountant.guarantees.pld.lattice_pair import LatticePair as LatticePair
from privacy_accountant.guarantees.pld.pairs import DominatingPair as DominatingPair
from privacy_accountant.guarantees.pld.pairs import GaussianPair as GaussianPair
from privacy_accountant.guarantees.pld.pairs import LaplacePair as LaplacePair
from privacy_accountant.guarantees.pld.pairs import RandomizedResponsePair as RandomizedResponsePair
from privacy_accountant.guarantees.pld.pairs import pair_of as pair_of
from privacy_accountant.guarantees.pld.precision import PrecisionWarning as PrecisionWarning
from privacy_accountant.guarantees.pld.subsampled import SubsampledDiscretePair as SubsampledDiscretePair
from privacy_accountant.guarantees.pld.subsampled import SubsampledGaussianPair as SubsampledGaussianPair
from privacy_accountant.guarantees.pld.subsampled import SubsampledLaplacePair as SubsampledLaplacePair

__all__ = [
    "PLD",
    "BoundedRangePair",
    "CategoryPair",
    "DiscreteGaussianPair",
    "DiscreteLaplacePair",
    "DominatingPair",
    "FinitePair",
    "FixedSizeGaussianPair",
    "GaussianPair",
    "GridPair",
    "LaplacePair",
    "LatticePair",
    "PrecisionWarning",
    "RandomizedResponsePair",
    "SubsampledDiscretePair",
    "SubsampledGaussianPair",
    "SubsampledLaplacePair",
    "pair_of",
]
