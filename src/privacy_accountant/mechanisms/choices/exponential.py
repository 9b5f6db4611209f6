"""The exponential mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import attrs

from privacy_accountant.codec import tagged
from privacy_accountant.exact import Real, canonical, positive
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
from privacy_accountant.noise.choices import proportional
from privacy_accountant.noise.entropy import operating_system


def _scale(value: object) -> Real:
    return positive(value, "scale")


def _monotonic(value: object) -> bool:
    return read_flag(value, "monotonic")


@tagged("ExponentialMechanism")
@attrs.frozen(repr=False)
class ExponentialMechanism(Selection):
    r"""Chooses one of many public candidates, i with probability proportional to :math:`e^{u_i/s}`, u its score and s the scale.

    When one person moves every score by at most :math:`\Delta`, log ratios of weights move by at most :math:`\varepsilon = 2\Delta/s`,
    and by :math:`\Delta/s` when adding a person moves all scores the same way (`monotonic`). It is :math:`\varepsilon`-DP
    (McSherry and Talwar 2007), and more: it has *bounded range*, its losses lie in an interval of length :math:`\varepsilon` and not
    :math:`2\varepsilon` (Durfee and Rogers 2019, arXiv 1905.04273). So one release has the curve of logistic noise moved by epsilon,
    :math:`f(\alpha) = (1-\alpha)/(1 + \alpha(e^\varepsilon - 1))`, with advantage :math:`\tanh(\varepsilon/4)`, and

    .. math:: \rho = y - 1 - \log y, \qquad y = \frac{\varepsilon}{e^\varepsilon - 1}

    (Harrison and Manurangsi 2025, arXiv 2510.25746), a quarter of what :math:`\varepsilon`-DP alone gives. Two candidates attain both.
    Scores may depend on earlier answers: the composition covers that (see `BoundedRangePair` in the reference).

    Attributes:
        scale: s, in units of the score; the decimal that was typed. Larger is noisier.
        sensitivity: How far one person moves any one score. It must hold for the program that computed the scores, rounding included.
        monotonic: Whether adding one record moves all scores up or leaves them, or moves all of them down or leaves them.
        neighbors: The relation under which that holds; None for the study's, with monotonic scores `ADD_OR_REMOVE_ONE`.

    Raises:
        InvalidParameterError: When a number is not positive and finite, or monotonic scores are stated for replaced records.

    Example:
        >>> from privacy_accountant import ADP, ExponentialMechanism
        >>> choose = ExponentialMechanism.calibrate(ADP(1.0), sensitivity=1)
        >>> choose
        ExponentialMechanism(scale=2.0, sensitivity=1.0, monotonic=False)
        >>> choose.randomize([3, 10_000, 12])
        1
        >>> round(choose.guarantee().advantage, 6)
        0.244919
    """

    scale: Real = attrs.field(converter=_scale)
    sensitivity: Real = attrs.field(converter=read_one_sensitivity)
    monotonic: bool = attrs.field(default=False, kw_only=True, converter=_monotonic)
    neighbors: Neighbors | None = attrs.field(default=None, kw_only=True, converter=read_optional_neighbors)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "neighbors", relation_of(self.monotonic, self.neighbors))

    def _native(self) -> PrivacyGuarantee:
        return PLD.of(BoundedRangePair(canonical(self._epsilon)))

    def _choose(self, exponents: Sequence[Fraction]) -> int:
        return proportional(exponents, operating_system)
