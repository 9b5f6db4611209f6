"""Guarantees, mechanisms and receipts as JSON documents with a published schema."""

from __future__ import annotations

import json
from typing import Any, NoReturn

import attrs

from privacy_accountant.accountant.records import Receipt
from privacy_accountant.codec import Json, decode, encode, enter
from privacy_accountant.errors import InvalidParameterError, LedgerError
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.risk_target import Risk
from privacy_accountant.mechanisms.base import Mechanism

SCHEMA, VERSION = "privacy-accountant/document", 1
_KINDS = (PrivacyGuarantee, Mechanism, Receipt, Risk)
_RULE = f'a JSON text of {{"schema": "{SCHEMA}", "version": {VERSION}, "value": ...}}'


def to_json(value: PrivacyGuarantee | Mechanism | Receipt | Risk, *, indent: int | None = None) -> str:
    """A guarantee, a mechanism, a receipt or a risk target as a JSON document.

    Numbers are text that holds them exactly (`"0.1"`, `"1/3"`, `"inf"`), JSON integers are counts, lists are tuples, and every
    object names its type by a tag from a closed table, so a document names no code. `from_json` gives back an equal object.
    The schema is part of the package: `privacy_accountant/interop/schema/document-1.json`.

    Args:
        value: What to write.
        indent: Spaces a level, or None for one line.

    Raises:
        InvalidParameterError: When it is none of these, or holds something without a tag.

    Example:
        >>> from privacy_accountant import Gaussian
        >>> print(to_json(Gaussian(sigma=0.1, sensitivity=1)))
        {"schema": "privacy-accountant/document", "version": 1, "value": {"type": "Gaussian", "sigma": "0.1", "sensitivity": "1.0"}}
    """
    if not isinstance(value, _KINDS):
        raise InvalidParameterError("value", "a guarantee, a mechanism, a receipt or a Risk", value)
    document = {"schema": SCHEMA, "version": VERSION, "value": encode(value)}
    return json.dumps(document, indent=indent, allow_nan=False, ensure_ascii=False)


def from_json(text: str) -> Any:
    """Read what `to_json` wrote.

    Args:
        text: The document. A mechanism of your own is read back once its class is registered.

    Returns:
        A guarantee, a mechanism, a receipt or a risk target. A receipt's balance stays with its ledger.

    Raises:
        InvalidParameterError: When the text is no such document, or holds a value that its class refuses.

    Example:
        >>> from privacy_accountant import GDP
        >>> from_json(to_json(GDP(mu=0.1))) == GDP(mu=0.1)
        True
    """
    given: object = text
    if not isinstance(given, str):
        raise InvalidParameterError("text", _RULE, text)
    try:
        document = json.loads(given, parse_float=_no_float, parse_constant=_no_float)
    except (ValueError, RecursionError):
        raise InvalidParameterError("text", _RULE, text) from None
    if not isinstance(document, dict) or (document.get("schema"), document.get("version")) != (
        SCHEMA,
        VERSION,
    ):
        raise InvalidParameterError("text", _RULE, text)
    value = decode(document.get("value"))
    if not isinstance(value, _KINDS):
        raise InvalidParameterError("text", _RULE, text)
    return value


def _no_float(text: str) -> NoReturn:
    """A float would not be the decimal that was written."""
    raise ValueError(text)


def _no_balance() -> NoReturn:
    raise LedgerError("a receipt that was read from JSON holds no balance; ask the study for spent()")


_FIELDS = tuple(field.name for field in attrs.fields(Receipt) if field.name != "_balance")


def _write_receipt(receipt: Receipt) -> dict[str, Json]:
    values = {name: getattr(receipt, name) for name in _FIELDS}
    return {name: encode(value) for name, value in values.items() if value is not None}


def _read_receipt(fields: dict[str, Json]) -> Receipt:
    unknown = sorted(set(fields) - set(_FIELDS))
    if unknown:
        raise InvalidParameterError("Receipt field", f"one of {', '.join(_FIELDS)}", unknown[0])
    values = {name: decode(value) for name, value in fields.items()}
    kinds = (("study", str), ("entry", int), ("label", str), ("mechanism", Mechanism), ("cost", tuple))
    for name, kind in (*kinds, ("repeated", bool)):
        if not isinstance(values.get(name), kind):
            raise InvalidParameterError(f"Receipt {name}", f"there, and a {kind.__name__}", values.get(name))
    return Receipt(**values, balance=_no_balance)


enter(Receipt, "Receipt", write=_write_receipt, read=_read_receipt)
