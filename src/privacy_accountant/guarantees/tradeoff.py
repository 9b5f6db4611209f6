"""A trade-off function given by its corners."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import Real, canonical, exact, non_negative, probability
from privacy_accountant.guarantees.arguments import Array
from privacy_accountant.guarantees.derived import one_minus_up
from privacy_accountant.guarantees.polygon import Polygon
from privacy_accountant.guarantees.routes import ClosedForm
from privacy_accountant.numerics import polyline
from privacy_accountant.numerics.polyline import Point

if TYPE_CHECKING:
    from typing_extensions import Self

_NOISE = Fraction(1, 2**44)


def _numbers(values: Any, field: str) -> list[Any]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InvalidParameterError(field, "a sequence of numbers", values)
    return list(values)


def _points(alphas: Any, betas: Any, *, second: str = "betas") -> list[Point]:
    """The points as exact numbers, as many alphas as betas."""
    left = [exact(probability(alpha, "alphas")) for alpha in _numbers(alphas, "alphas")]
    right = [exact(probability(beta, second)) for beta in _numbers(betas, second)]
    if len(left) != len(right):
        raise InvalidParameterError(second, f"as many as the alphas ({len(left)})", len(right))
    return list(zip(left, right, strict=True))


def _check(points: Sequence[Point]) -> None:
    """The first point that no trade-off function can have is named."""
    if len(points) < 2 or points[0][0] != 0:
        raise InvalidParameterError(
            "alphas", "at least two, the first of them 0", [float(a) for a, _ in points]
        )
    for i, (alpha, beta) in enumerate(points):
        if i > 0 and alpha <= points[i - 1][0]:
            raise InvalidParameterError("alphas", f"increasing (point {i} is not)", float(alpha))
        if beta > 1 - alpha:
            raise InvalidParameterError("betas", _at(i, alpha, "at most 1 - alpha"), float(beta))
        if i > 0 and beta > points[i - 1][1]:
            raise InvalidParameterError("betas", _at(i, alpha, "non-increasing"), float(beta))
        if i > 1 and _bends_down(*points[i - 2 : i + 1]):
            rule = "convex: on or below the line between its neighbours"
            raise InvalidParameterError("betas", _at(i - 1, points[i - 1][0], rule), float(points[i - 1][1]))
    if points[-1][0] != 1:
        raise InvalidParameterError("alphas", "given up to alpha = 1, where beta is 0", float(points[-1][0]))


def _at(index: int, alpha: Fraction, rule: str) -> str:
    return f"{rule} (point {index}, at alpha = {float(alpha):g}, is not)"


def _bends_down(a: Point, b: Point, c: Point) -> bool:
    return (b[1] - a[1]) * (c[0] - b[0]) > (c[1] - b[1]) * (b[0] - a[0])


@attrs.frozen(init=False, repr=False)
class TradeOff(ClosedForm):
    r"""A convex, piecewise-linear trade-off function given by its corners: f-DP (Dong, Roth and Su 2019, arXiv 1905.02383).

    For curves that come from elsewhere, and as the common image of the other forms. Between the corners f is the chord, so the
    corners must be those of a curve that *is* piecewise linear, or of one that lies below the true curve. Points sampled from
    a smooth curve are neither, because chords of a convex curve lie above it: `from_samples` and `from_tangents` turn
    them into a valid bound.

    A guarantee holds whichever of the two worlds, with the person or without, is the null hypothesis. A curve that was
    computed for one direction, such as that of a subsampled mechanism, says about the other direction what its inverse says. So
    the largest convex curve below both is what is kept; a symmetric curve stays as it is. Corners on a straight line are
    left out. Composition multiplies losses (`PLD`).

    Attributes:
        alphas: False positive rates of the corners, from 0 to 1.
        betas: False negative rates of the corners, down to 0. Where the first is below 1, some outcome gives the person away.

    Raises:
        InvalidParameterError: When the curve does not start at alpha 0, does not end at alpha 1 and beta 0, or is not convex,
            non-increasing and at most 1 - alpha; the first bad point is named.

    Example:
        >>> coin = TradeOff(alphas=(0, 0.25, 1), betas=(1, 0.25, 0))
        >>> coin.advantage, round(coin.beta(0.125), 6), round(coin.get_delta(1.0), 6)
        (0.5, 0.625, 0.07043)
        >>> TradeOff(alphas=(0, 0.5, 1), betas=(1, 0.625, 0))
        Traceback (most recent call last):
        ...
        privacy_accountant.errors.InvalidParameterError: betas must be at most 1 - alpha (point 1, at alpha = 0.5, is not); got 0.625
    """

    alphas: tuple[Real, ...]
    betas: tuple[Real, ...]
    _polygon: Polygon = attrs.field(init=False, eq=False, repr=False)

    def __init__(self, alphas: Any, betas: Any) -> None:
        points = _points(alphas, betas)
        _check(points)
        self._keep(polyline.symmetric_below(points))

    def _keep(self, points: Sequence[Point]) -> None:
        self.__attrs_init__(
            tuple(canonical(alpha) for alpha, _ in points), tuple(canonical(beta) for _, beta in points)
        )
        object.__setattr__(self, "_polygon", Polygon(points))

    @classmethod
    def _of(cls, points: Sequence[Point]) -> Self:
        """From exact points of a valid polygon, which is made symmetric."""
        made = cls.__new__(cls)
        made._keep(polyline.symmetric_below(points))
        return made

    @classmethod
    def from_tangents(cls, slopes: Any, intercepts: Any) -> Self:
        r"""The largest curve above lines :math:`1 - c_i - s_i\alpha` that a true curve is known not to cross.

        A point :math:`(\varepsilon, \delta)` of a privacy profile is the line with :math:`s = e^\varepsilon` and :math:`c = \delta`.

        Args:
            slopes: :math:`s_i \ge 0`, the rates at which the lines fall.
            intercepts: :math:`c_i` in [0, 1], how far below 1 they start.

        Raises:
            InvalidParameterError: When there is no line, a number is out of range, or a line is above 1 - alpha somewhere.

        Example:
            >>> TradeOff.from_tangents(slopes=(3, Fraction(1, 3)), intercepts=(0, Fraction(2, 3)))
            TradeOff(alphas=(0.0, 0.25, 1.0), betas=(1.0, 0.25, 0.0))
        """
        rates = [exact(non_negative(slope, "slopes")) for slope in _numbers(slopes, "slopes")]
        starts = [exact(probability(start, "intercepts")) for start in _numbers(intercepts, "intercepts")]
        if not rates or len(rates) != len(starts):
            raise InvalidParameterError("intercepts", f"as many as the slopes ({len(rates)})", len(starts))
        for i, (start, rate) in enumerate(zip(starts, rates, strict=True)):
            if start + rate < 1:
                raise InvalidParameterError(
                    "slopes", f"such that the line is at most 1 - alpha (line {i} is not)", float(rate)
                )
        return cls._of(polyline.above_lines(zip(starts, rates, strict=True)))

    @classmethod
    def from_samples(cls, alphas: Any, betas: Any) -> Self:
        """The largest curve that is certainly below a convex curve through these points.

        Chords between the points lie above the curve; continued beyond their own interval they lie below it, and the hull of
        those is kept. The points must be on the curve: where they are rounded, so is what follows from them. Points that are
        above the line between others by round-off only are left out.

        Args:
            alphas: False positive rates, from 0 to 1, increasing.
            betas: The curve there.

        Raises:
            InvalidParameterError: When the points are not those of a trade-off function; the first bad one is named.

        Example:
            >>> from privacy_accountant import GDP
            >>> grid = [i / 64 for i in range(65)]
            >>> sampled = TradeOff.from_samples(grid, [GDP(1.0).beta(alpha) for alpha in grid])
            >>> round(sampled.beta(0.26), 4), round(GDP(1.0).beta(0.26), 4)
            (0.3604, 0.3607)
        """
        points = _points(alphas, betas)
        hull = polyline.lower_hull(points)
        if all(beta - polyline.value_at(hull, alpha) <= _NOISE for alpha, beta in points):
            points = [point for point in points if point in set(hull)]
        _check(points)
        return cls._of(polyline.below_samples(points))

    @property
    def corners(self) -> tuple[Point, ...]:
        """The corners as exact rationals."""
        return tuple((exact(alpha), exact(beta)) for alpha, beta in zip(self.alphas, self.betas, strict=True))

    def _beta(self, alpha: Array) -> Array:
        return self._polygon.beta(alpha)

    def _power(self, alpha: Array) -> Array:
        return np.minimum(self._polygon.power(alpha), one_minus_up(self._beta(alpha)))

    def _delta(self, epsilon: Array) -> Array:
        return self._polygon.delta(epsilon)

    def _complement(self, epsilon: Array) -> Array:
        return self._polygon.complement(epsilon)

    def _epsilon(self, delta: Array) -> Array:
        return self._polygon.epsilon(delta)

    def _advantage(self) -> float:
        return self._polygon.advantage
