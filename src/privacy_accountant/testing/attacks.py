"""Laws about real draws: no attack on them beats the claim, they are never repeated, and they stay within the stated interval.

An attack learns which outputs speak for which input from one half of the draws and is judged on the other, so its error rates are
those of a fixed test, enclosed by Clopper and Pearson's bounds. A claim that holds is refuted with a chance below the stated
one, over all attacks together; one that is far off is refuted nearly always.
"""

from __future__ import annotations

import json
import math
import pickle
from collections import Counter
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from privacy_accountant.codec.answers import encode_answer
from privacy_accountant.errors import PrivacyAccountantError, UnsupportedConversionError
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.mechanisms.additive import IntegerNoise
from privacy_accountant.testing.laws import Case, LawSkipped

Array = NDArray[np.float64]

_BINS, _CANDIDATES, _FINALISTS = 64, 64, 3
_BOUNDS = 4 * 2 * _FINALISTS * 2
"""Bounds on probabilities for each pair of inputs: readings, directions, finalists, two for each."""

_MOST_COLUMNS = 32
_EPSILONS = (0.0, 0.1, 0.3, 1.0, 2.0, 3.0)
_LEVEL = 0.95
_SEQUENCE = 200
_USUAL = 0.9
"""Draws of which one comes more often than this say little about whether they repeat."""


def attack(case: Case) -> None:
    """No attack on draws from two neighbouring inputs does better than the guarantee allows."""
    if not case.worlds:
        raise LawSkipped("no worlds were given")
    level = case.false_alarm / (len(case.worlds) * _BOUNDS)
    for (one, other), (first, second) in zip(case.worlds, case.outputs, strict=True):
        for columns in _readings(first, second):
            for without, with_target in (columns, columns[::-1]):
                found = _strongest(case.guarantee, without, with_target, level)
                if found.gain > 0:
                    finding = (
                        f"an attack that tells {_short(one)} from {_short(other)} does better than the guarantee allows,"
                        f" at a chance of {case.false_alarm:g} of saying so by accident"
                    )
                    raise case.accuse("attack", finding, **found.numbers())


def repetition(case: Case) -> None:
    """Copies of a mechanism draw independently: no generator travels with it, and no seed is fixed."""
    if not case.worlds:
        raise LawSkipped("no worlds were given")
    (value, _), *_ = case.worlds
    try:
        copies = [pickle.loads(pickle.dumps(case.mechanism)) for _ in range(2)]  # noqa: S301 - written a moment ago
    except (pickle.PicklingError, AttributeError, TypeError):
        copies = [case.mechanism, case.mechanism]
    streams = [[_text(copy.randomize(value)) for _ in range(_SEQUENCE)] for copy in copies]
    usual = Counter(streams[0]).most_common(1)[0][1] / _SEQUENCE
    if usual > _USUAL:
        raise LawSkipped("nearly all its draws are equal")
    if streams[0] == streams[1]:
        raise case.accuse("repetition", f"two copies gave the same {_SEQUENCE} draws one after the other")


def interval(case: Case) -> None:
    """One noised value is within the stated interval as often as is stated."""
    mechanism = case.mechanism
    try:
        width = float(mechanism.noise_interval(_LEVEL))
    except UnsupportedConversionError:
        raise LawSkipped("it has no noise interval") from None
    if not case.worlds or not isinstance(mechanism, IntegerNoise):
        raise LawSkipped("only noise added to numbers is measured")
    for (value, _), (outputs, _) in zip(case.worlds, case.outputs, strict=True):
        true = np.ravel(np.asarray(value, dtype=np.float64))[0]
        first = np.array([float(np.ravel(np.asarray(output))[0]) for output in outputs])
        within = int(np.count_nonzero(np.abs(first - true) <= width))
        most = _above(within, len(outputs), case.false_alarm / len(case.worlds))
        if most < _LEVEL:
            finding = "fewer draws are within noise_interval(0.95) than it says"
            raise case.accuse("interval", finding, interval=width, share_at_most=most, stated=_LEVEL)


@attrs.frozen
class _Attack:
    """A test, its proved error rates, and by how much it beats the claim."""

    gain: float
    alpha: float
    power: float
    allowed: float

    def numbers(self) -> dict[str, float]:
        return {
            "false_positive_rate_at_most": self.alpha,
            "true_positive_rate_at_least": self.power,
            "claimed_at_most": self.allowed,
        }


