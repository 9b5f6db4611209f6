"""Values that are not there: what a mechanism of any kind refuses before anything is spent."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy_accountant.errors import InvalidAggregateError
from privacy_accountant.mechanisms.values.aggregates import open_container

_RULE = "there: noise does not hide None or NaN, so a computation that failed would show"


def require_presence(value: object) -> None:
    """Refuse None, and NaN in a number or in the cells of a list, array, Series or DataFrame; other kinds pass unread.

    Raises:
        InvalidAggregateError: Names what is missing and where, never the value.
    """
    if value is None:
        raise InvalidAggregateError("value", _RULE, "None")
    try:
        container = open_container(value)
    except (
        InvalidAggregateError
    ):  # no vector of cells, or an empty or ragged one: the mechanism knows what it is
        return
    for at, part in enumerate(container.parts):
        missing = np.flatnonzero(_missing(part))
        if missing.size:
            place = container.place(at, int(missing[0]))
            raise InvalidAggregateError("value", _RULE, f"None or NaN at {place}" if place else "NaN")


def _missing(cells: NDArray[Any]) -> NDArray[np.bool_]:
    flat = cells.reshape(-1)
    if flat.dtype.kind in "fc":
        return np.asarray(np.isnan(flat))
    if flat.dtype.kind != "O":
        return np.zeros(flat.size, dtype=np.bool_)
    return np.array([item is None or _is_nan(item) for item in flat], dtype=np.bool_)


def _is_nan(item: object) -> bool:
    return isinstance(item, (float, np.floating)) and math.isnan(item)
