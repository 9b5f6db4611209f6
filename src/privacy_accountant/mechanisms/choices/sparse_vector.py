"""The sparse vector technique: which of many answers are above a threshold, paying only for those that are."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import attrs

from privacy_accountant.codec import tagged
from privacy_accountant.errors import InvalidAggregateError, InvalidParameterError
from privacy_accountant.exact import Real, canonical, exact, integer, positive, real
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.base import PrivacyGuarantee, show_field
from privacy_accountant.mechanisms.additive import read_optional_neighbors
from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.mechanisms.choices.selection import read_flag, read_one_sensitivity, relation_of
from privacy_accountant.mechanisms.grids import AUTO, Grid, automatic, read_grid, show_grid
from privacy_accountant.mechanisms.values.aggregates import read_aggregate
from privacy_accountant.neighbors import Neighbors
from privacy_accountant.noise import DiscreteLaplaceLaw

_ANSWERS = "a non-empty vector of numbers, the answers in the order in which they are tested"
_ROOT = 100
"""The cube root of the default ratio of the two scales is taken down to a hundredth."""


def _scale(value: object) -> Real:
    return positive(value, "scale")


def _threshold(value: object) -> Real:
    return real(value, "threshold")


def _hits(value: object) -> int:
    return integer(value, "hits", "an integer >= 1", least=1)


def _monotonic(value: object) -> bool:
    return read_flag(value, "monotonic")


def _threshold_scale(value: object) -> Real | None:
    return None if value is None else positive(value, "threshold_scale")


@tagged("AboveThreshold")
@attrs.frozen(repr=False)
class AboveThreshold(Mechanism):
    r"""Tells, one after the other, which answers are at least a public threshold, and stops at the c-th that is.

    The threshold gets noise once, every answer gets noise of its own, and only the comparisons come out. However many answers are
    below, the whole sequence is :math:`\varepsilon`-DP with

    .. math:: \varepsilon = \frac{\Delta}{s_t} + \frac{2c\,\Delta}{s}, \qquad \text{monotonic: } \frac{\Delta}{s_t} + \frac{c\,\Delta}{s}

    where :math:`\Delta` is how far one person moves any one answer, s the scale of the answers' noise and :math:`s_t` that of the
    threshold's (Lyu, Su and Li 2017, arXiv 1603.01699, Algorithm 1: several published variants were wrong, this is the one that they
    prove). The noise is discrete Laplace, for which the proof is the same: shifts are whole steps. Pure epsilon is all that is claimed; no
    noisy answer comes out, and there is no Gaussian kind.

    Attributes:
        scale: The scale s of the noise on each answer, in its units; the decimal that was typed.
        sensitivity: How far one person moves any one answer; a whole number without a grid.
        threshold: The threshold, a public number; an answer passes when noise and all it is at least the noisy threshold.
        hits: How many passes end the sequence, c.
        monotonic: Whether adding one record moves all answers up or leaves them, or moves all of them down or leaves them.
        threshold_scale: The scale of the noise on the threshold. When absent, s divided by the cube root of 2c (of c when
            monotonic), taken down to a hundredth: about the best division of epsilon, and it scales with s.
        neighbors: The relation under which the sensitivity holds; None for the study's, with monotonic answers `ADD_OR_REMOVE_ONE`.
        grid: A power of two that real answers are snapped to; None for integers only. Then the sensitivity counts in whole steps,
            rounded up. `"auto"` takes the largest that is at most a 2**-10th of the smaller scale and a 2**-20th of the sensitivity.

    Raises:
        InvalidParameterError: When a number is out of range, the sensitivity is no whole number without a grid, or monotonic answers are
            stated for replaced records.

    Example:
        >>> from privacy_accountant import ADP, AboveThreshold
        >>> alarm = AboveThreshold(scale=10, sensitivity=1, threshold=1000)
        >>> alarm.guarantee()
        ADP(epsilon=0.325, delta=0.0)
        >>> alarm.randomize([12, 40, 5000, 31])
        [False, False, True]
    """

    noise_parameter: ClassVar[str | None] = "scale"

    scale: Real = attrs.field(converter=_scale)
    sensitivity: Real = attrs.field(converter=read_one_sensitivity)
    threshold: Real = attrs.field(converter=_threshold)
    hits: int = attrs.field(default=1, kw_only=True, converter=_hits)
    monotonic: bool = attrs.field(default=False, kw_only=True, converter=_monotonic)
    threshold_scale: Real | None = attrs.field(default=None, kw_only=True, converter=_threshold_scale)
    neighbors: Neighbors | None = attrs.field(default=None, kw_only=True, converter=read_optional_neighbors)
    grid: Grid = attrs.field(default=None, kw_only=True, converter=read_grid)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "neighbors", relation_of(self.monotonic, self.neighbors))
        asked: object = self.grid
        if asked == AUTO:
            least = min(exact(self.scale), self._threshold_scale)
            object.__setattr__(self, "grid", automatic(least, exact(self.sensitivity) ** 2))
        elif asked is None and exact(self.sensitivity).denominator != 1:
            rule = "a whole number without a grid: how far one person moves an integer"
            raise InvalidParameterError("sensitivity", rule, self.sensitivity)

    @property
    def _charged(self) -> int:
        """How many sensitivities of answers are paid for: two for each hit, one when all answers move the same way."""
        return self.hits if self.monotonic else 2 * self.hits

    @property
    def _threshold_scale(self) -> Fraction:
        if self.threshold_scale is not None:
            return exact(self.threshold_scale)
        return exact(self.scale) * _ROOT / _cube_root(self._charged * _ROOT**3)

    @property
    def _unit(self) -> Fraction:
        """What one step of noise stands for."""
        return Fraction(1) if self.grid is None else self.grid

    @property
    def _moved(self) -> Fraction:
        """How far one person moves a snapped answer: floor(x/g + 1/2) and floor(y/g + 1/2) are at most ceil(|x - y|/g) apart."""
        return -(-exact(self.sensitivity) // self._unit) * self._unit

    @property
    def _epsilon(self) -> Fraction:
        return self._moved / self._threshold_scale + self._charged * self._moved / exact(self.scale)

    def _native(self) -> PrivacyGuarantee:
        return ADP(canonical(self._epsilon))

    def check(self, value: Any) -> tuple[int, ...]:
        """The number of answers, which is public; see `Mechanism.check`.

        Raises:
            InvalidAggregateError: When they are not a non-empty vector of integers, or of finite numbers with a grid.
        """
        return (len(self._read(value)),)

    def randomize(self, value: Any) -> list[bool]:
        """The comparisons up to the c-th pass, **with no accounting at all**; to publish use `Accountant.release`.

        Args:
            value: The answers, in a public order: a list, tuple, numpy array or Series.

        Returns:
            One boolean for each answer that was tested; the list ends with the c-th True, or with the answers.

        Raises:
            InvalidAggregateError: When they are not a non-empty vector of integers, or of finite numbers with a grid. It depends on
                the data and is never for publication.
        """
        answers = self._read(value)
        least = -(
            -exact(self.threshold) // self._unit
        )  # integers are at least T exactly when they are at least its ceiling
        bar = least + DiscreteLaplaceLaw(self._threshold_scale / self._unit).draw_one()
        noise = DiscreteLaplaceLaw(exact(self.scale) / self._unit).draw((len(answers),)).tolist()
        passed: list[bool] = []
        left = self.hits
        for answer, own in zip(answers, noise, strict=True):
            passed.append(answer + own >= bar)
            left -= passed[-1]
            if not left:
                break
        return passed

    def _read(self, value: Any) -> list[int]:
        aggregate = read_aggregate(value, grid=self.grid)
        if len(aggregate.shape) != 1:
            raise InvalidAggregateError("value", _ANSWERS, f"a value of {len(aggregate.shape)} dimensions")
        return [int(cell) for cell in aggregate.parts[0].tolist()]

    def price(
        self, form: type[PrivacyGuarantee], orders: Sequence[Any] | None = None
    ) -> tuple[Fraction, ...]:
        """The exact cost of one release; see `Mechanism.price`."""
        return (self._epsilon, Fraction(0)) if form is ADP else super().price(form, orders)

    def _show(self, name: str, value: Any) -> str:
        return show_grid(value) if name == "grid" else show_field(value)


def _cube_root(value: int) -> int:
    """The largest integer whose cube is at most the value."""
    low, high = 0, 1 << (value.bit_length() // 3 + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**3 <= value else (low, middle)
    return low
