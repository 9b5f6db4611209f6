"""What a report says about a study besides its numbers: plain facts, handed over by whoever keeps the study."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import attrs

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import integer
from privacy_accountant.neighbors import Neighbors, read_neighbors

CLAIM_OF_A_BUDGET = (
    "The claim is the budget. It holds when releases are chosen after seeing earlier results, and whatever part of"
    " the budget has been spent."
)
CLAIM_OF_A_PLAN = (
    "The claim is the composition of the releases made. It holds if they and their number were fixed in advance, before"
    " the first result was seen; a study that was stopped because of a result claims its budget."
)
CLAIM_OF_A_TARGET = (
    "The figures are those of the guarantee that enforces the budget: where the budget names a figure, theirs is no"
    " worse."
)


def _read_text(instance: Any, attribute: attrs.Attribute[Any], value: object) -> None:
    """Check an optional text."""
    del instance
    if value is not None and not isinstance(value, str):
        raise InvalidParameterError(attribute.name, "a str or None", value)


def _read_claim(instance: Any, attribute: attrs.Attribute[Any], value: object) -> None:
    """Check a text that must be there."""
    del instance
    if not isinstance(value, str) or not value.strip():
        raise InvalidParameterError(attribute.name, "a str that is not empty", value)


def _read_count(instance: Any, attribute: attrs.Attribute[Any], value: object) -> None:
    """Check a count."""
    del instance
    integer(value, attribute.name, "an integer >= 0", least=0)


def _read_flag(instance: Any, attribute: attrs.Attribute[Any], value: object) -> None:
    """Check a yes or no."""
    del instance
    if not isinstance(value, bool):
        raise InvalidParameterError(attribute.name, "True or False", value)


def _read_relation(instance: Any, attribute: attrs.Attribute[Any], value: object) -> None:
    """Check a relation."""
    del instance
    read_neighbors(value, attribute.name)


def _read_mechanisms(value: Any) -> tuple[tuple[str, str], ...]:
    """Freeze the list of (label, mechanism) texts."""
    rule = "pairs of str, (label, mechanism)"
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        raise InvalidParameterError("mechanisms", rule, value)
    pairs = tuple(tuple(pair) if isinstance(pair, (tuple, list)) else (pair,) for pair in value)
    for pair in pairs:
        if len(pair) != 2 or not all(isinstance(part, str) for part in pair):
            raise InvalidParameterError("mechanisms", rule, pair)
    return pairs


def _read_texts(value: Any) -> tuple[str, ...]:
    """Freeze a list of texts."""
    texts = () if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__") else tuple(value)
    if not all(isinstance(text, str) for text in texts) or (value and not texts):
        raise InvalidParameterError("voids", "texts (str)", value)
    return texts


def _read_spending(value: Any) -> tuple[tuple[str, float], ...]:
    """Freeze the list of times with shares of the budget."""
    rule = "pairs of a time in ISO 8601 and a share >= 0 of the budget"
    try:
        steps = tuple((time, float(share)) for time, share in value)
        known = all(share >= 0 and datetime.fromisoformat(time) for time, share in steps)
    except (TypeError, ValueError):
        known = False
    if not known:
        raise InvalidParameterError("spending", rule, value)
    return steps


@attrs.frozen(kw_only=True)
class StudyFacts:
    """The facts of a study that a risk report prints: texts and counts, nothing that could be spent or changed.

    A report never sees an accountant or a ledger; whoever keeps the study fills this in. Texts are printed as they
    are. A fact left at its default is not printed, and fields are only ever added, with defaults.

    Attributes:
        neighbors: The study's relation. It chooses the words of the report's sentences.
        adaptive: Whether releases may be chosen after seeing earlier results.
        study: The study's name.
        budget: The budget, such as `"GDP(mu=1.0)"`.
        currency: What the budget is counted in, such as `"mu^2"`.
        spent: What has been spent, in the currency.
        remaining: What is left, in the currency.
        releases: How many releases the study has made.
        mechanisms: What was released with what noise, as (label, mechanism) texts in the order of release.
        claim: What the report's numbers are claimed for, as sentences. By default it follows `adaptive`: the budget, or
            the composition of the releases made, fixed in advance.
        failures: How many releases failed after they touched the data; they stay spent.
        pending: How many releases were begun and not finished; they count as spent.
        ledger_head: The hash of the ledger's last entry.
        unit: The unit of privacy: whose data one record is, such as `"one patient's stays in 2026"`.
        spending: The share of the budget that was used after each release, as (time, share) with times in ISO 8601.
        voids: What was given back because its data was never touched, one text for each, with the steward's reason.

    Raises:
        InvalidParameterError: When a field is not of its kind, or a count is negative.

    Example:
        >>> from privacy_accountant import Neighbors
        >>> facts = StudyFacts(
        ...     neighbors=Neighbors.ADD_OR_REMOVE_ONE, adaptive=True, study="ward-7", releases=3
        ... )
        >>> facts.study, facts.releases
        ('ward-7', 3)
        >>> facts.claim.split(". ")[0]
        'The claim is the budget'
    """

    neighbors: Neighbors = attrs.field(validator=_read_relation)
    adaptive: bool = attrs.field(validator=_read_flag)
    study: str | None = attrs.field(default=None, validator=_read_text)
    budget: str | None = attrs.field(default=None, validator=_read_text)
    currency: str | None = attrs.field(default=None, validator=_read_text)
    spent: str | None = attrs.field(default=None, validator=_read_text)
    remaining: str | None = attrs.field(default=None, validator=_read_text)
    releases: int = attrs.field(default=0, validator=_read_count)
    mechanisms: tuple[tuple[str, str], ...] = attrs.field(default=(), converter=_read_mechanisms)
    claim: str = attrs.field(validator=_read_claim)
    failures: int = attrs.field(default=0, validator=_read_count)
    pending: int = attrs.field(default=0, validator=_read_count)
    ledger_head: str | None = attrs.field(default=None, validator=_read_text)
    unit: str | None = attrs.field(default=None, validator=_read_text)
    spending: tuple[tuple[str, float], ...] = attrs.field(default=(), converter=_read_spending)
    voids: tuple[str, ...] = attrs.field(default=(), converter=_read_texts)

    @claim.default
    def _claim(self) -> str:
        """The claim that goes with the way the study was run."""
        return CLAIM_OF_A_BUDGET if self.adaptive else CLAIM_OF_A_PLAN
