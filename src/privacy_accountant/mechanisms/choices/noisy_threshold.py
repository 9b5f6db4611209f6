"""Releasing large groups only, when the groups themselves come from the data."""

from __future__ import annotations

import functools
import importlib
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, cast

import attrs

from privacy_accountant.codec import tagged
from privacy_accountant.errors import CalibrationError, InvalidParameterError, UnsupportedConversionError
from privacy_accountant.exact import Real, canonical, exact, float_up, integer, probability, real
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.composing import compose
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.mechanisms.additive import IntegerNoise
from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.mechanisms.choices.selection import read_flag
from privacy_accountant.mechanisms.laplace import Laplace
from privacy_accountant.mechanisms.values.groups import read_groups
from privacy_accountant.neighbors import Neighbors, Sensitivity
from privacy_accountant.noise import IntegerLaw
from privacy_accountant.noise.upper_tails import tail_above

if TYPE_CHECKING:
    from typing_extensions import Self

_CALIBRATION = "privacy_accountant.calibration"
_KINDS = "Laplace, Gaussian, DiscreteLaplace or DiscreteGaussian without a grid, with a Sensitivity(per_value=, values=) in whole numbers"
_POWER_BITS = 512
_FARTHEST = 1100
"""Doublings of the threshold after which none is found."""


def _noise(value: object) -> IntegerNoise:
    if (
        not isinstance(value, IntegerNoise)
        or not isinstance(value._law(), IntegerLaw)
        or getattr(value, "grid", None) is not None
    ):
        raise InvalidParameterError("noise", _KINDS, value)
    _contribution(value)
    return value


def _threshold(value: object) -> Real:
    return real(value, "threshold")


def _strict(value: object) -> bool:
    return read_flag(value, "strict")


def _contribution(noise: Any) -> tuple[int, int]:
    """How much one person adds to a group at most, and to how many groups."""
    given = noise.sensitivity
    if not isinstance(given, Sensitivity) and given == 1:
        return 1, 1  # one whole count moves by one, whatever the norm
    if not isinstance(given, Sensitivity) or given.per_value is None or not given.is_integer:
        raise InvalidParameterError("noise", _KINDS, noise)
    return int(exact(given.per_value)), given.values or 1


