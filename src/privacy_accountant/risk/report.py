"""A guarantee read as attack risk: for an ethics board, for a researcher, and for a machine."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import attrs

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import integer
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.risk.blocks import blocks_of, title_of
from privacy_accountant.risk.document import as_document, write
from privacy_accountant.risk.facts import StudyFacts
from privacy_accountant.risk.frame import as_frame
from privacy_accountant.risk.markdown import as_markdown
from privacy_accountant.risk.page import as_html
from privacy_accountant.risk.pictured import Pictured
from privacy_accountant.risk.questions import Questions
from privacy_accountant.risk.record import record_of
from privacy_accountant.risk.terminal import as_renderable
from privacy_accountant.risk.text import as_text


def _is_guarantee(instance: Any, attribute: attrs.Attribute[Any], value: object) -> None:
    del instance
    if not isinstance(value, PrivacyGuarantee):
        raise InvalidParameterError(attribute.name, "a PrivacyGuarantee such as GDP(mu=1.0)", value)


def _is_study(instance: Any, attribute: attrs.Attribute[Any], value: object) -> None:
    del instance
    if value is not None and not isinstance(value, StudyFacts):
        raise InvalidParameterError(attribute.name, "StudyFacts or None", value)


def _read_sizes(value: Any) -> tuple[int, ...]:
    """Freeze the sizes of groups."""
    rule = "a tuple of integers >= 2"
    if not isinstance(value, (tuple, list)):
        raise InvalidParameterError("for_group", rule, value)
    return tuple(integer(size, "for_group", rule, least=2) for size in value)


# Without slots, so that the figures are asked of the guarantee once and kept.
@attrs.frozen(slots=False)
class RiskReport(Questions, Pictured):
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
        for_group: Sizes of groups whose records change together, such as `(2, 5)` for households: the report then says what
            each group risks as a whole.

    Raises:
        InvalidParameterError: When `guarantee` is not a guarantee, `study` is not `StudyFacts`, or a size is not an integer of
            at least 2.

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
    for_group: tuple[int, ...] = attrs.field(default=(), kw_only=True, converter=_read_sizes)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data: what `to_json` writes, with the same keys.

        Numbers are the guarantee's own, as floats; an infinite epsilon is the string `"inf"`. `bounds` says which side of
        the truth each number is on. Keys keep their meaning while `version` stays the same, and are only added to.

        Example:
            >>> from privacy_accountant import ADP
            >>> record = RiskReport(ADP(epsilon=1.0, delta=1e-6)).to_dict()
            >>> record["schema"], record["version"], record["epsilons_at_delta"][0]
            ('privacy-accountant/risk-report', 1, {'epsilon': 'inf', 'delta': 0.0, 'epsilon_low': None})
        """
        return record_of(self.guarantee, self.study, self._figures)

    def to_json(self, *, indent: int | None = None) -> str:
        """The record of `to_dict` as JSON text, without NaN or Infinity.

        Args:
            indent: Spaces per level, or None for one line.
        """
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False, ensure_ascii=False)

    def to_markdown(self) -> str:
        """The report as GitHub-flavoured Markdown: the strings of the printed page, in headings, lists and tables.

        Example:
            >>> from privacy_accountant import GDP
            >>> RiskReport(GDP(mu=1.0)).to_markdown().splitlines()[:3]
            ['# Risk report', '', '## What is claimed']
        """
        return as_markdown(title_of(self.study), self._blocks)

    def to_dataframe(self) -> Any:
        """The report's numbers as a pandas data frame, one a row.

        Columns: `group`, how many people; `quantity`, the bound's name; `at`, the false positive rate, prior, baseline, exception, delta or epsilon it belongs to;
        `prior` for positive predictive values and posterior beliefs; `value`; and `bound`, the side of the truth that the value is on.

        Raises:
            MissingExtraError: When pandas is not installed; the extra is `frames`.

        Example:
            >>> from privacy_accountant import GDP
            >>> frame = RiskReport(GDP(mu=1.0)).to_dataframe()
            >>> frame[frame.quantity == "tpr"][["at", "value", "bound"]].round(4).values.tolist()[2]
            [0.01, 0.0924, 'upper']
        """
        return as_frame(self._figures)

    def to_html(self, path: str | os.PathLike[str]) -> Path:
        """Write the report as one HTML file that needs no network: sentences, pictures, tables, and sliders to ask with.

        The file is for a screen in light or dark and for paper. Its sliders read a table of numbers that were computed and
        rounded here, so it shows nothing that the guarantee did not answer.

        Args:
            path: Where to write; a file that is there is replaced.

        Returns:
            The path.

        Raises:
            InvalidParameterError: When path is not a path.
            OSError: When the file cannot be written.

        Example:
            >>> import tempfile
            >>> from privacy_accountant import GDP
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = RiskReport(GDP(mu=1.0)).to_html(f"{folder}/risk.html")
            ...     path.stat().st_size < 300_000
            True
        """
        steps = () if self.study is None else self.study.spending
        page = as_document(
            title_of(self.study), self._blocks, self._figures, self._curves, self._words, steps
        )
        return write(path, page)

    def __str__(self) -> str:
        return as_text(title_of(self.study), self._blocks)

    def __rich__(self) -> Any:
        return as_renderable(title_of(self.study), self._blocks)

    def _repr_html_(self) -> str:
        return as_html(title_of(self.study), self._blocks)

    @property
    def _blocks(self) -> Any:
        return blocks_of(self.guarantee, self.study, self._figures)
