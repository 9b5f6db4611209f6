"""Mechanisms on a random sample of the records: what secret sampling adds to privacy, where that is proved."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

import attrs
import numpy as np
from numpy.typing import NDArray

from privacy_accountant.codec import tagged
from privacy_accountant.errors import InvalidParameterError, UnsupportedConversionError
from privacy_accountant.exact import Real, exact, grain_up, integer
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.base import Form, PrivacyGuarantee
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.pld import PLD
from privacy_accountant.guarantees.pld.pairs.closed_pairs import DominatingPair
from privacy_accountant.guarantees.pld.pairs.sampling import sampled, sampled_curve
from privacy_accountant.guarantees.pld.pairs.subsampled import amplified, read_sampling
from privacy_accountant.guarantees.tradeoff import TradeOff
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.mechanisms.composed import Composed
from privacy_accountant.mechanisms.opaque import Elsewhere
from privacy_accountant.neighbors import Neighbors
from privacy_accountant.noise.bernoulli import coins
from privacy_accountant.noise.entropy import operating_system

if TYPE_CHECKING:
    from typing_extensions import Self

_CALIBRATION = "privacy_accountant.calibration"


def _rate(value: object) -> Real:
    return read_sampling(value, "rate")


class Sampled(Mechanism):
    """What mechanisms on a sample share: the aggregate of the sample is noised as any other, the account is smaller."""

    __slots__ = ()

    mechanism: Mechanism

    def __attrs_post_init__(self) -> None:
        _require_samplable(self.mechanism, self.neighbors)

    @property
    def _rate(self) -> Fraction:
        """The probability of one record to be in the sample."""
        raise NotImplementedError

    def check(self, value: Any) -> tuple[int, ...]:
        """The shape of the sample's aggregate, as the mechanism itself takes it; see `Mechanism.check`."""
        return self.mechanism.check(value)

    def randomize(self, value: Any) -> Any:
        """The noised aggregate of a sample, **with no accounting at all**; to publish under a budget use `Accountant.release`.

        Args:
            value: The aggregate of a sample that was drawn for this release alone, by `draw_sample`, and is shown to nobody.
        """
        return self.mechanism.randomize(value)

    def noise_interval(self, level: float = 0.95) -> int | float:
        """The half width of the noise; what sampling itself adds to the error is not in it. See `Mechanism.noise_interval`."""
        return self.mechanism.noise_interval(level)

    def _in_form(self, form: type[Form], parameters: dict[str, Any]) -> Form:
        # No amplification holds at all orders: the mechanism's own rho and mu are the least there are.
        if form in (ZCDP, GDP) and not parameters:
            return self.mechanism.guarantee(form)
        return super()._in_form(form, parameters)

    def price(
        self, form: type[PrivacyGuarantee], orders: Sequence[Any] | None = None
    ) -> tuple[Fraction, ...]:
        """The exact cost of one release; see `Mechanism.price`.

        Under `ADP` it is (log(1 + q (e^eps - 1)), q delta); under `RDP` one divergence an order, in the worse direction. Under `ZCDP`
        and `GDP` it is what the mechanism costs without sampling: no smaller rho or mu holds.
        """
        if form is ADP:
            epsilon, delta = self.mechanism.price(ADP)
            return grain_up(amplified(epsilon, self._rate), Fraction(0)), self._rate * delta
        if form in (ZCDP, GDP):
            return self.mechanism.price(form)
        return super().price(form, orders)

    @classmethod
    def _calibrated(
        cls, kind: type[Mechanism], target: Any, sample: dict[str, Any], given: dict[str, Any]
    ) -> Self:
        if kind.noise_parameter is None:
            raise InvalidParameterError("mechanism", "a class with a noise_parameter, such as Gaussian", kind)
        solver = importlib.import_module(_CALIBRATION)
        return cast("Self", solver.calibrate(_Builder(cls, kind, sample), target, **given))


@attrs.frozen
class _Builder:
    """Looks to the calibration like a class of mechanisms whose noise is that of the inner one."""

    sampled: type[Sampled]
    kind: type[Mechanism]
    sample: dict[str, Any]

    noise_parameter = "noise"

    def __call__(self, noise: float, **parameters: Any) -> Sampled:
        inner = self.kind(**{str(self.kind.noise_parameter): noise}, **parameters)
        return self.sampled(inner, **self.sample)  # type: ignore[call-arg]


