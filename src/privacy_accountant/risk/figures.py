"""The numbers that every face of a report shows, asked of the guarantee once."""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import ArrayLike

from privacy_accountant.guarantees.arguments import Answer, Array, answer
from privacy_accountant.guarantees.base import PrivacyGuarantee

ALPHAS = (0.0001, 0.001, 0.01, 0.1)
PRIORS = (0.01, 0.1, 0.5)
BASELINES = (0.001, 0.01, 0.1, 0.5)
DELTAS = (0.0, 1e-9, 1e-6, 1e-5, 1e-3)
EPSILONS = (0.1, 1.0, 2.0, 5.0)


@attrs.frozen
class Attack:
    """An attack's false positive rate, the least share of people it misses, and the largest it recognises."""

    alpha: float
    beta: float
    tpr: float


@attrs.frozen
class Guess:
    """A prior, the error of a guess from it alone, and the least error once the results are known."""

    prior: float
    without_results: float
    bayes_risk: float


@attrs.frozen
class Accusation:
    """The largest share of right accusations, with the false positive rate and the prior it belongs to."""

    alpha: float
    prior: float
    ppv: float


@attrs.frozen
class Success:
    """The success of an attack without a person's record, and its largest success with it."""

    baseline: float
    attack_success: float


@attrs.frozen
class Reading:
    """A point of the privacy profile: the least epsilon that is certain at a delta, or the other way round."""

    epsilon: float
    delta: float


@attrs.frozen
class Figures:
    """Everything that a report prints, as bounds: beta and the Bayes risk from below, the rest from above."""

    attacks: tuple[Attack, ...]
    advantage: float
    guesses: tuple[Guess, ...]
    accusations: tuple[Accusation, ...]
    successes: tuple[Success, ...]
    epsilons: tuple[Reading, ...]
    deltas: tuple[Reading, ...]


def figures_of(guarantee: PrivacyGuarantee) -> Figures:
    """Ask a guarantee, one array a question, for everything that a report prints."""
    alphas = np.array(ALPHAS)
    betas: Array = guarantee.beta(alphas)
    tprs = _complement(guarantee, alphas, betas)
    risks = guarantee.bayes_risk(list(PRIORS))
    shares = [guarantee.ppv(alphas, prior) for prior in PRIORS]
    successes = guarantee.attack_success(list(BASELINES))
    epsilons, deltas = guarantee.get_epsilon(list(DELTAS)), guarantee.get_delta(list(EPSILONS))
    return Figures(
        attacks=tuple(map(Attack, ALPHAS, betas.tolist(), tprs.tolist())),
        advantage=guarantee.advantage,
        guesses=tuple(Guess(p, min(p, 1 - p), risk) for p, risk in zip(PRIORS, risks.tolist(), strict=True)),
        accusations=tuple(
            Accusation(alpha, prior, ppv)
            for prior, row in zip(PRIORS, shares, strict=True)
            for alpha, ppv in zip(ALPHAS, row.tolist(), strict=True)
        ),
        successes=tuple(map(Success, BASELINES, successes.tolist())),
        epsilons=tuple(map(Reading, epsilons.tolist(), DELTAS)),
        deltas=tuple(map(Reading, EPSILONS, deltas.tolist())),
    )


def true_positive_rate(guarantee: PrivacyGuarantee, alpha: ArrayLike) -> Answer:
    """An upper bound on 1 - beta(alpha): the difference is exact where floats allow it, else one ulp up."""

    def question(rates: Array) -> Array:
        return _complement(guarantee, rates, guarantee.beta(rates))

    return answer(question, alpha, "alpha", "a number in [0, 1]")


def _complement(guarantee: PrivacyGuarantee, alpha: Array, beta: Array) -> Array:
    if np.all(beta >= 1.0 - alpha - 1e-9) and guarantee.advantage == 0.0:
        # Perfect privacy, where both rates are equal; the difference could round to next to it. The first condition
        # saves the question for the advantage where it cannot be 0.
        return alpha
    power = 1.0 - beta
    lost = (1.0 - power) - beta  # what the difference lost to rounding, itself exact since beta <= 1
    return np.where(lost > 0, np.nextafter(power, 2.0), power)
