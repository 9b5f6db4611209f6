"""The numbers that every face of a report shows, asked of the guarantee once."""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Iterator

import attrs
import numpy as np
from numpy.typing import ArrayLike

from privacy_accountant.errors import UnsupportedConversionError
from privacy_accountant.exact import Real, exact, float_up
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.arguments import Answer, Array, answer
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.pld import PLD
from privacy_accountant.guarantees.pld.precision import PrecisionWarning
from privacy_accountant.guarantees.summary import MuSummary, summarize_mu
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.risk.posterior import largest_posterior, loss_bound

ALPHAS = (0.0001, 0.001, 0.01, 0.1)
PRIORS = (0.01, 0.1, 0.5)
BASELINES = (0.001, 0.01, 0.1, 0.5)
EXCEPTIONS = (1e-3, 1e-6)
DELTAS = (0.0, 1e-9, 1e-6, 1e-5, 1e-3)
EPSILONS = (0.1, 1.0, 2.0, 5.0)

_MOST_PARTS = 1000


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
class Posterior:
    """A belief before the results, and the largest after them, but with probability at most `exception`."""

    prior: float
    exception: float
    posterior: float


@attrs.frozen
class Reading:
    """A point of the privacy profile: the least epsilon that is certain at a delta, or the other way round.

    `epsilon_low` is a lower bound on the least epsilon where the guarantee certifies one, else None: the truth is between.
    """

    epsilon: float
    delta: float
    epsilon_low: float | None = None


@attrs.frozen
class Group:
    """What a group whose records change together risks: an attack, the advantage, and a guess."""

    size: int
    alpha: float
    tpr: float
    advantage: float
    prior: float
    bayes_risk: float


@attrs.frozen
class Figures:
    """Everything that a report prints, as bounds: beta and the Bayes risk from below, the rest from above.

    `summary` reads a pair of epsilon and delta as one Gaussian curve with slack; it is None for other forms.
    `mu` and `rho` are those of the Gaussian and of the zero-concentrated guarantee that this one implies, None where it implies
    none, or is composed of more than a thousand different parts.
    """

    attacks: tuple[Attack, ...]
    advantage: float
    guesses: tuple[Guess, ...]
    accusations: tuple[Accusation, ...]
    posteriors: tuple[Posterior, ...]
    successes: tuple[Success, ...]
    epsilons: tuple[Reading, ...]
    deltas: tuple[Reading, ...]
    mu: float | None
    rho: float | None
    summary: MuSummary | None
    groups: tuple[Group, ...]


