"""Exact coins: a uniform number that is read bit by bit against a proved bound on the probability.

The probability of a coin need not be rational: it is known through bounds that get as close as they are asked to. So an answer
that is kept with probability e^eps / (e^eps + k - 1), or a candidate that is accepted with probability exp(-x), is drawn with
exactly that probability, given ideal bits (for exp(-x) the idea is that of Canonne, Kamath and Steinke 2020, arXiv 2004.00010).
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from privacy_accountant.noise.enclosures import Bounds, Threshold
from privacy_accountant.noise.entropy import ByteSource, integer, words
from privacy_accountant.noise.stepped import below
from privacy_accountant.numerics.enclosure import exp_minus

WORD = 64
"""Bits of a uniform number that are read at first; nearly all coins are settled by them."""


def coin(probability: Threshold, read: ByteSource, *, word: int = WORD) -> bool:
    """Heads with a probability that is known through its bounds.

    Args:
        probability: Bounds on it, at the number of bits asked for.
        read: Where the bytes come from.
        word: Bits read at first. Tests shrink it, which sends most draws to further bits.
    """
    return below(probability, integer(word, read), word, read)


def exponential_coin(x: Fraction, read: ByteSource, *, word: int = WORD) -> bool:
    """Heads with probability exp(-x), x >= 0.

    Example:
        >>> import os
        >>> exponential_coin(Fraction(0), os.urandom)
        True
    """
    return coin(partial(exp_minus, x), read, word=word)


def coins(probability: Threshold, count: int, read: ByteSource, *, word: int = WORD) -> NDArray[np.bool_]:
    """Independent coins of one probability; see `coin`.

    Args:
        probability: Bounds on it, at the number of bits asked for.
        count: How many.
        read: Where the bytes come from.
        word: Bits read at first, at most 64.
    """
    low, high = probability(word)
    drawn = words(count, word, read)
    # A bound may be 2**word, which no unsigned word holds: compared as the largest word there is, inclusively.
    heads: NDArray[np.bool_] = drawn <= drawn.dtype.type(low - 1) if low else np.zeros(count, dtype=np.bool_)
    if low < high:
        for at in np.flatnonzero(~heads & (drawn <= drawn.dtype.type(high - 1))):
            heads[at] = below(probability, int(drawn[at]), word, read)
    return heads


def uniform(n: int, read: ByteSource) -> int:
    """One of 0 .. n - 1, each as likely: words of just enough bits, those from n on thrown away.

    Example:
        >>> uniform(3, lambda size: bytes([0b10000000] * size))
        2
    """
    if n == 1:
        return 0
    bits = (n - 1).bit_length()
    while (drawn := integer(bits, read)) >= n:
        pass
    return drawn


def uniforms(n: int, count: int, read: ByteSource) -> NDArray[np.int64]:
    """Independent numbers of 0 .. n - 1; n at most 2**62."""
    if n == 1:
        return np.zeros(count, dtype=np.int64)
    bits = (n - 1).bit_length()
    values = words(count, bits, read).astype(np.int64)
    while (open_ := np.flatnonzero(values >= n)).size:
        values[open_] = words(open_.size, bits, read).astype(np.int64)
    return values


def one_of_odds(exponent: Fraction, others: int) -> Threshold:
    """The probability 1 / (1 + others e^-exponent): one outcome that is e^exponent times as likely as each of the others.

    Example:
        >>> low, high = one_of_odds(Fraction(1), 1)(20)
        >>> low <= 2**20 * 0.7310585786300049 <= high, high - low < 6
        (True, True)
    """

    def bounds(bits: int) -> Bounds:
        # Of exp(-x) / 2**p enclosed, 1 / (1 + others e) is 2**(bits + p) / (2**p + others 2**p e).
        p = bits + others.bit_length() + 2
        one, (low, high) = 1 << p, exp_minus(exponent, p)
        return (one << bits) // (one + others * high), -(-(one << bits) // (one + others * low))

    return bounds
