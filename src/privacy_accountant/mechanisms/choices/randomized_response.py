"""Randomized response: every person's own answer, told truly only now and then."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, cast

import attrs
import numpy as np

from privacy_accountant.codec import tagged
from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import Real, canonical, exact, float_down, positive
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.pld import PLD, CategoryPair, RandomizedResponsePair
from privacy_accountant.mechanisms.additive import read_optional_neighbors
from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.mechanisms.values.categories import Category, read_answers, read_categories
from privacy_accountant.neighbors import Neighbors
from privacy_accountant.noise.bernoulli import coins, one_of_odds, uniforms
from privacy_accountant.noise.entropy import operating_system

if TYPE_CHECKING:
    from typing_extensions import Self

_CALIBRATION = "privacy_accountant.calibration"
_DIGITS = 16
_ROUND_OFF = 1e-14


def _epsilon(value: object) -> Real:
    return positive(value, "epsilon")


def _relation(value: object) -> Neighbors:
    relation = read_optional_neighbors(value) or Neighbors.REPLACE_ONE
    if relation is Neighbors.ADD_OR_REMOVE_ONE:
        rule = "REPLACE_ONE (or REPLACE_SPECIAL, when the empty record is one of the categories): that somebody answered is not hidden"
        raise InvalidParameterError("neighbors", rule, relation.name)
    return relation


@tagged("RandomizedResponse")
@attrs.frozen(repr=False)
class RandomizedResponse(Mechanism):
    r"""Tells the true one of k categories with probability :math:`p = e^\varepsilon / (e^\varepsilon + k - 1)`, else one of the others.

    Every other category comes with probability :math:`q = 1/(e^\varepsilon + k - 1)`. With two categories it is Warner's (1965) randomized
    response, in general the k-ary kind (Kairouz, Bonawitz and Ramage 2016, arXiv 1602.07387). It is exactly :math:`\varepsilon`-DP. Two true
    answers differ in two outcomes only, with losses :math:`\pm\varepsilon`, and any third outcome has loss 0: that is the whole curve, and
    for k > 2 it lies above that of :math:`\varepsilon`-DP. The zCDP parameter is :math:`(p-q)\varepsilon` for k up to 6 (Harrison and
    Manurangsi 2025, arXiv 2510.25746), beyond it is searched for.

    **What is protected** is what one person answered, not that they answered: one record is exchanged for another (`REPLACE_ONE`), and
    the number of answers is public. A vector holds one answer of each person, so releasing all of it costs epsilon once. A person who
    answers m questions takes part in m releases. It may run on the person's own device, before anybody collects anything (local
    differential privacy); then every device draws for itself and the study only calls `spend`.

    Attributes:
        epsilon: The log of the odds of the truth against each other category; the decimal that was typed.
        categories: The k public categories: texts, integers or booleans; by default False and True.
        neighbors: `REPLACE_ONE`, also when absent; or `REPLACE_SPECIAL`, when the empty record is one of the categories.

    Raises:
        InvalidParameterError: When epsilon is not positive and finite, there are not at least two different categories, or records are
            added or removed.

    Example:
        >>> from privacy_accountant import RandomizedResponse, ZCDP
        >>> coin = RandomizedResponse(epsilon=1.0)
        >>> coin.randomize(True) in (True, False), len(coin.randomize([True, False, True]))
        (True, 3)
        >>> party = RandomizedResponse(epsilon=1.0, categories=("red", "green", "blue"))
        >>> round(coin.guarantee().advantage, 4), round(party.guarantee().advantage, 4)
        (0.4621, 0.3642)
    """

    noise_parameter: ClassVar[str | None] = None

    epsilon: Real = attrs.field(converter=_epsilon)
    categories: tuple[Category, ...] = attrs.field(default=(False, True), converter=read_categories)
    neighbors: Neighbors | None = attrs.field(default=None, kw_only=True, converter=_relation)

    def _native(self) -> PrivacyGuarantee:
        count = len(self.categories)
        if count == 2:
            return PLD.of(RandomizedResponsePair(self.epsilon))
        return PLD.of(CategoryPair(self.epsilon, count))

    def price(
        self, form: type[PrivacyGuarantee], orders: Sequence[Any] | None = None
    ) -> tuple[Fraction, ...]:
        """The exact cost of one release; see `Mechanism.price`."""
        return (exact(self.epsilon), Fraction(0)) if form is ADP else super().price(form, orders)

    def check(self, value: Any) -> tuple[int, ...]:
        """The shape of the answers, which is public; see `Mechanism.check`.

        Raises:
            InvalidAggregateError: When one is not a category; the message never quotes it.
        """
        return read_answers(value, self.categories).shape

    def randomize(self, value: Any) -> Any:
        """The answers, each randomized by itself, **with no accounting at all**; to publish use `Accountant.release`.

        The coins are exact although e^epsilon is no rational number: random bits of the operating system are compared with proved
        bounds until they decide.

        Args:
            value: One category, or a list, tuple, numpy array or Series of them, one for each person.

        Returns:
            The same kind; arrays of texts come back with dtype object.

        Raises:
            InvalidAggregateError: When an answer is not a category. It depends on the data and is never for publication.
        """
        answers, count = read_answers(value, self.categories), len(self.categories)
        size = answers.positions.size
        told = coins(one_of_odds(exact(self.epsilon), count - 1), size, operating_system)
        other = uniforms(count - 1, size, operating_system)
        other += other >= answers.positions
        return answers.rebuild(np.where(told, answers.positions, other))

    def estimate(self, answers: Any) -> dict[Category, float]:
        """What share of people truly belongs to each category, estimated without bias from randomized answers: post-processing.

        A category that a share c of the answers names is estimated as (c - q) / (p - q). Estimates add up to 1; single ones may be negative
        or above 1, and clamping them would make them biased.

        Args:
            answers: What `randomize` gave for many people.

        Raises:
            InvalidAggregateError: When an answer is not a category.

        Example:
            >>> from privacy_accountant import RandomizedResponse
            >>> shares = RandomizedResponse(epsilon=1.0).estimate([True, True, True, False])
            >>> round(shares[True], 4), round(shares[False], 4)
            (1.041, -0.041)
        """
        positions, count = read_answers(answers, self.categories).positions, len(self.categories)
        small = float(np.exp(-float(self.epsilon)))
        named = np.bincount(positions, minlength=count) / positions.size
        shares = (named * (1 + (count - 1) * small) - small) / (1 - small)
        return dict(zip(self.categories, shares.tolist(), strict=True))

    @classmethod
    def calibrate(
        cls,
        target: Any,
        *,
        sensitivity: Any = None,
        releases: int = 1,
        with_other: Sequence[PrivacyGuarantee] = (),
        neighbors: Neighbors | None = None,
        **fixed: Any,
    ) -> Self:
        """The largest epsilon with which equal releases meet a target; see `Mechanism.calibrate`.

        Args:
            target: As there.
            sensitivity: Absent: an answer is one category or another.
            releases: As there.
            with_other: As there.
            neighbors: As for the mechanism itself.
            **fixed: `categories`, when there are others than False and True.

        Raises:
            CalibrationError: When no epsilon meets the target.
            InvalidParameterError: When an argument is out of range.

        Example:
            >>> from privacy_accountant import RandomizedResponse, Risk
            >>> quiet = RandomizedResponse.calibrate(Risk(advantage=0.1))
            >>> round(quiet.epsilon, 6)
            0.200671
        """
        if sensitivity is not None:
            raise InvalidParameterError("sensitivity", "absent: an answer has none", sensitivity)
        solver, targets = (
            importlib.import_module(f"{_CALIBRATION}.{room}") for room in ("solver", "targets")
        )
        build = _ByInverse(cls, {"neighbors": neighbors, **fixed})
        found = solver.calibrate(build, target, releases=releases, with_other=with_other)
        goal = targets.goal_for(target, with_other)

        def meets(epsilon: float) -> bool:
            return bool(goal.excess(build.of(epsilon), releases) <= 0)

        return cast("Self", build.of(_shortest(found.epsilon, meets)))


@attrs.frozen
class _ByInverse:
    """Randomized response by 1/epsilon, which grows with the noise as calibration expects."""

    cls: type[RandomizedResponse]
    fixed: dict[str, Any]
    noise_parameter: ClassVar[str] = "inverse"

    def __call__(self, inverse: float) -> RandomizedResponse:
        return self.of(canonical(1 / exact(float(inverse))))

    def of(self, epsilon: Real) -> RandomizedResponse:
        return self.cls(epsilon, **self.fixed)


def _shortest(epsilon: Real, meets: Any) -> float:
    """The shortest decimal that is epsilon up to its rounding error and meets the target; else the float below epsilon."""
    for digits in range(1, _DIGITS):
        short = float(f"{float(epsilon):.{digits}g}")
        if abs(exact(short) - exact(epsilon)) <= exact(_ROUND_OFF) * exact(epsilon) and meets(short):
            return short
    return float_down(epsilon)
