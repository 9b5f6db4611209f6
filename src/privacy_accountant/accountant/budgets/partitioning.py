"""Parallel composition: which partitions a release touches, and when that may be said."""

from __future__ import annotations

from collections.abc import Sequence

from privacy_accountant.accountant.budgets.settings import Settings
from privacy_accountant.accountant.words import line_of_text
from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.neighbors import Neighbors

Partitions = str | Sequence[str] | None
"""The name of a partition or several of them; None for a release that touches all."""

_RULE = "the name of a partition, or a tuple or list of names"


def read_partition(partition: object, settings: Settings) -> tuple[str, ...]:
    """Read the partitions that a release touches: names in order, each once.

    Under add-or-remove-one, a person's data lie in one partition, and whatever is done with the others is the same with and without
    that person. Where one person may take the place of another, both partitions change: their sum would have to be kept.

    Raises:
        InvalidParameterError: When it is no name, or the study's relation does not allow it.
    """
    if settings.neighbors is not Neighbors.ADD_OR_REMOVE_ONE:
        rule = (
            f"absent under {settings.neighbors.name}, where one change can touch two partitions;"
            " a study under ADD_OR_REMOVE_ONE takes partitions"
        )
        raise InvalidParameterError("partition", rule, partition)
    names = [partition] if isinstance(partition, str) else partition
    if not isinstance(names, (tuple, list, set, frozenset)) or not names:
        raise InvalidParameterError("partition", _RULE, partition)
    return tuple(sorted({line_of_text(name, "partition") for name in names}))
