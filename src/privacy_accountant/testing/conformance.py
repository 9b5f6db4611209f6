"""One call that holds a mechanism to every law."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import attrs

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import exact, integer, probability
from privacy_accountant.guarantees.pld import PrecisionWarning
from privacy_accountant.mechanisms.additive import IntegerNoise
from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.mechanisms.values.cells import nearest_float
from privacy_accountant.neighbors import Sensitivity
from privacy_accountant.testing import attacks, claims, ledgers, objects
from privacy_accountant.testing.laws import Case, Law, LawSkipped, World

LAWS: dict[str, Law] = {
    "frozenness": objects.frozenness,
    "pickling": objects.pickling,
    "codec": objects.codec,
    "trade-off": claims.trade_off,
    "conversions": claims.conversions,
    "prices": claims.prices,
    "composition": claims.composition,
    "noise": claims.noise,
    "calibration": claims.calibration,
    "values": objects.values,
    "answers": objects.answers,
    "accounting": ledgers.accounting,
    "attack": attacks.attack,
    "repetition": attacks.repetition,
    "interval": attacks.interval,
}
"""Every law by name, in the order in which they are asked."""

_WORLDS = "a list of pairs of neighbouring inputs, the strongest that one person can make; () leaves the draws alone"


@attrs.frozen
class Conformance:
    """What a mechanism was held to.

    Attributes:
        mechanism: The mechanism.
        kept: Names of the laws that it keeps.
        skipped: Names of the laws that were not asked, each with the reason.
    """

    mechanism: Mechanism
    kept: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        lines = [f"{self.mechanism!r} keeps the laws of {', '.join(self.kept)}"]
        return "\n".join((*lines, *(f"not asked: {law} ({reason})" for law, reason in self.skipped)))


def check_mechanism(
    mechanism: Mechanism,
    *,
    worlds: Sequence[World] | None = None,
    draws: int = 20_000,
    false_alarm: float = 1e-6,
    skip: Iterable[str] = (),
) -> Conformance:
    """Hold a mechanism to every law, those of its object, of its claims, and of its real draws.

    Laws about claims are deterministic. An attack learns from half of the draws under two neighbouring inputs and is judged on the
    rest. It refutes gross errors (noise of half the size, a sensitivity that is too small, noise in floats, a seed); more `draws` find
    finer ones. That nothing was found proves nothing: a guarantee rests on its proof.

    Args:
        mechanism: The mechanism, with parameters at which its loss is felt: an advantage between 0.1 and 0.9 is best.
        worlds: Pairs of neighbouring inputs. When absent, 0 against the sensitivity, in as many entries as move, for a mechanism that
            adds noise to numbers; others need them.
        draws: How many outputs of each input are drawn.
        false_alarm: The chance that a mechanism which keeps all laws is accused by a statistical one.
        skip: Names of laws that are not asked.

    Raises:
        LawViolatedError: At the first law that is broken; it names the law and gives the numbers. An `AssertionError`, so test runners
            report it as a failure.
        InvalidParameterError: When an argument is out of range, or the mechanism is none.

    Example:
        >>> from privacy_accountant import Laplace
        >>> from privacy_accountant.testing import check_mechanism
        >>> print(check_mechanism(Laplace(scale=2, sensitivity=1), draws=2000))
        Laplace(scale=2.0, sensitivity=1.0) keeps the laws of frozenness, pickling, codec, trade-off, conversions, prices, composition, noise, calibration, values, answers, accounting, attack, repetition, interval
    """
    given: object = mechanism
    if not isinstance(given, Mechanism):
        raise InvalidParameterError("mechanism", "a Mechanism, with its parameters", given)
    unknown = sorted(set(skip) - set(LAWS))
    if unknown:
        raise InvalidParameterError("skip", f"names of laws ({', '.join(LAWS)})", unknown[0])
    rate = float(probability(false_alarm, "false_alarm"))
    count = integer(draws, "draws", "an integer >= 100", least=100)
    pairs = _usual_worlds(mechanism) if worlds is None else tuple(_pair(pair) for pair in worlds)
    case = Case(mechanism, pairs, count, rate / 2)
    kept, skipped = [], []
    for name, law in LAWS.items():
        if name in set(skip):
            skipped.append((name, "left out by the caller"))
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter(
                    "ignore", PrecisionWarning
                )  # a wide interval's safe end is what is asked about
                law(case)
        except LawSkipped as reason:
            skipped.append((name, str(reason)))
        else:
            kept.append(name)
    return Conformance(mechanism, tuple(kept), tuple(skipped))


def _pair(pair: Any) -> World:
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise InvalidParameterError("worlds", _WORLDS, pair)
    return pair[0], pair[1]


def _usual_worlds(mechanism: Mechanism) -> tuple[World, ...]:
    """0 against the sensitivity: in one entry, and where several move, in all of them."""
    if not isinstance(mechanism, IntegerNoise):
        raise InvalidParameterError("worlds", _WORLDS, None)
    sensitivity: Any = getattr(mechanism, "sensitivity", None)
    if not isinstance(sensitivity, Sensitivity):
        moved = _moved(mechanism, exact(sensitivity))
        return ((0 * moved, moved),)
    if sensitivity.per_value is not None and sensitivity.values is not None:
        moved = _moved(mechanism, exact(sensitivity.per_value))
        return (([0 * moved] * sensitivity.values, [moved] * sensitivity.values),)
    norms = [norm for norm in (sensitivity.l1, _root(sensitivity.l2_squared)) if norm is not None]
    moved = _moved(mechanism, min(norms))
    return (([0 * moved], [moved]),)


def _moved(mechanism: IntegerNoise, size: Fraction) -> int | float:
    """How far one entry moves, in the kind of number that the mechanism takes."""
    return math.floor(size) if mechanism.grid is None else nearest_float(size)


def _root(square: Fraction | None) -> Fraction | None:
    return None if square is None else Fraction(math.isqrt(math.floor(square)))
