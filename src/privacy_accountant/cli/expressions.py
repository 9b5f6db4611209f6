"""Budgets and mechanisms as text: `GDP(mu=1)`, `3 * Gaussian(sigma=4, sensitivity=1)`. Nothing is ever executed."""

from __future__ import annotations

import ast
from fractions import Fraction
from typing import Any

import privacy_accountant
from privacy_accountant.accountant.budgets.limits import Budget, read_budget, read_form
from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import integer
from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.neighbors import Neighbors, read_neighbors

_BUDGETS = ("ADP", "GDP", "ZCDP", "RDP", "Risk")
_NOISES = ("Gaussian", "Laplace", "DiscreteGaussian", "DiscreteLaplace", "Geometric")
_MECHANISMS = (
    *_NOISES,
    *("AboveThreshold", "Composed", "DPSGD", "ExponentialMechanism", "FixedSizeSampled", "NoisyThreshold"),
    *("Opaque", "PoissonSampled", "RandomizedResponse", "ReportNoisyMax"),
)
_INSIDE = ("Sensitivity", *_MECHANISMS, "ADP", "GDP", "ZCDP", "RDP")
_HIGHEST_POWER = 1100
_BUDGET_RULE = f"one of {', '.join(_BUDGETS)} with its numbers, such as GDP(mu=1)"
_MECHANISM_RULE = (
    f"one of {', '.join(_MECHANISMS)} with its numbers, such as 'Gaussian(sigma=4, sensitivity=1)'"
)


def budget_of(text: str) -> Budget:
    """Read a budget.

    Raises:
        InvalidParameterError: When the text is none, or the budget refuses its numbers.
    """
    return read_budget(_call(_parsed(text, "budget", _BUDGET_RULE), _BUDGETS, "budget", _BUDGET_RULE))


def form_of(text: str) -> type:
    """Read the name of a currency.

    Raises:
        InvalidParameterError: When the text is none.
    """
    return read_form(getattr(privacy_accountant, text) if text in _BUDGETS else text)


def mechanism_of(text: str) -> Mechanism:
    """Read a mechanism.

    Raises:
        InvalidParameterError: When the text is none, or the mechanism refuses its numbers.
    """
    return _mechanism(_parsed(text, "mechanism", _MECHANISM_RULE))


def counted_mechanism_of(text: str) -> tuple[Mechanism, int]:
    """Read a mechanism, or a count times a mechanism.

    Raises:
        InvalidParameterError: When the text is neither.
    """
    node = _parsed(text, "mechanism", _MECHANISM_RULE)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        count = _value(node.left, "mechanism", _MECHANISM_RULE)
        return _mechanism(node.right), integer(count, "count", "an integer >= 1", least=1)
    return _mechanism(node), 1


def mechanism_class_of(text: str) -> type[Mechanism]:
    """Read the name of a kind of noise.

    Raises:
        InvalidParameterError: When the text is none.
    """
    if text not in _NOISES:
        raise InvalidParameterError("mechanism", f"one of {', '.join(_NOISES)}", text)
    found: type[Mechanism] = getattr(privacy_accountant, text)
    return found


def sensitivity_of(text: str) -> Any:
    """Read a sensitivity: a number, or a `Sensitivity` with its numbers.

    Raises:
        InvalidParameterError: When the text is neither.
    """
    rule = "a number, or such as 'Sensitivity(per_value=1, values=2)'"
    return _value(_parsed(text, "sensitivity", rule), "sensitivity", rule)


def _parsed(text: str, field: str, rule: str) -> ast.expr:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise InvalidParameterError(field, rule, text) from None


def _mechanism(node: ast.expr) -> Mechanism:
    found: Mechanism = _call(node, _MECHANISMS, "mechanism", _MECHANISM_RULE)
    return found


def _call(node: ast.expr, names: tuple[str, ...], field: str, rule: str) -> Any:
    known = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names
    if not known or not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise InvalidParameterError(field, rule, _Quoted(ast.unparse(node)))
    positional = [_value(argument, field, rule) for argument in node.args]
    named = {str(word.arg): _value(word.value, field, rule) for word in node.keywords if word.arg}
    try:
        return getattr(privacy_accountant, node.func.id)(*positional, **named)
    except TypeError as error:
        # A missing or unknown argument; the rest of the message names the constructor.
        told = str(error).partition("() ")[2] or str(error)
        raise InvalidParameterError(field, f"complete ({told})", _Quoted(ast.unparse(node))) from None


def _value(node: ast.expr, field: str, rule: str) -> Any:
    """A number as it was typed, a fraction of two, a text, a tuple of such, or what stands inside a mechanism."""
    if isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, (int, float, str))):
        return node.value
    if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "Neighbors":
        return read_neighbors(Neighbors.__members__.get(node.attr), "neighbors")
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, field, rule)
    if isinstance(node, ast.BinOp):
        number = _fraction(node.op, _value(node.left, field, rule), _value(node.right, field, rule))
        if number is not None:
            return number
    if isinstance(node, (ast.Tuple, ast.List)):
        return tuple(_value(item, field, rule) for item in node.elts)
    return _call(node, _INSIDE, field, rule)


def _fraction(operation: ast.operator, left: object, right: object) -> Fraction | None:
    """A fraction of two integers, or a power of two such as a grid's; nothing else is computed."""
    if not isinstance(left, int) or not isinstance(right, int):
        return None
    if isinstance(operation, ast.Div) and right != 0:
        return Fraction(left, right)
    small = isinstance(operation, ast.Pow) and left == 2 and abs(right) <= _HIGHEST_POWER
    return Fraction(2) ** right if small else None


class _Quoted(str):
    """Text that an error shows as it was typed."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)
