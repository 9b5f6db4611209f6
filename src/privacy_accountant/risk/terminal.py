"""The face for a terminal with colours, with rich, an optional extra: the same strings in rich's tables."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterable
from typing import Any

from privacy_accountant.errors import MissingExtraError
from privacy_accountant.risk.blocks import Block, Pairs, Sentences, Table
from privacy_accountant.risk.text import clean


def as_renderable(title: str, blocks: Iterable[Block]) -> Any:
    """A title and blocks as something that rich prints; no text is read as rich's markup.

    Raises:
        MissingExtraError: When rich is not installed; the extra is `cli`.
    """
    parts: list[Any] = [_styled(title, "bold")]
    for block in blocks:
        parts += [_styled(""), _styled(block.title, "bold cyan"), *_parts(block)]
    return _rich("console").Group(*parts)


@functools.singledispatch
def _parts(block: Block) -> list[Any]:
    raise TypeError(f"no terminal page for {type(block).__name__}")


@_parts.register
def _(block: Sentences) -> list[Any]:
    grid = _grid()
    grid.add_column(width=1)
    grid.add_column(ratio=1)
    for item in block.items:
        grid.add_row(_styled("•", "cyan"), _styled(item))
    return [grid]


@_parts.register
def _(block: Pairs) -> list[Any]:
    grid = _grid()
    grid.add_column(style="dim", max_width=28)
    grid.add_column(ratio=1, overflow="fold")
    for name, text in block.rows:
        grid.add_row(_styled(name), _styled(text))
    return [grid]


@_parts.register
def _(block: Table) -> list[Any]:
    table = _rich("table").Table(box=_rich("box").SIMPLE_HEAD, pad_edge=False, header_style="dim")
    for i, head in enumerate(block.header):
        lines = "\n".join(clean(line) for line in head.split("\n"))
        table.add_column(_rich("text").Text(lines), justify="left" if i == 0 else "right", vertical="bottom")
    for row in block.rows:
        table.add_row(*map(_styled, row))
    return [table, *(_styled(remark, "dim") for remark in block.remarks)]


def _grid() -> Any:
    return _rich("table").Table.grid(padding=(0, 2, 0, 0), expand=True)


def _styled(text: str, style: str = "") -> Any:
    return _rich("text").Text(clean(text), style=style)


def _rich(module: str) -> Any:
    try:
        return importlib.import_module(f"rich.{module}")
    except ImportError as error:
        raise MissingExtraError("the terminal page", "cli") from error
