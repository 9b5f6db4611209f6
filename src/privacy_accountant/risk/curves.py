"""The curves that pictures draw and sliders read, asked of the guarantee once, one array a question."""

from __future__ import annotations

import math

import attrs
import numpy as np

from privacy_accountant.guarantees.arguments import Array
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.pld import PLD
from privacy_accountant.risk.figures import Figures, bounds_as_they_are, complement_up

_STEPS = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)
RATES = (
    *(float(f"{step}e{power}") for power in (-5, -4, -3, -2) for step in _STEPS),
    *(0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
)
"""False positive rates and baselines at which a slider stops: each a decimal that was typed."""

BELIEFS = (
    *(0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.07),
    *(float(f"{step / 20:.2f}") for step in range(2, 19)),
    *(0.95, 0.98, 0.99, 0.995, 0.999),
)
"""Priors at which a slider stops."""

LEAST_RATE = 1e-5
LEAST_DELTA = 1e-10
_READINGS = 81
_TOLERANCE = 0.02


@attrs.frozen(eq=False)
class Curves:
    """Points of the trade-off curve, of the privacy profile and of the Bayes risk, each in rising order.

    Attributes:
        alphas: False positive rates from 0 to 1; `RATES` are among them.
        betas: The least false negative rates.
        tprs: The largest true positive rates.
        epsilons: From 0 to where the profile has become small or flat.
        deltas: The profile.
        priors: From 0 to 1; `BELIEFS` are among them.
        risks: The least errors.
    """

    alphas: Array
    betas: Array
    tprs: Array
    epsilons: Array
    deltas: Array
    priors: Array
    risks: Array

    def at_rates(self, values: Array) -> list[float]:
        """Those of `betas` or `tprs` that belong to `RATES`."""
        return [float(value) for value in values[np.isin(self.alphas, RATES)]]

    def at_beliefs(self) -> list[float]:
        """Those of `risks` that belong to `BELIEFS`."""
        return [float(value) for value in self.risks[np.isin(self.priors, BELIEFS)]]


@bounds_as_they_are()
def curves_of(guarantee: PrivacyGuarantee, figures: Figures) -> Curves:
    """Ask a guarantee for its curves."""
    alphas = _rates()
    betas: Array = guarantee.beta(alphas)
    epsilons = np.linspace(0.0, _widest(figures), _READINGS)
    priors = np.unique([0.0, *BELIEFS, *(float(f"{step / 50:.2f}") for step in range(51))])
    return Curves(
        alphas=alphas,
        betas=betas,
        tprs=complement_up(guarantee, alphas, betas),
        epsilons=epsilons,
        deltas=_profile(guarantee, epsilons),
        priors=priors,
        risks=guarantee.bayes_risk(priors),
    )


def _profile(guarantee: PrivacyGuarantee, epsilons: Array) -> Array:
    """Upper bounds on delta, as close as a picture over ten decades can show."""
    if isinstance(guarantee, PLD):
        found: Array = guarantee.get_delta(epsilons, tolerance=_TOLERANCE)
        return found
    deltas: Array = guarantee.get_delta(epsilons)
    return deltas


def _rates() -> Array:
    """Rates from 0 to 1, dense at both ends where the curve bends most."""
    inner = [float(f"{step / 40:.3f}") for step in range(1, 40)]
    upper = 1.0 - np.array([1e-4, 3e-4, 1e-3, 2e-3, 4e-3, 7e-3, 0.01, 0.015])
    return np.unique([0.0, 1e-7, 1e-6, 3e-6, *RATES, *inner, *upper, 1.0])


def _widest(figures: Figures) -> float:
    """Where the picture of the profile ends: a little beyond the largest epsilon that a report prints."""
    finite = [one.epsilon for one in figures.epsilons if math.isfinite(one.epsilon)]
    widest = max(finite, default=0.0)
    return 1.15 * widest if widest > 0 else 1.0
