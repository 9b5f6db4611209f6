"""Raising a study's budget: what stays fixed, and what a larger budget is."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from privacy_accountant.accountant.budgets.filters import Filter
from privacy_accountant.accountant.budgets.limits import Budget, limits, read_budget
from privacy_accountant.accountant.budgets.plans import Plan
from privacy_accountant.accountant.budgets.settings import Settings
from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import Real, exact
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.risk_target import Risk
from privacy_accountant.guarantees.zcdp import ZCDP

_RISES = ("advantage", "tpr", "success")
_FALLS = ("bayes_risk",)


def amended(settings: Settings, budget: object) -> Settings:
    """A study's settings with a larger budget; relation, currency and adaptivity stay.

    A budget is only ever raised. A smaller one, chosen after results, would be a claim that depends on them.

    Raises:
        InvalidParameterError: When the budget is of another form, or not larger.
    """
    new, old = read_budget(budget), settings.budget
    if type(new) is not type(old):
        raise InvalidParameterError("budget", f"a {type(old).__name__}, as the study's is", new)
    if new == old or not _at_least(new, old):
        raise InvalidParameterError(
            "budget", f"larger than {old!r}; a budget is only raised, and in its own terms", new
        )
    held = settings.enforcer
    if not isinstance(held, Filter):
        return attrs.evolve(settings, budget=new, enforcer=Plan(new))
    vector, orders = limits(held.form, new)
    if orders != held.orders or any(more < less for more, less in zip(vector, held.limits, strict=True)):
        rule = "one whose limits are no smaller than the study's in every component of its currency"
        raise InvalidParameterError("budget", rule, new)
    return attrs.evolve(settings, budget=new, enforcer=attrs.evolve(held, budget=new, limits=vector))


def _at_least(new: Budget, old: Budget) -> bool:
    """Whether a budget of the same form allows everything that another does, by its parameters alone."""
    if isinstance(new, Risk) and isinstance(old, Risk):
        return all(_risk_at_least(name, getattr(new, name), value) for name, value in _targets(old))
    if isinstance(new, RDP) and isinstance(old, RDP) and new.orders != old.orders:
        return False
    pairs = list(zip(_sizes(new), _sizes(old), strict=True))
    return bool(pairs) and all(exact(more) >= exact(less) for more, less in pairs)


def _targets(target: Risk) -> Iterator[tuple[str, Real | None]]:
    return ((field.name, getattr(target, field.name)) for field in attrs.fields(Risk))


def _risk_at_least(name: str, new: Real | None, old: Real | None) -> bool:
    if new is None or old is None:
        return new is old
    if name in _RISES:
        return exact(new) >= exact(old)
    return exact(new) <= exact(old) if name in _FALLS else new == old


def _sizes(budget: Budget) -> tuple[Real, ...]:
    """The numbers that grow with a budget; none for a form whose budgets have no order of their own."""
    if isinstance(budget, ADP):
        return budget.epsilon, budget.delta
    if isinstance(budget, GDP):
        return (budget.mu,)
    if isinstance(budget, ZCDP):
        return (budget.rho,)
    return tuple(budget.epsilons) if isinstance(budget, RDP) else ()
