"""Filters: additive currencies that stay valid when parameters are chosen after seeing results."""

from __future__ import annotations

import functools
from fractions import Fraction

import attrs

from privacy_accountant.accountant.budgets.enforcement import Component, Enforcer, Quote
from privacy_accountant.accountant.budgets.limits import Budget, Form, default_form, imply, limits, read_form
from privacy_accountant.accountant.words import above, below, shown
from privacy_accountant.codec import Json, decode, encode
from privacy_accountant.codec.numbers import decode_rational, encode_rational
from privacy_accountant.errors import InvalidParameterError, LedgerCorruptedError, UnsupportedConversionError
from privacy_accountant.exact import Real, canonical, root_up
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.ledger import Balance, Written
from privacy_accountant.ledger.balance import Vector, amounts
from privacy_accountant.mechanisms.base import Mechanism

_FORMS: dict[str, Form] = {"ADP": ADP, "GDP": GDP, "RDP": RDP, "ZCDP": ZCDP}
_UNITS: dict[Form, tuple[str, ...]] = {ADP: ("epsilon", "delta"), GDP: ("mu^2",), ZCDP: ("rho", "delta")}


@attrs.frozen(cache_hash=True)
class Filter(Enforcer):
    r"""Adds up costs and stops before any component passes its limit. The claim is the budget, at every moment.

    Valid for fully adaptive choices: sums of epsilon and delta (Rogers et al. 2016, arXiv 1605.08294); Renyi divergences at
    fixed orders (Feldman and Zrnic 2021, arXiv 2008.11193); approximate zCDP (Whitehouse et al. 2023, arXiv 2203.05481); GDP as
    the sum of :math:`\mu^2` (Smith and Thakurta 2022, arXiv 2210.17520).

    Attributes:
        budget: What the study promises.
        form: The currency.
        limits: The most of each component that implies the budget, exact.
        orders: The orders of a Renyi currency.
    """

    budget: Budget
    form: Form
    limits: Vector
    orders: tuple[Real, ...]

    @classmethod
    def create(cls, budget: Budget, currency: object = None) -> Filter:
        """The filter for a budget, in the currency that follows its form or in the one that is named."""
        form = default_form(budget) if currency is None else read_form(currency)
        return cls(budget, form, *limits(form, budget))

    @classmethod
    def read(cls, budget: Budget, stored: Json) -> Filter:
        """The filter that a ledger holds, with the limits that were fixed when its study was created."""
        try:
            form = _FORMS[stored["form"]]
            vector = tuple(decode_rational(limit) for limit in stored["limits"])
            return cls(budget, form, vector, decode(stored["orders"]))
        except (KeyError, TypeError, ValueError):
            raise LedgerCorruptedError("the study's currency cannot be read", entry=1) from None

    def describe(self) -> dict[str, Json]:
        """See `Enforcer.describe`."""
        stored = [encode_rational(limit) for limit in self.limits]
        return {"form": self.form.__name__, "limits": stored, "orders": encode(self.orders)}

    @property
    def size(self) -> int:
        """See `Enforcer.size`."""
        return len(self.limits)

    @property
    def units(self) -> tuple[str, ...]:
        """The name of each component."""
        return _UNITS.get(self.form) or tuple(
            f"Renyi divergence of order {float(order):g}" for order in self.orders
        )

    def implies_budget(self) -> bool:
        """See `Enforcer.implies_budget`."""
        return imply(self.form, self.limits, self.orders, self.budget)

    def quote(self, mechanism: Mechanism) -> Quote:
        """See `Enforcer.quote`."""
        return _quote(self, mechanism)

    def admits(self, balance: Balance, quote: Quote, count: int = 1) -> bool:
        """See `Enforcer.admits`."""
        return balance.within(self.limits, quote.vector, count)

    def room(self, balance: Balance, quote: Quote) -> int | None:
        """See `Enforcer.room`."""
        return balance.room(self.limits, quote.vector)

    def components(self, balance: Balance) -> tuple[Component, ...]:
        """See `Enforcer.components`."""
        spent = amounts(balance.low, balance.high)
        return tuple(map(Component, self.units, map(canonical, spent), map(canonical, self.limits)))

    def shortage(self, balance: Balance, quote: Quote) -> str:
        """See `Enforcer.shortage`."""
        tight = next((one for one in balance.each() if not self.admits(one, quote)), balance)
        place = tight.short(self.limits, quote.vector) or 0
        short = self.components(tight)[place]
        needed = canonical(quote.vector[place])
        where = "" if tight.partition is None else f" in {tight.partition!r}"
        return (
            f"needs {above(needed)}, {below(short.left)} of {shown(short.limit)} left{where} ({short.unit})"
        )

    def claim(self, balance: Balance) -> PrivacyGuarantee:
        """The budget; for a risk target the guarantee whose bounds meet it."""
        del balance
        if isinstance(self.budget, PrivacyGuarantee):
            return self.budget
        first = canonical(self.limits[0])
        if self.form is GDP:
            return GDP(root_up(self.limits[0]))
        if self.form is RDP:
            return RDP(self.orders, tuple(map(canonical, self.limits)))
        return ADP(first) if self.form is ADP else ZCDP(first)


@functools.lru_cache(maxsize=4096)
def _quote(enforcer: Filter, mechanism: Mechanism) -> Quote:
    vector = _price(enforcer, mechanism)
    shown = tuple(map(canonical, vector))
    return Quote(mechanism, Written(encode(mechanism)), tuple(map(encode_rational, vector)), vector, shown)


def _price(enforcer: Filter, mechanism: Mechanism) -> Vector:
    """The mechanism's own price, checked: a negative one would give budget back, and an infinite one is no price."""
    try:
        vector = tuple(map(Fraction, mechanism.price(enforcer.form, enforcer.orders or None)))
    except (ValueError, OverflowError):
        name = type(mechanism).__name__
        raise UnsupportedConversionError(
            name, enforcer.form.__name__, "it has no finite cost there"
        ) from None
    if len(vector) != enforcer.size or any(cost < 0 for cost in vector):
        rule = f"{enforcer.size} finite numbers >= 0 ({', '.join(enforcer.units)})"
        raise InvalidParameterError(f"{type(mechanism).__name__}.price", rule, vector)
    return vector
