"""Report noisy max: the candidate whose score is best once noise is added."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import attrs

from privacy_accountant.codec import tagged
from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import Real, canonical, positive
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.pld import PLD, BoundedRangePair
from privacy_accountant.mechanisms.additive import read_optional_neighbors
from privacy_accountant.mechanisms.choices.selection import (
    Selection,
    read_flag,
    read_one_sensitivity,
    relation_of,
)
from privacy_accountant.neighbors import Neighbors
from privacy_accountant.noise.choices import permute_and_flip, proportional
from privacy_accountant.noise.entropy import operating_system

GUMBEL, EXPONENTIAL = "gumbel", "exponential"


def _scale(value: object) -> Real:
    return positive(value, "scale")


def _monotonic(value: object) -> bool:
    return read_flag(value, "monotonic")


def _noise(value: object) -> str:
    if not isinstance(value, str) or value not in (GUMBEL, EXPONENTIAL):
        raise InvalidParameterError("noise", f'"{GUMBEL}" or "{EXPONENTIAL}"', value)
    return value


@tagged("ReportNoisyMax")
@attrs.frozen(repr=False)
class ReportNoisyMax(Selection):
    r"""Chooses the candidate whose score plus independent noise is largest, and tells which one it is, not the noisy score.

    The noise decides what is proved, with :math:`\varepsilon = 2\Delta/s` and :math:`\Delta/s` for monotonic scores:

    * `"gumbel"`: the law of the exponential mechanism at the same scale, so bounded range with everything that follows; see
      `ExponentialMechanism`.
    * `"exponential"`: the law of permute-and-flip (McKenna and Sheldon 2020, arXiv 2010.12603; Ding et al. 2021,
      arXiv 2105.07260). Its expected error is never larger, but it is **not** of bounded range: what is claimed is
      :math:`\varepsilon`-DP and what follows from that, :math:`\rho = \varepsilon\tanh(\varepsilon/2)` in place of about
      :math:`\varepsilon^2/8`. Best for a single selection; the Gumbel kind is cheaper to repeat.

    Neither kind draws a floating-point number: the index is drawn from its exact law.

    Attributes:
        scale: The noise's scale s, in units of the score; the decimal that was typed.
        sensitivity: How far one person moves any one score. It must hold for the program that computed the scores, rounding included.
        noise: `"gumbel"` or `"exponential"`.
        monotonic: Whether adding one record moves all scores up or leaves them, or moves all of them down or leaves them.
        neighbors: The relation under which that holds; None for the study's, with monotonic scores `ADD_OR_REMOVE_ONE`.

    Raises:
        InvalidParameterError: When a number is not positive and finite, the noise is of another kind, or monotonic scores are stated
            for replaced records.

    Example:
        >>> from privacy_accountant import ReportNoisyMax, ZCDP
        >>> ReportNoisyMax(scale=2, sensitivity=1).randomize({"north": 3, "south": 10_000})
        'south'
        >>> for noise in ("gumbel", "exponential"):
        ...     print(
        ...         round(float(ReportNoisyMax(scale=2, sensitivity=1, noise=noise).guarantee(ZCDP).rho), 4)
        ...     )
        0.1233
        0.4621
    """

    scale: Real = attrs.field(converter=_scale)
    sensitivity: Real = attrs.field(converter=read_one_sensitivity)
    noise: str = attrs.field(default=GUMBEL, kw_only=True, converter=_noise)
    monotonic: bool = attrs.field(default=False, kw_only=True, converter=_monotonic)
    neighbors: Neighbors | None = attrs.field(default=None, kw_only=True, converter=read_optional_neighbors)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "neighbors", relation_of(self.monotonic, self.neighbors))

    def _native(self) -> PrivacyGuarantee:
        epsilon = canonical(self._epsilon)
        return PLD.of(BoundedRangePair(epsilon)) if self.noise == GUMBEL else ADP(epsilon)

    def _choose(self, exponents: Sequence[Fraction]) -> int:
        choose = proportional if self.noise == GUMBEL else permute_and_flip
        return choose(exponents, operating_system)
