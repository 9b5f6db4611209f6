"""Mechanisms: frozen parameters, what a release guarantees, and how it is drawn."""

from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.mechanisms.choices.exponential import ExponentialMechanism
from privacy_accountant.mechanisms.choices.noisy_max import ReportNoisyMax
from privacy_accountant.mechanisms.choices.noisy_threshold import NoisyThreshold
from privacy_accountant.mechanisms.choices.randomized_response import RandomizedResponse
from privacy_accountant.mechanisms.choices.sparse_vector import AboveThreshold
from privacy_accountant.mechanisms.composed import Composed
from privacy_accountant.mechanisms.densities.additive_noise import AdditiveNoise
from privacy_accountant.mechanisms.discrete_gaussian import DiscreteGaussian
from privacy_accountant.mechanisms.discrete_laplace import DiscreteLaplace
from privacy_accountant.mechanisms.dpsgd import DPSGD
from privacy_accountant.mechanisms.fixed_size_sampled import FixedSizeSampled
from privacy_accountant.mechanisms.gaussian import Gaussian
from privacy_accountant.mechanisms.geometric import Geometric
from privacy_accountant.mechanisms.laplace import Laplace
from privacy_accountant.mechanisms.opaque import Opaque
from privacy_accountant.mechanisms.registration import register_mechanism
from privacy_accountant.mechanisms.sampled import PoissonSampled

__all__ = [
    "DPSGD",
    "AboveThreshold",
    "AdditiveNoise",
    "Composed",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "ExponentialMechanism",
    "FixedSizeSampled",
    "Gaussian",
    "Geometric",
    "Laplace",
    "Mechanism",
    "NoisyThreshold",
    "Opaque",
    "PoissonSampled",
    "RandomizedResponse",
    "ReportNoisyMax",
    "register_mechanism",
]
