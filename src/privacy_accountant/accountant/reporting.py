"""The plain facts of a study that a risk report prints."""

from __future__ import annotations

from privacy_accountant.accountant.history import releases
from privacy_accountant.accountant.records import Release, Spent
from privacy_accountant.accountant.settings import Settings
from privacy_accountant.accountant.words import above, below
from privacy_accountant.ledger import Entry
from privacy_accountant.risk import StudyFacts


def study_facts(settings: Settings, study: str, entries: tuple[Entry, ...], spent: Spent) -> StudyFacts:
    """What a report says about a study besides its numbers."""
    history = releases(entries)
    made = [release for release in history if release.status == "posted"]
    return StudyFacts(
        neighbors=settings.neighbors,
        adaptive=settings.adaptive,
        study=study,
        budget=repr(settings.budget),
        currency=", ".join(component.unit for component in spent.components),
        spent=", ".join(above(component.spent) for component in spent.components),
        remaining=", ".join(below(component.left) for component in spent.components),
        releases=len(made),
        mechanisms=tuple((release.label, _mechanism(release)) for release in made),
        failures=sum(release.status == "failed" for release in history),
        pending=sum(release.status == "pending" for release in history),
        ledger_head=entries[-1].hash,
    )


def _mechanism(release: Release) -> str:
    return "a mechanism unknown to this program" if release.mechanism is None else repr(release.mechanism)
