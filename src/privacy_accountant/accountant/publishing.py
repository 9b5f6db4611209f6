"""Wrapping a function whose result must not leave it as it is."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec

from privacy_accountant.errors import InvalidParameterError

P = ParamSpec("P")


def wrap(function: Callable[P, Any], publish: Callable[[Callable[[], Any]], Any]) -> Callable[P, Any]:
    """A function of the same signature that hands each call to `publish` instead of running it.

    Raises:
        InvalidParameterError: For what does not return the aggregate when it is called (coroutines, generators).
    """
    plain: Any = function
    later = inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction
    if not callable(plain) or any(kind(plain) for kind in later):
        raise InvalidParameterError("function", "an ordinary function that returns the aggregate", function)

    @functools.wraps(function)
    def published(*args: P.args, **kwargs: P.kwargs) -> Any:
        return publish(lambda: function(*args, **kwargs))

    # The undecorated function must not be one attribute away from the published one.
    del published.__wrapped__
    # Some builtins have no signature to show.
    with contextlib.suppress(ValueError):
        published.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return published
