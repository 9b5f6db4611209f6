"""The discrete Laplace mechanism under the field's other name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from privacy_accountant.codec import tagged
from privacy_accountant.exact import canonical, exact, positive
from privacy_accountant.mechanisms.discrete_laplace import DiscreteLaplace
from privacy_accountant.neighbors import Neighbors, norm_l1, read_sensitivity

if TYPE_CHECKING:
    from typing_extensions import Self


@tagged("Geometric")
@attrs.frozen(repr=False)
class Geometric(DiscreteLaplace):
    r"""The two-sided geometric mechanism, which is `DiscreteLaplace` under the name that others give it.

    Each entry gets an independent integer k with probability :math:`\frac{1-a}{1+a} a^{|k|}`, :math:`a = e^{-1/s}` (Ghosh,
    Roughgarden and Sundararajan 2009, arXiv 0811.2841). Guarantee, noise and price are those of `DiscreteLaplace` at the same scale;
    only the name in the ledger differs. Whoever states the mechanism by its epsilon uses `of_epsilon`.

    Attributes:
        scale: The scale s = sensitivity / epsilon, in the units of the aggregate; the decimal that was typed.
        sensitivity: The L1 sensitivity of the whole vector, a whole number, or a `Sensitivity` from which it is taken.
        neighbors: The relation under which the sensitivity was stated; None for the study's.

    Raises:
        InvalidParameterError: When the scale is not positive and finite, or the sensitivity is not a positive whole number.

    Example:
        >>> from privacy_accountant import ADP, DiscreteLaplace, Geometric
        >>> Geometric.of_epsilon(0.5, sensitivity=1)
        Geometric(scale=2.0, sensitivity=1.0)
        >>> Geometric(scale=2, sensitivity=1).guarantee() == DiscreteLaplace(
        ...     scale=2, sensitivity=1
        ... ).guarantee()
        True
    """

    @classmethod
    def of_epsilon(cls, epsilon: Any, *, sensitivity: Any, neighbors: Neighbors | None = None) -> Self:
        """The mechanism with exactly this epsilon.

        Args:
            epsilon: A positive finite number, the decimal that was typed.
            sensitivity: As for the mechanism itself.
            neighbors: As for the mechanism itself.

        Raises:
            InvalidParameterError: When an argument is out of range.
        """
        norm = norm_l1(read_sensitivity(sensitivity), "Geometric")
        scale = canonical(norm / exact(positive(epsilon, "epsilon")))
        return cls(scale, sensitivity, neighbors=neighbors)
