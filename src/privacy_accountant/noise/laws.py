"""The four laws of integer noise: what a mechanism draws, and exactly that.

A law is its exact scale and nothing else: equal laws are equal, a pickled law is its parameters, and there
is no seed. How it is drawn (a look-up table up to scales of 128 or so, a coarse table with a lazily decided
remainder above) is built on first use and kept in a bounded cache.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from functools import lru_cache
from typing import Any, Protocol

import attrs
from numpy.typing import NDArray

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import exact, real
from privacy_accountant.noise import tails
from privacy_accountant.noise.chunks import gather
from privacy_accountant.noise.cumulative import GaussianCells, LaplaceCells, Weights
from privacy_accountant.noise.enclosures import Bounds
from privacy_accountant.noise.entropy import ByteSource, operating_system
from privacy_accountant.noise.stepped import Stepped
from privacy_accountant.noise.table import Table

COARSEST = 128
"""A table whose scale is larger is drawn in steps: it would hold more than about ten thousand integers."""

COARSEST_GAUSSIAN_CELLS = 64
"""The same for rounded Gaussians, whose table costs an error function an entry to build."""


class Sampler(Protocol):
    """What draws a law: a `Table` or a `Stepped`."""

    def draw(self, count: int, read: ByteSource) -> NDArray[Any]:
        """Independent values."""

    def draw_one(self, read: ByteSource) -> int:
        """One value."""


def _positive(_law: object, field: attrs.Attribute[Any], value: object) -> None:
    if not isinstance(value, Fraction) or value <= 0:
        raise InvalidParameterError(field.name, "a positive Fraction", value)


class IntegerLaw(ABC):
    """A symmetric distribution on the integers, drawn exactly as far as the system's bits are uniform.

    Every positive rational scale is allowed, however small or large; only speed and memory depend on it.
    """

    __slots__ = ()

    def draw(self, shape: tuple[int, ...]) -> NDArray[Any]:
        """Draw an array of independent values.

        Args:
            shape: Shape of the array.

        Returns:
            int64; or Python ints (dtype object) when at least one value passes int64.
        """
        sampler = _sampler(self)
        return gather(math.prod(shape), lambda count: sampler.draw(count, operating_system)).reshape(shape)

    def draw_one(self) -> int:
        """Draw one value, as a Python int of any size."""
        return _sampler(self).draw_one(operating_system)

    def pmf(self, k: int) -> float:
        """Probability of the integer k, to within a relative 1e-15; 0.0 below the smallest float."""
        return tails.to_float(lambda bits: self._mass(abs(k), bits))

    def half_width(self, level: float) -> int:
        """Half width of the central interval of a given probability.

        Args:
            level: Probability, 0 <= level < 1, meant as the decimal that was typed.

        Returns:
            The least h with P(|Z| <= h) >= level. Where that could not be told (see the law), a larger one;
            never a smaller.

        Raises:
            InvalidParameterError: When `level` is not in [0, 1).
        """
        wanted = exact(real(level, "level", "a number in [0, 1)"))
        if not 0 <= wanted < 1:
            raise InvalidParameterError("level", "a number in [0, 1)", level)
        return _half_width(self, wanted)

    @property
    @abstractmethod
    def _spread(self) -> Fraction:
        """The scale: where the search for a half width begins."""

    @abstractmethod
    def _within(self, h: int, bits: int) -> Bounds:
        """Bounds on 2**bits P(|Z| <= h)."""

    def _mass(self, k: int, bits: int) -> Bounds:
        """Bounds on 2**bits P(Z = k), k >= 0."""
        low, high = self._within(k, bits)
        if k == 0:
            return low, high
        inner_low, inner_high = self._within(k - 1, bits)
        return max(low - inner_high, 0) // 2, (high - inner_low + 1) // 2

    @abstractmethod
    def _make_sampler(self, **table: int) -> Sampler:
        """What draws the law. Tests pass `short` and `word` to shrink its table."""


@attrs.frozen(cache_hash=True)
class RoundedGaussianLaw(IntegerLaw):
    """round(Z) of a Gaussian Z of standard deviation sigma.

    P(k) = Phi((k + 1/2)/sigma) - Phi((k - 1/2)/sigma).

    Adding it to an integer is rounding the noised value, which is post-processing: at most GDP(D/sigma) for
    integer vectors at L2 distance D. Its variance exceeds sigma**2 by about 1/12.

    Args:
        sigma: Standard deviation before rounding, an exact positive Fraction.

    Example:
        >>> law = RoundedGaussianLaw(Fraction(4))
        >>> law.draw((2, 3)).shape, law.half_width(0.95), round(law.pmf(0), 6)
        ((2, 3), 8, 0.099476)
    """

    sigma: Fraction = attrs.field(validator=_positive)

    @property
    def _spread(self) -> Fraction:
        return self.sigma

    def _within(self, h: int, bits: int) -> Bounds:
        return tails.gaussian_within(self.sigma, h, bits)

    def _make_sampler(self, **table: int) -> Sampler:
        if self.sigma <= COARSEST_GAUSSIAN_CELLS:
            return Table(GaussianCells(self.sigma), **table)
        return Stepped(Fraction(0), 1 / (2 * self.sigma**2), _step(self.sigma), rounded=True, **table)


@attrs.frozen(cache_hash=True)
class RoundedLaplaceLaw(IntegerLaw):
    """round(Z) of a Laplace Z: P(0) = 1 - exp(-1/(2 scale)), P(k) = exp(-|k|/scale) sinh(1/(2 scale)).

    Adding it to an integer is rounding the noised value, which is post-processing: at most the Laplace
    curve of the L1 distance over scale.

    Args:
        scale: Scale before rounding, an exact positive Fraction.

    Example:
        >>> law = RoundedLaplaceLaw(Fraction(2))
        >>> law.draw((4,)).dtype, law.half_width(0.95), round(law.pmf(0), 6)
        (dtype('int64'), 6, 0.221199)
    """

    scale: Fraction = attrs.field(validator=_positive)

    @property
    def _spread(self) -> Fraction:
        return self.scale

    def _within(self, h: int, bits: int) -> Bounds:
        return tails.laplace_within(self.scale, h, bits)

    def _make_sampler(self, **table: int) -> Sampler:
        if self.scale <= COARSEST:
            return Table(LaplaceCells(self.scale), **table)
        return Stepped(1 / self.scale, Fraction(0), _step(self.scale), rounded=True, **table)


@attrs.frozen(cache_hash=True)
class DiscreteGaussianLaw(IntegerLaw):
    """The discrete Gaussian, P(k) proportional to exp(-k**2 / (2 sigma**2)).

    Source: Canonne, Kamath, Steinke 2020, arXiv 2004.00010.
    Above sigma = 128 its half width is that of the rounded Gaussian: never too small, and in rare cases one
    more than the least.

    Args:
        sigma: Its parameter, an exact positive Fraction; the variance is sigma**2 at most.

    Example:
        >>> law = DiscreteGaussianLaw(Fraction(1))
        >>> law.half_width(0.95), round(law.pmf(0), 6), round(law.pmf(-1), 6)
        (2, 0.398942, 0.241971)
    """

    sigma: Fraction = attrs.field(validator=_positive)

    @property
    def _spread(self) -> Fraction:
        return self.sigma

    @property
    def _square(self) -> Fraction:
        return 1 / (2 * self.sigma**2)

    def _within(self, h: int, bits: int) -> Bounds:
        if self.sigma <= COARSEST:
            return tails.weights_within(self._square, h, bits)
        return tails.gaussian_within(self.sigma, h, bits)

    def _mass(self, k: int, bits: int) -> Bounds:
        small = self.sigma <= COARSEST
        most = tails.weights_within(self._square, 0, bits) if small else tails.gaussian_peak(self.sigma, bits)
        return tails.times_exp_minus(most, k * k * self._square, bits)

    def _make_sampler(self, **table: int) -> Sampler:
        if self.sigma <= COARSEST:
            return Table(Weights(Fraction(0), self._square, signed=True), **table)
        return Stepped(Fraction(0), self._square, _step(self.sigma), rounded=False, **table)


@attrs.frozen(cache_hash=True)
class DiscreteLaplaceLaw(IntegerLaw):
    """The discrete Laplace or two-sided geometric law, P(k) = tanh(1/(2 scale)) exp(-|k|/scale).

    Args:
        scale: Its parameter, an exact positive Fraction.

    Example:
        >>> law = DiscreteLaplaceLaw(Fraction(1))
        >>> law.half_width(0.95), round(law.pmf(0), 6), round(law.pmf(3), 6)
        (3, 0.462117, 0.023007)
    """

    scale: Fraction = attrs.field(validator=_positive)

    @property
    def _spread(self) -> Fraction:
        return self.scale

    def _within(self, h: int, bits: int) -> Bounds:
        return tails.geometric_within(self.scale, h, bits)

    def _make_sampler(self, **table: int) -> Sampler:
        if self.scale <= COARSEST:
            return Table(Weights(1 / self.scale, Fraction(0), signed=True), **table)
        return Stepped(1 / self.scale, Fraction(0), _step(self.scale), rounded=False, **table)


def _step(scale: Fraction) -> int:
    """The least k >= 0 with scale <= COARSEST * 2**k."""
    return max(0, (math.ceil(scale / COARSEST) - 1).bit_length())


@lru_cache(maxsize=32)
def _sampler(law: IntegerLaw) -> Sampler:
    """The sampler of a law, built once: at most 400 KiB each."""
    return law._make_sampler()


@lru_cache(maxsize=256)
def _half_width(law: IntegerLaw, level: Fraction) -> int:
    return tails.half_width(law._within, level, start=math.ceil(law._spread))
