"""Random bits, straight from the operating system.

Nothing is kept between two reads, so a forked child, a restored pickle or a second thread can never repeat
anybody's noise, and there is nothing to seed. The source of the bytes is an argument of the samplers in
this wing only so that tests can feed them every possible word; the laws always read `os.urandom`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

ByteSource: TypeAlias = Callable[[int], bytes]
"""Gives the number of bytes asked for, each uniform and independent of everything before."""

operating_system: ByteSource = os.urandom


def integer(bits: int, read: ByteSource) -> int:
    """One uniform integer of `bits` random bits."""
    size = (bits + 7) // 8
    return int.from_bytes(read(size), "little") >> (8 * size - bits)


def words(count: int, bits: int, read: ByteSource) -> NDArray[Any]:
    """Uniform integers of `bits` random bits each.

    Args:
        count: How many.
        bits: Bits of each, at least 1.
        read: Where the bytes come from.

    Returns:
        A one-dimensional array of the narrowest of uint8, uint16, uint32 and uint64 that holds them; beyond
        64 bits an object array of Python ints. The unsigned types stay unsigned: numpy turns a uint64 next
        to an int64 into a float64.

    Example:
        >>> words(2, 12, lambda size: bytes(range(size)))
        array([16, 48], dtype=uint16)
    """
    if bits > 64:
        return _long_words(count, bits, read)
    size = 1 if bits <= 8 else 2 if bits <= 16 else 4 if bits <= 32 else 8
    drawn = np.frombuffer(read(count * size), dtype=f"<u{size}")
    excess = 8 * size - bits
    return drawn >> drawn.dtype.type(excess) if excess else drawn


def _long_words(count: int, bits: int, read: ByteSource) -> NDArray[Any]:
    size = (bits + 7) // 8
    raw = read(count * size)
    drawn = np.empty(count, dtype=object)
    drawn[:] = [
        int.from_bytes(raw[at : at + size], "little") >> (8 * size - bits) for at in range(0, len(raw), size)
    ]
    return drawn
