"""A guarantee read as attack risk: for an ethics board, for a researcher, and for a machine."""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any

import attrs
from numpy.typing import ArrayLike

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.guarantees.arguments import Answer
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.risk import pictures
from privacy_accountant.risk.blocks import blocks_of, title_of
from privacy_accountant.risk.facts import StudyFacts
from privacy_accountant.risk.figures import Figures, figures_of, true_positive_rate
from privacy_accountant.risk.page import as_html
from privacy_accountant.risk.record import record_of
from privacy_accountant.risk.text import as_text
from privacy_accountant.risk.words import words_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _is_guarantee(instance: Any, attribute: attrs.Attribute[Any], value: object) -> None:
    del instance
    if not isinstance(value, PrivacyGuarantee):
        raise InvalidParameterError(attribute.name, "a PrivacyGuarantee such as GDP(mu=1.0)", value)


def _is_study(instance: Any, attribute: attrs.Attribute[Any], value: object) -> None:
    del instance
    if value is not None and not isinstance(value, StudyFacts):
        raise InvalidParameterError(attribute.name, "StudyFacts or None", value)


# Without slots, so that the figures are asked of the guarantee once and kept.
@attrs.frozen(slots=False)
class RiskReport:
    r"""What a guarantee means in terms of attacks on one person.

    `print(report)` gives a page for people, `to_json()` a record for machines, and the methods answer single questions.
    Every question goes to the guarantee, and its answer is a bound: `beta` and `bayes_risk` from below, all others from
    above. Printed digits are rounded to the side on which no risk looks smaller than it is. Scalars give Python floats,
    arrays give float64 arrays of the same shape.

    The attacker is anyone: the bounds hold for every test of the results, whatever else is known, every other record
    included (Dong, Roth and Su 2019, arXiv 1905.02383; Kulynych et al. 2025, arXiv 2507.06969).

    Attributes:
        guarantee: The guarantee that is read.
        study: Facts about the study that the guarantee is claimed for, or None. They choose the words (the relation between
            neighbouring data sets) and say what the claim rests on.

    Raises:
        InvalidParameterError: When `guarantee` is not a guarantee, or `study` is not `StudyFacts`.

    Example:
        >>> from privacy_accountant import GDP
        >>> report = RiskReport(GDP(mu=1.0))
        >>> round(report.tpr(0.01), 6), round(report.advantage, 6), round(report.bayes_risk(0.5), 6)
        (0.092362, 0.382925, 0.308538)
        >>> print(str(report)[:11])
        Risk report
    """

    guarantee: PrivacyGuarantee = attrs.field(validator=_is_guarantee)
    study: StudyFacts | None = attrs.field(default=None, kw_only=True, validator=_is_study)

    def beta(self, alpha: ArrayLike) -> Answer:
        """The least share of people that an attack misses at the false positive rate alpha: a lower bound.

        Raises:
            InvalidParameterError: When alpha is not in [0, 1].
        """
        return self.guarantee.beta(alpha)

    def tpr(self, alpha: ArrayLike) -> Answer:
        r"""The largest true positive rate, :math:`1 - f(\alpha)`, at the false positive rate alpha: an upper bound.

        Raises:
            InvalidParameterError: When alpha is not in [0, 1].

        Example:
            >>> from privacy_accountant import GDP
            >>> RiskReport(GDP(mu=0)).tpr([0.0, 0.01, 1.0]).tolist()
            [0.0, 0.01, 1.0]
        """
        return true_positive_rate(self.guarantee, alpha)

    @property
    def advantage(self) -> float:
        r"""The largest :math:`\mathrm{TPR} - \alpha` of any attack: an upper bound."""
        return self.guarantee.advantage

    def bayes_risk(self, prior: ArrayLike) -> Answer:
        """The least error of an attacker whose belief before the results is `prior`: a lower bound.

        Raises:
            InvalidParameterError: When prior is not in [0, 1].
        """
        return self.guarantee.bayes_risk(prior)

    def attack_success(self, baseline: ArrayLike) -> Answer:
        """The largest success of an attack that succeeds with probability `baseline` without the record: an upper bound.

        Raises:
            InvalidParameterError: When baseline is not in [0, 1].
        """
        return self.guarantee.attack_success(baseline)

    def ppv(self, alpha: ArrayLike, prior: float) -> Answer:
        """The largest share of right accusations at the false positive rate alpha: an upper bound, never quoted without alpha.

        Raises:
            InvalidParameterError: When alpha or prior is not in [0, 1].
        """
        return self.guarantee.ppv(alpha, prior)

    def get_epsilon(self, delta: ArrayLike) -> Answer:
        """The least epsilon at a delta: an upper bound, infinity when there is none.

        Raises:
            InvalidParameterError: When delta is not in [0, 1].
        """
        return self.guarantee.get_epsilon(delta)

    def get_delta(self, epsilon: ArrayLike) -> Answer:
        """The privacy profile at any real epsilon: an upper bound.

        Raises:
            InvalidParameterError: When epsilon is not a number.
        """
        return self.guarantee.get_delta(epsilon)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data: what `to_json` writes, with the same keys.

        Numbers are the guarantee's own, as floats; an infinite epsilon is the string `"inf"`. `bounds` says which side of
        the truth each number is on. Keys keep their meaning while `version` stays the same, and are only added to.

        Example:
            >>> from privacy_accountant import ADP
            >>> record = RiskReport(ADP(epsilon=1.0, delta=1e-6)).to_dict()
            >>> record["schema"], record["version"], record["epsilons_at_delta"][0]
            ('privacy-accountant/risk-report', 1, {'epsilon': 'inf', 'delta': 0.0})
        """
        return record_of(self.guarantee, self.study, self._figures)

    def to_json(self, *, indent: int | None = None) -> str:
        """The record of `to_dict` as JSON text, without NaN or Infinity.

        Args:
            indent: Spaces per level, or None for one line.
        """
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False, ensure_ascii=False)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the trade-off curve: what the best attack misses, over how often it is wrong about others.

        Args:
            ax: Matplotlib axes to draw on; a new figure by default.

        Returns:
            The axes.

        Raises:
            MissingExtraError: When matplotlib is not installed; the extra is `plot`.
        """
        return pictures.trade_off(self.guarantee, self._figures, words_for(self._neighbors), ax)

    def __str__(self) -> str:
        return as_text(title_of(self.study), self._blocks)

    def _repr_html_(self) -> str:
        return as_html(title_of(self.study), self._blocks)

    @functools.cached_property
    def _figures(self) -> Figures:
        return figures_of(self.guarantee)

    @property
    def _blocks(self) -> Any:
        return blocks_of(self.guarantee, self.study, self._figures)

    @property
    def _neighbors(self) -> Any:
        return None if self.study is None else self.study.neighbors
