"""What the corners of a piecewise-linear trade-off function say in other currencies: a pair with finitely many losses.

A side from corner to corner is an outcome: it has the mass that alpha gains under the null, the mass that beta loses under
the alternative, and the logarithm of its steepness as its loss.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import attrs
import numpy as np

from privacy_accountant.errors import UnsupportedConversionError
from privacy_accountant.exact import canonical, float_up
from privacy_accountant.guarantees.arguments import Array
from privacy_accountant.guarantees.pld import RandomizedResponsePair
from privacy_accountant.guarantees.pld.pairs.closed_pairs import DominatingPair
from privacy_accountant.guarantees.pld.pairs.finite_pair import FinitePair
from privacy_accountant.guarantees.tradeoff import TradeOff
from privacy_accountant.numerics import finite
from privacy_accountant.numerics.enclosure import log_up
from privacy_accountant.numerics.gaussian_mu import corners_mu
from privacy_accountant.numerics.polyline import corner_logs, log_of

_GIVEN_AWAY = (
    "f(0) < 1: some outcome gives the person away for certain, so no finite {target} bounds the curve; read beta, get_delta or "
    "to(ADP, delta=...) directly, compose it as it is, or see summarize_mu for a summary with slack"
)


@attrs.frozen(eq=False)
class FiniteLosses:
    """Outcomes of both worlds that give nobody away: exact masses under P and Q, and the logarithm of their ratio."""

    p: tuple[Fraction, ...]
    q: tuple[Fraction, ...]
    losses: Array

    @classmethod
    def of(cls, curve: TradeOff) -> FiniteLosses:
        """The sides of positive steepness."""
        sides = itertools.pairwise(curve.corners)
        masses = [(a[1] - b[1], b[0] - a[0]) for a, b in sides if a[1] > b[1]]
        return cls(
            tuple(p for p, _ in masses),
            tuple(q for _, q in masses),
            np.array([log_of(p / q) for p, q in masses], dtype=np.float64),
        )

    def floats(self) -> tuple[Array, Array, Array]:
        """Masses rounded up, and losses."""
        return (
            np.array([float_up(canonical(p)) for p in self.p]),
            np.array([float_up(canonical(q)) for q in self.q]),
            self.losses,
        )


def _gives_nobody_away(curve: TradeOff, target: str) -> bool:
    """Whether all losses are finite; False when nothing is promised at all.

    Raises:
        UnsupportedConversionError: When some losses are infinite.
    """
    if curve.betas[0] == 0:
        return False
    if curve.betas[0] < 1:
        raise UnsupportedConversionError("TradeOff", target, _GIVEN_AWAY.format(target=target))
    return True


def pair(curve: TradeOff) -> DominatingPair | None:
    """The finite pair itself, exact but for its losses, which are rounded up to floats; None when the curve is 1 - alpha."""
    infinity = 1 - curve.corners[0][1]
    if infinity == 1:
        return RandomizedResponsePair(math.inf)
    outcomes = FiniteLosses.of(curve)
    law: dict[float, Fraction] = {}
    for p, q in zip(outcomes.p, outcomes.q, strict=True):
        loss = log_up(p / q)
        law[loss] = law.get(loss, Fraction(0)) + p
    if infinity == 0 and set(law) == {0.0}:
        return None
    losses = sorted(law)
    return FinitePair(losses, [law[loss] for loss in losses], canonical(infinity))


def renyi(curve: TradeOff, order: Fraction) -> float:
    """The Renyi divergence of the finite pair, rounded up; both directions are the same."""
    if not _gives_nobody_away(curve, "RDP"):
        return math.inf
    value = finite.renyi(*FiniteLosses.of(curve).floats(), float_up(canonical(order - 1)))
    return float_up(Fraction(value))


def rho(curve: TradeOff) -> float:
    """The least rho that bounds the divergences of the finite pair at every order, to about four digits, from above."""
    if not _gives_nobody_away(curve, "ZCDP"):
        return math.inf
    return float_up(Fraction(finite.concentration(*FiniteLosses.of(curve).floats())))


def mu(curve: TradeOff) -> float:
    """The least mu whose curve lies below all corners."""
    if not _gives_nobody_away(curve, "GDP"):
        return math.inf
    return float_up(Fraction(corners_mu(*corner_logs(curve.corners))))
