"""Look-up tables: an inverse cumulative distribution, read lazily.

A uniform U in [0, 1) is read bit by bit in three strides: 16 bits index a look-up table, which nearly
always settles the value; 64 bits are searched among the enclosed steps of F; what these leave open is
settled with ever more bits and integers of any size. Each stride decides only what is proved, so the law is
exact given ideal bits, tails of every length included.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy_accountant.noise.cumulative import Cumulative
from privacy_accountant.noise.entropy import ByteSource, integer, words

NARROW, WIDE = -(2**15), -(2**31)
"""Markers of an entry that settles nothing: the least int16 and int32, which no value reaches."""


class Table:
    """Draws from one distribution.

    Args:
        cumulative: The distribution.
        short: Bits of the look-up table's index.
        word: Bits of the search, at most 64. Tests shrink both, which sends most draws down the slow path.
    """

    def __init__(self, cumulative: Cumulative, short: int = 16, word: int = 64) -> None:
        self.cumulative, self.short, self.word = cumulative, short, word
        low, high = cumulative.enclose(word)
        self.last = len(low)
        self.low, self.high = np.array(low, np.uint64), np.array(high, np.uint64)
        self.unsettled = NARROW if self.last < -NARROW else WIDE
        self.lookup = self._lookup().astype(np.int16 if self.unsettled == NARROW else np.int32)

    def _lookup(self) -> NDArray[np.intp]:
        """The value for every first stride that settles it, else the marker `unsettled`.

        The words that begin with one index fill [first, final]. With i upper bounds below `first` and i
        lower bounds up to `final`, high[i-1] < first and final < low[i]: every word of the range gives the
        i-th value.
        """
        stride = self.word - self.short
        first = np.arange(1 << self.short, dtype=np.uint64) << np.uint64(stride)
        final = first | np.uint64((1 << stride) - 1)
        index = np.searchsorted(self.high, first, "left")
        settled = (index == np.searchsorted(self.low, final, "right")) & (index < self.last)
        values: NDArray[np.intp] = np.where(settled, self._value(index), self.unsettled)
        return values

    def _value(self, place: Any) -> Any:
        """The integer at a place of the order 0, 1, -1, 2, -2, ... or 0, 1, 2, ...; a number or an array."""
        return ((place + 1) >> 1) * (2 * (place & 1) - 1) if self.cumulative.signed else place

    def draw(self, count: int, read: ByteSource) -> NDArray[Any]:
        """Independent values, as int64."""
        index = words(count, self.short, read)
        drawn = self.lookup.take(index)
        open_ = np.flatnonzero(drawn == self.unsettled)
        values = drawn.astype(np.int64)
        if open_.size:
            values[open_] = self._search(index[open_], read)
        return values

    def draw_one(self, read: ByteSource) -> int:
        """One value.

        All steps are compared with all 64 bits of U, which takes as long for one value as for another: a
        search would be quicker where the memory is warm, a look-up in the middle of the law. The place is
        settled by as many upper bounds below the word as there are lower bounds up to it.
        """
        word = integer(self.word, read)
        place = int(np.count_nonzero(self.low <= np.uint64(word)))
        if place == self.last or np.count_nonzero(self.high < np.uint64(word)) != place:
            return self._settle(word, read)
        return int(self._value(place))

    def _search(self, index: NDArray[Any], read: ByteSource) -> NDArray[np.int64]:
        """The second stride: low[i-1] <= w < low[i] gives place i, for sure when also high[i-1] < w.

        The comparisons are between uint64 and uint64; an empty slot of `high` (i = 0, nothing before) is
        masked, not compared.
        """
        rest = self.word - self.short
        word = index.astype(np.uint64) << np.uint64(rest) | words(index.size, rest, read)
        place = np.searchsorted(self.low, word, "right")
        unsure = ((place > 0) & (self.high.take(place - 1, mode="wrap") >= word)) | (place == self.last)
        values: NDArray[np.int64] = self._value(place).astype(np.int64)
        for at in np.flatnonzero(unsure):
            values[at] = self._settle(int(word[at]), read)
        return values

    def _settle(self, word: int, read: ByteSource) -> int:
        """The last stride: U lies in [word, word + 1) / 2**bits, with 64 more bits at a time.

        word < low[j] gives U < F(j); word > high[j-1] gives U >= F(j-1).
        """
        bits = self.word
        while True:
            word, bits = word << 64 | integer(64, read), bits + 64
            low, high = self.cumulative.enclose(bits)
            place = bisect_right(low, word)
            if place < len(low) and (place == 0 or word > high[place - 1]):
                return int(self._value(place))
