"""A target stated as attack risk, to calibrate noise to and to enforce as a budget."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import attrs

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import Real, exact, float_down, float_up, probability, real
from privacy_accountant.guarantees.base import PrivacyGuarantee


def _number(value: object) -> Any:
    """The number in its stored form; what is no number is left for the validator, which knows the field's name."""
    try:
        return real(value, "number")
    except InvalidParameterError:
        return value


def _check(_: Risk, field: attrs.Attribute[Any], value: object) -> None:
    if value is not None:
        probability(value, field.name)


@attrs.frozen(kw_only=True, repr=False)
class Risk:
    r"""What an attack may achieve at most, as a target for calibration and as a budget.

    Several targets may be given together; all of them must hold:

    * `advantage`: :math:`\sup_\alpha 1 - \alpha - f(\alpha)` at most this;
    * `fpr` and `tpr`: an attack with false positive rate `fpr` finds at most a share `tpr` of the members,
      :math:`f(\mathrm{fpr}) \ge 1 - \mathrm{tpr}`;
    * `prior` and `bayes_risk`: an attacker who starts from `prior` errs with at least this probability;
    * `baseline` and `success`: an attack that would succeed with probability `baseline` without the record succeeds with at
      most `success`.

    Raises:
        InvalidParameterError: When no target is given, a pair is incomplete, a number is outside [0, 1], or a target asks for
            less risk than a release that reveals nothing has.

    Example:
        >>> from privacy_accountant import GDP
        >>> Risk(fpr=0.01, tpr=0.05).is_met_by(GDP(mu=0.5))
        True
        >>> Risk(advantage=0.1).is_met_by(GDP(mu=0.5))
        False
    """

    advantage: Real | None = attrs.field(default=None, converter=_number, validator=_check)
    fpr: Real | None = attrs.field(default=None, converter=_number, validator=_check)
    tpr: Real | None = attrs.field(default=None, converter=_number, validator=_check)
    prior: Real | None = attrs.field(default=None, converter=_number, validator=_check)
    bayes_risk: Real | None = attrs.field(default=None, converter=_number, validator=_check)
    baseline: Real | None = attrs.field(default=None, converter=_number, validator=_check)
    success: Real | None = attrs.field(default=None, converter=_number, validator=_check)

    def __attrs_post_init__(self) -> None:
        if all(value is None for value in self._given().values()):
            raise InvalidParameterError("risk", "given with at least one target, such as advantage=0.1", None)
        self._check_pair("fpr", "tpr", least=lambda fpr: fpr)
        self._check_pair("baseline", "success", least=lambda baseline: baseline)
        self._check_pair("prior", "bayes_risk", most=lambda prior: min(prior, 1 - prior))

    def _check_pair(
        self,
        known: str,
        bound: str,
        *,
        least: Callable[[Fraction], Fraction] | None = None,
        most: Callable[[Fraction], Fraction] | None = None,
    ) -> None:
        left, right = getattr(self, known), getattr(self, bound)
        if (left is None) != (right is None):
            missing = bound if right is None else known
            raise InvalidParameterError(
                missing, f"given together with {known if right is None else bound}", None
            )
        if left is None:
            return
        if least is not None and exact(right) < least(exact(left)):
            raise InvalidParameterError(
                bound, f"at least {known} = {float(left):g}, which no noise undercuts", right
            )
        if most is not None and exact(right) > most(exact(left)):
            raise InvalidParameterError(
                bound, f"at most min({known}, 1 - {known}), which no noise exceeds", right
            )

    def is_met_by(self, guarantee: PrivacyGuarantee) -> bool:
        """Whether a guarantee's own bounds prove that every target holds."""
        return self.excess(guarantee) <= 0

    def excess(self, guarantee: PrivacyGuarantee) -> float:
        """The largest relative overshoot of any target, at most 0 when all are met: what a solver drives to zero.

        The sign is decided in exact arithmetic on the guarantee's bounds.
        """
        return max(_overshoot(have, allowed) for have, allowed in self._comparisons(guarantee))

    def _comparisons(self, guarantee: PrivacyGuarantee) -> list[tuple[Fraction, Fraction]]:
        """Pairs of what the guarantee proves and what is allowed, both as amounts of risk."""
        pairs: list[tuple[Fraction, Fraction]] = []
        if self.advantage is not None:
            pairs.append((Fraction(guarantee.advantage), exact(self.advantage)))
        if self.fpr is not None and self.tpr is not None:
            pairs.append((1 - Fraction(guarantee.beta(float_up(self.fpr))), exact(self.tpr)))
        if self.baseline is not None and self.success is not None:
            pairs.append((1 - Fraction(guarantee.beta(float_up(self.baseline))), exact(self.success)))
        if self.prior is not None and self.bayes_risk is not None:
            blind = min(exact(self.prior), 1 - exact(self.prior))
            # The Bayes risk is concave in the prior, so its least value near the prior is at one of the two floats around it.
            ends = float_down(self.prior), float_up(self.prior)
            least = min(Fraction(guarantee.bayes_risk(end)) for end in ends)
            pairs.append((blind - least, blind - exact(self.bayes_risk)))
        return pairs

    def _given(self) -> dict[str, Any]:
        return {name: value for name, value in attrs.asdict(self).items() if value is not None}

    def __repr__(self) -> str:
        return f"Risk({', '.join(f'{name}={value!r}' for name, value in self._given().items())})"


def _overshoot(have: Fraction, allowed: Fraction) -> float:
    if have <= allowed:
        return -math.log(allowed / have) if have > 0 else -math.inf
    return max(math.log(have / allowed), 5e-324) if allowed > 0 else math.inf
