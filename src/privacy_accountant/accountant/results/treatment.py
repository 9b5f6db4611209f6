"""What is done to the value of one release, start to end: public parameters, checked before the data is looked at."""

from __future__ import annotations

import math
import sys
from typing import Any, cast

import attrs
import numpy as np

from privacy_accountant.accountant.results.keeping import MOST, Kept, keep
from privacy_accountant.accountant.results.lazy import Lazy, LazyFrame, open_lazy
from privacy_accountant.accountant.results.progress import read_progress
from privacy_accountant.accountant.results.stores import Store
from privacy_accountant.codec import Json
from privacy_accountant.errors import InvalidAggregateError, InvalidParameterError
from privacy_accountant.mechanisms.additive import IntegerNoise
from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.mechanisms.values.aggregates import Progress
from privacy_accountant.mechanisms.values.finish import Finish
from privacy_accountant.mechanisms.values.residues import Residues

LAZY_RULE = (
    "given for a lazy aggregate: a directory to create, which holds the noised result once and for all"
)

LARGE_RULE = (
    "given for a value over a megabyte that has a key: a directory to create; the ledger keeps its hash alone"
)


@attrs.frozen
class Treatment:
    """How a value becomes what is published: residues read, noise added, the noised value rounded and clamped.

    Attributes:
        mechanism: How it is noised.
        residues: How residues are read; None for a value that is the aggregate itself.
        finish: How the noised value is rounded and clamped; None for not at all.
        progress: Who is told how far the draw has come.
    """

    mechanism: Mechanism
    residues: Residues | None = None
    finish: Finish | None = None
    progress: Progress | None = None

    @classmethod
    def plan(
        cls,
        mechanism: Mechanism,
        *,
        label: str,
        modulus: Any = None,
        at_most: Any = None,
        signed: Any = False,
        clamp: Any = None,
        round_to: Any = None,
        progress: Any = None,
    ) -> Treatment:
        """Read the public parameters of a release.

        Raises:
            InvalidParameterError: When one is out of range, or the mechanism does not add noise to numbers.
        """
        if not isinstance(mechanism, IntegerNoise):
            _require_absent(
                mechanism,
                modulus=modulus,
                at_most=at_most,
                signed=signed or None,
                clamp=clamp,
                round_to=round_to,
                progress=progress or None,
            )
        return cls(
            mechanism,
            _residues(modulus, at_most, signed),
            None
            if clamp is None and round_to is None
            else Finish(clamp, round_to, getattr(mechanism, "grid", None)),
            read_progress(progress, label),
        )

    def check(self, value: Any) -> tuple[int | None, ...]:
        """The shape of a value that can be released in this way; refuses any other before anything is spent on it.

        Raises:
            InvalidAggregateError: When it cannot.
        """
        lazy = open_lazy(value)
        _refuse_ranking(value, lazy)
        if lazy is not None:
            return self._check_lazy(lazy)
        return tuple(self.mechanism.check(value if self.residues is None else self.residues.read(value)))

    def require_store(self, value: Any, shape: list[int | None], key: str | None, out: Any) -> None:
        """Refuse a release whose result could not be found again.

        Raises:
            InvalidParameterError: When it needs a store and is given none.
        """
        if out is None and open_lazy(value) is not None:
            raise InvalidParameterError("out", LAZY_RULE, out)
        if out is None and key is not None and math.prod(length or 0 for length in shape) > MOST:
            raise InvalidParameterError("out", LARGE_RULE, out)

    def publish(self, value: Any, store: Store | None, *, keyed: bool) -> Kept:
        """Draw what is published for a value, once, and write it where it is kept."""
        lazy = open_lazy(value)
        if lazy is None:
            return keep(self._randomize(value), store, keyed=keyed)
        if store is None:
            raise InvalidParameterError("out", LAZY_RULE, store)
        self._check_lazy(lazy)
        dtype = np.int64 if getattr(self.mechanism, "grid", None) is None else np.float64
        return lazy.publish(self._randomize_block, store, dtype, self.progress)

    def _randomize(self, value: Any) -> Any:
        value = self._read(value)
        # A subclass that draws in its own way need not know how to tell how far it has come.
        mechanism = self.mechanism
        if isinstance(mechanism, IntegerNoise) and type(mechanism).randomize is IntegerNoise.randomize:
            return self._finished(mechanism.randomize(value, progress=self.progress))
        return self._finished(mechanism.randomize(value))

    def _randomize_block(self, block: Any) -> Any:
        return self._finished(cast("IntegerNoise", self.mechanism).randomize_block(self._read(block)))

    def _read(self, value: Any) -> Any:
        return value if self.residues is None else self.residues.read(value)

    def _finished(self, noisy: Any) -> Any:
        return noisy if self.finish is None else self.finish.apply(noisy)

    def _check_lazy(self, lazy: Lazy) -> tuple[int | None, ...]:
        shape = lazy.shape
        if not isinstance(self.mechanism, IntegerNoise) or 0 in shape:
            name = type(self.mechanism).__name__
            raise InvalidAggregateError("value", f"computed and not empty for {name}", "a lazy aggregate")
        if self.residues is not None and not isinstance(self.residues.at_most, int):
            raise InvalidParameterError("at_most", "one number for a lazy aggregate", self.residues.at_most)
        self.mechanism.check_blocks(self._read(lazy.sample()), shape)
        return shape

    def write(self) -> dict[str, Json]:
        """The fields of a ledger entry that hold it."""
        return {
            "reading": None if self.residues is None else self.residues.write(),
            "finish": None if self.finish is None else self.finish.write(),
        }


def _refuse_ranking(value: Any, lazy: Lazy | None) -> None:
    """Refuse what comes straight from value_counts: the order of its rows is the order of the true counts."""
    pandas = sys.modules.get("pandas")
    if isinstance(lazy, LazyFrame):
        ordered = value.ndim == 2 or value.known_divisions
    elif pandas is not None and isinstance(value, pandas.Series):
        ordered = value.index.is_monotonic_increasing
    else:
        return
    if not ordered and value.name in ("count", "proportion"):
        rule = "in an order that is public; sort_index(), or reindex over public categories and rename"
        kind = f"a Series named {value.name!r} whose index is not sorted: value_counts orders rows by their true counts"
        raise InvalidAggregateError("value", rule, kind)


def _require_absent(mechanism: Mechanism, **given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            rule = f"absent with {type(mechanism).__name__}, which does not add noise to numbers"
            raise InvalidParameterError(name, rule, value)


def _residues(modulus: Any, at_most: Any, signed: Any) -> Residues | None:
    if modulus is None and at_most is None and signed is False:
        return None
    if modulus is None:
        raise InvalidParameterError(
            "modulus", "given with at_most and signed: the plaintext modulus", modulus
        )
    if at_most is None:
        rule = "given with a modulus: a bound of the aggregate that is known without the data"
        raise InvalidParameterError("at_most", rule, at_most)
    return Residues(modulus, at_most, signed)
