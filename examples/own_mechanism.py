"""Two mechanisms that the package does not have, added in a few lines each: staircase noise and logistic noise.

Each says what its density is; the draw, the guarantee in every form, calibration, the budget and the ledger follow.
`tests/examples/test_own_mechanism.py` holds both to the laws, and is there to be copied.

    python examples/own_mechanism.py
"""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.stats
from numpy.typing import NDArray

from privacy_accountant import ADP, Accountant, AdditiveNoise, Laplace, Risk, register_mechanism
from privacy_accountant.testing import check_mechanism


@register_mechanism("example.Logistic")
class Logistic(AdditiveNoise):
    """Logistic noise: as private as Laplace noise in the tails, and without the peak that attacks feed on."""

    def distribution(self) -> Any:
        """The law at scale 1."""
        return scipy.stats.logistic()


@register_mechanism("example.Staircase")
class Staircase(AdditiveNoise):
    """The least expected error of all noise with epsilon = sensitivity / scale (Geng and Viswanath 2012, arXiv 1212.1186).

    Its density is constant on stairs. At a distance of one sensitivity it is lower by a factor of exactly e^-epsilon, everywhere.
    """

    @property
    def epsilon(self) -> float:
        """Sensitivity / scale: how wide and how high a stair is, at scale 1."""
        return float(self.per_value) / float(self.scale)

    def log_density(self, x: NDArray[np.float64]) -> Any:
        """A stair down after a share of 1 / (1 + e^(epsilon / 2)) of each sensitivity."""
        upper = 1 / (1 + math.exp(self.epsilon / 2))
        return -self.epsilon * np.floor(np.abs(x) / self.epsilon + 1 - upper + 1e-9)

    def quantile(self, p: float) -> Any:
        """About where the noise lies; Laplace tails fall alike."""
        return scipy.stats.laplace.ppf(p)


def main() -> None:
    """What the two are good for."""
    print("Waiting times in hours, each person's at most 8: the noise of a sum with epsilon 3.")
    stairs = Staircase.calibrate(ADP(3.0), sensitivity=8, grid="auto")
    laplace = Laplace.calibrate(ADP(3.0), sensitivity=8, grid="auto")
    for noise in (laplace, stairs):
        errors = np.abs([noise.randomize(0.0) for _ in range(5000)])
        print(f"  {type(noise).__name__:9} mean error {errors.mean():.2f} hours")

    goal = Risk(advantage=0.05)
    print(f"\nCounts for which {goal} holds:")
    for count in (Laplace.calibrate(goal, sensitivity=1), Logistic.calibrate(goal, sensitivity=1)):
        print(f"  {type(count).__name__:9} 19 of 20 are within {count.noise_interval()} of the truth")

    print(f"\nHeld to the laws: {check_mechanism(Staircase(scale=1, sensitivity=1, grid=2**-6), draws=4000)}")

    with tempfile.TemporaryDirectory() as folder:
        ledger = Path(folder) / "waiting.db"
        with Accountant.open(ledger, study="waiting", budget=ADP(10.0)) as study:
            published = study.release(5120.25, stairs, label="hours waited, March")
            print(f"\nPublished: {published:.2f} hours; {study.spent()}")
            print(f"The ledger names it {study.history()[0].tag}.")


if __name__ == "__main__":
    main()
