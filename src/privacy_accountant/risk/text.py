"""The plain-text face: at most 80 columns, nothing that a terminal or a mail could mangle."""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Iterable

from privacy_accountant.risk.blocks import Block, Pairs, Sentences, Table

WIDTH = 80
_WIDEST_NAME = 24


def as_text(title: str, blocks: Iterable[Block]) -> str:
    """A title and blocks as lines of at most 80 characters."""
    lines = [*_wrapped(title), "=" * min(len(clean(title)), WIDTH)]
    for block in blocks:
        lines += ["", block.title, "-" * len(block.title), *_lines(block)]
    return "\n".join(line.rstrip() for line in lines)


@functools.singledispatch
def _lines(block: Block) -> list[str]:
    raise TypeError(f"no text for {type(block).__name__}")


@_lines.register
def _(block: Sentences) -> list[str]:
    return [line for item in block.items for line in _wrapped(item, "* ", "  ")]


@_lines.register
def _(block: Pairs) -> list[str]:
    width = min(max(len(clean(name)) for name, _ in block.rows), _WIDEST_NAME)
    return [line for name, text in block.rows for line in _pair(clean(name), text, width)]


def _pair(name: str, text: str, width: int) -> list[str]:
    hang = " " * (width + 4)
    longest = max(map(len, clean(text).split()), default=0)
    if len(name) > width or len(hang) + longest > WIDTH:
        # A hash that is broken in two cannot be copied: it gets a line of its own.
        return [*_wrapped(name, "  ", "  "), *_wrapped(text, "    ", "    ")]
    return _wrapped(text, f"  {name:<{width}}  ", hang)


@_lines.register
def table_lines(block: Table) -> list[str]:
    """A table without its title."""
    heads = [cell.split("\n") for cell in block.header]
    depth = max(len(head) for head in heads)
    grid = [[head[i] if i < len(head) else "" for head in heads] for i in range(depth)]
    rows = [*grid, *(list(row) for row in block.rows)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
    lines = [
        "  " + "   ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows
    ]
    return lines + [line for remark in block.remarks for line in _wrapped(remark, "  ", "  ")]


def _wrapped(text: str, first: str = "", rest: str = "") -> list[str]:
    return textwrap.wrap(clean(text), WIDTH, initial_indent=first, subsequent_indent=rest) or [first]


def clean(text: str) -> str:
    """One line of printable characters: a label is somebody's text and may hold anything."""
    return "".join(letter if letter.isprintable() else "?" for letter in " ".join(text.split()))
