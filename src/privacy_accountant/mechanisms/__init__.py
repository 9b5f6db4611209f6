"""Mechanisms: frozen parameters, what a release guarantees, and how it is drawn."""

from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.mechanisms.discrete_gaussian import DiscreteGaussian
from privacy_accountant.mechanisms.discrete_laplace import DiscreteLaplace
from privacy_accountant.mechanisms.gaussian import Gaussian
from privacy_accountant.mechanisms.laplace import Laplace

__all__ = ["DiscreteGaussian", "DiscreteLaplace", "Gaussian", "Laplace", "Mechanism"]
