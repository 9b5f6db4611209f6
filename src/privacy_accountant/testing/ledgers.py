"""The law of the accountant: exactly what a mechanism costs is charged, and a budget for two releases makes two."""

from __future__ import annotations

from fractions import Fraction

from privacy_accountant.accountant import Accountant
from privacy_accountant.errors import BudgetExceededError, PrivacyAccountantError, UnsupportedConversionError
from privacy_accountant.exact import canonical, exact
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.neighbors import Neighbors
from privacy_accountant.testing.laws import Case, LawSkipped


def accounting(case: Case) -> None:
    """A study in memory whose budget is twice the price makes two releases, and refuses the third."""
    if not case.worlds:
        raise LawSkipped("no worlds were given")
    mechanism, (value, _) = case.mechanism, case.worlds[0]
    form, price = _price(case)
    relation = mechanism.neighbors or Neighbors.ADD_OR_REMOVE_ONE
    with Accountant(budget=form(canonical(2 * price)), neighbors=relation) as study:
        try:
            for label in ("first", "second"):
                study.release(value, mechanism, label=label)
        except PrivacyAccountantError as error:
            raise case.accuse("accounting", f"a release that fits the budget fails ({error})") from None
        first, second = study.history()
        if first.mechanism != mechanism or exact(first.cost[0]) != price or first.cost != second.cost:
            raise case.accuse("accounting", f"its entry in the ledger says {first.how} at {first.cost}")
        try:
            study.release(value, mechanism, label="third")
        except BudgetExceededError:
            return
        raise case.accuse("accounting", "a third release fits a budget of two")


def _price(case: Case) -> tuple[type[ADP | ZCDP], Fraction]:
    for form in (ADP, ZCDP):
        try:
            price, delta = case.mechanism.price(form)
        except UnsupportedConversionError:
            continue
        if price > 0 and delta == 0:
            return form, price
    raise LawSkipped("it has no price without a delta")
