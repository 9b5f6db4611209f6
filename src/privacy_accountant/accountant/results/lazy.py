"""Aggregates that are bigger than memory: dask arrays, series and data frames, noised block by block and drawn once.

A lazy result that drew its noise whenever it is computed would be an averaging attack outside the ledger. So each block is computed,
noised with fresh entropy of the operating system and written to a store, once; what the caller gets reads those files.
"""

from __future__ import annotations

import abc
import functools
import importlib
import math
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from privacy_accountant.accountant.results.keeping import MOST, Kept, cells_of
from privacy_accountant.accountant.results.stores import Store, Stored, load_array, read_stored
from privacy_accountant.codec import Json
from privacy_accountant.codec.answers import encode_answer
from privacy_accountant.codec.frames import decode_index, encode_index
from privacy_accountant.errors import InvalidAggregateError, MissingExtraError
from privacy_accountant.mechanisms.values.aggregates import Progress
from privacy_accountant.mechanisms.values.cells import clipped, narrow

_PACKAGES = "dask", "dask_expr"

_LEAST, _MOST = narrow(-(2**63)), narrow(2**63 - 1)


class Lazy(abc.ABC):
    """A lazy aggregate: what is known of it before it is computed, and its blocks."""

    def __init__(self, value: Any) -> None:
        self.value = value

    @property
    @abc.abstractmethod
    def shape(self) -> tuple[int | None, ...]:
        """Its shape, None where that is not known yet."""

    @abc.abstractmethod
    def sample(self) -> Any:
        """A made-up value of the kind of its blocks."""

    @property
    @abc.abstractmethod
    def count(self) -> int:
        """How many blocks it has."""

    @abc.abstractmethod
    def blocks(self) -> Iterator[Any]:
        """Its blocks in order, each computed when it is asked for."""

    @abc.abstractmethod
    def describe(self, shapes: list[tuple[int, ...]]) -> dict[str, Json]:
        """How blocks of these shapes make up the whole."""

    def publish(
        self, noised: Callable[[Any], Any], store: Store, dtype: Any, progress: Progress | None
    ) -> Kept:
        """Noise every block once, into a store.

        Args:
            noised: What turns a block into a noised one.
            store: Where they go.
            dtype: The type of noised cells.
            progress: Called with how many blocks are done and how many there are.
        """
        written: list[Json] = []
        shapes: list[tuple[int, ...]] = []
        for block in self.blocks():
            # Whether a block is empty depends on the data, so it must not make a release fail.
            noisy = within_int64(noised(block)) if cells_of(block) else block.astype(dtype)
            written.append(encode_answer(noisy, store.add))
            shapes.append(noisy.shape)
            if progress is not None:
                progress(len(written), self.count)
        data = {**self.describe(shapes), "dtype": np.dtype(dtype).name, "blocks": written}
        stored = store.seal(data)
        answer = reopen(stored, data)
        small = sum(map(math.prod, shapes)) <= MOST
        return Kept(answer, encode_answer(answer.compute(scheduler="synchronous")) if small else None, stored)


class LazyArray(Lazy):
    """A dask array."""

    @property
    def shape(self) -> tuple[int | None, ...]:
        """See `Lazy.shape`."""
        return tuple(None if math.isnan(length) else int(length) for length in self.value.shape)

    def sample(self) -> Any:
        """See `Lazy.sample`."""
        shape = (1,) * self.value.ndim
        return np.full(shape, None) if self.value.dtype == object else np.ones(shape, dtype=self.value.dtype)

    @property
    def count(self) -> int:
        """See `Lazy.count`."""
        return math.prod(self.value.numblocks)

    def blocks(self) -> Iterator[Any]:
        """See `Lazy.blocks`."""
        for index in np.ndindex(*self.value.numblocks):
            yield np.asanyarray((self.value.blocks[index] if index else self.value).compute())

    def describe(self, shapes: list[tuple[int, ...]]) -> dict[str, Json]:
        """See `Lazy.describe`."""
        counts = self.value.numblocks
        where = dict(zip(np.ndindex(*counts), shapes, strict=True))
        chunks = [
            [where[(*(0,) * axis, at, *(0,) * (len(counts) - axis - 1))][axis] for at in range(count)]
            for axis, count in enumerate(counts)
        ]
        return {"lazy": "dask.Array", "chunks": chunks}


