"""Tables of conversions and compositions, empty until the rooms above fill them.

`guarantee.to(...)` and `guarantee.compose(...)` need no upward import: the first question loads the rooms that fill the
tables by their names. A pair that is registered twice is an error at import; a pair that is missing is an error that names
both forms.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import attrs

from privacy_accountant.errors import InvalidParameterError, UnsupportedConversionError

Rule = TypeVar("Rule", bound=Callable[..., Any])

_FILLERS = ("privacy_accountant.conversions", "privacy_accountant.composition")


@attrs.frozen
class Conversion:
    """One entry of the table of conversions.

    Attributes:
        source: The form that is converted.
        target: The form that comes out.
        exact: Whether nothing is lost: both describe the same trade-off function.
        citation: Where the formula is proved.
        rule: The function; its keyword parameters are the conversion's parameters.
    """

    source: type
    target: type
    exact: bool
    citation: str
    rule: Callable[..., Any]

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters that the conversion takes."""
        return tuple(name for name in list(inspect.signature(self.rule).parameters)[1:])


@attrs.frozen
class Total:
    """How many guarantees of one form add up.

    Attributes:
        rule: From the guarantees, at least two, to their composition.
        rank: Forms of a lower rank take the others in, so they come first where forms are mixed.
    """

    rule: Callable[[Sequence[Any]], Any]
    rank: int


_conversions: dict[tuple[type, type], Conversion] = {}
_refusals: dict[tuple[type, type], str] = {}
_totals: dict[type, Total] = {}
_compositions: dict[tuple[type, type], Callable[[Any, Any], Any]] = {}
_powers: dict[type, Callable[[Any, int], Any]] = {}
_groups: dict[type, Callable[[Any, int], Any]] = {}


def conversion(source: type, target: type, *, exact: bool, citation: str) -> Callable[[Rule], Rule]:
    """Register how a form becomes another one; the rule must never report less risk than its source."""

    def register(rule: Rule) -> Rule:
        if (source, target) in _conversions:
            raise ValueError(
                f"a conversion from {source.__name__} to {target.__name__} is already registered"
            )
        _conversions[source, target] = Conversion(source, target, exact, citation, rule)
        return rule

    return register


def no_conversion(source: type, target: type, reason: str) -> None:
    """Register why a pair has no conversion and what would work."""
    _refusals[source, target] = reason


def total(form: type, *, rank: int) -> Callable[[Rule], Rule]:
    """Register how many guarantees of one form compose."""

    def register(rule: Rule) -> Rule:
        if form in _totals:
            raise ValueError(f"a total of {form.__name__} is already registered")
        _totals[form] = Total(rule, rank)
        return rule

    return register


def composition(first: type, second: type) -> Callable[[Rule], Rule]:
    """Register how two different forms compose; the rule is called with the parts in this order, whichever way round they came."""

    def register(rule: Rule) -> Rule:
        if (first, second) in _compositions or (second, first) in _compositions:
            raise ValueError(f"a composition of {first.__name__} and {second.__name__} is already registered")
        _compositions[first, second] = rule
        return rule

    return register


def power(form: type) -> Callable[[Rule], Rule]:
    """Register how a form composes with itself many times."""

    def register(rule: Rule) -> Rule:
        if form in _powers:
            raise ValueError(f"a power of {form.__name__} is already registered")
        _powers[form] = rule
        return rule

    return register


def group(form: type) -> Callable[[Rule], Rule]:
    """Register what a form says about several people whose records change together."""

    def register(rule: Rule) -> Rule:
        if form in _groups:
            raise ValueError(f"a group rule of {form.__name__} is already registered")
        _groups[form] = rule
        return rule

    return register


@functools.cache
def _load() -> None:
    for name in _FILLERS:
        importlib.import_module(name)


def conversions() -> Iterator[Conversion]:
    """Every registered conversion, in the order of registration."""
    _load()
    yield from _conversions.values()


def refusals() -> Iterator[tuple[type, type, str]]:
    """Every pair that is refused, with the reason."""
    _load()
    for (source, target), reason in _refusals.items():
        yield source, target, reason


def convert(guarantee: Any, form: type, parameters: dict[str, Any]) -> Any:
    """Convert by the table; the same form without parameters is the guarantee itself."""
    _load()
    source = type(guarantee)
    entry = _conversions.get((source, form))
    if entry is None:
        if source is form and not parameters:
            return guarantee
        reason = _refusals.get((source, form), "no such pair is registered")
        raise UnsupportedConversionError(source.__name__, getattr(form, "__name__", repr(form)), reason)
    for name in parameters:
        if name not in entry.parameters:
            raise InvalidParameterError(
                name, f"a parameter of {source.__name__} to {form.__name__}: {entry.parameters}", name
            )
    _require(entry, parameters)
    return entry.rule(guarantee, **parameters)


def _require(entry: Conversion, parameters: dict[str, Any]) -> None:
    for name, parameter in list(inspect.signature(entry.rule).parameters.items())[1:]:
        if parameter.default is inspect.Parameter.empty and name not in parameters:
            pair = f"{entry.source.__name__} to {entry.target.__name__}"
            raise InvalidParameterError(name, f"given for a conversion from {pair}", None)


def compose(guarantees: Sequence[Any]) -> Any:
    """Compose by the tables; see `guarantees.composing.compose`."""
    _load()
    if not guarantees:
        raise InvalidParameterError("guarantees", "at least one guarantee", ())
    groups: dict[type, list[Any]] = {}
    for guarantee in guarantees:
        if type(guarantee) not in _totals:
            raise InvalidParameterError("guarantees", "guarantees of a form that composes", guarantee)
        groups.setdefault(type(guarantee), []).append(guarantee)
    ordered = sorted(groups, key=lambda form: _totals[form].rank)
    parts = [
        groups[form][0] if len(groups[form]) == 1 else _totals[form].rule(groups[form]) for form in ordered
    ]
    return functools.reduce(_compose_two, parts)


def _compose_two(first: Any, second: Any) -> Any:
    kinds = type(first), type(second)
    if kinds[0] is kinds[1]:
        return _totals[kinds[0]].rule((first, second))
    if rule := _compositions.get(kinds):
        return rule(first, second)
    if rule := _compositions.get(kinds[::-1]):
        return rule(second, first)
    raise UnsupportedConversionError(
        kinds[0].__name__, kinds[1].__name__, "the two have no common form to compose in"
    )


def self_compose(guarantee: Any, count: int) -> Any:
    """The count-fold composition, by the form's own power rule."""
    _load()
    rule = _powers.get(type(guarantee))
    if rule is None:
        raise InvalidParameterError("guarantee", "of a form that composes", guarantee)
    return rule(guarantee, count)


def for_group(guarantee: Any, size: int) -> Any:
    """The guarantee for `size` people together, by the form's own rule."""
    _load()
    rule = _groups.get(type(guarantee))
    if rule is None:
        raise InvalidParameterError("guarantee", "of a form with a rule for groups", guarantee)
    return guarantee if size == 1 else rule(guarantee, size)
