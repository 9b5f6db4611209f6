"""The report as a table of numbers, one a row, for those who work on with them."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

from privacy_accountant.errors import MissingExtraError
from privacy_accountant.risk.figures import Figures
from privacy_accountant.risk.record import BOUNDS

COLUMNS = ("group", "quantity", "at", "prior", "value", "bound")
"""For how many people, what is bounded, where (a false positive rate, prior, baseline, exception, delta or epsilon), the prior of an accusation or belief, the
bound, and on which side of the truth it is."""


def as_frame(figures: Figures, feature: str = "RiskReport.to_dataframe") -> Any:
    """The numbers as a pandas data frame.

    Raises:
        MissingExtraError: When pandas is not installed; the extra is `frames`.
    """
    try:
        pandas = importlib.import_module("pandas")
    except ImportError as error:
        raise MissingExtraError(feature, "frames") from error
    rows = [(size, quantity, *row, BOUNDS[quantity]) for size, quantity, *row in _rows(figures)]
    return pandas.DataFrame(rows, columns=list(COLUMNS)).astype({"at": float, "prior": float, "value": float})


def _rows(figures: Figures) -> Iterator[tuple[int, str, float | None, float | None, float]]:
    for row in _single(figures):
        yield (1, *row)
    for group in figures.groups:
        yield group.size, "tpr", group.alpha, None, group.tpr
        yield group.size, "advantage", None, None, group.advantage
        yield group.size, "bayes_risk", group.prior, None, group.bayes_risk


def _single(figures: Figures) -> Iterator[tuple[str, float | None, float | None, float]]:
    for attack in figures.attacks:
        yield "beta", attack.alpha, None, attack.beta
        yield "tpr", attack.alpha, None, attack.tpr
    yield "advantage", None, None, figures.advantage
    yield from _by_prior(figures)
    for success in figures.successes:
        yield "attack_success", success.baseline, None, success.attack_success
    for reading in figures.epsilons:
        yield "epsilon", reading.delta, None, reading.epsilon
        if reading.epsilon_low is not None:
            yield "epsilon_low", reading.delta, None, reading.epsilon_low
    for name, implied in (("mu", figures.mu), ("rho", figures.rho)):
        if implied is not None:
            yield name, None, None, implied
    for reading in figures.deltas:
        yield "delta", reading.epsilon, None, reading.delta


def _by_prior(figures: Figures) -> Iterator[tuple[str, float | None, float | None, float]]:
    """What depends on an attacker's belief."""
    for guess in figures.guesses:
        yield "bayes_risk", guess.prior, None, guess.bayes_risk
    for one in figures.accusations:
        yield "ppv", one.alpha, one.prior, one.ppv
    for belief in figures.posteriors:
        yield "posterior", belief.exception, belief.prior, belief.posterior
