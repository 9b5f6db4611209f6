"""Large scales: a coarse table, a uniform remainder, and a rejection that is decided lazily.

With phi(x) = A x or B x**2 and step = 2**k, a value of density proportional to exp(-phi(|x|)) is drawn as
|x| = step (q + v): q from a table with weights exp(-phi(step q)), v uniform in [0, 1), accepted with
probability exp(-y), y = phi(|x|) - phi(step q). The table's own scale lies between 64 and 128, so some 99 %
are accepted.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy_accountant.noise.cumulative import Weights
from privacy_accountant.noise.enclosures import Bounds, Threshold
from privacy_accountant.noise.entropy import ByteSource, integer, words
from privacy_accountant.noise.table import Table
from privacy_accountant.numerics.enclosure import exp_minus

INT64_STEPS = 61
"""Up to steps of 2**61 a remainder, its sign and its half fit 63 bits; beyond, remainders are Python ints."""

FIRST_BITS = 8
"""Bits of U that are read for every candidate; nearly all are accepted by these."""

FLOAT_BITS = 62
"""Bits of v that the float comparison looks at."""

CLOSE = 2.0**-46
"""Floats err by less than 2**-50 (see `Stepped._compare`); closer comparisons are settled exactly."""


def below(threshold: Threshold, word: int, bits: int, read: ByteSource) -> bool:
    """Whether a uniform U that begins with the bits `word` is below a threshold; reads on while that is open.

    U lies in [word, word + 1) / 2**bits. `below(partial(exp_minus, x), integer(64, read), 64, read)` is a
    Bernoulli(exp(-x)) draw.
    """
    while True:
        low, high = threshold(bits)
        if word < low:
            return True
        if word >= high:
            return False
        word, bits = word << 64 | integer(64, read), bits + 64


class Stepped:
    """Draws from exp(-(A |x| + B x**2)) at steps of 2**k, on the integers or on the reals and then rounded.

    On the integers: v = r / step. A positive x has r in 0 .. step - 1 and a negative one r in 1 .. step, so
    each integer comes up in one way. Rounded: the first k + 1 bits of v settle the nearest integer (the
    half is a bit, and ties have probability 0); further ones only sharpen y and are read as far as the
    decision asks.

    Args:
        linear: A.
        square: B; exactly one of the two is positive.
        k: Logarithm of the step, at least 0.
        rounded: Whether the real variable is drawn and rounded.
        short: Bits of the table's index.
        word: Bits of the table's search.
        close: Float comparisons this close are settled exactly. Tests widen it, to send draws down the
            slow path.
    """

    def __init__(
        self,
        linear: Fraction,
        square: Fraction,
        k: int,
        *,
        rounded: bool,
        short: int = 16,
        word: int = 64,
        close: float = CLOSE,
    ) -> None:
        step = 1 << k
        self.k, self.rounded, self.close = k, rounded, close
        self.a, self.b = linear * step, square * step * step
        self.a_float, self.b_float = float(self.a), float(self.b)
        self.table = Table(Weights(self.a, self.b, signed=False), short, word)
        self.sure = self._sure()
        self.known = k + rounded

    def _sure(self) -> NDArray[np.uint16]:
        """For each q, the first bits of U below which a candidate is accepted at once.

        u < sure[q] gives U < (u + 1) / 2**8 <= 1 - y_max <= exp(-y); y_max = a + b (2q + 1) is y at v = 1.
        The last entry, for every q beyond the table, accepts nothing.
        """
        most = (1 - self.a - self.b * (2 * q + 1) for q in range(self.table.last))
        return np.array([*(max(int(m * (1 << FIRST_BITS)), 0) for m in most), 0], np.uint16)

    def draw(self, count: int, read: ByteSource) -> NDArray[Any]:
        """Independent values: int64, or Python ints when one passes int64."""
        values, accepted = self._propose(count, read)
        while not accepted.all():
            again = np.flatnonzero(~accepted)
            fresh, good = self._propose(again.size, read)
            if fresh.dtype == object:
                values = values.astype(object)
            values[again[good]] = fresh[good]
            accepted[again[good]] = True
        return _narrowed(values)

    def draw_one(self, read: ByteSource) -> int:
        """One value; how often it had to be proposed says nothing about it."""
        while True:
            q = self.table.draw_one(read)
            bits = integer(self.known + 1, read)
            negative, remainder = bits & 1, bits >> 1
            if not self.rounded:
                remainder += negative
            if self._accept_one(q, remainder, read):
                size = (q << self.k) + ((remainder + 1 >> 1) if self.rounded else remainder)
                return -size if negative else size

    def _accept_one(self, q: int, remainder: int, read: ByteSource) -> bool:
        """`_accept` for one candidate, all 64 bits of U at once: it takes as long for one as for another.

        q goes in as a float, which is always allocated; of the integers made from it, only those above 256 would be.
        """
        known = self.known
        if more := self._more():
            remainder, known = remainder << more | integer(more, read), FLOAT_BITS
        word = integer(64, read)
        accepted, open_ = self._compare(float(q), remainder / (1 << known), word)
        if open_:
            return below(self._threshold(q, remainder, known, read), word, 64, read)
        return bool(accepted)

    def _propose(self, count: int, read: ByteSource) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Candidates and whether each is accepted."""
        q = self.table.draw(count, read)
        remainder = words(count, self.known + 1, read)
        remainder = remainder.astype(np.int64 if self.k <= INT64_STEPS else object)
        negative = remainder & 1
        remainder >>= 1
        if not self.rounded:
            remainder += negative
        u = words(count, FIRST_BITS, read)
        accepted = u < self.sure.take(q, mode="clip")
        open_ = np.flatnonzero(~accepted)
        if open_.size:
            accepted[open_] = self._accept(q[open_], remainder[open_], u[open_], read)
        if self.k > INT64_STEPS or int(q.max(initial=0)) >> (62 - self.k):
            q = q.astype(object)
        return self._signed(q, remainder, negative), accepted

    def _signed(self, q: NDArray[Any], remainder: NDArray[Any], negative: NDArray[Any]) -> NDArray[Any]:
        """The candidates themselves, in place: fresh arrays of this size cost more than all the arithmetic."""
        if self.rounded:
            remainder += 1
            remainder >>= 1
        q <<= self.k
        q += remainder
        np.negative(negative, out=negative)
        q ^= negative  # -x = (x ^ -1) - -1, and x = (x ^ 0) - 0
        q -= negative
        return q

    def _accept(
        self, q: NDArray[np.int64], remainder: NDArray[Any], u: NDArray[Any], read: ByteSource
    ) -> NDArray[np.bool_]:
        """Whether U < exp(-y), where u holds the first bits of U."""
        known = self.known
        if more := self._more():
            remainder, known = remainder << more | words(q.size, more, read).astype(np.int64), FLOAT_BITS
        rest = 64 - FIRST_BITS
        word = u.astype(np.uint64) << np.uint64(rest) | words(q.size, rest, read)
        accepted: NDArray[np.bool_]
        accepted, open_ = self._compare(q, (remainder / (1 << known)).astype(np.float64), word)
        for at in np.flatnonzero(open_):
            threshold = self._threshold(int(q[at]), int(remainder[at]), known, read)
            accepted[at] = below(threshold, int(word[at]), 64, read)
        return accepted

    def _more(self) -> int:
        """Bits of a rounded v that the float comparison wants beyond those that settle the integer."""
        return max(FLOAT_BITS - self.known, 0) if self.rounded else 0

    def _compare(self, q: Any, v: Any, word: Any) -> tuple[Any, Any]:
        """Whether U < exp(-y), y = v (a + b (2q + v)), in floats; whether that is open. Numbers or arrays.

        Floats see 64 bits of U and v to 62 bits at least (or as many as it has). With + - * / alone, each
        off by a relative 2**-53, and y <= 1/8: y is off by less than 2**-53, the twelve terms of exp by
        2**-70, their Horner sum, U and its unread bits by a few 2**-53. The whole is below 2**-50. What is
        closer than 2**-46, or has y > 1/8, is open.
        """
        y = v * (self.a_float + self.b_float * (2 * q + v))
        uniform, exp = word / 2.0**64, 1.0
        for i in range(12, 0, -1):
            exp = 1 - y / i * exp
        return uniform < exp, (abs(uniform - exp) < self.close) | (y > 0.125)

    def _threshold(self, q: int, remainder: int, known: int, read: ByteSource) -> Threshold:
        """Bounds on exp(-y); a rounded v is read on, 64 bits for every 64 further bits that are asked for."""
        asked = 64

        def bounds(bits: int) -> Bounds:
            nonlocal remainder, known, asked
            if self.rounded and bits > asked:
                remainder, known, asked = remainder << 64 | integer(64, read), known + 64, bits
            least, most = Fraction(remainder, 1 << known), Fraction(remainder + self.rounded, 1 << known)
            low, _ = exp_minus(most * (self.a + self.b * (2 * q + most)), bits)
            _, high = exp_minus(least * (self.a + self.b * (2 * q + least)), bits)
            return low, high

        return bounds


def _narrowed(values: NDArray[Any]) -> NDArray[Any]:
    """Python ints as int64 when all of them fit."""
    if values.dtype != object:
        return values
    try:
        return values.astype(np.int64)
    except OverflowError:
        return values
