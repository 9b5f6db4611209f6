"""The abstract base of every guarantee: two primitives, and everything that follows from them."""

from __future__ import annotations

import abc
import html
import math
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from privacy_accountant.exact import integer
from privacy_accountant.guarantees import derived, registry
from privacy_accountant.guarantees.arguments import Answer, Array, answer, answer_one
from privacy_accountant.guarantees.derived import one_minus_down, one_minus_up
from privacy_accountant.guarantees.display import show_field, show_fraction, shown_fields

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = [
    "Form",
    "PrivacyGuarantee",
    "one_minus_down",
    "one_minus_up",
    "show_field",
    "show_fraction",
    "shown_fields",
]

Form = TypeVar("Form", bound="PrivacyGuarantee")

_UNIT = "a number in [0, 1]"


class PrivacyGuarantee(abc.ABC):
    r"""What a release promises about every attack on one person.

    A guarantee is a trade-off function: every attack with false positive rate :math:`\alpha` has a false negative rate of at
    least :math:`f(\alpha)`, where f is convex, non-increasing and at most :math:`1-\alpha` (Dong, Roth and Su 2019,
    arXiv 1905.02383). Its dual is the privacy profile
    :math:`\delta(\varepsilon) = \sup_\alpha 1 - f(\alpha) - e^\varepsilon\alpha`, for every real :math:`\varepsilon`.

    A form implements three primitives on flat float64 arrays: `_beta`, `_delta` and `_complement`; `_delta` and
    `_complement` are asked at epsilon >= 0 only. The complement :math:`1-\delta` is a primitive of its own because a
    difference from one loses every digit where the risk is high. Everything else is derived here; a form overrides what it
    has in closed form.

    Directions: `beta`, `get_complement` and `bayes_risk` are lower bounds; `get_delta`, `get_epsilon`, `advantage`,
    `attack_success` and `ppv` are upper bounds. Scalars give Python floats, arrays give float64 arrays of the same shape.
    """

    __slots__ = ()

    @abc.abstractmethod
    def _beta(self, alpha: Array) -> Array:
        """Lower bound on the false negative rate, alpha in [0, 1]."""

    @abc.abstractmethod
    def _delta(self, epsilon: Array) -> Array:
        """Upper bound on the profile, epsilon in [0, inf]; never 0 where the truth is positive."""

    @abc.abstractmethod
    def _complement(self, epsilon: Array) -> Array:
        """Lower bound on 1 - delta, epsilon in [0, inf]."""

    def _profile(self, epsilon: Array) -> tuple[Array, Array]:
        """Delta and its complement together: for forms where one computation gives both."""
        return self._delta(epsilon), self._complement(epsilon)

    def beta(self, alpha: ArrayLike) -> Answer:
        r"""The least false negative rate of any attack whose false positive rate is alpha: a lower bound on f(alpha).

        Args:
            alpha: False positive rate in [0, 1], scalar or array.

        Returns:
            A float, or a float64 array of the same shape.

        Raises:
            InvalidParameterError: When alpha is not in [0, 1].

        Example:
            >>> from privacy_accountant import GDP
            >>> round(GDP(mu=1.0).beta(0.05), 4)
            0.7405
        """
        return answer(self._below_chance, alpha, "alpha", _UNIT)

    def get_delta(self, epsilon: ArrayLike) -> Answer:
        r"""The privacy profile :math:`\delta(\varepsilon)` at any real epsilon: an upper bound.

        For negative epsilon, :math:`\delta(-\varepsilon) = 1 - e^{-\varepsilon}(1 - \delta(\varepsilon))`. A true value that
        underflows comes back as the smallest positive double, never as 0.

        Args:
            epsilon: Any real number or infinity, scalar or array.

        Raises:
            InvalidParameterError: When epsilon is not a number.

        Example:
            >>> from privacy_accountant import ADP
            >>> ADP(epsilon=1.0, delta=1e-6).get_delta(1.0)
            1e-06
        """
        return answer(
            lambda e: derived.two_sided_delta(self, e), epsilon, "epsilon", "a number", -math.inf, math.inf
        )

    def get_complement(self, epsilon: ArrayLike) -> Answer:
        r"""The complement :math:`1 - \delta(\varepsilon)` with digits of its own: a lower bound.

        Args:
            epsilon: Any real number or infinity, scalar or array.

        Raises:
            InvalidParameterError: When epsilon is not a number.
        """
        return answer(
            lambda e: derived.two_sided_complement(self, e),
            epsilon,
            "epsilon",
            "a number",
            -math.inf,
            math.inf,
        )

    def get_epsilon(self, delta: ArrayLike) -> Answer:
        r"""The least :math:`\varepsilon \ge 0` with :math:`\delta(\varepsilon) \le \delta`: an upper bound, infinity when there is none.

        Args:
            delta: A number in [0, 1], scalar or array.

        Raises:
            InvalidParameterError: When delta is not in [0, 1].

        Example:
            >>> from privacy_accountant import GDP
            >>> round(GDP(mu=1.0).get_epsilon(1e-5), 4)
            4.3772
        """
        return answer(self._epsilon, delta, "delta", _UNIT)

    @property
    def advantage(self) -> float:
        r"""The largest :math:`1 - \alpha - f(\alpha)`, the total variation :math:`\delta(0)`: an upper bound."""
        return self._advantage()

    def bayes_risk(self, prior: ArrayLike) -> Answer:
        r"""The least error of an attacker who believes with probability `prior` that the person is in the data: a lower bound.

        .. math:: \min_\alpha\ \pi f(\alpha) + (1-\pi)\alpha = \min(\pi, 1-\pi)\,(1 - \delta(|\log\tfrac{\pi}{1-\pi}|))

        It is 0 at priors 0 and 1, where there is nothing to find out.

        Args:
            prior: Probability in [0, 1], scalar or array.

        Raises:
            InvalidParameterError: When prior is not in [0, 1].

        References:
            Kulynych et al. 2025, arXiv 2507.06969.
        """
        return answer(lambda p: derived.bayes_risk(self, p), prior, "prior", _UNIT)

    def attack_success(self, baseline: ArrayLike) -> Answer:
        r"""The largest success of an attack that would succeed with probability `baseline` without the person's record.

        An upper bound, :math:`1 - f(\eta)`, on re-identification, attribute inference and reconstruction alike (Kulynych et
        al. 2025, arXiv 2507.06969). The baseline is the success of the same attacker on a release made without the record;
        calling it a blind guess assumes that the record is independent of everything else that was released.

        Args:
            baseline: Probability in [0, 1], scalar or array.

        Raises:
            InvalidParameterError: When baseline is not in [0, 1].
        """
        return answer(lambda a: derived.success(self, a), baseline, "baseline", _UNIT)

    def ppv(self, alpha: ArrayLike, prior: float) -> Answer:
        r"""The largest share of right accusations of an attack with false positive rate exactly alpha: an upper bound.

        .. math:: \frac{\pi(1-f(\alpha))}{\pi(1-f(\alpha)) + (1-\pi)\alpha}

        and its limit at alpha = 0. It grows as alpha falls: never quote it without its alpha.

        Args:
            alpha: False positive rate in [0, 1], scalar or array.
            prior: Probability in [0, 1] that the person is in the data.

        Raises:
            InvalidParameterError: When alpha or prior is not in [0, 1].
        """
        pi = answer_one(prior, "prior", _UNIT)
        return answer(lambda a: derived.ppv(self, a, pi), alpha, "alpha", _UNIT)

    def compose(self, *others: PrivacyGuarantee) -> PrivacyGuarantee:
        """The guarantee of this release together with others, all fixed in advance.

        The result's form is the tightest that the parts share; see `privacy_accountant.compose`.

        Raises:
            UnsupportedConversionError: When two parts have no common form; the error says what would work.

        Example:
            >>> from privacy_accountant import GDP
            >>> GDP(mu=3.0).compose(GDP(mu=4.0))
            GDP(mu=5.0)
        """
        return cast("PrivacyGuarantee", registry.compose((self, *others)))

    def self_compose(self, count: int) -> PrivacyGuarantee:
        """The guarantee of `count` releases that each have this one.

        Raises:
            InvalidParameterError: When count is not an integer of at least 1.
        """
        return cast(
            "PrivacyGuarantee",
            registry.self_compose(self, integer(count, "count", "an integer >= 1", least=1)),
        )

    def for_group(self, size: int) -> Self:
        r"""What this guarantee says about `size` people whose records change together, such as a household.

        In general the curve :math:`1 - (1-f)\circ\dots\circ(1-f)` (Dong, Roth and Su 2019, arXiv 1905.02383, Theorem 2.14), in each form
        by its own rule: :math:`k\mu`, :math:`k^2\rho`, Laplace noise moved k times as far, and for (epsilon, delta) the
        usual pair, which `to(TradeOff).for_group(k)` undercuts.

        Args:
            size: How many people, k.

        Raises:
            InvalidParameterError: When size is not an integer of at least 1.
            UnsupportedConversionError: For an `RDP` whose orders are too small for a group of this size.

        Example:
            >>> from privacy_accountant import GDP
            >>> GDP(mu=0.5).for_group(3)
            GDP(mu=1.5)
        """
        return cast("Self", registry.for_group(self, integer(size, "size", "an integer >= 1", least=1)))

    def to(self, form: type[Form], **parameters: Any) -> Form:
        """This guarantee in another form, never with less risk than it has.

        Args:
            form: The class of the form, such as `ADP` or `ZCDP`.
            **parameters: What the conversion needs, such as `delta` for `ADP` or `orders` for `RDP`.

        Raises:
            UnsupportedConversionError: When there is no such conversion; it says why and what would work.
            InvalidParameterError: When a parameter is missing, unknown or out of range.

        Example:
            >>> from privacy_accountant import GDP, ZCDP
            >>> GDP(mu=1.0).to(ZCDP)
            ZCDP(rho=0.5)
        """
        return cast("Form", registry.convert(self, form, parameters))

    def _below_chance(self, alpha: Array) -> Array:
        return np.minimum(self._beta(alpha), one_minus_down(alpha))

    def _power(self, alpha: Array) -> Array:
        """Upper bound on 1 - f; a form that has it in its own digits overrides this difference."""
        return derived.power(self, alpha)

    def _epsilon(self, delta: Array) -> Array:
        return np.array([derived.least_epsilon(self, float(d)) for d in delta])

    def _advantage(self) -> float:
        return float(self._delta(np.zeros(1))[0])

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={show_field(value)}" for name, value in self._fields().items())
        return f"{type(self).__name__}({fields})"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{html.escape(name)}</th><td>{html.escape(show_field(value))}</td></tr>"
            for name, value in self._fields().items()
        )
        return f"<table><caption>{type(self).__name__}</caption>{rows}</table>"

    def _fields(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in shown_fields(type(self))}
