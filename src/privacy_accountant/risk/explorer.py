"""What the page's sliders read: finished strings and places for every position, so that the page does no mathematics."""

from __future__ import annotations

import html
from typing import Any

from privacy_accountant.exact import exact
from privacy_accountant.risk.curves import BELIEFS, RATES, Curves
from privacy_accountant.risk.figures import share_right
from privacy_accountant.risk.rounding import Side, at_most, percent, percent_label
from privacy_accountant.risk.svg import Frame
from privacy_accountant.risk.words import Words

RATE, BELIEF, BASELINE = 0.01, 0.1, 0.1
"""Where the sliders stand at first."""

_START = {"rate": RATES.index(RATE), "belief": BELIEFS.index(BELIEF), "baseline": RATES.index(BASELINE)}


def table_of(curves: Curves, frames: dict[str, Frame]) -> dict[str, Any]:
    """Every string that a slider shows and every place to which it moves a mark.

    `show` holds, for each slider, one list of strings per name; `both` what depends on the rate and the belief; `move` the
    places of the marks.
    """
    betas, tprs = curves.at_rates(curves.betas), curves.at_rates(curves.tprs)
    risks = curves.at_beliefs()
    rates, beliefs = [percent_label(rate) for rate in RATES], [percent_label(belief) for belief in BELIEFS]
    recognised = [at_most(percent(tpr, Side.AT_MOST)) for tpr in tprs]
    return {
        "show": {
            "rate": {
                "rate": rates,
                "beta": [percent(beta, Side.AT_LEAST) for beta in betas],
                "tpr": recognised,
            },
            "belief": {
                "belief": beliefs,
                "without": [percent_label(float(min(exact(b), 1 - exact(b)))) for b in BELIEFS],
                "risk": [percent(risk, Side.AT_LEAST) for risk in risks],
            },
            "baseline": {"baseline": rates, "success": recognised},
        },
        "both": {
            "ppv": [
                [at_most(percent(share_right(t, a, b), Side.AT_MOST)) for b in BELIEFS]
                for t, a in zip(tprs, RATES, strict=True)
            ]
        },
        "move": {
            "rate": {
                "trade-off": [frames["trade-off"].place(a, b) for a, b in zip(RATES, betas, strict=True)],
                "low-rates": [frames["low-rates"].place(a, t) for a, t in zip(RATES, tprs, strict=True)],
            },
            "belief": {
                "bayes-risk": [frames["bayes-risk"].place(p, r) for p, r in zip(BELIEFS, risks, strict=True)]
            },
        },
    }


def sliders(table: dict[str, Any], words: Words) -> str:
    """Three sliders, each above the sentences that it changes, as they read at the start."""
    outside, inside = html.escape(words.outside), html.escape(words.inside)
    question, predicate = html.escape(words.question), html.escape(words.predicate)
    return "".join(
        (
            _slider("rate", "False positive rate", table),
            (
                "<p>An attack that wrongly accuses "
                f"{_shown('rate', table)} of {outside} recognises {_shown('tpr', table)} of {inside} and misses at"
                f" least {_shown('beta', table)}.</p></div>"
            ),
            _slider("belief", "Prior belief", table),
            (
                f"<p>Someone who puts the chance that {question} at {_shown('belief', table)}, and then sees all that is"
                f" published, is still wrong at least {_shown('risk', table)} of the time; without the results,"
                f" {_shown('without', table)}.</p>"
                f"<p>If {_shown('belief', table)} of the people in question {predicate}, then of those whom an attack"
                f" with a false positive rate of {_shown('rate', table)} accuses, {_shown('ppv', table)}"
                f" {predicate}.</p></div>"
            ),
            _slider("baseline", "Baseline success", table),
            (
                "<p>An attempt to single a person out, to infer an attribute or to reconstruct a record that succeeds"
                f" {_shown('baseline', table)} of the time on results {html.escape(words.otherwise)} succeeds"
                f" {_shown('success', table)} of the time on these.</p></div>"
            ),
        )
    )


def marks(table: dict[str, Any], svg: str) -> str:
    """A picture with its mark where the slider stands at first."""
    for slider, places in table["move"].items():
        for name, points in places.items():
            head, found, tail = svg.partition(f'id="{name}-mark" transform="translate(')
            if found:
                left, top = points[_START[slider]]
                svg = f"{head}{found}{left:g} {top:g}){tail.partition(')')[2]}"
    return svg


def _slider(name: str, title: str, table: dict[str, Any]) -> str:
    texts, start = table["show"][name][name], _START[name]
    return (
        f'<div class="slider"><label for="{name}"><span>{title}</span>{_shown(name, table)}</label>'
        f'<input type="range" id="{name}" min="0" max="{len(texts) - 1}" step="1" value="{start}"'
        f' aria-valuetext="{texts[start]}">'
    )


def _shown(name: str, table: dict[str, Any]) -> str:
    if name in table["both"]:
        text = table["both"][name][_START["rate"]][_START["belief"]]
    else:
        text = next(shown[name][_START[slider]] for slider, shown in table["show"].items() if name in shown)
    return f'<strong data-shows="{name}">{html.escape(text)}</strong>'
