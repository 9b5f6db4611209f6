"""Zero-concentrated differential privacy: every Renyi order at once."""

from __future__ import annotations

from typing import ClassVar

import attrs

from privacy_accountant.exact import Real, binary_up, non_negative_or_infinite
from privacy_accountant.guarantees.arguments import Array
from privacy_accountant.guarantees.routes import ClosedForm
from privacy_accountant.numerics import renyi


def _rho_field(value: object) -> Real:
    return non_negative_or_infinite(value, "rho")


@attrs.frozen(repr=False)
class ZCDP(ClosedForm):
    r"""Zero-concentrated differential privacy (Bun and Steinke 2016, arXiv 1605.02065).

    The Renyi divergence of every order o > 1 is at most :math:`\rho o`, in both directions. Its trade-off function is that
    of the binary Renyi region over all orders (see `RDP`), so its profile is never above the usual conversions (Canonne, Kamath
    and Steinke 2020, arXiv 2004.00010, Corollary 13). The advantage is :math:`\tanh(e/2)` where
    :math:`e\tanh(e/2) = \rho` (Harrison and Manurangsi 2025, arXiv 2510.25746). Composition adds :math:`\rho`.

    Attributes:
        rho: The bound, at least 0; infinity is legal and promises nothing.

    Raises:
        InvalidParameterError: When rho is negative or not a number.

    Example:
        >>> release = ZCDP(rho=0.5)
        >>> round(release.advantage, 6), round(release.beta(0.01), 6)
        (0.479098, 0.875411)
    """

    _curve_error: ClassVar[float] = 1e-12

    rho: Real = attrs.field(converter=_rho_field)

    def _beta(self, alpha: Array) -> Array:
        return renyi.zcdp_beta(alpha, binary_up(self.rho))[0]

    def _power(self, alpha: Array) -> Array:
        return renyi.zcdp_beta(alpha, binary_up(self.rho))[1]

    def _delta(self, epsilon: Array) -> Array:
        return renyi.zcdp_delta(epsilon, binary_up(self.rho))

    def _complement(self, epsilon: Array) -> Array:
        return renyi.zcdp_complement(epsilon, binary_up(self.rho))

    def _profile(self, epsilon: Array) -> tuple[Array, Array]:
        return renyi.zcdp_both(epsilon, binary_up(self.rho))

    def _epsilon(self, delta: Array) -> Array:
        return renyi.zcdp_epsilon(delta, binary_up(self.rho))

    def _advantage(self) -> float:
        return renyi.zcdp_advantage(binary_up(self.rho))
