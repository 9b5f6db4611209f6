"""Differential privacy accounting that is correct at the edges, durable, and read in terms of attacks.

    Mechanism -> PrivacyGuarantee -> Accountant -> RiskReport

Names are loaded on first use, so that importing the package costs little more than importing numpy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from privacy_accountant.accountant import Accountant as Accountant
    from privacy_accountant.accountant import Receipt as Receipt
    from privacy_accountant.errors import BudgetExceededError as BudgetExceededError
    from privacy_accountant.errors import BudgetMismatchError as BudgetMismatchError
    from privacy_accountant.errors import CalibrationError as CalibrationError
    from privacy_accountant.errors import InvalidAggregateError as InvalidAggregateError
    from privacy_accountant.errors import InvalidParameterError as InvalidParameterError
    from privacy_accountant.errors import LedgerCorruptedError as LedgerCorruptedError
    from privacy_accountant.errors import LedgerError as LedgerError
    from privacy_accountant.errors import MissingExtraError as MissingExtraError
    from privacy_accountant.errors import NeighborsMismatchError as NeighborsMismatchError
    from privacy_accountant.errors import PrivacyAccountantError as PrivacyAccountantError
    from privacy_accountant.errors import ReleaseFailedError as ReleaseFailedError
    from privacy_accountant.errors import UnsupportedConversionError as UnsupportedConversionError
    from privacy_accountant.guarantees.adp import ADP as ADP
    from privacy_accountant.guarantees.base import PrivacyGuarantee as PrivacyGuarantee
    from privacy_accountant.guarantees.composing import compose as compose
    from privacy_accountant.guarantees.gdp import GDP as GDP
    from privacy_accountant.guarantees.pld import PLD as PLD
    from privacy_accountant.guarantees.rdp import RDP as RDP
    from privacy_accountant.guarantees.risk_target import Risk as Risk
    from privacy_accountant.guarantees.summary import MuSummary as MuSummary
    from privacy_accountant.guarantees.summary import summarize_mu as summarize_mu
    from privacy_accountant.guarantees.tradeoff import TradeOff as TradeOff
    from privacy_accountant.guarantees.zcdp import ZCDP as ZCDP
    from privacy_accountant.mechanisms.base import Mechanism as Mechanism
    from privacy_accountant.mechanisms.choices.exponential import ExponentialMechanism as ExponentialMechanism
    from privacy_accountant.mechanisms.choices.noisy_max import ReportNoisyMax as ReportNoisyMax
    from privacy_accountant.mechanisms.choices.noisy_threshold import NoisyThreshold as NoisyThreshold
    from privacy_accountant.mechanisms.choices.randomized_response import (
        RandomizedResponse as RandomizedResponse,
    )
    from privacy_accountant.mechanisms.choices.sparse_vector import AboveThreshold as AboveThreshold
    from privacy_accountant.mechanisms.composed import Composed as Composed
    from privacy_accountant.mechanisms.densities.additive_noise import AdditiveNoise as AdditiveNoise
    from privacy_accountant.mechanisms.discrete_gaussian import DiscreteGaussian as DiscreteGaussian
    from privacy_accountant.mechanisms.discrete_laplace import DiscreteLaplace as DiscreteLaplace
    from privacy_accountant.mechanisms.dpsgd import DPSGD as DPSGD
    from privacy_accountant.mechanisms.fixed_size_sampled import FixedSizeSampled as FixedSizeSampled
    from privacy_accountant.mechanisms.gaussian import Gaussian as Gaussian
    from privacy_accountant.mechanisms.geometric import Geometric as Geometric
    from privacy_accountant.mechanisms.grids import snap as snap
    from privacy_accountant.mechanisms.laplace import Laplace as Laplace
    from privacy_accountant.mechanisms.opaque import Opaque as Opaque
    from privacy_accountant.mechanisms.registration import register_mechanism as register_mechanism
    from privacy_accountant.mechanisms.sampled import PoissonSampled as PoissonSampled
    from privacy_accountant.neighbors import Neighbors as Neighbors
    from privacy_accountant.neighbors import Sensitivity as Sensitivity
    from privacy_accountant.risk import RiskReport as RiskReport
    from privacy_accountant.risk import StudyFacts as StudyFacts
    from privacy_accountant.risk import compare as compare
    from privacy_accountant.risk import from_registry as from_registry
    from privacy_accountant.risk import plot_reports as plot_reports
    from privacy_accountant.risk import to_registry as to_registry
    from privacy_accountant.risk.sweep import sweep as sweep
    from privacy_accountant.risk.utility import utility as utility

__version__ = "0.1.0"

_HOMES = {
    "accountant": ("Accountant", "Receipt"),
    "errors": (
        "BudgetExceededError",
        "BudgetMismatchError",
        "CalibrationError",
        "InvalidAggregateError",
        "InvalidParameterError",
        "LedgerCorruptedError",
        "LedgerError",
        "MissingExtraError",
        "NeighborsMismatchError",
        "PrivacyAccountantError",
        "ReleaseFailedError",
        "UnsupportedConversionError",
    ),
    "guarantees.adp": ("ADP",),
    "guarantees.base": ("PrivacyGuarantee",),
    "guarantees.gdp": ("GDP",),
    "guarantees.pld": ("PLD",),
    "guarantees.rdp": ("RDP",),
    "guarantees.composing": ("compose",),
    "guarantees.risk_target": ("Risk",),
    "guarantees.summary": ("MuSummary", "summarize_mu"),
    "guarantees.tradeoff": ("TradeOff",),
    "guarantees.zcdp": ("ZCDP",),
    "mechanisms.densities.additive_noise": ("AdditiveNoise",),
    "mechanisms.base": ("Mechanism",),
    "mechanisms.discrete_gaussian": ("DiscreteGaussian",),
    "mechanisms.discrete_laplace": ("DiscreteLaplace",),
    "mechanisms.choices.exponential": ("ExponentialMechanism",),
    "mechanisms.gaussian": ("Gaussian",),
    "mechanisms.geometric": ("Geometric",),
    "mechanisms.grids": ("snap",),
    "mechanisms.laplace": ("Laplace",),
    "mechanisms.registration": ("register_mechanism",),
    "mechanisms.choices.noisy_max": ("ReportNoisyMax",),
    "mechanisms.choices.noisy_threshold": ("NoisyThreshold",),
    "mechanisms.choices.randomized_response": ("RandomizedResponse",),
    "mechanisms.choices.sparse_vector": ("AboveThreshold",),
    "mechanisms.composed": ("Composed",),
    "mechanisms.dpsgd": ("DPSGD",),
    "mechanisms.opaque": ("Opaque",),
    "mechanisms.fixed_size_sampled": ("FixedSizeSampled",),
    "mechanisms.sampled": ("PoissonSampled",),
    "neighbors": ("Neighbors", "Sensitivity"),
    "risk": (
        "RiskReport",
        "StudyFacts",
        "compare",
        "from_registry",
        "plot_reports",
        "sweep",
        "to_registry",
        "utility",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)  # noqa: PLE0605 - the table above is the one list of public names


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME_OF})
