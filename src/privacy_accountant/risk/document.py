"""The page that can be handed on: one file of HTML that asks nothing of any network, on paper as on a screen."""

from __future__ import annotations

import base64
import hashlib
import html
import itertools
import json
import os
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Any

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.risk import drawings
from privacy_accountant.risk.blocks import Block, Table
from privacy_accountant.risk.curves import Curves
from privacy_accountant.risk.explorer import marks, sliders, table_of
from privacy_accountant.risk.figures import Figures
from privacy_accountant.risk.page import body_of
from privacy_accountant.risk.rounding import Side, at_most, percent, points, upper_first
from privacy_accountant.risk.words import Words

_LEAD = (
    "What the published results can reveal about one person, as proved bounds on the best possible attack. No figure"
    " makes a risk look smaller than it is."
)


def as_document(
    title: str,
    blocks: Iterable[Block],
    figures: Figures,
    curves: Curves,
    words: Words,
    steps: tuple[tuple[str, float], ...] = (),
) -> str:
    """A title, blocks and curves as a complete page; every text is escaped, and the page's policy forbids requests.

    `steps` is the share of the budget that was used over time, drawn when there is any.
    """
    drawn = (
        drawings.trade_off(curves, words),
        drawings.low_rates(curves, words),
        drawings.bayes_risk(curves, words),
        drawings.profile(curves),
        *([drawings.spending(steps)] if steps else []),
    )
    table = table_of(curves, {drawing.frame.name: drawing.frame for drawing in drawn})
    script, style = _asset("page.js"), _asset("page.css")
    named = html.escape(title)
    return "".join(
        (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_policy(script, style)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{named}</title><style>{style}</style></head><body><main>",
            f"<header><h1>{named}</h1><p>{_LEAD}</p>{_glance(figures, words)}</header>",
            *_sections(blocks, _explore(table, words, drawn)),
            "<footer>Made by privacy-accountant.</footer></main>",
            f'<script type="application/json" id="table">{_embedded(table)}</script>',
            f"<script>{script}</script></body></html>\n",
        )
    )


def write(path: str | os.PathLike[str], text: str) -> Path:
    """Write a page.

    Raises:
        InvalidParameterError: When path is not a path.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise InvalidParameterError("path", "a str or a path", path)
    place = Path(path)
    place.write_text(text, encoding="utf-8", newline="\n")
    return place


def _sections(blocks: Iterable[Block], explore: str) -> list[str]:
    """The blocks in their order, tables in two columns, and the sliders and pictures before the first table."""
    sections: list[str] = []
    for tabular, group in itertools.groupby(blocks, key=lambda block: isinstance(block, Table)):
        if not tabular:
            sections += [_section(block.title, body_of(block)) for block in group]
            continue
        tables = [_section(block.title, f'<div class="numbers">{body_of(block)}</div>') for block in group]
        sections += [explore, f'<div class="tables">{"".join(tables)}</div>']
        explore = ""
    return sections


def _section(title: str, body: str) -> str:
    return f"<section><h2>{html.escape(title)}</h2>{body}</section>"


def _explore(table: dict[str, Any], words: Words, drawn: Iterable[drawings.Drawing]) -> str:
    figures = marks(table, "".join(drawing.figure() for drawing in drawn))
    return _section(
        "Ask for yourself",
        f'<div class="sliders">{sliders(table, words)}</div><div class="pictures">{figures}</div>',
    )


def _glance(figures: Figures, words: Words) -> str:
    """Three numbers, large, each with the sentence that makes it true."""
    attack = next(one for one in figures.attacks if one.alpha == 0.01)
    guess = next(one for one in figures.guesses if one.prior == 0.5)
    cards = (
        (
            at_most(percent(attack.tpr, Side.AT_MOST)),
            f"of {words.inside} are recognised by an attack that wrongly accuses 1% of {words.outside}",
        ),
        (
            at_most(points(figures.advantage, Side.AT_MOST)).replace(" percentage points", " points"),
            "of a hundred by which any attack's share of hits exceeds its share of false alarms: its advantage",
        ),
        (
            f"at least {percent(guess.bayes_risk, Side.AT_LEAST)}",
            "is the error of a guess that starts from even odds; without the results it is 50%",
        ),
    )
    items = "".join(
        f"<li><b>{html.escape(upper_first(number))}</b><span>{html.escape(text)}</span></li>"
        for number, text in cards
    )
    return f'<ul class="glance">{items}</ul>'


def _policy(script: str, style: str) -> str:
    return f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; base-uri 'none'; form-action 'none'"


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _embedded(table: dict[str, Any]) -> str:
    """JSON that cannot end the element it stands in."""
    return json.dumps(table, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _asset(name: str) -> str:
    return resources.files("privacy_accountant.risk").joinpath("assets", name).read_text(encoding="utf-8")
