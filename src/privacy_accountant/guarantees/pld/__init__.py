"""Privacy loss distributions: symbolic parts, certified composition."""

from privacy_accountant.guarantees.pld.form import PLD as PLD
from privacy_accountant.guarantees.pld.pairs.bounded_range import BoundedRangePair as BoundedRangePair
from privacy_accountant.guarantees.pld.pairs.category_pair import CategoryPair as CategoryPair
from privacy_accountant.guarantees.pld.pairs.closed_pairs import DominatingPair as DominatingPair
from privacy_accountant.guarantees.pld.pairs.closed_pairs import GaussianPair as GaussianPair
from privacy_accountant.guarantees.pld.pairs.closed_pairs import LaplacePair as LaplacePair
from privacy_accountant.guarantees.pld.pairs.closed_pairs import (
    RandomizedResponsePair as RandomizedResponsePair,
)
from privacy_accountant.guarantees.pld.pairs.closed_pairs import pair_of as pair_of
from privacy_accountant.guarantees.pld.pairs.discrete import DiscreteGaussianPair as DiscreteGaussianPair
from privacy_accountant.guarantees.pld.pairs.discrete import DiscreteLaplacePair as DiscreteLaplacePair
from privacy_accountant.guarantees.pld.pairs.finite_pair import FinitePair as FinitePair
from privacy_accountant.guarantees.pld.pairs.fixed_sample import (
    FixedSizeGaussianPair as FixedSizeGaussianPair,
)
from privacy_accountant.guarantees.pld.pairs.grid_pair import GridPair as GridPair
from privacy_accountant.guarantees.pld.pairs.lattice_pair import LatticePair as LatticePair
from privacy_accountant.guarantees.pld.pairs.subsampled import (
    SubsampledGaussianPair as SubsampledGaussianPair,
)
from privacy_accountant.guarantees.pld.pairs.subsampled import SubsampledLaplacePair as SubsampledLaplacePair
from privacy_accountant.guarantees.pld.pairs.subsampled_discrete import (
    SubsampledDiscretePair as SubsampledDiscretePair,
)
from privacy_accountant.guarantees.pld.precision import PrecisionWarning as PrecisionWarning

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
