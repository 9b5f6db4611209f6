"""The same facts as plain text for people and as JSON for programs."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import rich
import typer

from privacy_accountant.accountant import Accountant, Component, Preview, Release
from privacy_accountant.accountant.words import above, below, names_of, shown
from privacy_accountant.exact import Real
from privacy_accountant.risk import RiskReport


def show(text: str, data: object, as_json: bool) -> None:
    """Print the text, or the data as JSON."""
    typer.echo(json.dumps(data, indent=2) if as_json else text)


def show_report(report: RiskReport, as_json: bool) -> None:
    """Print a report: as JSON, as tables where someone looks on, or as plain text where it is piped on."""
    if as_json or not sys.stdout.isatty():
        show(str(report), report.to_dict() if as_json else None, as_json)
    else:
        rich.print(report)


def number(value: Real) -> float | str:
    """A number that JSON keeps exactly: a ratio as text where no decimal is exact, infinity as text."""
    return str(value) if isinstance(value, Fraction) or math.isinf(value) else value


def component_data(component: Component) -> dict[str, object]:
    """One number of a balance."""
    return {
        "unit": component.unit,
        "spent": number(component.spent),
        "limit": number(component.limit),
        "left": number(component.left),
    }


def status_data(study: Accountant) -> dict[str, object]:
    """Where a study stands."""
    history = study.history()
    states = [release.status for release in history]
    head = study.verify()
    return {
        "study": study.study,
        "budget": repr(study.budget),
        "neighbors": study.neighbors.value,
        "adaptive": study.adaptive,
        "spent": [component_data(component) for component in study.spent().components],
        **{name: states.count(name) for name in ("posted", "pending", "failed", "voided")},
        "planned": len(study.planned()),
        "partitions": len(study.partitions()),
        "within": study.within,
        "covers": sorted({release.behalf for release in history if release.behalf is not None}),
        "entries": head.entries,
        "head": head.head,
    }


def status_text(study: Accountant) -> str:
    """Where a study stands, in a few lines."""
    data = status_data(study)
    parts = data["partitions"]
    covered = sorted({release.behalf for release in study.history() if release.behalf is not None})
    rests = (
        "releases may be chosen as results come in" if study.adaptive else "releases were fixed in advance"
    )
    spent = [
        f"{above(one.spent)} of {shown(one.limit)}, {below(one.left)} left ({one.unit})"
        for one in study.spent().components
        if one.limit != 0 or one.spent != 0
    ]
    states = ", ".join(
        f"{data[name]} {name}" for name in ("posted", "pending", "failed", "voided", "planned") if data[name]
    )
    rows = [
        ("study", study.study),
        ("budget", f"{study.budget!r}, {study.neighbors.value}; {rests}"),
        ("spent", "; ".join(spent)),
        ("releases", states or "none"),
        ("parts", f"{parts} partition{'' if parts == 1 else 's'}; spent is the most in any" if parts else ""),
        ("within", study.within or ""),
        ("covers", names_of(covered)),
        ("ledger", f"{entries_text(data['entries'])}, chain and balances verified"),
        ("head", str(data["head"])),
    ]
    return "\n".join(f"{name:<10}{value}" for name, value in rows if value)


def entries_text(count: object) -> str:
    """How many entries there are."""
    return "1 entry" if count == 1 else f"{count} entries"


def release_data(release: Release) -> dict[str, object]:
    """One line of the history. The answer is left out: it was handed to whoever asked for it."""
    cost = [
        repr(part) if not isinstance(part, (float, Fraction, int)) else number(part) for part in release.cost
    ]
    return {
        **{name: getattr(release, name) for name in ("entry", "time", "status", "label", "key", "reason")},
        "mechanism": release.how,
        "cost": cost,
        "partition": None if release.partition is None else list(release.partition),
        "behalf": release.behalf,
        "within": release.within,
    }


def history_text(releases: Sequence[Release]) -> str:
    """A table of releases."""
    rows = [
        (
            str(release.entry),
            release.time.partition(".")[0].replace("T", " "),
            release.status,
            release.label,
            "" if release.partition is None else names_of(release.partition),
            release.how,
            _cost(release.cost),
            release.reason or "",
        )
        for release in releases
    ]
    return table(("entry", "time (UTC)", "status", "label", "partition", "mechanism", "cost", "reason"), rows)


def preview_data(preview: Preview) -> dict[str, object]:
    """What a list would cost."""
    lines: list[dict[str, object]] = [
        {
            "currency": line.currency,
            "own": line.own,
            "cost": [
                {"unit": part.unit, "cost": number(part.spent), "limit": number(part.limit)}
                for part in line.components
            ],
            "fits": line.fits,
            "reason": line.reason,
        }
        for line in preview.lines
    ]
    return {"fits": preview.fits, "currencies": lines}


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as what is in them; empty ones are left out."""
    kept = [place for place in range(len(header)) if any(row[place] for row in rows)]
    lines = [[line[place] for place in kept] for line in (header, *rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(kept))]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def _cost(cost: tuple[Any, ...]) -> str:
    plain = [part for part in cost if isinstance(part, (float, Fraction, int))]
    if len(plain) < len(cost):
        return "composed"
    return ", ".join(above(part) for part in plain if part != 0) or "0"
