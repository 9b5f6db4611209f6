"""Releases that have pairs beside releases that have only Renyi bounds."""

from __future__ import annotations

import functools
import math
from fractions import Fraction
from typing import cast

import attrs
import numpy as np

from privacy_accountant.errors import InvalidParameterError, UnsupportedConversionError
from privacy_accountant.exact import canonical, exact, float_down, float_up
from privacy_accountant.guarantees.arguments import Array
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.composing import compose
from privacy_accountant.guarantees.pld import PLD, RandomizedResponsePair
from privacy_accountant.guarantees.pld.pairs.closed_pairs import DominatingPair
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.zcdp import ZCDP

_UP = 1 + 2.0**-50


def _losses(_: object, field: attrs.Attribute[PLD], value: object) -> None:
    if not isinstance(value, PLD) or not value.parts:
        raise InvalidParameterError(field.name, "a PLD with parts", value)


def _divergences(_: object, field: attrs.Attribute[ZCDP | RDP], value: object) -> None:
    if not isinstance(value, (ZCDP, RDP)):
        raise InvalidParameterError(field.name, "a ZCDP or an RDP", value)


@attrs.frozen(repr=False)
class Mixed(PrivacyGuarantee):
    r"""Releases that have pairs, composed with releases that have Renyi bounds only.

    What `compose` returns for ZCDP or RDP beside any other form. Each part keeps its own currency, so composing further loses
    nothing. No single form describes the whole, it can only be bounded, in two ways that are both valid:

    * the part with Renyi bounds as a pair that has its curve, composed with the others as privacy losses;
    * every pair by its Renyi bound as well, an (epsilon, delta) one as its delta and the divergence of the rest: with probability
      :math:`m = 1-\prod(1-\delta_i)` all is revealed, and otherwise divergences add, so
      :math:`f(\alpha) \ge (1-m)\,f_c(\alpha/(1-m))` (approximate zCDP: Bun and Steinke 2016, arXiv 1605.02065).

    Every answer is the better of the two; the first is usually the tighter where single releases are large, the second where
    many small ones add up. A pair with mass at infinite loss that is no (epsilon, delta) has the first way only.

    Attributes:
        losses: The pairs.
        divergences: The sum of everything that has only Renyi bounds.

    Raises:
        InvalidParameterError: When a field is of another form, or there are no pairs.

    Example:
        >>> from privacy_accountant import ADP, ZCDP, compose
        >>> both = compose(ADP(epsilon=0.5, delta=1e-6), ZCDP(rho=0.1))
        >>> both
        Mixed(losses=PLD(parts=((RandomizedResponsePair(epsilon=0.5, delta=1e-06), 1),)), divergences=ZCDP(rho=0.1))
        >>> round(both.advantage, 4)
        0.2961
    """

    losses: PLD = attrs.field(validator=_losses)
    divergences: ZCDP | RDP = attrs.field(validator=_divergences)

    def as_losses(self, **parameters: object) -> PLD:
        """The whole as privacy losses, the divergences by a pair that has their curve."""
        return self.losses.union(
            _curve(self.divergences) if not parameters else self.divergences.to(PLD, **parameters)
        )

    def _beta(self, alpha: Array) -> Array:
        pair, approximate = _routes(self)
        best = pair._beta(alpha)
        return best if approximate is None else np.maximum(best, approximate.beta(alpha))

    def _power(self, alpha: Array) -> Array:
        pair, approximate = _routes(self)
        best = pair._power(alpha)
        return best if approximate is None else np.minimum(best, approximate.power(alpha))

    def _profile(self, epsilon: Array) -> tuple[Array, Array]:
        pair, approximate = _routes(self)
        delta, rest = pair._profile(epsilon)
        if approximate is None:
            return delta, rest
        other = approximate.profile(epsilon)
        return np.minimum(delta, other[0]), np.maximum(rest, other[1])

    def _delta(self, epsilon: Array) -> Array:
        pair, approximate = _routes(self)
        best = pair._delta(epsilon)
        return best if approximate is None else np.minimum(best, approximate.delta(epsilon))

    def _complement(self, epsilon: Array) -> Array:
        pair, approximate = _routes(self)
        best = pair._complement(epsilon)
        return best if approximate is None else np.maximum(best, approximate.complement(epsilon))

    def _epsilon(self, delta: Array) -> Array:
        pair, approximate = _routes(self)
        best = pair._epsilon(delta)
        return best if approximate is None else np.minimum(best, approximate.epsilon(delta))


