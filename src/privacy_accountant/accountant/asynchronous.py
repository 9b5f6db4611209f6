"""Releases from asyncio: what waits for the ledger waits in a thread, and a cancellation is a failure like any other."""

from __future__ import annotations

import asyncio
import contextvars
import functools
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from typing import Any, Concatenate, ParamSpec, TypeVar

from privacy_accountant.accountant import flights
from privacy_accountant.accountant.results.stores import Store
from privacy_accountant.ledger import Reserved

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")

ARELEASE = """`release` for asyncio: the same arguments, result and errors, and the event loop is never kept waiting for the ledger.

        The work is done in a thread of the loop's default executor, so any number of tasks and loops may share one study. When the
        task is cancelled before anything was charged, nothing is. After that a release that was not posted yet counts as failed and
        stays spent, and `CancelledError` is raised once the ledger says so.

        Example:
            >>> import asyncio
            >>> from privacy_accountant import Accountant, GDP, Gaussian
            >>> study = Accountant(budget=GDP(mu=1.0))
            >>> async def publish():
            ...     noise = Gaussian(sigma=4, sensitivity=1)
            ...     return await asyncio.gather(
            ...         study.arelease(842, noise, label="March"), study.arelease(790, noise, label="April")
            ...     )
            >>> len(asyncio.run(publish()))
            2
        """

Begun = tuple[Reserved, Store | None]
"""A release that was charged, and the store that its result goes to."""


class _Task:
    """What a task asked for; cancelled when the task was."""

    cancelled = False


class _WithheldError(Exception):
    """Stands for whatever went wrong: the ledger is told that it did, and nobody what it was."""


_asking: contextvars.ContextVar[_Task | None] = contextvars.ContextVar("asking", default=None)


def wanted(value: T) -> T:
    """A value that is about to be read; raises when the task that asked for its release was cancelled in the meantime."""
    task = _asking.get()
    if task is not None and task.cancelled:
        raise _WithheldError
    return value


def asynchronous(
    method: Callable[Concatenate[S, P], T], name: str, doc: str
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]:
    """A method that does the same for asyncio.

    Cancelled before it has begun, it does nothing. Cancelled later, it waits for what it has begun: a release that was charged and
    not drawn yet counts as failed.
    """

    async def awaited(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        task = _Task()

        def begin() -> T:
            wanted(None)
            return method(self, *args, **kwargs)

        job = await _settled(task, begin)
        job.exception()  # A failure nobody hears of is not to be reported as forgotten.
        if task.cancelled:
            raise asyncio.CancelledError
        return job.result()

    functools.update_wrapper(awaited, method)
    awaited.__name__, awaited.__doc__ = name, doc
    awaited.__qualname__ = f"{method.__qualname__.rpartition('.')[0]}.{name}"
    return awaited


async def publish(
    begin: Callable[[ExitStack], Begun],
    finish: Callable[[Begun, Callable[[], Any]], Any],
    function: Callable[[], Coroutine[Any, Any, Any]],
) -> Any:
    """Charge a release, await the function that computes its aggregate, and publish what it gives.

    Args:
        begin: Charges the release.
        finish: Reads the aggregate, draws and posts; what reading raises is recorded as a failure.
        function: Touches the data, after the charge.

    Raises:
        CancelledError: When the task was cancelled. The cost stays spent, unless nothing had been charged.
    """
    task, answer = _Task(), None
    try:
        with ExitStack() as stack:
            begun, under_way = (await _settled(task, lambda: _take_off(begin, stack))).result()
            read: Callable[[], Any] = functools.partial(_fail, _WithheldError)
            if under_way and not task.cancelled:
                read = await _outcome(task, function)
            answer = (await _settled(task, lambda: finish(begun, read))).result()
    except Exception:
        if not task.cancelled:
            raise
    # Outside the handler, and without the message of the cancellation, which may depend on the data.
    if task.cancelled:
        raise asyncio.CancelledError
    return answer


def _take_off(begin: Callable[[ExitStack], Begun], stack: ExitStack) -> tuple[Begun, bool]:
    """Charge a release and mark it as in flight, before its data is touched; False when it was voided at once."""
    wanted(None)
    begun = begin(stack)
    return begun, flights.begin(begun[0].entry.hash)


async def _outcome(task: _Task, function: Callable[[], Coroutine[Any, Any, Any]]) -> Callable[[], Any]:
    """Await a function; what comes back gives its value, or fails as it did and says no more than that."""
    try:
        return functools.partial(wanted, await function())
    except asyncio.CancelledError:
        task.cancelled = True
        return functools.partial(_fail, _WithheldError)
    except KeyboardInterrupt:
        return functools.partial(_fail, KeyboardInterrupt)
    except GeneratorExit:
        # The event loop is gone, so nothing more can be awaited: the release stays pending, and spent.
        raise
    except BaseException:  # noqa: BLE001 - every way of failing looks the same from outside
        return functools.partial(_fail, _WithheldError)


def _fail(kind: type[BaseException]) -> None:
    raise kind


async def _settled(task: _Task, work: Callable[[], T]) -> asyncio.Future[T]:
    """Run work in a thread to its end, also when the task is cancelled: a step on a ledger is not left half way."""

    def run() -> T:
        _asking.set(task)
        return work()

    loop = asyncio.get_running_loop()
    job = loop.run_in_executor(None, contextvars.copy_context().run, run)
    while not job.done():
        try:
            await asyncio.wait((job,))
        except asyncio.CancelledError:  # noqa: PERF203 - the waiting goes on
            task.cancelled = True
    return job
