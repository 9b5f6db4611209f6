"""The warning that a stated tolerance was not reached."""

from __future__ import annotations


class PrecisionWarning(RuntimeWarning):
    """An answer is a valid bound, but its interval is wider than the tolerance that was asked for.

    It comes when the nodes that the tolerance needs would pass the memory limit, or when doubles have no more digits to give.
    """
