"""The pictures of the page: the same curves that matplotlib draws, as SVG, each with its title and its key."""

from __future__ import annotations

import html
import math
from datetime import datetime, timedelta

import attrs
import numpy as np

from privacy_accountant.risk.curves import LEAST_DELTA, LEAST_RATE, Curves
from privacy_accountant.risk.rounding import Side, label, percent, percent_label
from privacy_accountant.risk.svg import Axis, Frame, Scale
from privacy_accountant.risk.words import Words

_BOUND = ("bound", "this guarantee's bound")
_PERFECT = ("perfect", "perfect privacy: pure guessing")
_NONE = ("none", "no privacy")
_MOST_STEPS = 400
_DAYS = 3 * 86_400
_RULED_OUT = ("ruled-out", "ruled out for every attack")


@attrs.frozen
class Drawing:
    """A picture with what is said beside it, and the frame in which a slider's mark moves."""

    title: str
    frame: Frame
    svg: str
    key: tuple[tuple[str, str], ...]

    def figure(self) -> str:
        """The picture as an HTML figure."""
        keys = "".join(
            f'<li><svg viewBox="0 0 28 10" aria-hidden="true"><path class="{style}" d="M1 5H27"/></svg>'
            f"{html.escape(text)}</li>"
            for style, text in self.key
        )
        return f'<figure><figcaption>{html.escape(self.title)}</figcaption>{self.svg}<ul class="key">{keys}</ul></figure>'


def trade_off(curves: Curves, words: Words) -> Drawing:
    """What the best attack misses, over how often it is wrong about others."""
    frame = Frame("trade-off", _shares("False positive rate"), _shares("False negative rate"))
    alphas, betas = curves.alphas.tolist(), curves.betas.tolist()
    svg = frame.picture(
        "Trade-off curve: the least share that any attack misses of"
        f" {words.inside}, over the share it wrongly accuses of {words.outside}."
        " The same numbers are in the table of attacks.",
        [
            frame.area([0.0, *alphas], [0.0, *betas], "ruled-out"),
            frame.path([0.0, 1.0], [1.0, 0.0], "perfect"),
            frame.path([0.0, 0.0, 1.0], [1.0, 0.0, 0.0], "none"),
            frame.path(alphas, betas, "bound"),
        ],
        frame.dot(0.5, 0.5),
    )
    return Drawing("How well can an attack do?", frame, svg, (_BOUND, _RULED_OUT, _PERFECT, _NONE))


def low_rates(curves: Curves, words: Words) -> Drawing:
    """What the best attack recognises where it is seldom wrong about others, both axes logarithmic."""
    frame = Frame("low-rates", _decades("False positive rate"), _decades("True positive rate"))
    kept = curves.alphas >= LEAST_RATE
    alphas, tprs = curves.alphas[kept].tolist(), curves.tprs[kept].tolist()
    svg = frame.picture(
        "The largest share that any attack recognises of"
        f" {words.inside}, over the share it wrongly accuses of {words.outside}, on logarithmic axes.",
        [
            frame.path([LEAST_RATE, 1.0], [LEAST_RATE, 1.0], "perfect"),
            frame.path([LEAST_RATE, 1.0], [1.0, 1.0], "none"),
            frame.path(alphas, tprs, "bound"),
        ],
        frame.dot(0.01, 0.01),
    )
    return Drawing("Attacks that are seldom wrong", frame, svg, (_BOUND, _PERFECT, _NONE))


def profile(curves: Curves) -> Drawing:
    """The privacy profile, delta on a logarithmic axis."""
    last = float(curves.epsilons[-1])
    frame = Frame("profile", _epsilons(last), _deltas())
    epsilons, deltas = curves.epsilons.tolist(), curves.deltas.tolist()
    svg = frame.picture(
        f"Privacy profile: the least delta for each epsilon from 0 to {last:.3g}, delta on a logarithmic axis.",
        [
            frame.path([0.0, last], [1.0, 1.0], "none"),
            frame.path(epsilons, deltas, "bound"),
        ],
    )
    return Drawing("As (epsilon, delta)-differential privacy", frame, svg, (_BOUND, _NONE))


