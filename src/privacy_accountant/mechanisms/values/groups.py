"""Counts of groups that come from the data: read from what people hold them in, and given back without a trace of the rest."""

from __future__ import annotations

import functools
import importlib
import math
from collections.abc import Callable, Mapping
from typing import Any

import attrs
import numpy as np

from privacy_accountant.codec.frames import encode_label
from privacy_accountant.errors import InvalidAggregateError, InvalidParameterError

GROUPS = "a dict from groups to integer counts, or a pandas Series of integer counts whose index names each group once"


@attrs.frozen(eq=False)
class Groups:
    """Groups and their counts.

    Attributes:
        groups: What they are called: texts, numbers, booleans, None or tuples of them.
        counts: Their counts, integers of any size.
    """

    groups: list[Any]
    counts: list[int]
    _rebuild: Callable[[dict[Any, int]], Any]

    def published(self, noisy: dict[Any, int]) -> Any:
        """The caller's kind around the published groups, sorted."""
        return self._rebuild({group: noisy[group] for group in sorted(noisy, key=_order)})


def read_groups(value: Any) -> Groups:
    """Read a dict, or a pandas Series whose index holds the groups.

    Raises:
        InvalidAggregateError: For anything else, groups that have no order or come twice, and counts that are no integers. The
            message names a kind, never a group or a count.
    """
    rebuild: Callable[[dict[Any, int]], Any] = dict
    if isinstance(value, Mapping):
        groups, counts = list(value), list(value.values())
    elif (
        type(value).__module__.partition(".")[0] == "pandas"
        and hasattr(value, "index")
        and hasattr(value, "name")
    ):
        groups, counts = value.index.tolist(), value.tolist()
        rebuild = functools.partial(_series, value)
    else:
        raise InvalidAggregateError("value", GROUPS, type(value).__name__)
    groups = [group.item() if isinstance(group, np.generic) else group for group in groups]
    for group in groups:
        _require_group(group)
    if len(set(groups)) < len(groups):
        raise InvalidAggregateError("value", GROUPS, "a group that comes twice")
    return Groups(groups, [_count(count) for count in counts], rebuild)


def _require_group(group: Any) -> None:
    """Groups that the ledger can keep and that have an order of their own."""
    try:
        encode_label(group)
        _order(group)
    except InvalidParameterError:
        raise InvalidAggregateError("value", GROUPS, f"a group of type {type(group).__name__}") from None


def _count(count: Any) -> int:
    count = count.item() if isinstance(count, np.generic) else count
    if type(count) is not int:
        raise InvalidAggregateError("value", GROUPS, f"a count of type {type(count).__name__}")
    return count


def _order(group: Any) -> tuple[Any, ...]:
    """A key that orders groups of every kind: by kind, then by value; NaN has none.

    Raises:
        InvalidParameterError: For a group that has no order.
    """
    if isinstance(group, tuple):
        return ("tuple", *(_order(part) for part in group))
    if isinstance(group, float) and math.isnan(group):
        raise InvalidParameterError("group", "one that equals itself", "NaN")
    return type(group).__name__, "" if group is None else group


def _series(like: Any, published: dict[Any, int]) -> Any:
    """A Series of the published groups, made from them alone: categories and levels of the old index would name the others."""
    pandas = importlib.import_module("pandas")
    groups, counts = list(published), list(published.values())
    names, small = list(like.index.names), all(-(2**63) <= count < 2**63 for count in counts)
    if len(names) > 1:
        index = pandas.MultiIndex.from_arrays(
            [list(level) for level in zip(*groups, strict=True)] or [[] for _ in names], names=names
        )
    else:
        cells = np.empty(len(groups), dtype=object)
        cells[:] = groups
        index = pandas.Index(cells, dtype=object, name=names[0])
        index = index.infer_objects() if groups else index
    return pandas.Series(counts, index=index, name=like.name, dtype="int64" if small else object)
