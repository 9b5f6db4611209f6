"""The Markdown face, for a repository, a wiki or a ticket: the same strings, with what Markdown would read as its own escaped."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from privacy_accountant.risk.blocks import Block, Pairs, Sentences, Table
from privacy_accountant.risk.text import clean

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&!$])")
_OPENING = re.compile(r"^(\d+)([.)])(?=\s|$)|^([-+=])")


def as_markdown(title: str, blocks: Iterable[Block]) -> str:
    """A title and blocks as GitHub-flavoured Markdown, ending in a newline."""
    lines = [f"# {_text(title)}"]
    for block in blocks:
        lines += ["", f"## {_text(block.title)}", "", *_lines(block)]
    return "\n".join(lines) + "\n"


@functools.singledispatch
def _lines(block: Block) -> list[str]:
    raise TypeError(f"no Markdown for {type(block).__name__}")


@_lines.register
def _(block: Sentences) -> list[str]:
    return [f"- {_text(item)}" for item in block.items]


@_lines.register
def _(block: Pairs) -> list[str]:
    # A table must have a head; one with empty cells keeps the facts first.
    return ["|  |  |", "|:---|:---|", *(_row((name, text)) for name, text in block.rows)]


@_lines.register
def _(block: Table) -> list[str]:
    rule = f"|{'|'.join(':---' if i == 0 else '---:' for i in range(len(block.header)))}|"
    remarks = [line for remark in block.remarks for line in ("", _text(remark))]
    return [_row(block.header), rule, *map(_row, block.rows), *remarks]


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(map(_text, cells))} |"


def _text(text: str) -> str:
    """One line that reads as it is written."""
    escaped = _SPECIAL.sub(r"\\\1", clean(text))
    return _OPENING.sub(lambda found: f"{found[1]}\\{found[2]}" if found[1] else f"\\{found[3]}", escaped)
