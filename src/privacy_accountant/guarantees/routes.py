"""Two ways to an answer: the closed form, or the general numeric route from the form's other primitive.

The numeric routes assume of a primitive no more than that it is a bound within a few units of the last place. They are slower
and a little looser; that they agree is a test of the closed forms.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.guarantees import derived
from privacy_accountant.guarantees.arguments import Answer, Array, answer
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.derived import one_minus_down

Method = Literal["closed", "numeric"]

_UNIT = 2.0**-53
_GOLDEN = (math.sqrt(5) - 1) / 2
_STEPS = 60
_HIGHEST = 740.0
_LEAST_ALPHA = 1e-300
"""Smaller rates are replaced by this one, where f is smaller: they may underflow to 0, where f is 1."""
_ROUNDS, _FINER = 4, 64


class ClosedForm(PrivacyGuarantee):
    """A form whose curve and profile are found independently, in closed form or by a solver of their own, so that each checks the other."""

    __slots__ = ()

    _curve_error: ClassVar[float] = 1e-14
    """How far below f a value of `_beta` may be, absolutely."""

    def beta(self, alpha: ArrayLike, *, method: Method = "closed") -> Answer:
        r"""The least false negative rate of any attack whose false positive rate is alpha: a lower bound on f(alpha).

        Args:
            alpha: False positive rate in [0, 1], scalar or array.
            method: "closed" for the form's own way; "numeric" for the best supporting line of the profile.

        Raises:
            InvalidParameterError: When alpha is not in [0, 1] or the method is another one.

        Example:
            >>> from privacy_accountant import GDP
            >>> round(GDP(mu=1.0).beta(0.05), 4), round(GDP(mu=1.0).beta(0.05, method="numeric"), 4)
            (0.7405, 0.7405)
        """
        question = self._below_chance if _is_closed(method) else (lambda a: lines_below(self, a))
        return answer(question, alpha, "alpha", "a number in [0, 1]")

    def get_delta(self, epsilon: ArrayLike, *, method: Method = "closed") -> Answer:
        r"""The privacy profile :math:`\delta(\varepsilon)` at any real epsilon: an upper bound.

        Args:
            epsilon: Any real number or infinity, scalar or array.
            method: "closed" for the form's own way; "numeric" for the conjugate of f, absolutely accurate to about 1e-12 where f is in
                closed form and to 1e-9 where it comes from Renyi bounds.

        Raises:
            InvalidParameterError: When epsilon is not a number or the method is another one.
        """
        question = (
            (lambda e: derived.two_sided_delta(self, e))
            if _is_closed(method)
            else (lambda e: conjugate_above(self, e, self._curve_error))
        )
        return answer(question, epsilon, "epsilon", "a number", -math.inf, math.inf)

    def get_epsilon(self, delta: ArrayLike, *, method: Method = "closed") -> Answer:
        r"""The least :math:`\varepsilon \ge 0` with :math:`\delta(\varepsilon) \le \delta`: an upper bound, infinity when there is none.

        Args:
            delta: A number in [0, 1], scalar or array.
            method: "closed" for the form's own way; "numeric" for bisection on the profile.

        Raises:
            InvalidParameterError: When delta is not in [0, 1] or the method is another one.
        """
        question = self._epsilon if _is_closed(method) else (lambda d: PrivacyGuarantee._epsilon(self, d))
        return answer(question, delta, "delta", "a number in [0, 1]")


def _is_closed(method: object) -> bool:
    if method not in ("closed", "numeric"):
        raise InvalidParameterError("method", '"closed" or "numeric"', method)
    return method == "closed"


def lines_below(guarantee: PrivacyGuarantee, alpha: Array) -> Array:
    """The best of the supporting lines 1 - delta(e) - e^e alpha and e^-e (1 - delta(e) - alpha), by golden section in e.

    Both are unimodal in e, and any e gives a valid bound.
    """
    with np.errstate(divide="ignore"):
        widest = np.clip(-np.log(alpha), 0.0, _HIGHEST)
        log_alpha = np.maximum(np.log(alpha), -2 * _HIGHEST)

    def steep(e: Array) -> Array:
        return np.asarray(
            guarantee._complement(e) * (1 - 4 * _UNIT) - np.exp(e + log_alpha) * (1 + 4 * _UNIT * (1 + e))
        )

    def flat(e: Array) -> Array:
        rest = guarantee._complement(e)
        return np.asarray(
            np.exp(-e) * (rest - alpha - 4 * _UNIT * np.maximum(rest, alpha)) * (1 - 4 * _UNIT * (1 + e))
        )

    with np.errstate(under="ignore"):
        best = np.maximum(_highest(steep, widest), _highest(flat, np.full_like(alpha, _HIGHEST)))
    best = np.clip(best, 0.0, one_minus_down(alpha))
    return np.where(alpha > 0, best, guarantee._complement(np.full_like(alpha, math.inf)))


def _highest(height: Callable[[Array], Array], widest: Array) -> Array:
    """The largest value that a golden-section search meets, for all at once; one new value a step."""
    low, high = np.zeros_like(widest), widest
    inner, outer = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    left, right = height(inner), height(outer)
    best = np.maximum(np.maximum(height(low), height(high)), np.maximum(left, right))
    for _ in range(_STEPS):
        up = right > left
        low, high = np.where(up, inner, low), np.where(up, high, outer)
        kept, known = np.where(up, outer, inner), np.where(up, right, left)
        new = np.where(up, low + _GOLDEN * (high - low), high - _GOLDEN * (high - low))
        value = height(new)
        best = np.maximum(best, value)
        inner, outer = np.where(up, kept, new), np.where(up, new, kept)
        left, right = np.where(up, known, value), np.where(up, value, known)
    return np.asarray(best)


def conjugate_above(guarantee: PrivacyGuarantee, epsilon: Array, error: float = 1e-14) -> Array:
    """sup over alpha of 1 - f(alpha) - e^eps alpha, from above, at every real eps.

    Args:
        guarantee: Any form with a curve.
        epsilon: Where.
        error: How far below f a value of its `_beta` may be, absolutely.
    """
    size = np.abs(epsilon)
    right = np.array([_supremum(guarantee, float(e), error) for e in size])
    with np.errstate(under="ignore"):
        return np.where(epsilon >= 0, right, np.minimum(-np.expm1(-size) + np.exp(-size) * right, 1.0))


def _supremum(guarantee: PrivacyGuarantee, epsilon: float, error: float) -> float:
    """The conjugate at one eps >= 0, on alpha = e^-eps u with u in [0, 1], finer and finer around the highest point."""
    if epsilon == math.inf:
        return 1.0 - float(guarantee._beta(np.zeros(1))[0])
    scale = math.exp(-epsilon)

    def height(u: Array) -> Array:
        with np.errstate(under="ignore"):
            alpha = np.where(u > 0, np.maximum(scale * u, _LEAST_ALPHA), 0.0)
        return np.asarray(1 - guarantee._beta(alpha) - u)

    u = np.unique(np.concatenate([[0.0], np.geomspace(1e-16, 1.0, 200), np.linspace(0.0, 1.0, 200)]))
    y = height(u)
    for _ in range(_ROUNDS):
        at = int(np.argmax(y))
        more = np.linspace(u[max(at - 1, 0)], u[min(at + 1, len(u) - 1)], _FINER)
        u = np.unique(np.concatenate([u, more]))
        u = u[np.concatenate([[True], np.diff(u) > 1e-9 * u[1:]])]
        y = height(u)
    return min(max(_above_concave(u, y, error), 0.0), 1.0)


def _above_concave(u: Array, y: Array, error: float) -> float:
    """An upper bound on a concave function that is at most these values, and at least them less the error.

    In every cell it is below the chords of the cells on either side, continued; only a cell between a rising and a falling one can
    hold more than its ends.
    """
    width = np.diff(u)
    slope, slack = np.diff(y) / width, 2 * error / width
    rise = np.concatenate([[1 / _UNIT], (slope + slack)[:-1]])
    fall = np.concatenate([(slope - slack)[1:], [-1 / _UNIT]])
    top = (rise > 0) & (fall < 0)
    rise, fall = np.where(top, rise, 1.0), np.where(top, fall, -1.0)
    meet = np.clip((y[1:] - y[:-1] - fall * width) / (rise - fall), 0.0, width)
    inside = np.minimum(y[:-1] + rise * meet, y[1:] - fall * (width - meet))
    return float(max(np.max(np.where(top, inside, 0.0)), np.max(y))) + 2 * error
