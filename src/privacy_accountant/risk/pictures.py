"""Pictures with matplotlib, an optional extra: each takes axes to draw on and returns them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from privacy_accountant.errors import MissingExtraError
from privacy_accountant.guarantees.arguments import Array
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.risk.figures import Figures
from privacy_accountant.risk.rounding import Side, percent, percent_label
from privacy_accountant.risk.words import Words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Two colours of Okabe and Ito's palette, which people with any colour vision can tell apart, and a grey.
_BLUE, _VERMILION, _GREY = "#0072B2", "#D55E00", "#595959"
_MARKS = {0.01: "o", 0.1: "s"}


def trade_off(guarantee: PrivacyGuarantee, figures: Figures, words: Words, ax: Axes | None = None) -> Axes:
    """Draw the least false negative rate over the false positive rate, between perfect and no privacy.

    Raises:
        MissingExtraError: When no axes are given and matplotlib is not installed.
    """
    axes: Axes = _new_axes("RiskReport.plot") if ax is None else ax
    alphas = _grid()
    betas = guarantee.beta(alphas)
    axes.fill_between(
        alphas, 0.0, betas, color=_BLUE, alpha=0.1, linewidth=0, label="ruled out for every attack"
    )
    axes.plot(
        [0, 1], [1, 0], color=_GREY, linestyle="--", linewidth=1.2, label="perfect privacy: pure guessing"
    )
    axes.plot(
        [0, 0, 1],
        [1, 0, 0],
        color=_VERMILION,
        linestyle=":",
        linewidth=2.6,
        label="no privacy",
        clip_on=False,
    )
    axes.plot(alphas, betas, color=_BLUE, linewidth=2.2, label="this guarantee's bound")
    for one in figures.attacks:
        if one.alpha in _MARKS:
            told = f"at {percent_label(one.alpha)}, misses at least {percent(one.beta, Side.AT_LEAST)}"
            mark = _MARKS[one.alpha]
            axes.plot(
                [one.alpha], [one.beta], mark, color=_BLUE, markersize=7, clip_on=False, zorder=3, label=told
            )
    _dress(axes, words)
    return axes


def _dress(axes: Axes, words: Words) -> None:
    ticks = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    labels = [percent_label(tick) for tick in ticks]
    axes.set_xticks(ticks, labels=labels)
    axes.set_yticks(ticks, labels=labels)
    axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", title="How well can an attack do?")
    axes.set_xlabel(f"False positive rate (alpha)\nwrongly accuses {words.outside}")
    axes.set_ylabel(f"False negative rate (beta)\nmisses {words.inside}")
    axes.legend(loc="upper right", fontsize="small", framealpha=0.9, edgecolor="none")


def _grid() -> Array:
    """Rates from 0 to 1, dense at both ends where the curve bends most."""
    low = np.logspace(-6, -1, 101)
    return np.concatenate([[0.0], low, np.linspace(0.1, 0.9, 161)[1:-1], 1.0 - low[::-1], [1.0]])


def _new_axes(feature: str) -> Any:
    try:
        pyplot = importlib.import_module("matplotlib.pyplot")
    except ImportError as error:
        raise MissingExtraError(feature, "plot") from error
    return pyplot.subplots(figsize=(6.4, 6.0), layout="constrained")[1]
