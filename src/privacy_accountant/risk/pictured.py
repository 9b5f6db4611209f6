"""The pictures that a report draws of itself."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.risk import pictures
from privacy_accountant.risk.curves import Curves, curves_of
from privacy_accountant.risk.facts import StudyFacts
from privacy_accountant.risk.figures import Figures, figures_of
from privacy_accountant.risk.words import Words, words_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Pictured:
    """Pictures with matplotlib, the extra `plot`: each draws on the axes it is given, or on a new figure, and returns them.

    All of them raise `MissingExtraError` when matplotlib is not installed.
    """

    guarantee: PrivacyGuarantee
    study: StudyFacts | None
    for_group: tuple[int, ...]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the trade-off curve: what the best attack misses, over how often it is wrong about others.

        Args:
            ax: Matplotlib axes to draw on; a new figure by default.

        Returns:
            The axes.

        Raises:
            MissingExtraError: When matplotlib is not installed.
        """
        return pictures.trade_off(self.guarantee, self._figures, self._words, ax)

    def plot_low_fpr(self, ax: Axes | None = None) -> Axes:
        """Draw what the best attack recognises where it is seldom wrong about others, on logarithmic axes; see `plot`."""
        return pictures.low_rates(self._curves, self._words, ax)

    def plot_profile(self, ax: Axes | None = None) -> Axes:
        """Draw the privacy profile, the least delta for each epsilon; see `plot`."""
        return pictures.profile(self._curves, ax)

    def plot_bayes_risk(self, ax: Axes | None = None) -> Axes:
        """Draw the least error of a guess over the belief before the results; see `plot`."""
        return pictures.bayes_risk(self._curves, self._words, ax)

    def plot_spending(self, ax: Axes | None = None) -> Axes:
        """Draw how much of the budget was used over time; see `plot`.

        Raises:
            InvalidParameterError: When the facts of the study do not tell it.
        """
        return pictures.spending(() if self.study is None else self.study.spending, ax)

    @functools.cached_property
    def _figures(self) -> Figures:
        return figures_of(self.guarantee, self.for_group)

    @functools.cached_property
    def _curves(self) -> Curves:
        return curves_of(self.guarantee, self._figures)

    @property
    def _words(self) -> Words:
        return words_for(None if self.study is None else self.study.neighbors)