@attrs.frozen
class _Approximate:
    """A guarantee that holds unless something of probability `mass` happens, which reveals all."""

    mass: Fraction
    inside: PrivacyGuarantee

    @property
    def _rest(self) -> float:
        return float_down(canonical(1 - self.mass))

    def beta(self, alpha: Array) -> Array:
        """(1 - m) f(alpha / (1 - m))."""
        rest = self._rest
        if rest == 0:
            return np.zeros_like(alpha)
        return np.maximum(rest * self.inside._beta(np.minimum(alpha / rest * _UP, 1.0)) * (2 - _UP), 0.0)

    def power(self, alpha: Array) -> Array:
        """m + (1 - m) (1 - f(alpha / (1 - m)))."""
        mass, rest = float_up(canonical(self.mass)), self._rest
        if rest == 0:
            return np.ones_like(alpha)
        more = self.inside._power(np.minimum(alpha / rest * _UP, 1.0))
        return np.where(alpha > 0, np.minimum((mass + (1 - mass) * more) * _UP, 1.0), mass)

    def delta(self, epsilon: Array) -> Array:
        """m + (1 - m) delta."""
        return self._delta_of(self.inside._delta(epsilon))

    def complement(self, epsilon: Array) -> Array:
        """(1 - m) (1 - delta)."""
        return self._complement_of(self.inside._complement(epsilon))

    def profile(self, epsilon: Array) -> tuple[Array, Array]:
        """Both at once."""
        delta, rest = self.inside._profile(epsilon)
        return self._delta_of(delta), self._complement_of(rest)

    def _delta_of(self, inside: Array) -> Array:
        mass = float_up(canonical(self.mass))
        return np.where(inside > 0, np.minimum((mass + (1 - mass) * inside) * _UP, 1.0), mass)

    def _complement_of(self, inside: Array) -> Array:
        return np.asarray(self._rest * inside * (2 - _UP))

    def epsilon(self, delta: Array) -> Array:
        """At the delta that is left."""
        mass, rest = float_up(canonical(self.mass)), self._rest
        left = np.clip((delta - mass) * (2 - _UP) / max(rest, 5e-324), 0.0, 1.0) * (2 - _UP)
        return np.where(delta < mass, math.inf, np.where(delta >= 1, 0.0, self.inside._epsilon(left)))


@functools.lru_cache(maxsize=32)
def _routes(mixed: Mixed) -> tuple[PrivacyGuarantee, _Approximate | None]:
    return mixed.as_losses(), _approximate(mixed)


@functools.lru_cache(maxsize=32)
def _curve(divergences: ZCDP | RDP) -> PLD:
    return divergences.to(PLD)


def _add(first: ZCDP | RDP, losses: PLD) -> ZCDP | RDP:
    """The sum in the currency of the first."""
    second = losses.to(ZCDP) if isinstance(first, ZCDP) else losses.to(RDP, orders=first.orders)
    return cast("ZCDP | RDP", compose(first, second))


def _approximate(mixed: Mixed) -> _Approximate | None:
    """The second way, where every pair is a randomized response or has a Renyi bound."""
    rest = Fraction(1)
    pure: list[tuple[DominatingPair, int]] = []
    for pair, count in mixed.losses.parts:
        inside = pair
        if isinstance(pair, RandomizedResponsePair) and 0 < pair.delta < 1 and pair.epsilon < math.inf:
            rest *= _power_down(1 - exact(pair.delta), count)
            inside = RandomizedResponsePair(pair.epsilon)
        pure.append((inside, count))
    try:
        return _Approximate(1 - rest, _add(mixed.divergences, PLD(pure)))
    except UnsupportedConversionError:
        return None


def _power_down(base: Fraction, count: int) -> Fraction:
    """base^count, exactly for small counts, else 1 - count (1 - base), which is below it."""
    return base**count if count <= 64 else max(1 - count * (1 - base), Fraction(0))
