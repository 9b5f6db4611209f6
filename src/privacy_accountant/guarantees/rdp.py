"""Renyi differential privacy at finitely many orders."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, ClassVar

import attrs

from privacy_accountant import exact as numbers
from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import Real, binary_down, binary_up, canonical, exact, non_negative_or_infinite
from privacy_accountant.guarantees.arguments import Array
from privacy_accountant.guarantees.routes import ClosedForm
from privacy_accountant.numerics import renyi


def read_orders(orders: Any) -> tuple[Real, ...]:
    """Renyi orders, one or several, each read as a finite number > 1.

    Raises:
        InvalidParameterError: When there is none, one is out of range, or one is given twice.
    """
    read = tuple(numbers.order(order, "orders") for order in _several(orders, "orders"))
    if len(set(map(exact, read))) < len(read):
        raise InvalidParameterError("orders", "distinct", orders)
    return read


def _several(values: Any, field: str) -> tuple[Any, ...]:
    if isinstance(values, (str, bytes)):
        raise InvalidParameterError(field, "a number or a sequence of numbers", values)
    scalar = not isinstance(values, Iterable) or getattr(values, "ndim", None) == 0
    several = (values,) if scalar else tuple(values)
    if not several:
        raise InvalidParameterError(field, "a number or a sequence of numbers (not empty)", values)
    return several


def _size(bound: Real) -> Real:
    """A bound as a number that compares exactly."""
    return bound if bound == math.inf else exact(bound)


def _chord(known: list[tuple[Fraction, Real]], order: Fraction) -> Real:
    """The bound at an order, from the chord of (order - 1) r between its neighbours."""
    last, log_moment = Fraction(1), Fraction(0)
    for at, bound in known:
        if at == order or (at > order and bound == math.inf):
            return bound
        if at > order:
            slope = ((at - 1) * exact(bound) - log_moment) / (at - last)
            return canonical((log_moment + slope * (order - last)) / (order - 1))
        if bound == math.inf:
            break
        last, log_moment = at, (at - 1) * exact(bound)
    return math.inf


@attrs.frozen(init=False, repr=False)
class RDP(ClosedForm):
    r"""Renyi differential privacy: the divergence of each given order is at most the epsilon beside it (Mironov 2017, arXiv 1702.07476).

    By data processing every attack obeys, at every order o with bound r,

    .. math::

        D_o(\mathrm{Bern}(1-\beta) \,\|\, \mathrm{Bern}(\alpha)) \le r, \qquad
        D_o(\mathrm{Bern}(\alpha) \,\|\, \mathrm{Bern}(1-\beta)) \le r

    and :math:`f(\alpha)` is the least :math:`\beta` that meets the constraints of all orders (Zhu, Dong and Wang 2022, arXiv
    2106.08567; Riess et al. 2026, arXiv 2602.04562): pointwise the best that these numbers say. The profile is the conjugate
    of f, never worse than the usual formulas from RDP to (epsilon, delta). Fewer orders make a bound weaker, never unsafe.

    Attributes:
        orders: The orders, each > 1, in increasing order; a single number is one order.
        epsilons: The bound of each order, at least 0; infinity is legal and says nothing at that order.

    Raises:
        InvalidParameterError: When an order is not a finite number > 1 or comes twice, a bound is negative, or the two
            have different lengths.

    Example:
        >>> release = RDP(orders=(2, 8), epsilons=(0.1, 0.4))
        >>> round(release.beta(0.01), 6), round(release.advantage, 6)
        (0.974937, 0.16006)
    """

    _curve_error: ClassVar[float] = 3e-11

    orders: tuple[Real, ...]
    epsilons: tuple[Real, ...]

    def __init__(self, orders: Any, epsilons: Any) -> None:
        at = read_orders(orders)
        bounds = tuple(
            non_negative_or_infinite(bound, "epsilons") for bound in _several(epsilons, "epsilons")
        )
        if len(bounds) != len(at):
            raise InvalidParameterError("epsilons", f"as many as the orders ({len(at)})", epsilons)
        pairs = sorted(zip(at, bounds, strict=True), key=lambda pair: exact(pair[0]))
        self.__attrs_init__(tuple(order for order, _ in pairs), tuple(bound for _, bound in pairs))

    def at(self, orders: tuple[Real, ...]) -> RDP:
        """The bounds that these imply at other orders.

        A divergence never falls as its order grows, and (order - 1) times it is convex in the order and 0 at order 1: so
        between two known orders the chord is a bound, below the least the bound stays, and above the largest nothing is
        known (van Erven and Harremoes 2014, arXiv 1206.2459).

        Args:
            orders: Orders as `read_orders` reads them.

        Example:
            >>> RDP((2, 4), (0.2, 0.4)).at((1.5, 3.0, 5.0))
            RDP(orders=(1.5, 3.0, 5.0), epsilons=(0.2, 0.35, inf))
        """
        known = self._rising()
        return RDP(orders, tuple(_chord(known, exact(order)) for order in orders))

    def _rising(self) -> list[tuple[Fraction, Real]]:
        """Each order with the least bound of it and all larger ones."""
        least: Real = math.inf
        known: list[tuple[Fraction, Real]] = []
        for order, bound in zip(reversed(self.orders), reversed(self.epsilons), strict=True):
            least = min(least, bound, key=_size)
            known.append((exact(order), least))
        return known[::-1]

    def _floats(self) -> tuple[list[float], list[float]]:
        """Orders rounded down and bounds rounded up, which is weaker; an order next to 1 that has no float says nothing."""
        pairs = [
            (binary_down(order), binary_up(bound))
            for order, bound in zip(self.orders, self.epsilons, strict=True)
        ]
        kept = [(order, bound) for order, bound in pairs if order > 1]
        return [order for order, _ in kept], [bound for _, bound in kept]

    def _beta(self, alpha: Array) -> Array:
        return renyi.rdp_curve_beta(alpha, *self._floats())[0]

    def _power(self, alpha: Array) -> Array:
        return renyi.rdp_curve_beta(alpha, *self._floats())[1]

    def _delta(self, epsilon: Array) -> Array:
        return renyi.rdp_curve_delta(epsilon, *self._floats())

    def _complement(self, epsilon: Array) -> Array:
        return renyi.rdp_curve_complement(epsilon, *self._floats())

    def _profile(self, epsilon: Array) -> tuple[Array, Array]:
        return renyi.rdp_curve_both(epsilon, *self._floats())

    def _epsilon(self, delta: Array) -> Array:
        return renyi.rdp_curve_epsilon(delta, *self._floats())

    def _advantage(self) -> float:
        return renyi.rdp_curve_advantage(*self._floats())
