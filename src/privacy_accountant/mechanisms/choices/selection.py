"""What mechanisms that choose one of many candidates share: scores, read exactly, and how far one person moves them."""

from __future__ import annotations

import abc
import math
import numbers
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from privacy_accountant.errors import InvalidAggregateError, InvalidParameterError
from privacy_accountant.exact import Real, exact, positive
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.mechanisms.values.aggregates import open_container
from privacy_accountant.neighbors import Neighbors

SCORES = "a non-empty vector of finite numbers, one score for each public candidate, or a dict from candidates to scores"


def read_flag(value: object, field: str) -> bool:
    """A boolean and nothing else.

    Raises:
        InvalidParameterError: For anything else.
    """
    if not isinstance(value, (bool, np.bool_)):
        raise InvalidParameterError(field, "True or False", value)
    return bool(value)


def read_one_sensitivity(value: object) -> Real:
    """How far one person moves one score or one answer: a number, never the norm of a vector.

    Raises:
        InvalidParameterError: When it is none.
    """
    return positive(value, "sensitivity")


def relation_of(monotonic: bool, neighbors: Neighbors | None) -> Neighbors | None:
    """The relation under which monotonic scores are monotonic.

    Adding a record moves all of them one way and removing it all of them the other way; replacing one does both, so some scores may
    rise while others fall. Where nothing is said it is adding or removing.

    Raises:
        InvalidParameterError: When a record is replaced.
    """
    if not monotonic:
        return neighbors
    if neighbors is Neighbors.REPLACE_ONE:
        rule = "ADD_OR_REMOVE_ONE or REPLACE_SPECIAL with monotonic=True: a record that is replaced moves scores both ways"
        raise InvalidParameterError("neighbors", rule, neighbors.name)
    return Neighbors.ADD_OR_REMOVE_ONE if neighbors is None else neighbors


class Selection(Mechanism):
    """Chooses a candidate with a chance that grows with its score; a subclass says by which law."""

    __slots__ = ()

    noise_parameter: ClassVar[str | None] = "scale"

    scale: Real
    sensitivity: Real
    monotonic: bool

    @property
    def _epsilon(self) -> Fraction:
        """How far log ratios of weights can move: twice the sensitivity, once when all scores move the same way."""
        return (1 if self.monotonic else 2) * exact(self.sensitivity) / exact(self.scale)

    @abc.abstractmethod
    def _choose(self, exponents: Sequence[Fraction]) -> int:
        """An index, given how far each score is below the best one, in units of the scale."""

    def check(self, value: Any) -> tuple[int, ...]:
        """The number of candidates, which is public; see `Mechanism.check`.

        Raises:
            InvalidAggregateError: When the scores are not a non-empty vector of finite numbers; the message never quotes one.
        """
        return (len(_read_scores(value)[1]),)

    def randomize(self, value: Any) -> Any:
        """The chosen candidate, **with no accounting at all**; to publish under a budget use `Accountant.release`.

        It is drawn exactly: integers are taken as they are and floats as the binary numbers that they are, weights are enclosed between
        proved bounds, and random bits of the operating system are read until they decide.

        Args:
            value: One score for each candidate: a list, tuple, numpy array or Series, or a dict from candidates to scores. Which
                candidates there are, and their order, must be public.

        Returns:
            The position of the chosen candidate, from 0; for a dict the candidate itself.

        Raises:
            InvalidAggregateError: When the scores are not a non-empty vector of finite numbers. It depends on the data, so it is
                for the curator's eyes and never for publication.
        """
        candidates, scores = _read_scores(value)
        best, scale = max(scores), exact(self.scale)
        below = {id(score): (best - score) / scale for score in scores}
        chosen = self._choose([below[id(score)] for score in scores])
        return chosen if candidates is None else candidates[chosen]

    def price(
        self, form: type[PrivacyGuarantee], orders: Sequence[Any] | None = None
    ) -> tuple[Fraction, ...]:
        """The exact cost of one release; see `Mechanism.price`."""
        return (self._epsilon, Fraction(0)) if form is ADP else super().price(form, orders)


def _read_scores(value: Any) -> tuple[list[Any] | None, list[Fraction]]:
    """The candidates, when they have names, and their scores as exact numbers, equal ones as one object."""
    candidates = list(value) if isinstance(value, Mapping) else None
    container = open_container(list(value.values()) if isinstance(value, Mapping) else value)
    if len(container.shape) != 1:
        raise InvalidAggregateError("value", SCORES, f"a value of {len(container.shape)} dimensions")
    known: dict[Any, Fraction] = {}
    scores = []
    for at, item in enumerate(container.parts[0].tolist()):
        kind = type(item)
        if kind is not int and kind is not float:
            scores.append(_score(item, at))
            continue
        if item not in known:
            known[item] = _score(item, at)
        scores.append(known[item])
    return candidates, scores


def _score(item: Any, at: int) -> Fraction:
    if isinstance(item, np.generic):
        item = item.item()
    if isinstance(item, float):
        if not math.isfinite(item):
            raise InvalidAggregateError("value", SCORES, f"NaN or an infinity at [{at}]")
        return Fraction(item)
    if type(item) is bool or not isinstance(item, numbers.Rational):
        raise InvalidAggregateError("value", SCORES, f"a score of type {type(item).__name__} at [{at}]")
    return Fraction(item)
