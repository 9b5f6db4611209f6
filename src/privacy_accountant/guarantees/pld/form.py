"""The symbolic privacy loss distribution."""

from __future__ import annotations

import math
import warnings

import attrs
import numpy as np
from numpy.typing import ArrayLike

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import integer
from privacy_accountant.guarantees.arguments import Answer, Array, answer, read_array
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.pld.multiset import canonical_parts
from privacy_accountant.guarantees.pld.pairs.closed_pairs import DominatingPair
from privacy_accountant.guarantees.pld.precision import PrecisionWarning
from privacy_accountant.guarantees.pld.profiles import trade_off
from privacy_accountant.guarantees.pld.profiles.assemble import Parts, directions, is_closed, log_moment
from privacy_accountant.guarantees.pld.profiles.profile import LINE_TOLERANCE, Bounds
from privacy_accountant.guarantees.pld.profiles.simple_profiles import ClosedProfile, Nothing
from privacy_accountant.guarantees.routes import Method

TOLERANCE = 1e-4
_MANY = 64
"""Complements at more epsilons than this are taken between those on a grid."""


@attrs.frozen(repr=False)
class PLD(PrivacyGuarantee):
    r"""A privacy loss distribution, kept as the multiset of dominating pairs that it is composed of.

    The loss of independent releases is the sum of theirs. Composing is a union of multisets: exact and immediate. One part alone
    answers in closed form; small discrete laws are summed; anything else goes through one contour integral of the product of the
    parts' moment functions, with proved bounds for smoothing, aliasing, round-off and truncation, at the accuracy that the
    question asks for. There is no grid, and deltas of 1e-30 are as good as others.

    With parts that are not symmetric both directions are composed and the worse is taken at every epsilon.

    Attributes:
        parts: Pairs with their counts, in canonical form: Gaussians merged exactly, equal pairs counted, sorted. Equal multisets
            are equal objects. No parts at all is perfect privacy.

    Raises:
        InvalidParameterError: When a part is not a pair with a count.

    References:
        Sommer, Meiser and Mohammadi 2019 (privacy loss distributions); Zhu, Dong and Wang 2022, arXiv 2106.08567 (dominating pairs
        and their characteristic functions).

    Example:
        >>> from privacy_accountant.guarantees.pld import PLD, LaplacePair
        >>> ten = PLD.of(LaplacePair(0.1), 10)
        >>> ten
        PLD(parts=((LaplacePair(epsilon=0.1), 10),))
        >>> low, high = ten.get_epsilon(1e-6, interval=True)
        >>> bool(low <= ten.get_epsilon(1e-6) == high <= low * 1.0001)
        True
    """

    parts: Parts = attrs.field(default=(), converter=canonical_parts)

    @classmethod
    def of(cls, pair: DominatingPair, count: int = 1) -> PLD:
        """The loss of `count` releases that each have this pair.

        Raises:
            InvalidParameterError: When count is not an integer of at least 1.
        """
        return cls(((pair, count),))

    def union(self, *others: PLD) -> PLD:
        """The loss of this release together with others: the union of multisets.

        Example:
            >>> from privacy_accountant.guarantees.pld import PLD, GaussianPair
            >>> PLD.of(GaussianPair(0.25)).union(PLD.of(GaussianPair(0.75)))
            PLD(parts=((GaussianPair(mu_squared=1.0), 1),))
        """
        return PLD(tuple(part for form in (self, *others) for part in form.parts))

    def times(self, count: int) -> PLD:
        """The loss of `count` releases that each have this one.

        Raises:
            InvalidParameterError: When count is not an integer of at least 1.
        """
        times = integer(count, "count", "an integer >= 1", least=1)
        return PLD(tuple((pair, number * times) for pair, number in self.parts))

    @property
    def infinity_mass(self) -> float:
        """P(loss = inf), which no epsilon removes, rounded up."""
        return max(profile.infinity.high for profile in directions(self.parts))

    def log_moment(self, c: float) -> float:
        """Upper bound on log E[e^{cL}], the larger of both directions.

        At c = order - 1 it is (order - 1) times the Renyi divergence of that order.

        Args:
            c: Any real number.
        """
        if c > 0 and self.infinity_mass > 0:
            return math.inf
        sides = (self.parts, tuple((pair.reversed(), count) for pair, count in self.parts))
        values = []
        for side, profile in zip(dict.fromkeys(sides), directions(self.parts), strict=False):
            if profile.infinity.rest_high == 0:
                return -math.inf
            values.append(log_moment(side, c) + math.log(profile.infinity.rest_high))
        return max(values)

    def beta(self, alpha: ArrayLike, *, method: Method | None = None) -> Answer:
        r"""The least false negative rate of any attack whose false positive rate is alpha: a lower bound on f(alpha).

        Args:
            alpha: False positive rate in [0, 1], scalar or array.
            method: "closed" for the closed form, where the composition has one; "numeric" for supporting lines of the profile by
                contour integrals; None for the simplest that answers.

        Raises:
            InvalidParameterError: When alpha is not in [0, 1], or the method is not one of these or not available.

        Example:
            >>> from privacy_accountant.guarantees.pld import PLD, LaplacePair
            >>> form = PLD.of(LaplacePair(1))
            >>> round(form.beta(0.05, method="closed"), 6), round(form.beta(0.05, method="numeric"), 6)
            (0.864086, 0.864086)
        """
        if not self._is_numeric(method):
            return PrivacyGuarantee.beta(self, alpha)
        return answer(lambda a: self._lines(a, numeric=True), alpha, "alpha", "a number in [0, 1]")

    def get_delta(
        self,
        epsilon: ArrayLike,
        *,
        interval: bool = False,
        tolerance: float = TOLERANCE,
        method: Method | None = None,
    ) -> Answer:
        r"""The privacy profile at any real epsilon: an upper bound, or both ends.

        Args:
            epsilon: Any real number or infinity, scalar or array.
            interval: Whether to return (lower, upper), which contain the truth.
            tolerance: Relative width that the interval should have. The work refines itself until it has, or until the memory
                limit is reached; then the answer is as valid, wider, and comes with a `PrecisionWarning`.
            method: "closed" for the closed form or the sum over atoms, where the composition has one; "numeric" for a contour
                integral; None for the simplest that answers.

        Returns:
            The upper end, or the pair of ends, as floats for a scalar and arrays of the same shape for an array.

        Raises:
            InvalidParameterError: When epsilon is not a number, tolerance not in (0, 1), or the method not available.
        """
        flat, shape = read_array(epsilon, "epsilon", "a number", -math.inf, math.inf)
        width = _tolerance(tolerance)
        bounds = self._bounds(np.abs(flat), width, numeric=self._is_numeric(method))
        with np.errstate(under="ignore"):
            size = np.abs(flat)
            low = np.where(
                flat >= 0, bounds.delta_low, _mirrored(size, bounds.delta_low, bounds.room_high, up=False)
            )
            high = np.where(
                flat >= 0, bounds.delta_high, _mirrored(size, bounds.delta_high, bounds.room_low, up=True)
            )
        _warn(low, high, width, "delta")
        return _shaped(low, high, shape, interval=interval)

    def get_epsilon(
        self,
        delta: ArrayLike,
        *,
        interval: bool = False,
        tolerance: float = TOLERANCE,
        method: Method | None = None,
    ) -> Answer:
        r"""The least :math:`\varepsilon \ge 0` whose profile is at most delta: an upper bound, or both ends.

        Args:
            delta: A number in [0, 1], scalar or array.
            interval: Whether to return (lower, upper), which contain the truth.
            tolerance: Relative width that the interval should have, as for `get_delta`.
            method: As for `get_delta`.

        Returns:
            The upper end, or the pair of ends. Infinity when no epsilon does.

        Raises:
            InvalidParameterError: When delta is not in [0, 1], tolerance not in (0, 1), or the method not available.
        """
        flat, shape = read_array(delta, "delta", "a number in [0, 1]", 0.0, 1.0)
        width = _tolerance(tolerance)
        profiles = directions(self.parts, numeric=self._is_numeric(method))
        ends = np.array([[profile.epsilon(float(d), width) for profile in profiles] for d in flat])
        low, high = ends.max(axis=1).T
        _warn(low, high, width, "epsilon")
        return _shaped(low, high, shape, interval=interval)

    def _is_numeric(self, method: object) -> bool:
        if method not in (None, "closed", "numeric"):
            raise InvalidParameterError("method", '"closed", "numeric" or None', method)
        if method == "closed" and not is_closed(self.parts):
            raise InvalidParameterError("method", '"numeric", as this composition has no closed form', method)
        return method == "numeric"

    def _bounds(self, e: Array, tolerance: float, *, numeric: bool = False) -> Bounds:
        return trade_off.joint(directions(self.parts, numeric=numeric), e, tolerance)

    def _beta(self, alpha: Array) -> Array:
        return self._lines(alpha, numeric=False)

    def _lines(self, alpha: Array, *, numeric: bool) -> Array:
        profiles = directions(self.parts, numeric=numeric)
        closed = [profile for profile in profiles if isinstance(profile, (ClosedProfile, Nothing))]
        if len(closed) == len(profiles):
            return np.asarray(np.min([profile.beta(alpha) for profile in closed], axis=0))
        return trade_off.beta(profiles, alpha, 2 * LINE_TOLERANCE)

    def _power(self, alpha: Array) -> Array:
        profiles, usual = directions(self.parts), PrivacyGuarantee._power(self, alpha)
        if isinstance(profiles[0], ClosedProfile):
            own = profiles[0].curve.power(alpha) if len(profiles) == 1 else None
        else:
            own = trade_off.power(profiles, alpha, 2 * LINE_TOLERANCE)
        if own is None:
            return usual
        return np.minimum(usual, np.where(alpha > 0, own, self.infinity_mass))

    def _delta(self, epsilon: Array) -> Array:
        return self._bounds(epsilon, TOLERANCE).delta_high

    def _complement(self, epsilon: Array) -> Array:
        if len(epsilon) > _MANY:
            rooms = [profile.swift_bounds(epsilon)[1] for profile in directions(self.parts)]
            return np.asarray(np.min(rooms, axis=0))
        return self._bounds(epsilon, TOLERANCE).room_low

    def _epsilon(self, delta: Array) -> Array:
        profiles = directions(self.parts)
        return np.array([max(profile.epsilon(float(d), TOLERANCE)[1] for profile in profiles) for d in delta])


