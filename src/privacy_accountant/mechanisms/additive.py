"""Mechanisms that add independent integer noise to every entry of an integer aggregate."""

from __future__ import annotations

import abc
from fractions import Fraction
from functools import lru_cache
from typing import Any, Protocol

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import Real, exact, positive
from privacy_accountant.guarantees.arguments import answer_one
from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.mechanisms.values.aggregates import Aggregate, Law, Progress, read_aggregate
from privacy_accountant.mechanisms.values.singles import read_one, write_one
from privacy_accountant.neighbors import Neighbors, Sensitivity, read_neighbors, read_sensitivity


class IntegerLaw(Law, Protocol):
    """What a noise law offers."""

    def half_width(self, level: float) -> int:
        """The least h that a draw stays within with probability at least `level`."""


class IntegerNoise(Mechanism):
    """Adds an integer law's exact draws; a subclass names the law.

    Attributes:
        grid: What one integer of the law stands for, when values are real numbers on a grid; None for integers themselves.
    """

    __slots__ = ()

    grid: Fraction | None = None

    @abc.abstractmethod
    def _law(self) -> IntegerLaw:
        """The law of one entry's noise."""

    def check(self, value: Any) -> tuple[int, ...]:
        """The shape of an aggregate that this mechanism can noise; see `Mechanism.check`."""
        if read_one(value, self.grid) is None:
            return self._read(value).shape
        self._require(())
        return ()

    def check_blocks(self, sample: Any, shape: tuple[int | None, ...]) -> None:
        """Check an aggregate that is noised block by block, as far as is known before it is computed.

        Args:
            sample: A made-up value of the kind of its blocks.
            shape: Its whole shape, None where that is not known.

        Raises:
            InvalidAggregateError: When the mechanism does not take it.
        """
        self._read_cells(sample)
        self._require(shape)

    def randomize_block(self, value: Any) -> Any:
        """One block of a larger aggregate, noised; the whole was checked with `check_blocks`."""
        return self._read_cells(value).plus(_law_of(self))

    def _read(self, value: Any) -> Aggregate:
        """The aggregate, when this mechanism's guarantee covers it."""
        aggregate = self._read_cells(value)
        self._require(aggregate.shape)
        return aggregate

    def _read_cells(self, value: Any) -> Aggregate:
        """The aggregate, or a block of it."""
        return read_aggregate(value, grid=self.grid)

    def _require(self, shape: tuple[int | None, ...]) -> None:
        """Refuse a shape that this mechanism's guarantee does not cover."""
        del shape

    def randomize(self, value: Any, *, progress: Progress | None = None) -> Any:
        """The noised value, **with no accounting at all**; to publish under a budget use `Accountant.release`.

        The noise is drawn exactly from the operating system's entropy; there is no seed.

        Args:
            value: A number, a (nested) list or tuple, a numpy array of any shape, a pandas or polars Series or DataFrame: of
                integers, or of finite real numbers when the mechanism has a grid.
            progress: Called with how many cells are drawn and how many there are, when there are more than a million.

        Returns:
            The same kind, with the same index, names and order. Integers of any width come back as int64, and as Python
            integers where one passes int64. With a grid g everything comes back as floats that are multiples of g (integers
            too: what comes back follows from the mechanism, not from the data); above 2**53 g, the nearest such float.

        Raises:
            InvalidAggregateError: For floats without a grid, NaN, infinities, booleans, strings, and empty or ragged vectors.
                It names kind and position. It depends on the data, so it is for the curator's eyes and never for publication.

        Example:
            >>> from privacy_accountant import Gaussian
            >>> noisy = Gaussian(sigma=2, sensitivity=1).randomize([12, 7, 30])
            >>> len(noisy), type(noisy[0]).__name__
            (3, 'int')
        """
        one = read_one(value, self.grid)
        if one is None:
            return self._read(value).plus(_law_of(self), progress)
        self._require(())
        return write_one(one + _law_of(self).draw_one(), self.grid, value)

    def noise_interval(self, level: float = 0.95) -> int | float:
        """The least h that one entry's noise stays within with probability at least `level`; rounded up.

        Raises:
            InvalidParameterError: When level is not in (0, 1).
        """
        return self._steps_within(level)

    def _steps_within(self, level: float) -> int:
        """The same in units of the law."""
        wanted = answer_one(level, "level", "a number in (0, 1)")
        if wanted in (0.0, 1.0):
            raise InvalidParameterError("level", "a number in (0, 1)", level)
        return _law_of(self).half_width(wanted)


@lru_cache(maxsize=64)
def _law_of(mechanism: IntegerNoise) -> IntegerLaw:
    """The law of a mechanism: reading its scale as an exact number takes longer than a draw."""
    return mechanism._law()


def read_scale(value: object) -> Real:
    """The scale of Laplace-type noise."""
    return positive(value, "scale")


def read_sigma(value: object) -> Real:
    """The standard deviation of Gaussian-type noise."""
    return positive(value, "sigma")


def read_integer_sensitivity(value: object) -> Real | Sensitivity:
    """A sensitivity that a law on the integers can be shifted by."""
    read = read_sensitivity(value)
    whole = read.is_integer if isinstance(read, Sensitivity) else exact(read).denominator == 1
    if not whole:
        raise InvalidParameterError("sensitivity", "a whole number for a law on the integers", value)
    return read


def read_optional_neighbors(value: object) -> Neighbors | None:
    """A relation, or None for the study's."""
    return None if value is None else read_neighbors(value)
