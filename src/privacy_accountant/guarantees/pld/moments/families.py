"""Many pairs of one kind as arrays: what a composed loss asks of its parts."""

from __future__ import annotations

import abc
import math
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from privacy_accountant.numerics.contour import moments, ratios

Array: TypeAlias = NDArray[np.float64]
Complex: TypeAlias = NDArray[np.complex128]

UNIT = ratios.UNIT
_CHUNKS = (1, 2, 4, 8, 16, 32, 64, 128)


@attrs.frozen
class Cumulant:
    """log M(c), its first two derivatives (for choosing abscissas only), and a bound on the error of the value."""

    value: float
    first: float
    second: float
    error: float


class LossFamily(abc.ABC):
    """Parts of one kind with their counts.

    Attributes:
        effort: About how much more a node costs than one of a closed form.
    """

    effort: ClassVar[int] = 1

    @abc.abstractmethod
    def cumulant(self, c: float) -> Cumulant:
        """Sum over the parts of log M at the real abscissa c."""

    @abc.abstractmethod
    def log_ratio(self, c: float, index: Array, spacing: float) -> tuple[Complex, Array]:
        """log of the product of M(c + i omega) / M(c) at omega = index * spacing, and a bound on its absolute error."""

    def decay(self, c: float, edges: Array) -> tuple[Array, float, float]:
        """Bounds on the ratios at all frequencies from edges[0] on.

        Args:
            c: The abscissa.
            edges: Ascending positive frequencies.

        Returns:
            For each edge the log of a bound up to the next one, and numbers n and v such that e^v / omega^n is a bound everywhere;
            zeros say nothing.
        """
        del c
        return np.zeros_like(edges), 0.0, 0.0

    def sketched(self) -> LossFamily:
        """Something much like it whose cumulants cost little: it chooses abscissas, it never certifies."""
        return self

    def chunks(self) -> Sequence[LossFamily]:
        """The family in pieces, strongest first: nodes that a few pieces have made negligible need no more."""
        return (self,)


@attrs.frozen(eq=False)
class Kernel:
    """The moment functions of one kind of symmetric pair, w = |c + 1/2|."""

    cumulants: Callable[..., moments.Moments]
    ratio: Callable[..., Complex]


RANDOMIZED_RESPONSE = Kernel(moments.randomized_response_moments, ratios.randomized_response_ratio)
LAPLACE = Kernel(moments.laplace_moments, ratios.laplace_ratio)
DISCRETE_LAPLACE = Kernel(moments.discrete_laplace_moments, ratios.discrete_laplace_ratio)


@attrs.frozen(eq=False)
class SymmetricFamily(LossFamily):
    """Pairs with losses in [-reach, reach] and a closed moment function; `parameters` are arrays, one entry for each pair.

    Never asked at c = -1/2 itself, where the closed forms are 0/0.
    """

    kernel: Kernel
    parameters: tuple[Array, ...]
    reach: Array
    counts: Array

    def cumulant(self, c: float) -> Cumulant:
        """See `LossFamily.cumulant`."""
        w = abs(c + 0.5)
        value, first, second = self.kernel.cumulants(w, *self.parameters)
        n = self.counts
        error = 16 * UNIT * float(n @ (1 + (w + 0.5) * self.reach)) * (1 + 1e-9)
        return Cumulant(
            math.fsum(n * value), math.copysign(1.0, c + 0.5) * float(n @ first), float(n @ second), error
        )

    def log_ratio(self, c: float, index: Array, spacing: float) -> tuple[Complex, Array]:
        """See `LossFamily.log_ratio`."""
        w = abs(c + 0.5)
        omega = (index * spacing)[None, :]
        columns = [p[:, None] for p in self.parameters]
        angle = omega * self.reach[:, None]
        slack = UNIT * ratios.WORK * (1 + 1 / (2 * w)) * angle
        depth = len(self.counts)
        with np.errstate(under="ignore"):
            y = self.kernel.ratio(w, omega, *columns)
            if depth > 1 and np.all(self.counts == 1):
                return self._product(1 + y, angle, slack, conjugate=c < -0.5)
            log, inexact = ratios.log_one_plus(y, slack)
        n = self.counts[:, None]
        total = (n * (log + 1j * angle)).sum(axis=0)
        error = (n * (inexact + UNIT * (depth + 8) * (np.abs(log) + angle))).sum(axis=0)
        return (total if c >= -0.5 else np.conj(total)), error

    def _product(
        self, factors: Complex, angle: Array, slack: Array, *, conjugate: bool
    ) -> tuple[Complex, Array]:
        """The same for parts that occur once: one logarithm of a product instead of many."""
        size, inexact = ratios.bounded_size(factors, slack)
        product = np.multiply.reduce(factors, axis=0)
        turned = angle.sum(axis=0)
        log = np.log(np.maximum(np.multiply.reduce(size, axis=0), 1e-300)) + 1j * (np.angle(product) + turned)
        error = inexact.sum(axis=0) + 8 * UNIT * len(factors) * (4 + turned)
        return (np.conj(log) if conjugate else log), error

    def chunks(self) -> Sequence[LossFamily]:
        """See `LossFamily.chunks`."""
        order = np.argsort(-self.counts * self.reach**2, kind="stable")
        pieces, start, turn = [], 0, 0
        while start < len(order):
            take = order[start : start + _CHUNKS[min(turn, len(_CHUNKS) - 1)]]
            parameters = tuple(p[take] for p in self.parameters)
            pieces.append(SymmetricFamily(self.kernel, parameters, self.reach[take], self.counts[take]))
            start, turn = start + len(take), turn + 1
        return pieces


@attrs.frozen(eq=False)
class Several(LossFamily):
    """Families one after the other."""

    parts: tuple[LossFamily, ...]

    @property
    def effort(self) -> int:  # type: ignore[override]
        """See `LossFamily.effort`."""
        return max(part.effort for part in self.parts)

    def cumulant(self, c: float) -> Cumulant:
        """See `LossFamily.cumulant`."""
        parts = [part.cumulant(c) for part in self.parts]
        columns = [
            math.fsum(getattr(part, name) for part in parts) for name in ("value", "first", "second", "error")
        ]
        return Cumulant(*columns)

    def log_ratio(self, c: float, index: Array, spacing: float) -> tuple[Complex, Array]:
        """See `LossFamily.log_ratio`."""
        logs, errors = zip(*(part.log_ratio(c, index, spacing) for part in self.parts), strict=True)
        return sum(logs), sum(errors)

    def decay(self, c: float, edges: Array) -> tuple[Array, float, float]:
        """See `LossFamily.decay`."""
        return added(part.decay(c, edges) for part in self.parts)

    def sketched(self) -> LossFamily:
        """See `LossFamily.sketched`."""
        return Several(tuple(part.sketched() for part in self.parts))

    def chunks(self) -> Sequence[LossFamily]:
        """See `LossFamily.chunks`."""
        return self.parts


def added(decays: Iterable[tuple[Array, float, float]]) -> tuple[Array, float, float]:
    """What bounds a product, from bounds of its factors (see `LossFamily.decay`)."""
    logs, powers, sizes = zip(*decays, strict=True)
    return np.asarray(sum(logs)), math.fsum(powers), math.fsum(sizes)