def _mirrored(size: Array, delta: Array, room: Array, *, up: bool) -> Array:
    """delta(-e) = 1 - e^-e (1 - delta(e)), as the sum that does not cancel."""
    slack = 2.0**-50 if up else -(2.0**-50)
    both = (-np.expm1(-size) + np.exp(-size) * delta) * (1 + slack)
    return np.clip(np.where(room == 1.0, -np.expm1(-size), both), 0.0, 1.0)


def _tolerance(value: object) -> float:
    flat, shape = read_array(value, "tolerance", "a number in (0, 1)", 0.0, 1.0)  # type: ignore[arg-type]
    if shape is not None or not 0 < flat[0] < 1:
        raise InvalidParameterError("tolerance", "a number in (0, 1)", value)
    return float(flat[0])


def _warn(low: Array, high: Array, tolerance: float, what: str) -> None:
    both = np.isfinite(high) & np.isfinite(low) & (high > 1e-300)
    gap = np.where(both, high, 0.0) - np.where(both, low, 0.0)
    if np.any(gap > 1.01 * tolerance * high):
        widest = float(np.max(gap[both] / high[both]))
        warnings.warn(
            f"{what} is a valid bound, but its interval is {widest:.1e} wide where {tolerance:.1e} was asked for",
            PrecisionWarning,
            stacklevel=3,
        )


def _shaped(low: Array, high: Array, shape: tuple[int, ...] | None, *, interval: bool) -> Answer:
    if shape is None:
        return (float(low[0]), float(high[0])) if interval else float(high[0])
    return (low.reshape(shape), high.reshape(shape)) if interval else high.reshape(shape)
