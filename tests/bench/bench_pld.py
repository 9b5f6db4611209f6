"""Composed privacy losses: certified contours against grids, and what is read off them against riskcal.

Mechanisms and events are built outside the timed part. Where a row says "first", every call composes scales that no call before
has seen, so that no answer comes from a cache.
"""

import itertools
import time
import warnings
from fractions import Fraction

import numpy as np
from harness import Comparison

from privacy_accountant import DPSGD, Gaussian, Laplace, compose

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from dp_accounting import dp_event
    from dp_accounting.pld import PLDAccountant
    from dp_accounting.pld import privacy_loss_distribution as losses
    from riskcal.analysis.conversions import get_bayes_risk_from_pld, get_beta_from_pld

ALPHAS = np.linspace(0.00001, 0.99999, 100_000)
PRIORS = np.linspace(0.0001, 0.9999, 10_000)
SHIFTS = itertools.count(1)


class Composed:
    """`count` releases of which `distinct` differ in scale, about 5 to 100, and epsilon at `deltas`."""

    def __init__(self, mechanism, event, count, distinct, deltas):
        self.mechanism, self.event, self.deltas = mechanism, event, deltas
        self.count, self.distinct = count, distinct

    def scales(self):
        shift = next(SHIFTS) * 1e-6
        return [5 + shift + 95 * (i % self.distinct) / self.distinct for i in range(self.count)]

    def ours(self):
        guarantees = [self.mechanism(scale, sensitivity=1).guarantee() for scale in self.scales()]
        start = time.perf_counter()
        whole = compose(*guarantees)
        for delta in self.deltas:
            whole.get_epsilon(delta)
        return time.perf_counter() - start

    def peer(self):
        events = [self.event(scale) for scale in self.scales()]
        start = time.perf_counter()
        accountant = PLDAccountant()
        for event in events:
            accountant.compose(event)
        for delta in self.deltas:
            accountant.get_epsilon(delta)
        return time.perf_counter() - start


class Mixed:
    """A Gaussian of sigma 1 with ten Laplace releases of scale 2, and what is read off it."""

    def __init__(self):
        self.ready = self.compose()
        self.ready.beta(ALPHAS)
        self.grid = self.compose_grid()

    @staticmethod
    def compose():
        shift = next(SHIFTS) * 1e-6
        parts = [Laplace(2 + shift, sensitivity=1).guarantee() for _ in range(10)]
        return compose(Gaussian(1, sensitivity=1).guarantee(), *parts)

    @staticmethod
    def compose_grid():
        shift = next(SHIFTS) * 1e-6
        return losses.from_gaussian_mechanism(1.0).compose(
            losses.from_laplace_mechanism(2 + shift).self_compose(10)
        )

    def first_risk(self):
        return self.compose().bayes_risk(PRIORS)


MIXED = Mixed()
MANY = Composed(Laplace, dp_event.LaplaceDpEvent, 1000, 1000, (1e-6, 1e-9, 1e-12))
FEW = Composed(Laplace, dp_event.LaplaceDpEvent, 1000, 20, (1e-6,))
NORMAL = Composed(Gaussian, dp_event.GaussianDpEvent, 200, 200, (1e-6,))


def training():
    """Noise near 1.1, batches of 256 of 60,000, 60 epochs: epsilon at 1e-5, of noise that no call before has seen."""
    steps = DPSGD(
        noise_multiplier=1.1 + next(SHIFTS) * 1e-9, sampling_rate=Fraction(256, 60_000), steps=14_062
    )
    return steps.guarantee().get_epsilon(1e-5)


def training_grid():
    event = dp_event.PoissonSampledDpEvent(256 / 60_000, dp_event.GaussianDpEvent(1.1))
    return PLDAccountant().compose(event, 14_062).get_epsilon(1e-5)


COMPARISONS = [
    Comparison(
        task="PLD: beta at 100,000 alphas",
        peer_name="riskcal get_beta_from_pld",
        ours=lambda: MIXED.ready.beta(ALPHAS),
        peer=lambda: get_beta_from_pld(MIXED.grid, ALPHAS),
        goal=1.0,
        rounds=31,
        note="the table behind our answers stands ready, as the peer's grid does; building it is in the next row",
    ),
    Comparison(
        task="PLD: compose a Gaussian and 10 Laplace, first beta at 100,000 alphas",
        peer_name="dp-accounting grids and riskcal get_beta_from_pld",
        ours=lambda: MIXED.compose().beta(ALPHAS),
        peer=lambda: get_beta_from_pld(MIXED.compose_grid(), ALPHAS),
        goal=1.0,
    ),
    Comparison(
        task="PLD: first Bayes risk at 10,000 priors",
        peer_name="riskcal get_bayes_risk_from_pld",
        ours=MIXED.first_risk,
        peer=lambda: get_bayes_risk_from_pld(MIXED.grid, PRIORS),
        goal=1 / 20,
        rounds=2,
        note="ours composes anew at every call",
    ),
    Comparison(
        task="PLD: compose 200 distinct Gaussians, epsilon at 1e-6",
        peer_name="dp-accounting PLDAccountant",
        ours=NORMAL.ours,
        peer=NORMAL.peer,
        goal=1 / 1000,
        rounds=5,
        self_timed=True,
    ),
    Comparison(
        task="PLD: compose 1000 Laplace of 20 distinct scales, epsilon at 1e-6",
        peer_name="dp-accounting PLDAccountant",
        ours=FEW.ours,
        peer=FEW.peer,
        goal=1 / 20,
        rounds=5,
        self_timed=True,
    ),
    Comparison(
        task="PLD: compose 1000 distinct Laplace, epsilon at 1e-6, 1e-9, 1e-12",
        peer_name="dp-accounting PLDAccountant",
        ours=MANY.ours,
        peer=MANY.peer,
        goal=1 / 50,
        rounds=3,
        self_timed=True,
    ),
    Comparison(
        task="PLD: 14,062 steps of private training on samples, epsilon at 1e-5",
        peer_name="dp-accounting PLDAccountant",
        ours=training,
        peer=training_grid,
        goal=1.0,
        rounds=5,
    ),
]