@contextlib.contextmanager
def bounds_as_they_are() -> Iterator[None]:
    """Ask without warnings that an interval is wider than usual: a report prints which side of the truth each number is on."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrecisionWarning)
        yield


@bounds_as_they_are()
def figures_of(guarantee: PrivacyGuarantee, sizes: tuple[int, ...] = ()) -> Figures:
    """Ask a guarantee, one array a question and no number twice, for everything that a report prints."""
    rates = np.array(sorted({*ALPHAS, *BASELINES}))
    betas: Array = guarantee.beta(rates)
    beta = dict(zip(rates.tolist(), betas.tolist(), strict=True))
    tpr = dict(zip(rates.tolist(), complement_up(guarantee, rates, betas).tolist(), strict=True))
    risks = guarantee.bayes_risk(list(PRIORS))
    deltas = guarantee.get_delta(list(EPSILONS))
    return Figures(
        attacks=tuple(Attack(alpha, beta[alpha], tpr[alpha]) for alpha in ALPHAS),
        advantage=guarantee.advantage,
        guesses=tuple(Guess(p, min(p, 1 - p), risk) for p, risk in zip(PRIORS, risks.tolist(), strict=True)),
        accusations=tuple(
            Accusation(alpha, prior, share_right(tpr[alpha], alpha, prior))
            for prior in PRIORS
            for alpha in ALPHAS
        ),
        posteriors=tuple(_posteriors(guarantee)),
        successes=tuple(Success(baseline, tpr[baseline]) for baseline in BASELINES),
        epsilons=_epsilons(guarantee),
        deltas=tuple(map(Reading, EPSILONS, deltas.tolist())),
        mu=_implied(guarantee, GDP, "mu"),
        rho=_implied(guarantee, ZCDP, "rho"),
        summary=_summary(guarantee),
        groups=tuple(_group(guarantee.for_group(size), size) for size in sizes),
    )


def _posteriors(guarantee: PrivacyGuarantee) -> Iterator[Posterior]:
    for exception in EXCEPTIONS:
        loss = loss_bound(guarantee, exception)
        for prior in PRIORS:
            yield Posterior(prior, exception, largest_posterior(prior, loss))


def share_right(tpr: float, alpha: float, prior: float) -> float:
    """The positive predictive value that a true positive rate bounds, in exact arithmetic and rounded up; alpha and prior > 0."""
    right = exact(prior) * exact(tpr)
    return float_up(right / (right + (1 - exact(prior)) * exact(alpha)))


def _summary(guarantee: PrivacyGuarantee) -> MuSummary | None:
    """One Gaussian curve that reads a pair of epsilon and delta, with the pair's delta as its slack."""
    if not isinstance(guarantee, ADP) or guarantee.epsilon == math.inf or guarantee.delta == 1:
        return None
    return summarize_mu(guarantee, slack=guarantee.delta)


def _group(guarantee: PrivacyGuarantee, size: int) -> Group:
    alpha, prior = 0.01, 0.5
    return Group(
        size=size,
        alpha=alpha,
        tpr=float(true_positive_rate(guarantee, alpha)),
        advantage=guarantee.advantage,
        prior=prior,
        bayes_risk=guarantee.bayes_risk(prior),
    )


def _epsilons(guarantee: PrivacyGuarantee) -> tuple[Reading, ...]:
    """The least epsilon at each delta, with both ends where the guarantee certifies them."""
    if isinstance(guarantee, PLD):
        low, high = guarantee.get_epsilon(list(DELTAS), interval=True)
        return tuple(map(Reading, high.tolist(), DELTAS, low.tolist()))
    return tuple(map(Reading, guarantee.get_epsilon(list(DELTAS)).tolist(), DELTAS))


def _implied(guarantee: PrivacyGuarantee, form: type[PrivacyGuarantee], parameter: str) -> float | None:
    """The parameter of the form that the guarantee implies, rounded up; None where there is none, or where it is dear.

    The parts of a privacy loss are converted one by one, in exact arithmetic.
    """
    if isinstance(guarantee, PLD) and len(guarantee.parts) > _MOST_PARTS:
        return None
    try:
        value: Real = getattr(guarantee.to(form), parameter)
    except UnsupportedConversionError:
        return None
    return value if isinstance(value, float) else float_up(value)


def true_positive_rate(guarantee: PrivacyGuarantee, alpha: ArrayLike) -> Answer:
    """An upper bound on 1 - beta(alpha): the difference is exact where floats allow it, else one ulp up."""

    def question(rates: Array) -> Array:
        return complement_up(guarantee, rates, guarantee.beta(rates))

    return answer(question, alpha, "alpha", "a number in [0, 1]")


def complement_up(guarantee: PrivacyGuarantee, alpha: Array, beta: Array) -> Array:
    """An upper bound on 1 - beta, where `beta` is what the guarantee answers at `alpha`."""
    if np.all(beta >= 1.0 - alpha - 1e-9) and guarantee.advantage == 0.0:
        # Perfect privacy, where both rates are equal; the difference could round to next to it. The first condition
        # saves the question for the advantage where it cannot be 0.
        return alpha
    power = 1.0 - beta
    lost = (1.0 - power) - beta  # what the difference lost to rounding, itself exact since beta <= 1
    return np.where(lost > 0, np.nextafter(power, 2.0), power)
