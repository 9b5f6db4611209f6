"""How frozen values are shown: their fields, and exact numbers as people read them."""

from __future__ import annotations

import enum
from fractions import Fraction
from typing import Any, cast

import attrs

from privacy_accountant.exact import Real, float_up


def shown_fields(cls: type) -> list[str]:
    """Names of the fields of a frozen class that its repr shows."""
    return [field.name for field in attrs.fields(cast("type[attrs.AttrsInstance]", cls)) if field.repr]


def show_field(value: Any) -> str:
    """A field as people read it; an exact number with a long denominator is shown rounded up and marked so."""
    if isinstance(value, Fraction):
        return show_fraction(value)
    if isinstance(value, tuple):
        return "(" + ", ".join(show_field(item) for item in value) + ("," if len(value) == 1 else "") + ")"
    return f"{type(value).__name__}.{value.name}" if isinstance(value, enum.Enum) else repr(value)


def show_fraction(value: Real) -> str:
    """`Fraction(1, 3)` when short, else `~0.3678794411714424`, rounded up."""
    text = repr(value)
    return text if len(text) <= 24 else f"~{float_up(value)!r}"
