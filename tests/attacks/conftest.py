"""An attacker with many real outputs under either of two neighbouring inputs, and the bounds that it can prove."""

import attrs
import numpy as np
import pytest
from scipy import stats

from privacy_accountant import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace, Sensitivity

FALSE_ALARM = 1e-7
"""The chance that one attack reports a violation of claims that hold; no test makes more than ten attacks."""

_BINS = 256
_CANDIDATES = 64
_FINALISTS = 3
_EPSILONS = (0.0, 0.1, 0.3, 1.0, 2.0, 3.0)


def _above(hits, trials, level):
    """Clopper and Pearson's upper bound on a probability, wrong with probability at most `level`."""
    return 1.0 if hits == trials else float(stats.beta.ppf(1 - level, hits + 1, trials - hits))


def _below(hits, trials, level):
    """The lower bound."""
    return 0.0 if hits == 0 else float(stats.beta.ppf(level, hits, trials - hits + 1))


@attrs.frozen
class Score:
    """The log likelihood ratio of independent coordinates, learned from outputs under both inputs."""

    edges: list
    ratios: list

    @classmethod
    def learn(cls, without, with_target):
        edges, ratios = [], []
        for one, other in zip(without.T, with_target.T, strict=True):
            cuts = np.unique(np.quantile(np.concatenate([one, other]), np.linspace(0, 1, _BINS)))
            counts = [
                np.bincount(np.searchsorted(cuts, side, "right"), minlength=cuts.size + 1)
                for side in (one, other)
            ]
            edges.append(cuts)
            ratios.append(np.log((counts[1] + 0.5) / (counts[0] + 0.5)))
        return cls(edges, ratios)

    def of(self, outputs):
        columns = zip(outputs.T, self.edges, self.ratios, strict=True)
        return sum(ratio[np.searchsorted(cuts, column, "right")] for column, cuts, ratio in columns)


def _rates(events, sides):
    """False and true positive rates of the events {score >= threshold}."""
    return [np.searchsorted(np.sort(side), events, "left").astype(float) / -side.size + 1.0 for side in sides]


def _gain(claim, fpr, tpr):
    """How far a point (FPR, TPR) is above everything that the claim allows."""
    trade_off = tpr - (1 - claim.beta(fpr))
    profile = max(tpr - np.exp(e) * fpr - claim.get_delta(e) for e in _EPSILONS)
    return max(trade_off, profile)


def _one_direction(claims, without, with_target):
    """The largest gain over any claim that is proved, for events chosen on the first half of the outputs."""
    half, level = len(without) // 2, FALSE_ALARM / (4 * _FINALISTS * len(claims))
    score = Score.learn(without[:half], with_target[:half])
    train, test = ([score.of(side[part]) for side in (without, with_target)] for part in _halves(half))
    events = np.unique(np.quantile(np.concatenate(train), np.linspace(0, 1, _CANDIDATES)))
    fpr, tpr = _rates(events, train)
    noise = np.sqrt((fpr * (1 - fpr) + tpr * (1 - tpr) + 1 / half) / half)
    proved = []
    for claim in claims:
        promise = (tpr - (1 - claim.beta(np.clip(fpr, 0, 1)))) / noise
        for event in events[np.argsort(promise)[-_FINALISTS:]]:
            hits = [int((side >= event).sum()) for side in test]
            bounds = _above(hits[0], len(test[0]), level), _below(hits[1], len(test[1]), level)
            proved.append(_gain(claim, *bounds))
    return max(proved)


def _halves(half):
    return slice(half), slice(half, None)


def _attack(claims, without, with_target):
    """How far real outputs provably beat claims; positive for true ones with probability at most FALSE_ALARM.

    Args:
        claims: A guarantee, or a list of them.
        without: Outputs under one input, one row a release.
        with_target: Outputs under its neighbour.
    """
    claims = claims if isinstance(claims, list) else [claims]
    sides = [np.asarray(side).reshape(len(side), -1) for side in (without, with_target)]
    return max(_one_direction(claims, *sides), _one_direction(claims, *reversed(sides)))


@pytest.fixture(scope="session")
def attack():
    return _attack


@pytest.fixture(scope="session")
def above():
    return _above


@pytest.fixture(scope="session")
def below():
    return _below


SPLIT = Sensitivity(per_value=1, values=4)
MOVES = [  # a mechanism's class, its noise and sensitivity, and a change of exactly that sensitivity
    (Laplace, 2, 1, (1,)),
    (Laplace, 0.4, 1, (-1,)),
    (Laplace, 2.5, 3, (3, 0, 0)),
    (Laplace, 2.5, 3, (2, -1)),
    (Laplace, 3, SPLIT, (1, 1, 1, 1)),
    (Laplace, 1000, 1500, (1500,)),
    (Gaussian, 1.5, 1, (1,)),
    (Gaussian, 0.4, 1, (1,)),
    (Gaussian, 3, SPLIT, (1, -1, 1, 1)),
    (Gaussian, 3, SPLIT, (0, 2, 0, 0)),
    (Gaussian, 5, 5, (3, 4)),
    (Gaussian, 300, 400, (-400,)),
    (DiscreteLaplace, 1.5, 1, (1,)),
    (DiscreteLaplace, 2, 3, (3,)),
    (DiscreteLaplace, 2, 3, (1, 1, -1)),
    (DiscreteLaplace, 800, 1000, (1000,)),
    (DiscreteGaussian, 1, 1, (1,)),
    (DiscreteGaussian, 2, Sensitivity(per_value=3, values=1), (0, 3)),
    (DiscreteGaussian, 2, SPLIT, (1, 1, 1, -1)),
    (DiscreteGaussian, 1, SPLIT, (1, 1, 1, 1)),
    (DiscreteGaussian, 200, Sensitivity(per_value=250, values=1), (250,)),
]


@attrs.frozen
class Move:
    """A mechanism and two inputs that are exactly its sensitivity apart."""

    cls: type
    noise: float
    sensitivity: object
    change: tuple

    @property
    def mechanism(self):
        return self.cls(self.noise, self.sensitivity)

    def inputs(self, releases):
        """Both inputs, one row a release: a release of many independent rows is many releases."""
        base = np.tile(10**6 - 7 * np.arange(len(self.change)), (releases, 1))
        return base, base + np.array(self.change)

    def __str__(self):
        return f"{self.mechanism!r}-{self.change}"


@pytest.fixture(params=[Move(*move) for move in MOVES], ids=str)
def move(request):
    return request.param
