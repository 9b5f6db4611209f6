"""The notebook face: plain HTML tables that take the notebook's own style."""

from __future__ import annotations

import functools
import html
from collections.abc import Iterable

from privacy_accountant.risk.blocks import Block, Pairs, Sentences, Table


def as_html(title: str, blocks: Iterable[Block]) -> str:
    """A title and blocks as an HTML fragment; every text is escaped."""
    parts = [f"<h3>{_text(title)}</h3>"]
    parts += [f"<h4>{_text(block.title)}</h4>{body_of(block)}" for block in blocks]
    return f"<section>{''.join(parts)}</section>"


@functools.singledispatch
def body_of(block: Block) -> str:
    """A block without its title, as HTML."""
    raise TypeError(f"no page for {type(block).__name__}")


@body_of.register
def _(block: Sentences) -> str:
    return "<ul>" + "".join(f"<li>{_text(item)}</li>" for item in block.items) + "</ul>"


@body_of.register
def _(block: Pairs) -> str:
    rows = (f'<tr><th scope="row">{_text(name)}</th><td>{_text(text)}</td></tr>' for name, text in block.rows)
    return f"<table><tbody>{''.join(rows)}</tbody></table>"


@body_of.register
def _(block: Table) -> str:
    head = "".join(f'<th scope="col">{_text(cell)}</th>' for cell in block.header)
    rows = ("<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in block.rows)
    remarks = "".join(f"<p>{_text(remark)}</p>" for remark in block.remarks)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>{remarks}"


def _text(text: str) -> str:
    return html.escape(text).replace("\n", "<br>")