def bayes_risk(curves: Curves, words: Words) -> Drawing:
    """The least error of a guess, over the belief before the results."""
    frame = Frame(
        "bayes-risk",
        _shares("Prior belief"),
        _shares("Error of the best guess", (0, 0.1, 0.2, 0.3, 0.4, 0.5)),
    )
    priors, risks = curves.priors.tolist(), curves.risks.tolist()
    svg = frame.picture(
        f"The least error of a guess whether {words.question}, over the belief before the results.",
        [
            frame.area(priors, risks, "ruled-out"),
            frame.path([0.0, 0.5, 1.0], [0.0, 0.5, 0.0], "perfect"),
            frame.path([0.0, 1.0], [0.0, 0.0], "none"),
            frame.path(priors, risks, "bound"),
        ],
        frame.dot(0.5, 0.5),
    )
    return Drawing("What a guess is worth", frame, svg, (_BOUND, _RULED_OUT, _PERFECT, _NONE))


def spending(steps: tuple[tuple[str, float], ...]) -> Drawing:
    """The share of the budget that was used over time, of which there is at least one step."""
    kept = steps[:: 1 + len(steps) // _MOST_STEPS]
    moments = [datetime.fromisoformat(time) for time, _ in (*kept, steps[-1])]
    seconds = [(moment - moments[0]).total_seconds() for moment in moments]
    last = max(seconds[-1], 1.0)
    shares = [share for _, share in (*kept, steps[-1])]
    shown = "%Y-%m-%d" if last > _DAYS else "%H:%M:%S"
    ticks = (
        (part, (moments[0] + timedelta(seconds=part * last)).strftime(shown)) for part in (0.0, 0.45, 0.9)
    )
    frame = Frame(
        "spending", Axis(scale=lambda part: part, ticks=tuple(ticks), title="Time"), _shares("Budget used")
    )
    xs = [0.0, *(second / last for second in seconds for _ in range(2)), 1.0]
    ys = [0.0, 0.0, *(share for share in shares[:-1] for _ in range(2)), shares[-1], shares[-1]]
    svg = frame.picture(
        f"The share of the budget used over time, at the end {percent(min(shares[-1], 1.0), Side.AT_MOST)}.",
        [frame.path([0.0, 1.0], [1.0, 1.0], "none"), frame.path(xs, ys, "bound")],
    )
    return Drawing(
        "How much of the budget is used?", frame, svg, (("bound", "used"), ("none", "the whole budget"))
    )


def _shares(title: str, ticks: tuple[float, ...] = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)) -> Axis:
    return Axis(
        scale=lambda value: value / ticks[-1],
        ticks=tuple((tick, percent_label(tick)) for tick in ticks),
        title=title,
    )


def _decades(title: str) -> Axis:
    ticks = tuple(10.0**power for power in range(-5, 1))
    return Axis(
        scale=_logarithm(LEAST_RATE),
        ticks=tuple((tick, percent_label(float(f"{tick:g}"))) for tick in ticks),
        title=title,
    )


def _deltas() -> Axis:
    ticks = (1e-10, 1e-8, 1e-6, 1e-4, 1e-2, 1.0)
    return Axis(
        scale=_logarithm(LEAST_DELTA),
        ticks=tuple((tick, label(tick)) for tick in ticks),
        title="delta at most",
    )


def _epsilons(last: float) -> Axis:
    return Axis(
        scale=lambda value: value / last,
        ticks=tuple((tick, f"{tick:.3g}") for tick in _round_ticks(last)),
        title="epsilon",
    )


def _logarithm(least: float) -> Scale:
    """1 at 1 and 0 at `least`; what is far below lies just outside of the frame."""
    decades = -math.log10(least)
    return lambda value: max(1.0 + math.log10(value) / decades, -0.2) if value > 0 else -0.2


def _round_ticks(last: float) -> list[float]:
    """Some five round numbers from 0 to at most `last`."""
    power = 10.0 ** math.floor(math.log10(last / 4))
    step = next(power * size for size in (1, 2, 2.5, 5, 10) if last / (power * size) <= 5)
    return [float(tick) for tick in np.arange(0.0, last * (1 + 1e-9), step)]
