"""What a list of releases would cost in every currency, before any of it is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction

import attrs

from privacy_accountant.accountant.budgets.enforcement import Component
from privacy_accountant.accountant.budgets.filters import Filter
from privacy_accountant.accountant.budgets.limits import FORMS, Budget
from privacy_accountant.accountant.budgets.plans import Plan, cost_of, meets, parts_of
from privacy_accountant.accountant.budgets.settings import Settings
from privacy_accountant.errors import BudgetExceededError, InvalidParameterError, PrivacyAccountantError
from privacy_accountant.exact import canonical, integer
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.pld import PLD
from privacy_accountant.ledger import Balance
from privacy_accountant.ledger.balance import Vector
from privacy_accountant.mechanisms.base import Mechanism

Listed = Counter[Mechanism]

FIXED = "fixed in advance"
"""The name of the way that composes certified privacy losses."""


@attrs.frozen
class PreviewLine:
    """What the list costs in one currency.

    Attributes:
        currency: `ADP`, `GDP`, `ZCDP`, `RDP`, or `fixed in advance` for certified composition.
        own: Whether the study counts in it.
        components: What the list costs, and the most that a study with this budget may spend of it.
        fits: Whether the list fits a study with this budget that counts in it and has spent nothing.
        reason: Why the budget or the list cannot be counted in it; None when it can.
    """

    currency: str
    own: bool
    components: tuple[Component, ...]
    fits: bool
    reason: str | None = None

    def __str__(self) -> str:
        if self.reason is not None:
            return f"{self.currency}: {self.reason}"
        counted = [part for part in self.components if part.limit != 0 or part.spent != 0] or self.components
        verdict = "fits" if self.fits else "does not fit"
        return f"{self.currency}: {', '.join(map(str, counted))}; {verdict}"


@attrs.frozen
class Preview:
    """What a list of releases would cost. Nothing is spent by asking.

    Attributes:
        lines: One line for each currency, the study's own first.
        fits: Whether the whole list fits what is left in this study.
    """

    lines: tuple[PreviewLine, ...]
    fits: bool

    def __str__(self) -> str:
        verdict = "fits" if self.fits else "does not fit"
        return "\n".join((f"the list {verdict} what is left; in a new study:", *map(str, self.lines)))


def read_list(releases: object) -> Listed:
    """Read a list of mechanisms, or of (mechanism, count) pairs.

    Raises:
        InvalidParameterError: When it is none.
    """
    rule = "a list of mechanisms, or of (mechanism, count) pairs"
    if isinstance(releases, (str, bytes)) or not isinstance(releases, Iterable):
        raise InvalidParameterError("releases", rule, releases)
    listed: Listed = Counter()
    for item in releases:
        mechanism, count = item if isinstance(item, (tuple, list)) and len(item) == 2 else (item, 1)
        if not isinstance(mechanism, Mechanism):
            raise InvalidParameterError("releases", rule, item)
        listed[mechanism] += integer(count, "count", "an integer >= 1", least=1)
    if not listed:
        raise InvalidParameterError("releases", "not empty", releases)
    return listed


def read_pairs(releases: object) -> list[tuple[Mechanism, str]]:
    """Read a list of (mechanism, label) pairs.

    Raises:
        InvalidParameterError: When it is none.
    """
    rule = "a list of (mechanism, label) pairs that is not empty"
    if isinstance(releases, (str, bytes)) or not isinstance(releases, Iterable):
        raise InvalidParameterError("releases", rule, releases)
    pairs = list(releases)
    if not pairs or any(not isinstance(pair, (tuple, list)) or len(pair) != 2 for pair in pairs):
        raise InvalidParameterError("releases", rule, pairs)
    return pairs


def preview(settings: Settings, listed: Listed, fits: bool) -> Preview:
    """What a list would cost under a budget in every currency, given whether it fits what is left."""
    return Preview(tuple(sorted(_lines(settings, listed), key=lambda line: not line.own)), fits)


def _lines(settings: Settings, listed: Listed) -> Iterator[PreviewLine]:
    own = settings.enforcer
    for form in FORMS:
        mine = isinstance(own, Filter) and own.form is form
        yield _line(form.__name__, mine, settings.budget, own if mine else form, listed)
    yield _line(FIXED, isinstance(own, Plan), settings.budget, Plan(settings.budget), listed)


def _line(
    name: str, own: bool, budget: Budget, way: Filter | Plan | type[PrivacyGuarantee], listed: Listed
) -> PreviewLine:
    try:
        enforcer = way if isinstance(way, (Filter, Plan)) else Filter.create(budget, way)
        return PreviewLine(name, own, *_cost(enforcer, listed))
    except PrivacyAccountantError as error:
        return PreviewLine(name, own, (), False, str(error))


def _cost(enforcer: Filter | Plan, listed: Listed) -> tuple[tuple[Component, ...], bool]:
    if isinstance(enforcer, Filter):
        vector = _total(enforcer, listed)
        components = map(Component, enforcer.units, map(canonical, vector), map(canonical, enforcer.limits))
        return tuple(components), all(a <= b for a, b in zip(vector, enforcer.limits, strict=True))
    parts = _losses(enforcer, listed)
    return cost_of(parts, enforcer.budget), meets(parts, enforcer.budget)


def fits(enforcer: Filter | Plan, balance: Balance, listed: Listed) -> bool:
    """Whether a whole list fits what is left."""
    if isinstance(enforcer, Filter):
        return balance.within(enforcer.limits, _total(enforcer, listed))
    losses = _losses(enforcer, listed)
    return all(meets(Counter(parts_of(one)) + losses, enforcer.budget) for one in balance.each())


def plan_refusal(study: str, settings: Settings, balance: Balance, listed: Listed) -> BudgetExceededError:
    """The error for a plan that does not fit as a whole."""
    before = parts_of(
        next((one for one in balance.each() if not fits(settings.enforcer, one, listed)), balance)
    )
    after = cost_of(Counter(before) + _losses(settings.enforcer, listed), settings.budget)
    reached = [part for part in after if not part.holds(part.spent)] or after
    told = "; ".join(map(str, reached))
    return BudgetExceededError(
        f"{study}: the plan as a whole reaches {told}",
        study=study,
        budget=settings.budget,
        spent=tuple(part.spent for part in cost_of(before, settings.budget)),
        requested=tuple(part.spent for part in after),
    )


def _total(enforcer: Filter, listed: Listed) -> Vector:
    total = [Fraction(0)] * enforcer.size
    for mechanism, count in listed.items():
        total = [
            so_far + count * cost
            for so_far, cost in zip(total, enforcer.quote(mechanism).vector, strict=True)
        ]
    return tuple(total)


def _losses(enforcer: Filter | Plan, listed: Listed) -> Counter[PLD]:
    losses: Counter[PLD] = Counter()
    for mechanism, count in listed.items():
        losses[enforcer.quote(mechanism).shown[0]] += count
    return losses
