"""Laws about what is claimed: a trade-off function, forms that never say less risk, exact prices, more noise for less risk."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import attrs
import numpy as np

from privacy_accountant.errors import PrivacyAccountantError, UnsupportedConversionError
from privacy_accountant.exact import canonical, exact, root_up
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.pld import PLD
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.risk_target import Risk
from privacy_accountant.guarantees.tradeoff import TradeOff
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.testing.laws import Case, LawSkipped

_ALPHAS = np.array(
    [0.0, 1e-9, 1e-4, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0]
)
_EPSILONS = np.array([0.0, 0.01, 0.03, 0.1, 0.3, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0])
_ORDERS = (1.5, 2, 8, 32)
_FORMS: tuple[tuple[type[PrivacyGuarantee], dict[str, Any]], ...] = (
    (ADP, {"delta": 0}),
    (ADP, {"delta": 1e-6}),
    (GDP, {}),
    (ZCDP, {}),
    (RDP, {"orders": _ORDERS}),
    (TradeOff, {}),
    (PLD, {}),
)
_ROUND = 1e-9
_CERTIFIED = 2e-4
"""Bounds that are certified to a relative 1e-4 each may seem to be in the wrong order by twice that."""


def trade_off(case: Case) -> None:
    """f is convex, falls, stays in [0, 1 - alpha], and its profile falls and agrees with it."""
    guarantee: object = case.guarantee
    if not isinstance(guarantee, PrivacyGuarantee):
        raise case.accuse("trade-off", f"guarantee() gave {guarantee!r}, which is no guarantee")
    beta, delta, rest = (
        guarantee.beta(_ALPHAS),
        guarantee.get_delta(_EPSILONS),
        guarantee.get_complement(_EPSILONS),
    )
    for name, at, found, low, high in (
        ("beta", _ALPHAS, beta, np.zeros_like(beta), 1 - _ALPHAS),
        ("delta", _EPSILONS, delta, np.zeros_like(delta), np.ones_like(delta)),
    ):
        bad = ~((found >= low) & (found <= high + _ROUND))
        _require(case, "trade-off", ~bad, f"{name} leaves its range", at=at, found=found)
        falls = np.append(found[1:] <= found[:-1] + _slack(found[:-1]), True)
        _require(case, "trade-off", falls, f"{name} rises", at=at, found=found)
    share = (_ALPHAS[1:-1] - _ALPHAS[:-2]) / (_ALPHAS[2:] - _ALPHAS[:-2])
    chord = beta[:-2] + share * (beta[2:] - beta[:-2])
    convex = beta[1:-1] <= chord + 2 * _slack(chord)
    _require(
        case, "trade-off", convex, "beta is not convex", alpha=_ALPHAS[1:-1], beta=beta[1:-1], chord=chord
    )
    _require(
        case,
        "trade-off",
        delta + rest >= 1 - _ROUND,
        "delta and its complement are less than 1",
        epsilon=_EPSILONS,
    )
    lines = np.max(1 - delta[:, None] - np.exp(_EPSILONS)[:, None] * _ALPHAS, axis=0)
    near = beta >= lines - _slack(lines)
    _require(case, "trade-off", near, "beta is below what delta says", alpha=_ALPHAS, beta=beta, line=lines)


def conversions(case: Case) -> None:
    """No form of the guarantee says less risk than the mechanism's own."""
    found = 0
    for form, parameters in _FORMS:
        try:
            other = case.mechanism.guarantee(form, **parameters)
        except UnsupportedConversionError:
            continue
        found += 1
        _require_no_less(case, "conversions", other, case.guarantee, _called(form, parameters))
    if not found:
        raise case.accuse("conversions", "it has no other form at all")


def prices(case: Case) -> None:
    """What a release costs in a currency is exact, and guarantees no more than the mechanism does."""
    found = 0
    for form in (ADP, GDP, ZCDP, RDP):
        orders = _ORDERS if form is RDP else None
        try:
            price: object = case.mechanism.price(form, orders)
        except UnsupportedConversionError:
            continue
        found += 1
        _require_no_less(
            case, "prices", _promised(case, form, price), case.guarantee, f"price({form.__name__})"
        )
    if not found:
        raise LawSkipped("one release has no finite price in any currency")


def _promised(case: Case, form: type[PrivacyGuarantee], price: object) -> PrivacyGuarantee:
    size = {ADP: 2, GDP: 1, ZCDP: 2, RDP: len(_ORDERS)}[form]
    if (
        not isinstance(price, tuple)
        or len(price) != size
        or not all(isinstance(cost, Fraction) for cost in price)
    ):
        raise case.accuse("prices", f"price({form.__name__}) must be {size} Fractions, and is {price!r}")
    if any(cost < 0 for cost in price):
        raise case.accuse("prices", f"price({form.__name__}) gives budget back: {price!r}")
    if form is GDP:
        return GDP(root_up(price[0]))
    if form is RDP:
        return RDP(_ORDERS, [canonical(cost) for cost in price])
    if form is ADP:
        return ADP(canonical(price[0]), canonical(min(price[1], Fraction(1))))
    # delta-approximately rho-zCDP has no form of its own: with the delta first it is weaker than both.
    return ZCDP(canonical(price[0])) if price[1] == 0 else ADP(math.inf)


