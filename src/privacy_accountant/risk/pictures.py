"""Pictures with matplotlib, an optional extra: each takes axes to draw on and returns them."""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from privacy_accountant.errors import InvalidParameterError, MissingExtraError
from privacy_accountant.guarantees.arguments import Array
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.risk.curves import LEAST_DELTA, LEAST_RATE, Curves
from privacy_accountant.risk.figures import Figures, true_positive_rate
from privacy_accountant.risk.rounding import Side, label, number, percent, percent_label
from privacy_accountant.risk.words import Words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's palette, which people with any colour vision can tell apart, and a grey.
_BLUE, _VERMILION, _GREY = "#0072B2", "#D55E00", "#595959"
_SEVERAL = (_BLUE, _VERMILION, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_DASHES = ("-", "--", "-.", ":")
_MARKS = {0.01: "o", 0.1: "s"}
_BOUND: dict[str, Any] = {"color": _BLUE, "linewidth": 2.2, "label": "this guarantee's bound"}
_PERFECT: dict[str, Any] = {
    "color": _GREY,
    "linestyle": "--",
    "linewidth": 1.2,
    "label": "perfect privacy: pure guessing",
}
_NONE: dict[str, Any] = {
    "color": _VERMILION,
    "linestyle": ":",
    "linewidth": 2.6,
    "label": "no privacy",
    "clip_on": False,
}
_RULED_OUT: dict[str, Any] = {
    "color": _BLUE,
    "alpha": 0.1,
    "linewidth": 0,
    "label": "ruled out for every attack",
}


def trade_off(guarantee: PrivacyGuarantee, figures: Figures, words: Words, ax: Axes | None = None) -> Axes:
    """Draw the least false negative rate over the false positive rate, between perfect and no privacy.

    Raises:
        MissingExtraError: When no axes are given and matplotlib is not installed.
    """
    axes = _axes(ax)
    alphas = _grid()
    betas = guarantee.beta(alphas)
    axes.fill_between(alphas, 0.0, betas, **_RULED_OUT)
    axes.plot([0, 1], [1, 0], **_PERFECT)
    axes.plot([0, 0, 1], [1, 0, 0], **_NONE)
    axes.plot(alphas, betas, **_BOUND)
    for one in figures.attacks:
        if one.alpha in _MARKS:
            told = f"at {percent_label(one.alpha)}, misses at least {percent(one.beta, Side.AT_LEAST)}"
            mark = _MARKS[one.alpha]
            axes.plot(
                [one.alpha], [one.beta], mark, color=_BLUE, markersize=7, clip_on=False, zorder=3, label=told
            )
    _shares(axes, "x")
    _shares(axes, "y")
    axes.set(aspect="equal", title="How well can an attack do?")
    axes.set_xlabel(f"False positive rate (alpha)\nwrongly accuses {words.outside}")
    axes.set_ylabel(f"False negative rate (beta)\nmisses {words.inside}")
    return _legend(axes, "upper right")


def low_rates(curves: Curves, words: Words, ax: Axes | None = None) -> Axes:
    """Draw the largest true positive rate over the false positive rate on logarithmic axes, as `trade_off` raises."""
    axes = _axes(ax)
    kept = curves.alphas >= LEAST_RATE
    axes.plot([LEAST_RATE, 1], [LEAST_RATE, 1], **_PERFECT)
    axes.plot([LEAST_RATE, 1], [1, 1], **_NONE)
    axes.plot(curves.alphas[kept], curves.tprs[kept], **_BOUND)
    _decades(axes, words)
    return _legend(axes, "lower right")


def profile(curves: Curves, ax: Axes | None = None) -> Axes:
    """Draw the privacy profile with delta on a logarithmic axis, as `trade_off` raises."""
    axes = _axes(ax)
    last = float(curves.epsilons[-1])
    axes.plot([0, last], [1, 1], **_NONE)
    # A delta of 0 has no place on a logarithmic axis: the line leaves the picture there.
    axes.plot(curves.epsilons, np.maximum(curves.deltas, LEAST_DELTA / 1e3), **_BOUND)
    ticks = [1e-10, 1e-8, 1e-6, 1e-4, 1e-2, 1.0]
    axes.set_yscale("log")
    axes.set_yticks(ticks, labels=[label(tick) for tick in ticks])
    axes.minorticks_off()
    axes.set(xlim=(0, last), ylim=(LEAST_DELTA, 1), title="As (epsilon, delta)-differential privacy")
    axes.set_xlabel("epsilon")
    axes.set_ylabel("delta at most")
    return _legend(axes, "lower left")


def bayes_risk(curves: Curves, words: Words, ax: Axes | None = None) -> Axes:
    """Draw the least error of a guess over the belief before the results, as `trade_off` raises."""
    axes = _axes(ax)
    axes.fill_between(curves.priors, 0.0, curves.risks, **_RULED_OUT)
    axes.plot([0, 0.5, 1], [0, 0.5, 0], **_PERFECT)
    axes.plot([0, 1], [0, 0], **_NONE)
    axes.plot(curves.priors, curves.risks, **_BOUND)
    _shares(axes, "x")
    _shares(axes, "y", (0.0, 0.1, 0.2, 0.3, 0.4, 0.5))
    axes.set_title("What is a guess worth?")
    axes.set_xlabel(f"Prior belief that {words.question}")
    axes.set_ylabel("Error of the best guess, at least")
    axes.set_ylim(0, 0.65)  # room for the legend above the peak
    return _legend(axes, "upper right")


def spending(steps: tuple[tuple[str, float], ...], ax: Axes | None = None) -> Axes:
    """Draw the share of a budget that was used over time, as `trade_off` raises.

    Raises:
        InvalidParameterError: When there are no steps.
    """
    if not steps:
        raise InvalidParameterError(
            "spending", "known: times and shares of the budget in the study's facts", ()
        )
    axes = _axes(ax)
    times: list[Any] = [datetime.fromisoformat(time) for time, _ in steps]
    shares = [share for _, share in steps]
    axes.step([times[0], *times], [0.0, *shares], where="post", color=_BLUE, linewidth=2.2, label="used")
    axes.plot([times[-1]], [shares[-1]], "o", color=_BLUE, markersize=6, zorder=3)
    axes.axhline(1.0, **{**_NONE, "label": "the whole budget"})
    _shares(axes, "y")
    axes.set_ylim(0, max(1.05, 1.05 * max(shares)))
    axes.set_title("How much of the budget is used?")
    axes.set_xlabel("Time (UTC)")
    axes.set_ylabel("Share of the budget")
    axes.tick_params("x", labelrotation=30)
    return _legend(axes, "best")


def several(guarantees: Mapping[str, PrivacyGuarantee], words: Words, ax: Axes | None = None) -> Axes:
    """Draw the largest true positive rates of several guarantees on the same logarithmic axes, as `trade_off` raises."""
    axes = _axes(ax)
    alphas = np.logspace(math.log10(LEAST_RATE), 0, 101)
    alphas[-1] = 1.0
    axes.plot([LEAST_RATE, 1], [LEAST_RATE, 1], **_PERFECT)
    for i, (name, guarantee) in enumerate(guarantees.items()):
        # Colour and dash together make 28 lines that can be told apart.
        colour, dash = _SEVERAL[i % len(_SEVERAL)], _DASHES[(i // len(_SEVERAL)) % len(_DASHES)]
        axes.plot(
            alphas,
            true_positive_rate(guarantee, alphas),
            color=colour,
            linestyle=dash,
            linewidth=2.0,
            label=name,
        )
    _decades(axes, words)
    return _legend(axes, "lower right")


def risk_against_error(
    marks: Sequence[tuple[float, float, float, str]], alpha: float, ax: Axes | None = None
) -> Axes:
    """Draw risk over the usual error, one mark (error, TPR, advantage, name) for each amount of noise, as `trade_off` raises."""
    axes = _axes(ax)
    errors = [error for error, _, _, _ in marks]
    recognised = f"recognised at most, at a false positive rate of {percent_label(alpha)}"
    axes.plot(
        errors,
        [tpr for _, tpr, _, _ in marks],
        "o-",
        color=_BLUE,
        linewidth=2.0,
        markersize=6,
        label=recognised,
    )
    axes.plot(
        errors,
        [advantage for _, _, advantage, _ in marks],
        "s--",
        color=_VERMILION,
        linewidth=2.0,
        markersize=5,
        label="advantage at most",
    )
    axes.axhline(alpha, **{**_PERFECT, "label": "perfect privacy, recognised"})
    for error, _, advantage, name in marks:
        axes.annotate(name, (error, advantage), xytext=(5, 5), textcoords="offset points", fontsize="small")
    ticks = tuple(i / 5 for i in range(6))
    _shares(axes, "y", ticks)
    axes.set(xscale="log", title="What does accuracy cost?")
    several = sorted(set(errors))
    kept = several[:: 1 + (len(several) - 1) // 8]
    axes.set_xticks(kept, labels=[number(error, Side.AT_MOST) for error in kept])
    axes.minorticks_off()
    axes.set_xlabel("Error of a published number, 19 times in 20 at most")
    axes.set_ylabel("Risk")
    return _legend(axes, "best")


def _axes(ax: Axes | None) -> Any:
    if ax is not None:
        return ax
    try:
        pyplot = importlib.import_module("matplotlib.pyplot")
    except ImportError as error:
        raise MissingExtraError("a picture of a risk report", "plot") from error
    return pyplot.subplots(figsize=(6.4, 6.0), layout="constrained")[1]


def _shares(axes: Any, axis: str, ticks: tuple[float, ...] = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)) -> None:
    labels = [percent_label(tick) for tick in ticks]
    if axis == "x":
        axes.set_xticks(ticks, labels=labels)
        axes.set_xlim(ticks[0], ticks[-1])
    else:
        axes.set_yticks(ticks, labels=labels)
        axes.set_ylim(ticks[0], ticks[-1])


def _decades(axes: Any, words: Words) -> None:
    ticks = [1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0]
    labels = [percent_label(tick) for tick in ticks]
    axes.set(xscale="log", yscale="log", aspect="equal", title="Attacks that are seldom wrong")
    axes.set_xticks(ticks, labels=labels)
    axes.set_yticks(ticks, labels=labels)
    axes.minorticks_off()
    axes.set(xlim=(LEAST_RATE, 1), ylim=(LEAST_RATE, 1))
    axes.set_xlabel(f"False positive rate\nwrongly accuses {words.outside}")
    axes.set_ylabel(f"True positive rate, at most\nrecognises {words.inside}")


def _legend(axes: Any, place: str) -> Axes:
    axes.legend(loc=place, fontsize="small", framealpha=0.9, edgecolor="none")
    dressed: Axes = axes
    return dressed


def _grid() -> Array:
    """Rates from 0 to 1, dense at both ends where the curve bends most."""
    low = np.logspace(-6, -1, 101)
    return np.concatenate([[0.0], low, np.linspace(0.1, 0.9, 161)[1:-1], 1.0 - low[::-1], [1.0]])
