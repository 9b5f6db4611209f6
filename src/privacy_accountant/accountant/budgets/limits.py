"""From a budget to the limits of an additive currency: the most of it whose guarantee still meets the budget."""

from __future__ import annotations

import functools
import math
from fractions import Fraction

from privacy_accountant.accountant.budgets.largest import largest, overshoot
from privacy_accountant.errors import InvalidParameterError, UnsupportedConversionError
from privacy_accountant.exact import Real, canonical, exact, float_down, root_up
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.pld import PLD
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.risk_target import Risk
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.ledger.balance import Vector

Budget = PrivacyGuarantee | Risk
Form = type[PrivacyGuarantee]

FORMS: tuple[Form, ...] = (ADP, GDP, ZCDP, RDP)
"""The forms whose costs add up under adaptive choices, each by a theorem of its own."""

_SIZES: dict[Form, int] = {ADP: 2, GDP: 1, ZCDP: 2}
_SINGLE_ORDERS = (1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0, 128.0, 256.0)
"""The orders among which one is fixed when a target is to be enforced in Renyi currency."""


def read_budget(budget: object) -> Budget:
    """Check that a budget is a finite guarantee or a risk target.

    Raises:
        InvalidParameterError: When it is not.
    """
    if not isinstance(budget, (ADP, GDP, ZCDP, RDP, PLD, Risk)):
        raise InvalidParameterError("budget", "an ADP, GDP, ZCDP, RDP, PLD or Risk", budget)
    sizes: tuple[Real, ...] = ()
    if isinstance(budget, ADP):
        sizes = (budget.epsilon,)
        if budget.delta == 1:
            raise InvalidParameterError("budget", "a promise (delta below 1)", budget)
    elif isinstance(budget, (GDP, ZCDP)):
        sizes = (budget.mu if isinstance(budget, GDP) else budget.rho,)
    elif isinstance(budget, RDP):
        sizes = tuple(budget.epsilons)
    if any(size == math.inf for size in sizes):
        raise InvalidParameterError("budget", "finite", budget)
    return budget


def default_form(budget: Budget) -> Form:
    """The currency that follows a budget's form.

    Raises:
        InvalidParameterError: For a PLD, which no additive currency follows.
    """
    if isinstance(budget, PLD):
        rule = "an ADP, GDP, ZCDP, RDP or Risk when parameters may be chosen after results; a PLD needs adaptive=False"
        raise InvalidParameterError("budget", rule, budget)
    if isinstance(budget, Risk) or (isinstance(budget, ADP) and budget.delta > 0):
        return ZCDP
    return type(budget)


def read_form(form: object) -> Form:
    """Check that a currency is one whose costs add up."""
    for known in FORMS:
        if form is known:
            return known
    raise InvalidParameterError("currency", "ADP, GDP, ZCDP or RDP (the class)", form)


@functools.lru_cache(maxsize=256)
def limits(form: Form, budget: Budget) -> tuple[Vector, tuple[Real, ...]]:
    """The limits of a currency under a budget, and the orders when it is Renyi's.

    With an (epsilon, delta > 0) budget in zCDP currency one half of delta pays for the conversion and the other for
    mechanisms that have a delta of their own.

    Returns:
        One limit for each component of the currency, rounded down where it had to be searched for.

    Raises:
        UnsupportedConversionError: When no amount of this currency implies the budget.
    """
    if form is ADP:
        return _pure_and_approximate(budget), ()
    if form is GDP:
        return (_mu_squared(budget),), ()
    if form is ZCDP:
        return _rho_and_delta(budget), ()
    return _renyi(budget)


def imply(form: Form, vector: Vector, orders: tuple[Real, ...], budget: Budget) -> bool:
    """Whether limits of a currency imply a budget; unlike `limits` it searches for nothing, and smaller ones do as well."""
    if len(vector) != (len(orders) if form is RDP else _SIZES[form]):
        return False
    if form is ADP and vector[0] > 0 and vector[1] == 0 and not isinstance(budget, ADP):
        return _excess(ADP(canonical(vector[0])), budget) <= 0
    if form is not ADP and (isinstance(budget, Risk) or (isinstance(budget, ADP) and budget.delta > 0)):
        return _excess(_at(form, vector, orders), budget, vector[1] if form is ZCDP else Fraction(0)) <= 0
    most, known = limits(form, budget)
    return known == orders and all(limit <= end for limit, end in zip(vector, most, strict=True))


def _at(form: Form, vector: Vector, orders: tuple[Real, ...]) -> PrivacyGuarantee:
    """What spending everything amounts to, apart from a delta."""
    if form is RDP:
        return RDP(orders, tuple(map(canonical, vector)))
    return GDP(root_up(vector[0])) if form is GDP else ZCDP(canonical(vector[0]))


