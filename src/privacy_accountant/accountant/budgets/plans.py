"""Plans: everything was fixed before the first release, so certified privacy losses compose, the tightest there is."""

from __future__ import annotations

import functools
import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction

import attrs
import numpy as np

from privacy_accountant.accountant.budgets.domination import dominated
from privacy_accountant.accountant.budgets.enforcement import Component, Enforcer, Quote
from privacy_accountant.accountant.budgets.limits import Budget
from privacy_accountant.accountant.budgets.worst import worst_loss
from privacy_accountant.accountant.words import above, shown
from privacy_accountant.codec import decode, encode
from privacy_accountant.conversions.parts import mu_squared, total
from privacy_accountant.errors import LedgerCorruptedError
from privacy_accountant.exact import Real, canonical, exact, float_down, float_up
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.pld import PLD
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.risk_target import Risk
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.ledger import Balance
from privacy_accountant.mechanisms.base import Mechanism

_MOST = 1 << 40
"""A mechanism of which this many fit is free for every purpose."""


@attrs.frozen
class Plan(Enforcer):
    """Composes the certified privacy losses of all releases and asks whether the composition meets the budget.

    Valid when mechanisms, parameters and their number do not depend on results. `ADP` and `Risk` budgets are asked of the
    composed loss itself; `GDP`, `ZCDP`, `RDP` and pure `ADP` budgets of the exact sum of what its parts cost in that form; a `PLD`
    budget is matched with the parts pair by pair (see `dominated`).

    Attributes:
        budget: What the study promises.
    """

    budget: Budget

    def describe(self) -> None:
        """See `Enforcer.describe`."""
        return

    @property
    def size(self) -> int:
        """See `Enforcer.size`."""
        return 0

    def implies_budget(self) -> bool:
        """See `Enforcer.implies_budget`: every release is held against the budget itself."""
        return True

    def quote(self, mechanism: Mechanism) -> Quote:
        """See `Enforcer.quote`."""
        return _quote(mechanism)

    def admits(self, balance: Balance, quote: Quote, count: int = 1) -> bool:
        """See `Enforcer.admits`."""
        more = {quote.shown[0]: count}
        return all(meets(_sum(parts_of(one), more), self.budget) for one in balance.each())

    def room(self, balance: Balance, quote: Quote) -> int | None:
        """See `Enforcer.room`."""
        low, high = 0, 1
        while self.admits(balance, quote, high):
            if high >= _MOST:
                return None
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.admits(balance, quote, middle) else (low, middle)
        return low

    def components(self, balance: Balance) -> tuple[Component, ...]:
        """See `Enforcer.components`."""
        every = [cost_of(parts_of(one), self.budget) for one in balance.each()]
        return tuple(max(same, key=lambda part: _size(part.spent)) for same in zip(*every, strict=True))

    def shortage(self, balance: Balance, quote: Quote) -> str:
        """See `Enforcer.shortage`."""
        tight = next((one for one in balance.each() if not self.admits(one, quote)), balance)
        where = "" if tight.partition is None else f" in {tight.partition!r}"
        parts = parts_of(tight)
        after = cost_of(_sum(parts, {quote.shown[0]: 1}), self.budget)
        for now, then in zip(cost_of(parts, self.budget), after, strict=True):
            if not now.holds(then.spent):
                return f"reaches {above(then.spent)} of {shown(now.limit)}{where} ({now.unit})"
        return f"with it the releases{where} are not certified to stay within {self.budget!r}"

    def claim(self, balance: Balance) -> PrivacyGuarantee:
        """The composition of what was released, pending releases included; of partitions that cross, a curve just below all."""
        return worst_loss([composed(parts_of(one)) for one in balance.each()])


def composed(parts: Mapping[PLD, int]) -> PLD:
    """The certified composition of single losses; without any, no loss at all."""
    return PLD(tuple((pair, times * count) for loss, count in parts.items() for pair, times in loss.parts))


def meets(parts: Mapping[PLD, int], budget: Budget) -> bool:
    """Whether the composition of the parts is certified to be no riskier than the budget; remembered for a while."""
    return _meets(frozenset(parts.items()), budget)


@functools.lru_cache(maxsize=64)
def _meets(counted: frozenset[tuple[PLD, int]], budget: Budget) -> bool:
    parts = dict(counted)
    if isinstance(budget, Risk):
        return budget.is_met_by(composed(parts))
    if isinstance(budget, PLD):
        return dominated(parts, budget)
    if isinstance(budget, ADP) and budget.delta > 0:
        return _within_profile(parts, budget)
    return all(component.holds(component.spent) for component in cost_of(parts, budget))