@tagged("NoisyThreshold")
@attrs.frozen(repr=False)
class NoisyThreshold(Mechanism):
    r"""Adds noise to the count of every group that occurs and publishes only those that are large with the noise.

    Which groups occur is data: a group of one person must not show up because that person is there. A group that only this person
    brings has a count of at most c (`per_value`), so it is published with probability at most

    .. math:: \delta_1 = P[Z > T - c] \quad\text{(strict: noisy count} > T), \qquad P[Z \ge T - c] \quad\text{(otherwise: noisy count} \ge T),

    the exact tail of the noise that is drawn, and with m groups (`values`) one of them with probability at most
    :math:`\delta = 1 - (1-\delta_1)^m`. All groups that occur either way are noised as always. So the release is that of the noise,
    composed with :math:`(0, \delta)`-DP (Korolova et al. 2009; Rogers 2023, arXiv 2309.09170, on unknown domains;
    Wilson et al. 2020, arXiv 1909.01917). Under replaced records `values` counts groups left and groups joined.

    What comes out is sorted by group, so the order of the data does not show.

    Attributes:
        noise: The noise on the counts: `Laplace`, `Gaussian`, `DiscreteLaplace` or `DiscreteGaussian`, whose `Sensitivity(per_value=,
            values=)` says how much one person adds to a group at most, and to how many groups. A sensitivity of 1 is one group by one.
        threshold: T, a public number; counts are integers, so 37.3 lets 38 through and not 37.
        strict: Whether the noisy count must be above T, or may be T.
        neighbors: That of the noise.

    Raises:
        InvalidParameterError: When the noise is of another kind or does not say what one person adds, or the threshold is no number.

    Example:
        >>> from privacy_accountant import ADP, Laplace, NoisyThreshold, Sensitivity
        >>> counts = Laplace(scale=2, sensitivity=Sensitivity(per_value=1, values=2))
        >>> large = NoisyThreshold(counts, threshold=40)
        >>> list(large.randomize({"flu": 9000, "cold": 8000, "kuru": 1}))
        ['cold', 'flu']
        >>> round(large.delta, 12)
        2.647e-09
    """

    noise_parameter: ClassVar[str | None] = None

    noise: IntegerNoise = attrs.field(converter=_noise)
    threshold: Real = attrs.field(converter=_threshold)
    strict: bool = attrs.field(default=True, kw_only=True, converter=_strict)
    neighbors: Neighbors | None = attrs.field(init=False, default=None)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "neighbors", self.noise.neighbors)

    @property
    def least(self) -> int:
        """The least noisy count that is published."""
        threshold = exact(self.threshold)
        return math.floor(threshold) + 1 if self.strict else math.ceil(threshold)

    @property
    def delta(self) -> Real:
        """The chance that any group of one person's own is published, rounded up to a float."""
        return canonical(_delta(self.noise, self.least))

    def _native(self) -> PrivacyGuarantee:
        return compose(self.noise.guarantee(), ADP(0.0, self.delta))

    def price(
        self, form: type[PrivacyGuarantee], orders: Sequence[Any] | None = None
    ) -> tuple[Fraction, ...]:
        """The exact cost of one release, in (epsilon, delta) or approximate zCDP (rho, delta); see `Mechanism.price`."""
        del orders
        if form is not ADP and form is not ZCDP:
            reason = (
                "its delta has no place there: use a budget of ADP with delta > 0, counted in ADP or ZCDP"
            )
            raise UnsupportedConversionError(
                type(self).__name__, getattr(form, "__name__", repr(form)), reason
            )
        amount, delta = self.noise.price(form)
        return amount, delta + exact(self.delta)

    def check(self, value: Any) -> tuple[int, ...]:
        """Always (): how many groups occur is data and must not stand in the ledger.

        Raises:
            InvalidAggregateError: When the groups cannot be read; the message never quotes one.
        """
        read_groups(value)
        return ()

    def randomize(self, value: Any) -> Any:
        """The noisy counts of large groups, **with no accounting at all**; to publish use `Accountant.release`.

        Args:
            value: The counts of all groups that occur: a dict, or a pandas Series with one row for each group.

        Returns:
            The same kind, with the groups that were published, sorted.

        Raises:
            InvalidAggregateError: When the groups cannot be read. It depends on the data and is never for publication.
        """
        read, least = read_groups(value), self.least
        noisy = self.noise.randomize(read.counts) if read.counts else []
        return read.published(
            {group: count for group, count in zip(read.groups, noisy, strict=True) if count >= least}
        )

    @classmethod
    def calibrate(
        cls,
        target: Any,
        *,
        sensitivity: Any = None,
        releases: int = 1,
        with_other: Sequence[PrivacyGuarantee] = (),
        neighbors: Neighbors | None = None,
        noise: Any = Laplace,
        share: Any = 0.5,
        strict: bool = True,
        **fixed: Any,
    ) -> Self:
        """The least noise, and with it the least threshold, with which equal releases meet an (epsilon, delta) target.

        Args:
            target: An `ADP` with delta > 0.
            sensitivity: A `Sensitivity(per_value=, values=)`, or 1.
            releases: As for `Mechanism.calibrate`.
            with_other: As there.
            neighbors: As for the noise.
            noise: The class of the noise.
            share: Which share of delta the thresholds may use up together; the rest is the noise's.
            strict: As for the mechanism itself.
            **fixed: None.

        Raises:
            CalibrationError: When the target has no delta, or nothing meets it.
            InvalidParameterError: When an argument is out of range.

        Example:
            >>> from privacy_accountant import ADP, NoisyThreshold
            >>> large = NoisyThreshold.calibrate(ADP(1.0, 1e-6), sensitivity=1)
            >>> large.guarantee().get_delta(1.0) <= 1e-6
            True
        """
        if fixed:
            raise InvalidParameterError(next(iter(fixed)), "an argument of NoisyThreshold.calibrate", fixed)
        if not isinstance(target, ADP) or not 0 < exact(target.delta) < 1:
            raise CalibrationError(target, "a threshold needs an ADP target with delta > 0")
        if not isinstance(noise, type) or not issubclass(noise, IntegerNoise):
            raise InvalidParameterError("noise", f"a class of noise: {_KINDS}", noise)
        count = integer(releases, "releases", "an integer >= 1", least=1)
        most = exact(target.delta) * exact(probability(share, "share")) / count
        solver = importlib.import_module(f"{_CALIBRATION}.solver")
        build = _ByNoise(cls, noise, most, read_flag(strict, "strict"), target)
        return cast(
            "Self",
            solver.calibrate(
                build,
                target,
                sensitivity=sensitivity,
                releases=count,
                with_other=with_other,
                neighbors=neighbors,
            ),
        )


@attrs.frozen
class _ByNoise:
    """The mechanism by its noise alone, each with the least threshold that keeps within a delta."""

    cls: type[NoisyThreshold]
    noise: type[IntegerNoise]
    most: Fraction
    strict: bool
    target: ADP

    @property
    def noise_parameter(self) -> str:
        return str(self.noise.noise_parameter)

    def __call__(self, **parameters: Any) -> NoisyThreshold:
        noise = _noise(self.noise(**parameters))
        least = _least_within(lambda least: _delta(noise, least) <= self.most)
        if least is None:
            raise CalibrationError(self.target, "no threshold keeps within its share of delta")
        return self.cls(noise, least - 1 if self.strict else least, strict=self.strict)


def _least_within(enough: Callable[[int], bool]) -> int | None:
    """The least integer >= 1 that is enough, by doubling and bisection; None when none is found."""
    low, high = 0, 1
    while not enough(high):
        low, high = high, 2 * high
        if high.bit_length() > _FARTHEST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


@functools.lru_cache(maxsize=256)
def _delta(noise: IntegerNoise, least: int) -> Fraction:
    """1 - (1 - delta_1)^m from above."""
    most, groups = _contribution(noise)
    law = cast("IntegerLaw", noise._law())
    one = tail_above(law, least - most)
    if groups == 1 or one == 1:
        return _rounded(one)
    # A power of a number rounded down, each product rounded down: never above the true one.
    unit = 1 << (_POWER_BITS + one.denominator.bit_length())
    rest, square, left = unit, int((1 - one) * unit), groups
    while left:
        if left & 1:
            rest = rest * square // unit
        square, left = square * square // unit, left >> 1
    return _rounded(min(1 - Fraction(rest, unit), groups * one))


def _rounded(delta: Fraction) -> Fraction:
    return min(exact(float_up(delta)), Fraction(1))
