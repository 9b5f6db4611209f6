"""Exact numbers as text: `0.1`, `1/3`, `inf`; what is read back is the number that was written."""

from __future__ import annotations

import math
import re
from fractions import Fraction

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import Real, canonical

_DECIMAL = re.compile(r"-?[0-9]{1,400}(\.[0-9]{1,400})?(e[+-]?[0-9]{1,4})?")
_RATIO = re.compile(r"-?(0x[0-9a-f]+|[0-9]{1,4000})(/(0x[0-9a-f]+|[0-9]{1,4000}))?")
_DECIMAL_BITS = 12_000
"""Integers longer than this are written in hexadecimal: decimal text of that length is refused by the interpreter."""


def encode_rational(value: Fraction) -> str:
    """Write an exact rational as `p/q`, or `p` when it is whole."""
    top = _integer_text(value.numerator)
    return top if value.denominator == 1 else f"{top}/{_integer_text(value.denominator)}"


def decode_rational(text: object) -> Fraction:
    """Read what `encode_rational` wrote.

    Raises:
        InvalidParameterError: When the text is not such a number.
    """
    if not isinstance(text, str) or not _RATIO.fullmatch(text):
        raise InvalidParameterError("number", 'a rational such as "1/10"', text)
    top, _, bottom = text.partition("/")
    denominator = int(bottom or "1", 0 if bottom.startswith("0x") else 10)
    if denominator == 0:
        raise InvalidParameterError("number", 'a rational such as "1/10"', text)
    return Fraction(int(top, 0 if "0x" in top else 10), denominator)


def encode_real(value: Real) -> str:
    """Write a stored number: the decimal that was typed, a ratio (always `p/q`) where there is none, or `inf`."""
    if isinstance(value, float):
        return repr(value)
    return f"{_integer_text(value.numerator)}/{_integer_text(value.denominator)}"


def decode_real(text: object) -> Real:
    """Read what `encode_real` wrote.

    Raises:
        InvalidParameterError: When the text is not such a number; NaN is none.
    """
    if text in ("inf", "-inf"):
        return math.inf if text == "inf" else -math.inf
    if isinstance(text, str) and _DECIMAL.fullmatch(text):
        return canonical(Fraction(text))
    return decode_rational(text)


def encode_integer(value: int) -> int | str:
    """Write an integer of any size: a JSON number while every reader keeps it exact, hexadecimal text beyond."""
    return value if abs(value) < 1 << 53 else hex(value)


def decode_integer(value: object) -> int:
    """Read what `encode_integer` wrote."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and re.fullmatch(r"-?0x[0-9a-f]+", value):
        return int(value, 16)
    raise InvalidParameterError("number", "an integer", value)


def _integer_text(value: int) -> str:
    return str(value) if value.bit_length() < _DECIMAL_BITS else hex(value)
