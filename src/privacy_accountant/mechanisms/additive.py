"""Mechanisms that add independent integer noise to every entry of an integer aggregate."""

from __future__ import annotations

import abc
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import Real, exact
from privacy_accountant.guarantees.arguments import answer
from privacy_accountant.mechanisms.aggregates import Aggregate, read_aggregate
from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.neighbors import Neighbors, Sensitivity, read_neighbors


class IntegerLaw(Protocol):
    """What a noise law offers."""

    def draw(self, shape: tuple[int, ...]) -> NDArray[Any]:
        """Independent exact draws: int64, or Python integers where one passes int64."""

    def half_width(self, level: float) -> int:
        """The least h that a draw stays within with probability at least `level`."""


class IntegerNoise(Mechanism):
    """Adds an integer law's exact draws; a subclass names the law."""

    __slots__ = ()

    @abc.abstractmethod
    def _law(self) -> IntegerLaw:
        """The law of one entry's noise."""

    def check(self, value: Any) -> tuple[int, ...]:
        """The shape of an integer aggregate; see `Mechanism.check`."""
        return self._read(value).shape

    def _read(self, value: Any) -> Aggregate:
        """The aggregate, when this mechanism's guarantee covers it."""
        return read_aggregate(value)

    def randomize(self, value: Any) -> Any:
        """The noised value, **with no accounting at all**; to publish under a budget use `Accountant.release`.

        The noise is drawn exactly from the operating system's entropy; there is no seed.

        Args:
            value: An int, a (nested) list or tuple of ints, a numpy integer or an integer array of any shape.

        Returns:
            The same kind. Numpy integers of any width come back as int64; what passes int64 comes back as Python integers.

        Raises:
            InvalidAggregateError: For floats, booleans, strings, and empty or ragged vectors.

        Example:
            >>> from privacy_accountant import Gaussian
            >>> noisy = Gaussian(sigma=2, sensitivity=1).randomize([12, 7, 30])
            >>> len(noisy), type(noisy[0]).__name__
            (3, 'int')
        """
        aggregate = self._read(value)
        return aggregate.plus(np.asarray(self._law().draw(aggregate.shape)))

    def noise_interval(self, level: float = 0.95) -> int:
        """The least h that one entry's noise stays within with probability at least `level`; rounded up.

        Raises:
            InvalidParameterError: When level is not in (0, 1).
        """
        wanted = float(answer(lambda x: x, level, "level", "a number in (0, 1)"))
        if wanted in (0.0, 1.0):
            raise InvalidParameterError("level", "a number in (0, 1)", level)
        return self._law().half_width(wanted)


def read_integer_sensitivity(value: Real | Sensitivity, field: str = "sensitivity") -> Real | Sensitivity:
    """A sensitivity that a law on the integers can be shifted by."""
    whole = value.is_integer if isinstance(value, Sensitivity) else exact(value).denominator == 1
    if not whole:
        raise InvalidParameterError(field, "a whole number for a law on the integers", value)
    return value


def read_optional_neighbors(value: object) -> Neighbors | None:
    """A relation, or None for the study's."""
    return None if value is None else read_neighbors(value)
