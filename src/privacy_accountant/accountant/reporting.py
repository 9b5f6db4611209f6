"""The plain facts of a study that a risk report prints."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from privacy_accountant.accountant.budgets.settings import Settings, read_settings
from privacy_accountant.accountant.history import releases
from privacy_accountant.accountant.records import Release, Spent
from privacy_accountant.accountant.words import above, below, names_of, shown
from privacy_accountant.exact import exact, float_down, float_up
from privacy_accountant.guarantees.risk_target import Risk
from privacy_accountant.ledger import Entry, Kind
from privacy_accountant.ledger.entries import canonical
from privacy_accountant.mechanisms.values.finish import Finish
from privacy_accountant.risk import StudyFacts
from privacy_accountant.risk.facts import CLAIM_OF_A_BUDGET, CLAIM_OF_A_PLAN, CLAIM_OF_A_TARGET


def study_facts(
    settings: Settings, study: str, entries: tuple[Entry, ...], spent: Spent, unit: str | None = None
) -> StudyFacts:
    """What a report says about a study besides its numbers."""
    history = releases(entries)
    made = [release for release in history if release.status == "posted"]
    return StudyFacts(
        neighbors=settings.neighbors,
        adaptive=settings.adaptive,
        study=study,
        budget=" amended to ".join(_budgets(entries)),
        currency=", ".join(component.unit for component in spent.components),
        spent=", ".join(above(component.spent) for component in spent.components),
        remaining=", ".join(below(component.left) for component in spent.components),
        releases=len(made),
        mechanisms=_mechanisms(made),
        failures=sum(release.status == "failed" for release in history),
        pending=sum(release.status == "pending" for release in history),
        ledger_head=entries[-1].hash,
        unit=unit,
        claim=" ".join((*_claim(settings), *_scope(settings, history), *_remarks(entries))),
        voids=tuple(f"entry {one.entry}: {one.reason}" for one in history if one.status == "voided"),
        spending=tuple(_spending(history, spent)),
    )


def _claim(settings: Settings) -> Iterator[str]:
    yield CLAIM_OF_A_BUDGET if settings.adaptive else CLAIM_OF_A_PLAN
    if settings.adaptive and isinstance(settings.budget, Risk):
        yield CLAIM_OF_A_TARGET


def _scope(settings: Settings, history: tuple[Release, ...]) -> Iterator[str]:
    """Whose releases the claim covers: those of every partition, of the studies within, and of the account around."""
    if any(release.partition is not None for release in history):
        yield (
            "It holds for a person in any partition, the worst one included, provided that the partition is a fixed public"
            " function of a person's own record."
        )
    inside = sorted({release.behalf for release in history if release.behalf is not None})
    if inside:
        yield f"It covers what the studies within it release: {', '.join(inside)}."
    if settings.within is not None:
        yield f"Every release is charged to {settings.within.study} as well, the account in which the study lies."


def _label(release: Release) -> str:
    """A release's label, with the partitions that it touches: the first few of many."""
    if release.partition is None:
        return release.label
    return f"{release.label} ({names_of(release.partition)})"


def _spending(history: tuple[Release, ...], spent: Spent) -> Iterator[tuple[str, float]]:
    """The share of today's budget that was used after each release: of the component that is used most.

    A plan has no shares, since what it composes does not add up. Sums are rounded up, for a picture.
    """
    limits = [limit if limit == math.inf else float_down(exact(limit)) for limit in spent.limits]
    whole, worst = [0.0] * len(limits), [0.0] * len(limits)
    alone: dict[str, list[float]] = {}
    for release in history:
        if release.status == "voided" or not _adds_up(release.cost, limits):
            continue
        if release.partition is None:
            whole = _added(whole, release.cost)
        for name in release.partition or ():
            alone[name] = _added(alone.get(name, [0.0] * len(limits)), release.cost)
            worst = list(map(max, worst, alone[name]))
        used = _added(whole, worst)
        shares = [amount / limit for amount, limit in zip(used, limits, strict=True) if limit > 0]
        yield release.time, max(shares, default=0.0)


def _added(used: Sequence[float], cost: Sequence[Any]) -> list[float]:
    return [
        math.nextafter(amount + float_up(exact(part)), math.inf) if part else amount
        for amount, part in zip(used, cost, strict=True)
    ]


def _adds_up(cost: tuple[object, ...], limits: Sequence[float | Fraction]) -> bool:
    numbers = all(isinstance(part, (float, Fraction)) and part != math.inf for part in cost)
    return numbers and len(cost) == len(limits)


def _budgets(entries: tuple[Entry, ...]) -> Iterator[str]:
    """Every budget that the study has had, in order."""
    for entry in entries:
        if entry.kind in (Kind.OPEN, Kind.AMEND):
            yield repr(read_settings(canonical(entry.draft.settings)).budget)


def _remarks(entries: tuple[Entry, ...]) -> Iterator[str]:
    """What was changed by hand, with the reason that was given, and how much of a plan was not made."""
    for entry in entries:
        day = entry.time.partition("T")[0]
        if entry.kind is Kind.AMEND:
            yield (
                f"The budget was raised on {day} (entry {entry.sequence}), for the reason: {entry.draft.reason}. The claim"
                " rests on that not being a consequence of what had been published."
            )
        elif entry.kind is Kind.VOID:
            yield f"Entry {entry.draft.refers_to} was given back on {day}, for the reason: {entry.draft.reason}."
    planned = _planned(entries)
    if planned:
        yield f"It includes {planned} planned release{'s' if planned > 1 else ''} not made so far."


def _planned(entries: tuple[Entry, ...]) -> int:
    """How many planned releases were not drawn, or were drawn and given back."""
    voided = {entry.draft.refers_to for entry in entries if entry.kind is Kind.VOID}
    drawn = [entry for entry in entries if entry.kind is Kind.RESERVE and entry.draft.refers_to is not None]
    plans = sum(entry.kind is Kind.PLAN for entry in entries)
    return plans - sum(entry.sequence not in voided for entry in drawn)


def _mechanisms(made: Sequence[Release]) -> tuple[tuple[str, str], ...]:
    """Each release with how it was made; what is equal is written down once, for there may be thousands."""
    told: dict[tuple[int, str | None], str] = {}
    for release in made:
        kind = id(release.mechanism), release.tag
        if kind not in told:
            told[kind] = release.how
    return tuple(
        (_label(release), f"{told[id(release.mechanism), release.tag]}{_finished(release.finish)}")
        for release in made
    )


def _finished(finish: Finish | None) -> str:
    """What was done to the noised value, which is public and free."""
    if finish is None:
        return ""
    told = f", rounded to multiples of {shown(finish.round_to)}" if finish.round_to is not None else ""
    low, high = finish.clamp or (None, None)
    told += f", raised to at least {shown(low)}" if low is not None else ""
    return told + (f", lowered to at most {shown(high)}" if high is not None else "")