def _strongest(claim: PrivacyGuarantee, without: Array, with_target: Array, level: float) -> _Attack:
    """The attack, of a few that were chosen on the first half of the outputs, that is proved to gain most on the second."""
    half = len(without) // 2
    score = _Score.learn(without[:half], with_target[:half])
    train = [score.of(side[:half]) for side in (without, with_target)]
    test = [score.of(side[half:]) for side in (without, with_target)]
    events = np.unique(np.quantile(np.concatenate(train), np.linspace(0, 1, _CANDIDATES)))
    rates = [1.0 - np.searchsorted(np.sort(side), events, "left") / side.size for side in train]
    spread = np.sqrt((rates[0] * (1 - rates[0]) + rates[1] * (1 - rates[1]) + 1 / half) / half)
    promise = (rates[1] - (1 - np.asarray(claim.beta(np.clip(rates[0], 0, 1))))) / spread
    found = []
    for event in events[np.argsort(promise)[-_FINALISTS:]]:
        hits = [int(np.count_nonzero(side >= event)) for side in test]
        alpha, power = _above(hits[0], len(test[0]), level), _below(hits[1], len(test[1]), level)
        allowed = min(
            1 - float(claim.beta(alpha)),
            *(math.exp(e) * alpha + float(claim.get_delta(e)) for e in _EPSILONS),
        )
        found.append(_Attack(power - allowed, alpha, power, allowed))
    return max(found, key=lambda one: one.gain)


@attrs.frozen(eq=False)
class _Score:
    """The log likelihood ratio of outputs whose columns are taken as independent, learned from outputs under both inputs."""

    cuts: tuple[Array, ...]
    ratios: tuple[Array, ...]

    @classmethod
    def learn(cls, without: Array, with_target: Array) -> _Score:
        cuts, ratios = [], []
        for one, other in zip(without.T, with_target.T, strict=True):
            edges = np.unique(
                np.quantile(np.concatenate([one, other]), np.linspace(0, 1, _BINS), method="lower")
            )
            counts = [
                np.bincount(np.searchsorted(edges, side, "right"), minlength=edges.size + 1)
                for side in (one, other)
            ]
            cuts.append(edges)
            ratios.append(np.log((counts[1] + 0.5) / (counts[0] + 0.5)))
        return cls(tuple(cuts), tuple(ratios))

    def of(self, outputs: Array) -> Array:
        """The score of each row."""
        scores = np.zeros(len(outputs))
        for column, edges, ratio in zip(outputs.T, self.cuts, self.ratios, strict=True):
            scores += ratio[np.searchsorted(edges, column, "right")]
        return scores


def _readings(first: list[Any], second: list[Any]) -> list[tuple[Array, Array]]:
    """Ways of looking at outputs: their numbers, the low bits of floats, and each output as a whole."""
    both = [*first, *second]
    readings = [_codes(both)]
    numbers = _numbers(both)
    if numbers is not None:
        readings.append(numbers)
        if (numbers != np.rint(numbers)).any():
            readings.append(np.column_stack((np.abs(numbers), _lowest_bits(numbers))))
            readings.append(_crossed(numbers))
    return [(reading[: len(first)], reading[len(first) :]) for reading in readings]


def _numbers(outputs: list[Any]) -> Array | None:
    """Outputs as rows of floats; None when they are not numbers, or not always as many."""
    try:
        rows = np.array(
            [np.ravel(np.asarray(output, dtype=np.float64)) for output in outputs], dtype=np.float64
        )
    except (TypeError, ValueError):
        return None
    if rows.ndim != 2 or not rows.size or np.isnan(rows).any():
        return None
    return rows[:, :_MOST_COLUMNS]


def _codes(outputs: list[Any]) -> Array:
    """Outputs numbered by what they are, the most frequent first; rare ones share a number."""
    texts = [_text(output) for output in outputs]
    rank = {text: at for at, (text, _) in enumerate(Counter(texts).most_common(_BINS - 2))}
    return np.array([[float(rank.get(text, _BINS))] for text in texts])


def _text(output: Any) -> str:
    try:
        return json.dumps(encode_answer(output), sort_keys=True)
    except PrivacyAccountantError:
        return repr(output)


def _lowest_bits(values: Array) -> Array:
    """The exponent of the lowest set bit of each double."""
    mantissa, exponent = np.frexp(np.where(np.isfinite(values), values, 0.0))
    whole = np.abs(mantissa * 2.0**53).astype(np.int64)
    lowest = np.frexp((whole & -whole).astype(np.float64))[1]
    return np.asarray(np.where(whole == 0, 1100.0, lowest + exponent - 54.0))


def _crossed(values: Array) -> Array:
    """How large a number is, by powers of two, and its lowest bit, as one number."""
    size = np.frexp(np.where(np.isfinite(values), values, 0.0))[1]
    return np.asarray(np.clip(size, -40, 40) * 4096.0 + _lowest_bits(values))


def _above(hits: int, trials: int, level: float) -> float:
    """Clopper and Pearson's upper bound on a probability, wrong with probability at most `level`."""
    return 1.0 if hits == trials else float(betaincinv(hits + 1, trials - hits, 1 - level))


def _below(hits: int, trials: int, level: float) -> float:
    """The lower bound."""
    return 0.0 if hits == 0 else float(betaincinv(hits, trials - hits + 1, level))


def _short(value: object) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
