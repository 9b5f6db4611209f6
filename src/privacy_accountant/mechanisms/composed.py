"""Several mechanisms on one data set as one release."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import attrs

from privacy_accountant.codec import tagged
from privacy_accountant.errors import InvalidAggregateError, InvalidParameterError
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.composing import compose
from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.neighbors import Neighbors


def _mechanisms(value: object) -> tuple[Mechanism, ...]:
    if not isinstance(value, (list, tuple)) or not value or not all(isinstance(m, Mechanism) for m in value):
        raise InvalidParameterError("mechanisms", "a list of one or more mechanisms", value)
    return tuple(value)


@tagged("Composed")
@attrs.frozen(repr=False)
class Composed(Mechanism):
    """Several mechanisms on one data set, fixed in advance and released together; the guarantee is that of their composition.

    `randomize` takes one aggregate for each mechanism, in order. A study charges all of them at once: either everything fits its budget or
    nothing is spent. On a sample they are amplified together, once: `PoissonSampled(Composed([...]), rate)`.

    Attributes:
        mechanisms: The mechanisms; those that state a relation between neighbours state the same.

    Raises:
        InvalidParameterError: When there is none, one is not a mechanism, or two state different relations.

    Example:
        >>> from privacy_accountant import Composed, Gaussian
        >>> both = Composed([Gaussian(sigma=5, sensitivity=3), Gaussian(sigma=5, sensitivity=4)])
        >>> both.guarantee()
        GDP(mu=1.0)
        >>> count, sums = both.randomize([812, [3, 1, 4]])
        >>> type(count).__name__, len(sums)
        ('int', 3)
    """

    mechanisms: tuple[Mechanism, ...] = attrs.field(converter=_mechanisms)

    def __attrs_post_init__(self) -> None:
        stated = {m.neighbors for m in self.mechanisms if m.neighbors is not None}
        if len(stated) > 1:
            rule = "stated under one relation between neighbours"
            raise InvalidParameterError("mechanisms", rule, sorted(relation.name for relation in stated))

    @property
    def neighbors(self) -> Neighbors | None:  # type: ignore[override]
        """The relation that some of the mechanisms state; None when none does."""
        return next((m.neighbors for m in self.mechanisms if m.neighbors is not None), None)

    def _native(self) -> PrivacyGuarantee:
        return compose(*(mechanism.guarantee() for mechanism in self.mechanisms))

    def price(
        self, form: type[PrivacyGuarantee], orders: Sequence[Any] | None = None
    ) -> tuple[Fraction, ...]:
        """The exact cost: the sum of the mechanisms' own; see `Mechanism.price`."""
        costs = [mechanism.price(form, orders) for mechanism in self.mechanisms]
        return tuple(sum(column, Fraction(0)) for column in zip(*costs, strict=True))

    def check(self, value: Any) -> tuple[int, ...]:
        """How many aggregates there are, each of them checked by its mechanism; see `Mechanism.check`."""
        for mechanism, part in zip(self.mechanisms, self._parts(value), strict=True):
            mechanism.check(part)
        return (len(self.mechanisms),)

    def randomize(self, value: Any) -> Any:
        """Every aggregate noised by its mechanism, **with no accounting at all**; to publish use `Accountant.release`.

        Args:
            value: A list or tuple with one aggregate for each mechanism, in order.

        Returns:
            A list or tuple of what the mechanisms return.

        Raises:
            InvalidAggregateError: When there are not as many as mechanisms, or one of them is refused.
        """
        parts = self._parts(value)
        self.check(parts)
        noised = [mechanism.randomize(part) for mechanism, part in zip(self.mechanisms, parts, strict=True)]
        return tuple(noised) if isinstance(value, tuple) else noised

    def _parts(self, value: Any) -> Sequence[Any]:
        count = len(self.mechanisms)
        rule = f"a list or tuple of {count} aggregates, one for each mechanism"
        if not isinstance(value, (list, tuple)):
            raise InvalidAggregateError("value", rule, type(value).__name__)
        if len(value) != count:
            raise InvalidAggregateError("value", rule, f"{len(value)} of them")
        return value