def _excess(guarantee: PrivacyGuarantee, budget: Budget, spare: Fraction = Fraction(0)) -> float:
    """How far a guarantee that leaves `spare` of a delta overshoots a budget; at most 0 when it implies the budget."""
    if isinstance(budget, Risk):
        return budget.excess(guarantee) if spare == 0 else math.inf
    if isinstance(budget, ADP):
        have = Fraction(guarantee.get_delta(float_down(budget.epsilon)))
        return overshoot(have, exact(budget.delta) - spare)
    if isinstance(budget, RDP):
        divergences = guarantee.to(RDP, orders=budget.orders).epsilons
        return max(map(overshoot, divergences, budget.epsilons))
    if isinstance(budget, GDP):
        return overshoot(guarantee.to(GDP).mu, budget.mu)
    return overshoot(guarantee.to(ZCDP).rho, budget.rho) if isinstance(budget, ZCDP) else math.inf


def _pure_and_approximate(budget: Budget) -> Vector:
    if isinstance(budget, ADP):
        return exact(budget.epsilon), exact(budget.delta)
    if isinstance(budget, PLD):
        raise _none(ADP, budget)
    return largest(lambda epsilon: _excess(ADP(epsilon), budget)), Fraction(0)


def _mu_squared(budget: Budget) -> Fraction:
    if isinstance(budget, GDP):
        return exact(budget.mu) ** 2
    if isinstance(budget, ZCDP):
        return 2 * exact(budget.rho)
    if isinstance(budget, RDP):
        return 2 * _per_order(budget)
    if isinstance(budget, Risk) or (isinstance(budget, ADP) and budget.delta > 0):
        return largest(lambda mu: _excess(GDP(mu), budget)) ** 2
    raise _none(GDP, budget)


def _rho_and_delta(budget: Budget) -> Vector:
    if isinstance(budget, ZCDP):
        return exact(budget.rho), Fraction(0)
    if isinstance(budget, RDP):
        return _per_order(budget), Fraction(0)
    if isinstance(budget, Risk):
        return largest(lambda rho: _excess(ZCDP(rho), budget)), Fraction(0)
    if isinstance(budget, ADP) and budget.delta > 0:
        half = exact(budget.delta) / 2
        return largest(lambda rho: _excess(ZCDP(rho), budget, half), _likely_rho(budget)), half
    raise _none(ZCDP, budget)


def _renyi(budget: Budget) -> tuple[Vector, tuple[Real, ...]]:
    if isinstance(budget, RDP):
        return tuple(exact(epsilon) for epsilon in budget.epsilons), tuple(budget.orders)
    if isinstance(budget, Risk) or (isinstance(budget, ADP) and budget.delta > 0):
        return _single_order(budget)
    raise _none(RDP, budget)


def _single_order(budget: Budget) -> tuple[Vector, tuple[Real, ...]]:
    """One order, the one that leaves most room for Gaussian noise, whose divergence is proportional to the order.

    Only an order that takes as much Gaussian noise as the best so far is searched: to find that out is one question.
    """
    best, room = _SINGLE_ORDERS[0], Fraction(0)
    for order in sorted(_SINGLE_ORDERS, key=lambda order: -_likely_divergence(budget, order) / order):
        divergence = canonical(room * exact(order))
        if room == 0 or _excess_at(budget, order, divergence) < 0:
            near = _likely_divergence(budget, order) or float(divergence) or 1.0
            most = largest(functools.partial(_excess_at, budget, order), near)
            best, room = max((best, room), (order, most / exact(order)), key=lambda one: one[1])
    return (room * exact(best),), (best,)


def _excess_at(budget: Budget, order: Real, divergence: Real) -> float:
    return _excess(RDP((order,), (divergence,)), budget)


def _likely_rho(budget: ADP) -> float:
    """About the rho that implies a budget: what rho + 2 sqrt(rho log(1/delta)) takes to its epsilon."""
    log = -overshoot(budget.delta, 1.0)
    return (math.sqrt(log + float_down(budget.epsilon)) - math.sqrt(log)) ** 2 or 1.0


def _likely_divergence(budget: Budget, order: float) -> float:
    """About the divergence of one order that implies a budget (arXiv 2004.00010, Proposition 12); 0 when not known."""
    if not isinstance(budget, ADP):
        return 0.0
    paid = (overshoot(budget.delta, 1.0) + math.log(order)) / (order - 1)
    return max(float_down(budget.epsilon) + paid - math.log1p(-1 / order), 0.0)


def _per_order(budget: RDP) -> Fraction:
    """The rho whose line lies below the budget at every order."""
    return min(
        exact(epsilon) / exact(order) for order, epsilon in zip(budget.orders, budget.epsilons, strict=True)
    )


def _none(form: Form, budget: Budget) -> UnsupportedConversionError:
    works = ", ".join(name for name, budgets in _WORKS.items() if isinstance(budget, budgets))
    return UnsupportedConversionError(
        form.__name__, repr(budget), f"no amount of it implies the budget; currencies that do: {works}"
    )


_WORKS: dict[str, tuple[type, ...]] = {
    "ADP": (ADP, GDP, ZCDP, RDP, Risk),
    "GDP": (GDP, ZCDP, RDP, Risk),
    "ZCDP": (ZCDP, RDP, Risk),
    "RDP": (RDP, Risk),
}
