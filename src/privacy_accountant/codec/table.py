"""The closed table of tags: what may be written as JSON, and how it is read back.

A tag names a frozen class; nothing is ever read by import path, so a file can name no code. The room that owns a class
enters it with the `tagged` decorator (or `enter`), and the rooms that fill the table are loaded by name at the first look.

JSON describes itself: a number is text that holds it exactly (`"0.1"`, `"1/3"`, `"inf"`), a JSON integer is a count, a list is
a tuple, `{"type": tag, field: value, ...}` is a tagged object and `{"text": ...}` a string. A field that is None by
default and None in the object is left out, so a class that grows such a field keeps the JSON of its older objects.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias, TypeVar

import attrs

from privacy_accountant.codec.numbers import decode_integer, decode_real, encode_integer, encode_real
from privacy_accountant.errors import InvalidParameterError

Json: TypeAlias = Any
"""What the json module reads and writes: dict, list, str, int, bool, None; floats never."""

Class = TypeVar("Class", bound=type)

_FILLERS = ("privacy_accountant.codec.guarantees", "privacy_accountant.mechanisms")


@attrs.frozen
class Codec:
    """How one class is written and read.

    Attributes:
        tag: Its name in JSON; it never changes once released.
        cls: The class.
        write: From an object to the JSON of its fields.
        read: From the JSON of the fields to an object.
        provisional: Whether nobody chose the tag: it is the class's full name, which changes when code moves.
    """

    tag: str
    cls: type
    write: Callable[[Any], dict[str, Json]]
    read: Callable[[dict[str, Json]], Any]
    provisional: bool = False


_by_tag: dict[str, Codec] = {}
_by_class: dict[type, Codec] = {}
_loaded: set[str] = set()


def tagged(tag: str) -> Callable[[Class], Class]:
    """Enter a frozen attrs class in the table; its init fields are what is written.

    Example:
        >>> import attrs
        >>> from privacy_accountant.codec import decode, encode, tagged
        >>> @tagged("doc-example")
        ... @attrs.frozen
        ... class Example:
        ...     scale: float
        >>> encode(Example(0.1))
        {'type': 'doc-example', 'scale': '0.1'}
        >>> decode(encode(Example(0.1)))
        Example(scale=0.1)
    """

    def decorate(cls: Class) -> Class:
        enter(cls, tag)
        return cls

    return decorate


def enter(
    cls: type,
    tag: str,
    *,
    write: Callable[[Any], dict[str, Json]] | None = None,
    read: Callable[[dict[str, Json]], Any] | None = None,
    provisional: bool = False,
) -> None:
    """Enter a class in the table, with its own writer and reader when its fields are not its arguments.

    A class that is entered again is written under the new tag and read under both.

    Raises:
        InvalidParameterError: When the tag already belongs to another class.
    """
    held = _by_tag.get(tag)
    if held is not None and (held.cls.__module__, held.cls.__qualname__) != (
        cls.__module__,
        cls.__qualname__,
    ):
        raise InvalidParameterError("tag", f"free; {held.cls.__qualname__} has it", tag)
    reader = read or (lambda fields: _read_fields(cls, fields))
    _by_tag[tag] = _by_class[cls] = Codec(tag, cls, write or _write_fields, reader, provisional)


def tags() -> tuple[str, ...]:
    """Every tag that can be read."""
    _load()
    return tuple(sorted(_by_tag))


def unregistered(data: Json) -> type | None:
    """The first class in what `encode` wrote that has no tag of its own; None when all have one."""
    if isinstance(data, list):
        return next((cls for item in data if (cls := unregistered(item)) is not None), None)
    if not isinstance(data, dict):
        return None
    codec = _by_tag.get(data.get("type", ""))
    if codec is not None and codec.provisional:
        return codec.cls
    return unregistered(list(data.values()))


def encode(value: object) -> Json:
    """Write a guarantee, a mechanism, or a value that one of them holds.

    Raises:
        InvalidParameterError: When the value's class is not in the table.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return encode_integer(value)
    if isinstance(value, (float, Fraction)):
        return encode_real(value)
    if isinstance(value, str):
        return {"text": value}
    if isinstance(value, tuple):
        return [encode(item) for item in value]
    codec = _codec_of(value)
    return {"type": codec.tag, **codec.write(value)}


def decode(data: Json) -> Any:
    """Read what `encode` wrote.

    Raises:
        InvalidParameterError: When the JSON is malformed, names an unknown tag, or holds a value that its class refuses.

    Example:
        >>> from privacy_accountant.codec import decode
        >>> decode({"type": "GDP", "mu": "0.5"})
        GDP(mu=0.5)
    """
    try:
        return _decode(data)
    except RecursionError:
        raise InvalidParameterError("data", "nested less deeply", "JSON nested too deeply") from None


def _decode(data: Json) -> Any:
    if data is None or isinstance(data, int):
        return data
    if isinstance(data, str):
        return _decode_number(data)
    if isinstance(data, list):
        return tuple(_decode(item) for item in data)
    if isinstance(data, dict):
        if set(data) == {"text"} and isinstance(data["text"], str):
            return data["text"]
        codec = _codec_for(data.get("type"))
        return codec.read({name: item for name, item in data.items() if name != "type"})
    raise InvalidParameterError("data", "JSON without floats", data)


def _decode_number(text: str) -> Any:
    return (
        decode_integer(text) if text.lstrip("-").startswith("0x") and "/" not in text else decode_real(text)
    )


def _write_fields(value: Any) -> dict[str, Json]:
    fields = {}
    for field in attrs.fields(type(value)):
        if field.init:
            item = getattr(value, field.name)
            if item is not None or field.default is not None:
                fields[field.alias] = encode(item)
    return fields


def _read_fields(cls: type, fields: dict[str, Json]) -> Any:
    known = {field.alias for field in attrs.fields(cls) if field.init}
    unknown = sorted(set(fields) - known)
    if unknown:
        raise InvalidParameterError(f"{cls.__name__} field", f"one of {', '.join(sorted(known))}", unknown[0])
    try:
        return cls(**{name: decode(item) for name, item in fields.items()})
    except TypeError as error:
        raise InvalidParameterError(f"{cls.__name__} fields", f"complete ({error})", sorted(fields)) from None


def _codec_of(value: object) -> Codec:
    cls = type(value)
    if cls not in _by_class:
        _load()
    if cls not in _by_class:
        if not attrs.has(cls) or cls.__hash__ is None:
            rule = "a frozen attrs class, or one with a tag (privacy_accountant.codec.tagged)"
            raise InvalidParameterError("value", rule, cls.__name__)
        # A class of the caller's own: fit for a ledger in memory; one that lasts asks for a tag that somebody chose.
        enter(cls, f"{cls.__module__}.{cls.__qualname__}", provisional=True)
    return _by_class[cls]


def _codec_for(tag: object) -> Codec:
    if not isinstance(tag, str) or tag not in _by_tag:
        _load()
    if not isinstance(tag, str) or tag not in _by_tag:
        rule = f"a tag in the table ({', '.join(tags())}); import the module that enters another one first"
        raise InvalidParameterError("type", rule, tag)
    return _by_tag[tag]


def _load() -> None:
    for name in _FILLERS:
        if name not in _loaded:
            importlib.import_module(name)
            _loaded.add(name)