class LazyFrame(Lazy):
    """A dask series or data frame."""

    @property
    def shape(self) -> tuple[int | None, ...]:
        """See `Lazy.shape`."""
        return (None, len(self.value.columns)) if self.value.ndim == 2 else (None,)

    def sample(self) -> Any:
        """See `Lazy.sample`."""
        made_up = self.value._meta_nonempty.iloc[:1]
        if made_up.ndim == 1:
            return _one_like(made_up)
        for at in range(made_up.shape[1]):
            made_up.isetitem(at, _one_like(made_up.iloc[:, at]))
        return made_up

    @property
    def count(self) -> int:
        """See `Lazy.count`."""
        return int(self.value.npartitions)

    def blocks(self) -> Iterator[Any]:
        """See `Lazy.blocks`."""
        for at in range(self.count):
            yield self.value.get_partition(at).compute()

    def describe(self, shapes: list[tuple[int, ...]]) -> dict[str, Json]:
        """See `Lazy.describe`."""
        del shapes
        divisions = encode_index(_index_of(self.value.divisions)) if self.value.known_divisions else None
        return {"lazy": "dask.DataFrame" if self.value.ndim == 2 else "dask.Series", "divisions": divisions}


def open_lazy(value: object) -> Lazy | None:
    """Open a dask array, series or data frame; None for what is none. Dask is never imported here.

    Raises:
        InvalidAggregateError: For other kinds of dask collection.
    """
    kind: type = type(value)
    if not _is_of_dask(kind):
        return None
    array = getattr(sys.modules.get("dask.array"), "Array", ())
    if isinstance(value, array):
        return LazyArray(value)
    frames: Any = sys.modules.get("dask.dataframe")
    kinds = () if frames is None else (frames.DataFrame, frames.Series)
    if isinstance(value, kinds) and not isinstance(value, frames.Index):
        return LazyFrame(value)
    raise InvalidAggregateError("value", "a dask Array, Series or DataFrame", type(value).__name__)


@functools.lru_cache(maxsize=256)
def _is_of_dask(kind: type) -> bool:
    """Whether a kind of object, or what it inherits from, is one of dask's."""
    return any(base.__module__.partition(".")[0] in _PACKAGES for base in kind.__mro__)


def _one_like(column: Any) -> Any:
    """A 1 in place of what dask makes up, which in a nullable column of numbers is a missing value."""
    if column.dtype.kind not in "iuf":
        return column
    return type(column)([1], index=column.index, name=column.name, dtype=column.dtype)


def within_int64(noisy: Any) -> Any:
    """A noised block whose Python integers are moved to the ends of int64: blocks of one result have one type."""
    if isinstance(noisy, np.ndarray):
        return clipped(noisy, _LEAST, _MOST) if noisy.dtype == object else noisy
    if noisy.ndim == 1:
        return noisy.map(_within).astype(np.int64) if noisy.dtype == object else noisy
    for at in range(noisy.shape[1]):
        noisy.isetitem(at, within_int64(noisy.iloc[:, at]))
    return noisy


def _within(cell: int) -> int:
    return min(max(cell, -(2**63)), 2**63 - 1)


def reopen(stored: Stored, data: Json) -> Any:
    """The result that a manifest describes: a lazy one that reads its files whenever it is computed, or another answer.

    Raises:
        MissingExtraError: When it is a dask collection and dask is not installed.
    """
    kind = data.get("lazy") if isinstance(data, dict) else None
    if kind is None:
        return read_stored(stored, data)
    try:
        return _array(stored, data) if kind == "dask.Array" else _frame(stored, data)
    except ImportError:
        raise MissingExtraError("a result that is a dask collection", "dask") from None


def _array(stored: Stored, data: Json) -> Any:
    array = importlib.import_module("dask.array")
    name, location = f"release-{stored.sha256[:32]}", str(stored.location)
    places = np.ndindex(*map(len, data["chunks"]))
    tasks = {
        (name, *at): (load_array, location, named) for at, named in zip(places, data["blocks"], strict=True)
    }
    return array.Array(tasks, name, tuple(map(tuple, data["chunks"])), dtype=np.dtype(data["dtype"]))


def _frame(stored: Stored, data: Json) -> Any:
    frames = importlib.import_module("dask.dataframe")
    read = functools.partial(read_stored, stored)
    ends = None if data["divisions"] is None else tuple(decode_index(data["divisions"]))
    return frames.from_map(read, data["blocks"], meta=read(data["blocks"][0]).iloc[:0], divisions=ends)


def _index_of(labels: Any) -> Any:
    return sys.modules["pandas"].Index(labels)
