"""Exact integer noise from operating-system entropy: four laws, no seed, no state."""

from __future__ import annotations

from privacy_accountant.noise.laws import (
    DiscreteGaussianLaw,
    DiscreteLaplaceLaw,
    IntegerLaw,
    RoundedGaussianLaw,
    RoundedLaplaceLaw,
)

__all__ = [
    "DiscreteGaussianLaw",
    "DiscreteLaplaceLaw",
    "IntegerLaw",
    "RoundedGaussianLaw",
    "RoundedLaplaceLaw",
]
