"""Wrapping a function whose result must not leave it as it is."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec

from privacy_accountant.accountant.asynchronous import Begun, publish
from privacy_accountant.errors import InvalidParameterError

P = ParamSpec("P")


def wrap(
    function: Callable[P, Any],
    begin: Callable[[contextlib.ExitStack], Begun],
    finish: Callable[[Begun, Callable[[], Any]], Any],
) -> Callable[P, Any]:
    """A function of the same signature, each call of which is charged by `begin`, and read and published by `finish`.

    Raises:
        InvalidParameterError: For what does not return the aggregate when it is called or awaited (generators).
    """
    plain: Any = function
    if (
        not callable(plain)
        or _is(plain, inspect.isgeneratorfunction)
        or _is(plain, inspect.isasyncgenfunction)
    ):
        rule = "a function, or an async one, that returns the aggregate"
        raise InvalidParameterError("function", rule, function)

    if _is(plain, inspect.iscoroutinefunction):

        @functools.wraps(function)
        async def published(*args: P.args, **kwargs: P.kwargs) -> Any:
            return await publish(begin, finish, lambda: function(*args, **kwargs))

    else:

        @functools.wraps(function)
        def published(*args: P.args, **kwargs: P.kwargs) -> Any:
            with contextlib.ExitStack() as stack:
                return finish(begin(stack), lambda: function(*args, **kwargs))

    # The undecorated function must not be one attribute away from the published one.
    del published.__wrapped__
    # Some builtins have no signature to show.
    with contextlib.suppress(ValueError):
        published.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return published


def _is(function: Any, kind: Callable[[Any], bool]) -> bool:
    """Whether a function is of a kind, or an object whose calls are."""
    return kind(function) or kind(inspect.getattr_static(type(function), "__call__", None))
