"""Several reports in one picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.risk import pictures
from privacy_accountant.risk.report import RiskReport
from privacy_accountant.risk.words import words_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_reports(reports: Mapping[str, RiskReport], ax: Axes | None = None) -> Axes:
    """Draw several reports on the same axes: what the best attack recognises where it is seldom wrong about others.

    Args:
        reports: Reports by the names that the picture shows.
        ax: Matplotlib axes to draw on; a new figure by default.

    Returns:
        The axes.

    Raises:
        InvalidParameterError: When there are none, or one is no report.
        MissingExtraError: When matplotlib is not installed.
    """
    given: object = reports
    if (
        not isinstance(given, Mapping)
        or not given
        or not all(isinstance(one, RiskReport) for one in given.values())
    ):
        raise InvalidParameterError("reports", "a dict of RiskReport by name", reports)
    relations = {None if one.study is None else one.study.neighbors for one in reports.values()}
    # Words that are true of one relation are not of another.
    words = words_for(relations.pop() if len(relations) == 1 else None)
    return pictures.several({str(name): one.guarantee for name, one in reports.items()}, words, ax)
