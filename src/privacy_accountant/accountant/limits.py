"""From a budget to the limits of an additive currency: the most of it whose guarantee still meets the budget."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction

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
_DIGITS = 12
_STEPS = 44
_WIDEST = 1000
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
        return _met(ADP(canonical(vector[0])), budget, Fraction(0))
    if form is not ADP and (isinstance(budget, Risk) or (isinstance(budget, ADP) and budget.delta > 0)):
        return _met(_at(form, vector, orders), budget, vector[1] if form is ZCDP else Fraction(0))
    most, known = limits(form, budget)
    return known == orders and all(limit <= end for limit, end in zip(vector, most, strict=True))


def _at(form: Form, vector: Vector, orders: tuple[Real, ...]) -> PrivacyGuarantee:
    """What spending everything amounts to, apart from a delta."""
    if form is RDP:
        return RDP(orders, tuple(map(canonical, vector)))
    return GDP(root_up(vector[0])) if form is GDP else ZCDP(canonical(vector[0]))


def _met(guarantee: PrivacyGuarantee, budget: Budget, spare: Fraction) -> bool:
    if isinstance(budget, Risk):
        return spare == 0 and budget.is_met_by(guarantee)
    if isinstance(budget, ADP):
        return _within(guarantee, budget, exact(budget.delta) - spare)
    if isinstance(budget, RDP):
        return _below(guarantee.to(RDP, orders=budget.orders), budget.epsilons)
    if isinstance(budget, GDP):
        return _at_most(guarantee.to(GDP).mu, budget.mu)
    return isinstance(budget, ZCDP) and _at_most(guarantee.to(ZCDP).rho, budget.rho)


def _pure_and_approximate(budget: Budget) -> Vector:
    if isinstance(budget, ADP):
        return exact(budget.epsilon), exact(budget.delta)
    if isinstance(budget, Risk):
        return _largest(lambda epsilon: budget.is_met_by(ADP(epsilon))), Fraction(0)
    if isinstance(budget, GDP):
        return _largest(lambda epsilon: _at_most(ADP(epsilon).to(GDP).mu, budget.mu)), Fraction(0)
    if isinstance(budget, ZCDP):
        return _largest(lambda epsilon: _at_most(ADP(epsilon).to(ZCDP).rho, budget.rho)), Fraction(0)
    if isinstance(budget, RDP):
        wanted = budget.epsilons
        return _largest(lambda epsilon: _below(ADP(epsilon).to(RDP, orders=budget.orders), wanted)), Fraction(
            0
        )
    raise _none(ADP, budget)


def _mu_squared(budget: Budget) -> Fraction:
    if isinstance(budget, GDP):
        return exact(budget.mu) ** 2
    if isinstance(budget, ZCDP):
        return 2 * exact(budget.rho)
    if isinstance(budget, RDP):
        return 2 * _per_order(budget)
    if isinstance(budget, Risk):
        return _largest(lambda mu: budget.is_met_by(GDP(mu))) ** 2
    if isinstance(budget, ADP) and budget.delta > 0:
        return _largest(lambda mu: _within(GDP(mu), budget, exact(budget.delta))) ** 2
    raise _none(GDP, budget)


def _rho_and_delta(budget: Budget) -> Vector:
    if isinstance(budget, ZCDP):
        return exact(budget.rho), Fraction(0)
    if isinstance(budget, RDP):
        return _per_order(budget), Fraction(0)
    if isinstance(budget, Risk):
        return _largest(lambda rho: budget.is_met_by(ZCDP(rho))), Fraction(0)
    if isinstance(budget, ADP) and budget.delta > 0:
        half = exact(budget.delta) / 2
        return _largest(lambda rho: _within(ZCDP(rho), budget, half)), half
    raise _none(ZCDP, budget)


def _renyi(budget: Budget) -> tuple[Vector, tuple[Real, ...]]:
    if isinstance(budget, RDP):
        return tuple(exact(epsilon) for epsilon in budget.epsilons), tuple(budget.orders)
    if isinstance(budget, Risk):
        return _single_order(budget.is_met_by)
    if isinstance(budget, ADP) and budget.delta > 0:
        delta = exact(budget.delta)
        return _single_order(lambda guarantee: _within(guarantee, budget, delta))
    raise _none(RDP, budget)


def _single_order(meets: Callable[[PrivacyGuarantee], bool]) -> tuple[Vector, tuple[Real, ...]]:
    """One order, the one that leaves most room for Gaussian noise, whose divergence is proportional to the order."""

    def most(order: float) -> Fraction:
        return _largest(lambda epsilon: meets(RDP((order,), (epsilon,))))

    room = {order: most(order) for order in _SINGLE_ORDERS}
    best = max(room, key=lambda order: room[order] / exact(order))
    return (room[best],), (best,)


def _per_order(budget: RDP) -> Fraction:
    """The rho whose line lies below the budget at every order."""
    return min(
        exact(epsilon) / exact(order) for order, epsilon in zip(budget.orders, budget.epsilons, strict=True)
    )


def _within(guarantee: PrivacyGuarantee, budget: ADP, delta: Fraction) -> bool:
    return Fraction(guarantee.get_delta(float_down(budget.epsilon))) <= delta


def _below(guarantee: RDP, wanted: tuple[Real, ...]) -> bool:
    return all(_at_most(have, most) for have, most in zip(guarantee.epsilons, wanted, strict=True))


def _at_most(have: Real, most: Real) -> bool:
    return have != math.inf and exact(have) <= exact(most)


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


def _largest(meets: Callable[[Real], bool]) -> Fraction:
    """The largest number that meets a target, to twelve digits, rounded down and checked as it is returned."""
    low, high = _bracket(meets)
    if low == 0.0:
        return Fraction(0)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if meets(middle) else (low, middle)
    return _rounded_down(low, meets)


def _bracket(meets: Callable[[Real], bool]) -> tuple[float, float]:
    if meets(1.0):
        for power in range(1, _WIDEST):
            if not meets(2.0**power):
                return 2.0 ** (power - 1), 2.0**power
        raise InvalidParameterError("budget", "a target that something exceeds", "one that everything meets")
    for power in range(1, _WIDEST):
        if meets(2.0**-power):
            return 2.0**-power, 2.0 ** (1 - power)
    return 0.0, 0.0


def _rounded_down(number: float, meets: Callable[[Real], bool]) -> Fraction:
    step = 1
    while True:
        digits = Context(prec=_DIGITS, rounding=ROUND_FLOOR).create_decimal(Decimal(number))
        candidate = digits - step * Decimal(1).scaleb(digits.adjusted() - _DIGITS + 1) if step > 1 else digits
        result = Fraction(candidate)
        if result <= 0 or meets(canonical(result)):
            return max(result, Fraction(0))
        step *= 2
