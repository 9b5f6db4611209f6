"""Mechanisms of the caller's own in a ledger that lasts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

import attrs

from privacy_accountant.codec import Json, enter, unregistered
from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.mechanisms.base import Mechanism

M = TypeVar("M", bound=type[Mechanism])

_TAG = re.compile(r"\w[\w-]*(\.\w[\w-]*)+")
_TAG_RULE = 'a name with a dot, such as "my-lab.Staircase"; names without one are the library\'s'
_CLASS_RULE = "a Mechanism that is a frozen attrs class, by a decorator such as @attrs.frozen below this one"


def register_mechanism(tag: str) -> Callable[[M], M]:
    """Give a class of mechanisms the name under which ledgers keep it.

    A ledger that lasts names mechanisms by tags that somebody chose, never by import path: code may move, and a file names no
    code that is then run. What is written is the class's attrs fields. A program reads such an entry back when it has
    registered the tag; one that has not still reads the history and shows the tag.

    Once a ledger holds a tag, keep it, and let fields only grow, with None as default.

    Args:
        tag: A name with a dot, of letters, digits, `_` and `-`.

    Raises:
        InvalidParameterError: When the tag has no dot or belongs to another class, or the class is no frozen mechanism.

    Example:
        >>> import attrs
        >>> from privacy_accountant import ADP, Mechanism, register_mechanism
        >>> @register_mechanism("doc.Loaded")
        ... @attrs.frozen(repr=False)
        ... class Loaded(Mechanism):
        ...     epsilon: float = 1.0
        ...
        ...     def _native(self):
        ...         return ADP(self.epsilon)
        ...
        ...     def randomize(self, value):
        ...         return 0
        >>> Loaded(0.5).guarantee()
        ADP(epsilon=0.5, delta=0.0)
    """
    given: object = tag
    if not isinstance(given, str) or not _TAG.fullmatch(given):
        raise InvalidParameterError("tag", _TAG_RULE, tag)

    def decorate(cls: M) -> M:
        if not _is_frozen(cls):
            raise InvalidParameterError("class", _CLASS_RULE, cls)
        enter(cls, tag)
        return cls

    return decorate


def _is_frozen(cls: object) -> bool:
    if not isinstance(cls, type) or not issubclass(cls, Mechanism) or not attrs.has(cls):
        return False
    return cls.__setattr__ is not object.__setattr__ and cls.__hash__ is not None


def require_registration(written: Json, mechanism: object) -> None:
    """Refuse a mechanism, or one inside it, that has no tag of its own.

    Args:
        written: The mechanism as the codec wrote it.
        mechanism: The mechanism.

    Raises:
        InvalidParameterError: With the line to add.
    """
    cls = unregistered(written)
    if cls is not None:
        line = f'@register_mechanism("my.{cls.__name__}")'
        rule = f"one that a ledger can name: put {line} above class {cls.__name__}"
        raise InvalidParameterError("mechanism", rule, mechanism)
