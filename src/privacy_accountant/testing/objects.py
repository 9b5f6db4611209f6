"""Laws about the object: it never changes, it travels, and a ledger can keep it."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import attrs

from privacy_accountant.codec import decode, encode, unregistered
from privacy_accountant.codec.answers import decode_answer, encode_answer
from privacy_accountant.errors import InvalidParameterError, PrivacyAccountantError
from privacy_accountant.testing.laws import Case, LawSkipped


def frozenness(case: Case) -> None:
    """What was charged is what is drawn: no field can be set, and the hash exists and follows equality."""
    mechanism: Any = case.mechanism
    cls = type(mechanism)
    fields = [field.name for field in attrs.fields(cls)] if attrs.has(cls) else list(vars(mechanism))
    for name in fields:
        try:
            setattr(mechanism, name, getattr(mechanism, name))
        except AttributeError:
            continue
        raise case.accuse("frozenness", f"its field {name} can be set; declare the class with @attrs.frozen")
    try:
        hash(mechanism)
    except TypeError as error:
        raise case.accuse("frozenness", f"it has no hash ({error})") from None
    _require_equal(case, "frozenness", copy.copy(mechanism), "a copy")
    _require_equal(case, "frozenness", copy.deepcopy(mechanism), "a deep copy")
    if mechanism == object() or len(repr(mechanism).splitlines()) != 1:
        raise case.accuse("frozenness", "it equals anything, or its repr is not one line")


def pickling(case: Case) -> None:
    """Other processes get the same mechanism."""
    try:
        again = pickle.loads(pickle.dumps(case.mechanism))  # noqa: S301 - it was written a moment ago
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise case.accuse(
            "pickling", f"it cannot be pickled ({error}); define its class in a module"
        ) from None
    _require_equal(case, "pickling", again, "a pickled copy")


def codec(case: Case) -> None:
    """The ledger's JSON names the class by a tag that somebody chose, and gives back an equal mechanism."""
    mechanism = case.mechanism
    try:
        written = encode(mechanism)
        text = json.dumps(written, allow_nan=False)
        again = decode(json.loads(text))
    except (PrivacyAccountantError, ValueError, TypeError) as error:
        raise case.accuse("codec", f"it cannot be written as JSON and read back ({error})") from None
    nameless = unregistered(written)
    if nameless is not None:
        line = f'@register_mechanism("my.{nameless.__name__}")'
        raise case.accuse(
            "codec", f"no ledger that lasts can name it: put {line} above class {nameless.__name__}"
        )
    _require_equal(case, "codec", again, "what is read from its JSON")
    if encode(again) != written:
        raise case.accuse("codec", "what is read from its JSON is written differently")


def values(case: Case) -> None:
    """Values are checked before anything is spent: shapes for good ones, a refusal for none at all."""
    if not case.worlds:
        raise LawSkipped("no worlds were given")
    for value in (one for world in case.worlds for one in world):
        shape: object = case.mechanism.check(value)
        if not isinstance(shape, tuple) or not all(isinstance(length, int) for length in shape):
            raise case.accuse("values", f"check gave {shape!r} where a shape is a tuple of integers")
    try:
        case.mechanism.check(None)
    except InvalidParameterError:
        return
    raise case.accuse("values", "check lets None pass: a computation that failed would show in the output")


def answers(case: Case) -> None:
    """Whatever is drawn can be stored and given back exactly, which is what a repeated key promises."""
    if not case.worlds:
        raise LawSkipped("no worlds were given")
    for pair in case.outputs:
        for side in pair:
            try:
                written = encode_answer(side[0])
                again = encode_answer(decode_answer(json.loads(json.dumps(written))))
            except PrivacyAccountantError as error:
                raise case.accuse("answers", f"the ledger cannot keep an answer ({error})") from None
            if again != written:
                raise case.accuse("answers", "an answer comes back from the ledger as another one")


def _require_equal(case: Case, law: str, again: object, what: str) -> None:
    mechanism = case.mechanism
    if type(again) is not type(mechanism) or again != mechanism or hash(again) != hash(mechanism):
        raise case.accuse(law, f"{what} is not equal to it, or has another hash: {again!r}")
    if again.guarantee() != case.guarantee:
        raise case.accuse(law, f"{what} guarantees something else")