def composition(case: Case) -> None:
    """Two releases risk no less than one, whichever way they are composed."""
    one, two = case.guarantee, case.guarantee.self_compose(2)
    _require_no_less(case, "composition", two, one, "self_compose(2)")
    _require_no_less(case, "composition", one.compose(one), one, "compose")


def noise(case: Case) -> None:
    """More of the noise parameter is never more risk."""
    name, value = _noise(case.mechanism)
    for factor in (Fraction(1, 2), Fraction(2)):
        try:
            other = _with_noise(case.mechanism, canonical(value * factor))
        except PrivacyAccountantError:  # a scale may have limits of its own
            continue
        less, more = (other, case.mechanism) if factor < 1 else (case.mechanism, other)
        what = f"{name} = {float(_noise(less)[1]):g}, against {name} = {float(_noise(more)[1]):g}"
        _require_no_less(case, "noise", less.guarantee(), more.guarantee(), what)


def calibration(case: Case) -> None:
    """The noise that is found meets its target, is about the least, and grows with the number of releases."""
    name, value = _noise(case.mechanism)
    advantage = case.guarantee.advantage
    if not 0 < advantage < 1:
        raise LawSkipped("it has no advantage strictly between 0 and 1 to calibrate to")
    target = Risk(advantage=advantage)
    parameters = {
        field.alias: getattr(case.mechanism, field.name)
        for field in attrs.fields(_attrs_class(case.mechanism))
        if field.init and field.name != name and getattr(case.mechanism, field.name) is not None
    }
    once, twice = (type(case.mechanism).calibrate(target, releases=count, **parameters) for count in (1, 2))
    for count, found in ((1, once), (2, twice)):
        reached = found.guarantee().self_compose(count).advantage
        if reached > advantage * (1 + _ROUND):
            finding = f"calibrated for {count} release(s), it misses its target"
            raise case.accuse("calibration", finding, advantage=reached, target=advantage)
    least, more = (float(_noise(found)[1]) for found in (once, twice))
    if least > float(value) * 1.01:
        finding = f"calibrated to its own advantage, it has more {name} than it had"
        raise case.accuse("calibration", finding, found=least, had=float(value))
    if more < least * (1 - 1e-3):
        raise case.accuse("calibration", "two releases get less noise than one", one=least, two=more)


def _noise(mechanism: Mechanism) -> tuple[str, Fraction]:
    name = mechanism.noise_parameter
    if name is None or not attrs.has(type(mechanism)):
        raise LawSkipped("it has no noise_parameter")
    return name, exact(getattr(mechanism, name))


def _attrs_class(mechanism: Mechanism) -> Any:
    return type(mechanism)


def _with_noise(mechanism: Any, value: Any) -> Mechanism:
    changed: Mechanism = attrs.evolve(mechanism, **{mechanism.noise_parameter: value})
    return changed


def _called(form: type[PrivacyGuarantee], parameters: dict[str, Any]) -> str:
    return (
        f"guarantee({', '.join([form.__name__, *(f'{name}={value}' for name, value in parameters.items())])})"
    )


def _require_no_less(
    case: Case, law: str, weaker: PrivacyGuarantee, stronger: PrivacyGuarantee, what: str
) -> None:
    """Accuse when `weaker`, which must not promise more, does so anywhere."""
    low, high = weaker.beta(_ALPHAS), stronger.beta(_ALPHAS)
    finding = f"{what} says less risk than it may"
    _require(case, law, low <= high + _slack(high), finding, alpha=_ALPHAS, beta=low, at_most=high)
    high, low = weaker.get_delta(_EPSILONS), stronger.get_delta(_EPSILONS)
    _require(case, law, high >= low - _slack(low), finding, epsilon=_EPSILONS, delta=high, at_least=low)


def _slack(values: Any) -> Any:
    return _ROUND + _CERTIFIED * np.minimum(np.abs(values), 1 - np.minimum(np.abs(values), 1.0) + 1e-3)


def _require(case: Case, law: str, holds: Any, finding: str, **columns: Any) -> None:
    """Accuse with the numbers of the first place at which something does not hold."""
    bad = np.flatnonzero(~np.asarray(holds))
    if bad.size:
        at = int(bad[0])
        raise case.accuse(law, finding, **{name: float(column[at]) for name, column in columns.items()})
