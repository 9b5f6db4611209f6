"""The table of conversions as a page shows it: a matrix, its entries, and what is refused and why."""

from __future__ import annotations

from collections.abc import Iterable

from privacy_accountant.guarantees import registry


def as_markdown() -> str:
    """The registered conversions in Markdown, written from the table that the library itself consults.

    Example:
        >>> print(as_markdown().splitlines()[2])
        | `GDP` | bound | itself | exact | bound | bound | bound |
    """
    entries, refused = list(registry.conversions()), list(registry.refusals())
    forms = list(dict.fromkeys(entry.source for entry in entries))
    targets = sorted({entry.target for entry in entries}, key=lambda form: form.__name__)
    cells = {(entry.source, entry.target): "exact" if entry.exact else "bound" for entry in entries}
    cells |= {(source, target): "none" for source, target, _ in refused}
    matrix = [
        [
            _code(form),
            *("itself" if form is target else cells.get((form, target), "none") for target in targets),
        ]
        for form in forms
    ]
    rows = [
        [
            _code(entry.source),
            _code(entry.target),
            ", ".join(f"`{name}`" for name in entry.parameters) or "none",
            "everything" if entry.exact else "a bound",
            entry.citation,
        ]
        for entry in entries
    ]
    reasons = [[_code(source), _code(target), reason] for source, target, reason in refused]
    return "\n".join(
        [
            *_table(["from, to", *map(_code, targets)], matrix),
            "",
            *_table(["from", "to", "parameters", "keeps", "source"], rows),
            "",
            *_table(["from", "to", "why there is none, and what works"], reasons),
            "",
        ]
    )


def _code(form: type) -> str:
    return f"`{form.__name__}`"


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    titles = list(head)
    return [_line(titles), _line("---" for _ in titles), *map(_line, rows)]


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