def cost_of(parts: Mapping[PLD, int], budget: Budget) -> tuple[Component, ...]:
    """What the composition amounts to, in the terms of the budget."""
    whole = composed(parts)
    if isinstance(budget, Risk):
        return tuple(_risks(whole, budget))
    if isinstance(budget, ADP):
        return (_epsilon(whole, budget),)
    if isinstance(budget, GDP):
        return (Component("mu^2", total(whole, "GDP", mu_squared), canonical(exact(budget.mu) ** 2)),)
    if isinstance(budget, ZCDP):
        return (Component("rho", whole.to(ZCDP).rho, budget.rho),)
    if isinstance(budget, RDP):
        spent = whole.to(RDP, orders=budget.orders).epsilons
        units = (f"Renyi divergence of order {float(order):g}" for order in budget.orders)
        return tuple(map(Component, units, spent, budget.epsilons))
    # Losses have no order by one number: what is enforced is that each pair of the budget covers what is charged to it.
    unit = "advantage; the pairs of the budget are what is enforced"
    return (Component(unit, whole.advantage, budget.advantage),)


def _epsilon(whole: PLD, budget: ADP) -> Component:
    if budget.delta == 0:
        return Component("epsilon", _largest_loss(whole), budget.epsilon)
    epsilon = float(whole._epsilon(np.array([float_down(budget.delta)]))[0])
    return Component(f"epsilon at delta {shown(budget.delta)}", epsilon, budget.epsilon)


def _largest_loss(loss: PLD) -> Real:
    """What a pure epsilon has to cover: the exact sum of the pairs' largest losses, in the worse direction."""
    sums = []
    for sides in zip(*((pair, pair.reversed()) for pair, _ in loss.parts), strict=True):
        tops = [side.top if side.infinity_mass == 0 else None for side in sides]
        if None in tops:
            return math.inf
        counts = (count for _, count in loss.parts)
        ends = (top * count for top, count in zip(tops, counts, strict=True) if top is not None)
        sums.append(sum(ends, Fraction(0)))
    return canonical(max(sums, default=Fraction(0)))


def _within_profile(parts: Mapping[PLD, int], budget: ADP) -> bool:
    whole = composed(parts)
    most = _largest_loss(whole)
    if most != math.inf and exact(most) <= exact(budget.epsilon):
        return True
    # The bound itself: how wide its interval is, of which `get_delta` warns, changes nothing about what is enforced.
    delta = float(whole._delta(np.array([float_down(budget.epsilon)]))[0])
    return Fraction(delta) <= exact(budget.delta)


def _risks(whole: PLD, budget: Risk) -> Iterator[Component]:
    if budget.advantage is not None:
        yield Component("advantage", whole.advantage, budget.advantage)
    if budget.fpr is not None and budget.tpr is not None:
        yield Component(
            f"TPR at FPR {shown(budget.fpr)}", whole.attack_success(float_up(budget.fpr)), budget.tpr
        )
    if budget.baseline is not None and budget.success is not None:
        unit = f"success from {shown(budget.baseline)}"
        yield Component(unit, whole.attack_success(float_up(budget.baseline)), budget.success)
    if budget.prior is not None and budget.bayes_risk is not None:
        blind = min(exact(budget.prior), 1 - exact(budget.prior))
        gain = blind - Fraction(whole.bayes_risk(float(budget.prior)))
        yield Component(f"gain at prior {shown(budget.prior)}", gain, blind - exact(budget.bayes_risk))


def _size(value: Real) -> tuple[bool, Fraction]:
    return value == math.inf, Fraction(0) if value == math.inf else exact(value)


def _sum(parts: Mapping[PLD, int], more: Mapping[PLD, int]) -> Counter[PLD]:
    return Counter(parts) + Counter(more)


def parts_of(balance: Balance) -> dict[PLD, int]:
    """How often each certified loss was charged."""
    parts: Counter[PLD] = Counter()
    for cost, count in balance.counts().items():
        parts[_read(cost)] += count
    return dict(parts)


@functools.lru_cache(maxsize=4096)
def _read(cost: str) -> PLD:
    try:
        (loss,) = decode(json.loads(cost))
    except ValueError:
        loss = None
    if not isinstance(loss, PLD):
        raise LedgerCorruptedError("a stored privacy loss cannot be read")
    return loss


@functools.lru_cache(maxsize=4096)
def _quote(mechanism: Mechanism) -> Quote:
    loss = mechanism.guarantee(PLD)
    return Quote(mechanism, encode(mechanism), (encode(loss),), (), (loss,))