@tagged("PoissonSampled")
@attrs.frozen(repr=False)
class PoissonSampled(Sampled):
    r"""A mechanism on a Poisson sample: every record takes part with probability `rate`, each by its own secret coin.

    One record added or removed is noticed only when its coin said so. With q the rate and (B, A) any pair that dominates the mechanism, the
    release is dominated by :math:`((1-q)A + qB,\ A)` when a record is removed and by :math:`(A,\ (1-q)A + qB)` when one is added (Zhu, Dong and
    Wang 2022, arXiv 2106.08567, Theorem 11). Both are kept, composed apart, and the worse counts last. For (epsilon, delta) this is the bound
    of Balle, Barthe and Gaboardi 2018, arXiv 1807.01647: :math:`(\log(1 + q(e^\varepsilon - 1)),\ q\delta)`.

    **Several releases on one sample** are not amplified one by one: `PoissonSampled(Composed([a, b]), rate)` composes first and amplifies
    once. Two `PoissonSampled` releases need two samples, drawn independently.

    **The guarantee holds only for samples drawn this way**, afresh for every release, and never shown: `draw_sample` draws one. Shuffled or
    cyclic batches, samples with replacement and samples of fixed size are other schemes; see `FixedSizeSampled` and the page on sampling. The
    sample's size is random and is not published by itself: divide by the public rate, not by the size.

    Attributes:
        mechanism: What is released about the sample; its sensitivity is that of adding or removing one record of it.
        rate: Probability q of a record to take part, in (0, 1); the decimal that was typed.

    Raises:
        InvalidParameterError: When the rate is out of range, or the mechanism was stated for another relation, is on a sample already, or
            stands for something that was released elsewhere.

    Example:
        >>> from privacy_accountant import Gaussian, PoissonSampled
        >>> step = PoissonSampled(Gaussian(sigma=1, sensitivity=1), rate=0.01)
        >>> round(step.guarantee().self_compose(1000).get_epsilon(1e-5), 4)
        1.8282
        >>> mask = step.draw_sample(5)
        >>> mask.shape, mask.dtype.name
        ((5,), 'bool')
    """

    neighbors = Neighbors.ADD_OR_REMOVE_ONE

    mechanism: Mechanism = attrs.field()
    rate: Real = attrs.field(converter=_rate)

    @property
    def _rate(self) -> Fraction:
        return exact(self.rate)

    def _native(self) -> PrivacyGuarantee:
        pair = one_pair(self.mechanism)
        on_sample = None if pair is None else sampled(pair, self.rate)
        if on_sample is None:
            on_sample = sampled_curve(self.mechanism.guarantee().to(TradeOff).corners, self.rate)
        return PLD.of(on_sample)

    def draw_sample(self, population: int) -> NDArray[np.bool_]:
        """Which of so many records take part: independent coins of exactly this rate, from the operating system's entropy.

        The result is as secret as the records are.

        Args:
            population: How many records there are.

        Raises:
            InvalidParameterError: When population is not an integer of at least 1.
        """
        count = integer(population, "population", "an integer >= 1", least=1)
        rate = self._rate

        def bounds(bits: int) -> tuple[int, int]:
            scaled = rate * (1 << bits)
            return scaled.numerator // scaled.denominator, -(-scaled.numerator // scaled.denominator)

        return coins(bounds, count, operating_system)

    @classmethod
    def calibrate(  # type: ignore[override]
        cls, target: Any, *, mechanism: type[Mechanism], rate: Any, **given: Any
    ) -> Self:
        """The least noise of a mechanism on a Poisson sample with which equal releases, each on a sample of its own, meet a target.

        Args:
            target: As for `Mechanism.calibrate`.
            mechanism: The class of the mechanism, such as `Gaussian`.
            rate: As for the class.
            **given: `sensitivity`, `releases`, `with_other` and further parameters of the mechanism.

        Example:
            >>> from privacy_accountant import ADP, Gaussian, PoissonSampled
            >>> step = PoissonSampled.calibrate(
            ...     ADP(1, 1e-5), mechanism=Gaussian, rate=0.01, sensitivity=1, releases=100
            ... )
            >>> round(step.mechanism.sigma, 3)
            0.902
        """
        return cls._calibrated(mechanism, target, {"rate": rate}, given)


def _require_samplable(mechanism: object, relation: Neighbors | None) -> None:
    if not isinstance(mechanism, Mechanism):
        raise InvalidParameterError(
            "mechanism", "a mechanism such as Gaussian(sigma=4, sensitivity=1)", mechanism
        )
    if mechanism.neighbors not in (None, relation):
        name = relation.name if relation else ""
        rule = f"one whose sensitivity is stated under {name}, the relation that this way of sampling is proved for"
        raise InvalidParameterError("mechanism", rule, mechanism)
    if not _samplable(mechanism):
        rule = "one that is released on the sample itself: it is on a sample of its own, or was released elsewhere"
        raise InvalidParameterError("mechanism", rule, mechanism)


def _samplable(mechanism: Mechanism) -> bool:
    if isinstance(mechanism, Composed):
        return all(_samplable(part) for part in mechanism.mechanisms)
    return not isinstance(mechanism, (Elsewhere, Sampled))


def one_pair(mechanism: Mechanism) -> DominatingPair | None:
    """The one pair of a mechanism; None when it has several, or none."""
    try:
        parts = mechanism.guarantee(PLD).parts
    except UnsupportedConversionError:
        return None
    return parts[0][0] if len(parts) == 1 and parts[0][1] == 1 else None
