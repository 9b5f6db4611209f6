"""Noise against risk: one row for each amount of noise, from which people choose."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from privacy_accountant.errors import InvalidParameterError, MissingExtraError
from privacy_accountant.exact import integer, probability
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.risk.blocks import Table
from privacy_accountant.risk.figures import true_positive_rate
from privacy_accountant.risk.pictures import risk_against_error
from privacy_accountant.risk.rounding import Side, label, number, percent, percent_above, percent_label
from privacy_accountant.risk.text import table_lines
from privacy_accountant.risk.utility import Utility, utility

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@attrs.frozen
class Choice:
    """One amount of noise: what it does to a number, and what all releases together risk.

    Attributes:
        noise: The mechanism's noise parameter.
        mechanism: The mechanism with this noise.
        guarantee: Of all releases together, fixed in advance.
        utility: Of one published number.
        tpr: The largest true positive rate at the sweep's false positive rate: an upper bound.
        advantage: An upper bound.
        bayes_risk: The least error of a guess from even odds: a lower bound.
    """

    noise: float
    mechanism: Mechanism
    guarantee: PrivacyGuarantee
    utility: Utility
    tpr: float
    advantage: float
    bayes_risk: float


@attrs.frozen
class Sweep:
    """The risk-utility curve of a mechanism: `print` it, `plot` it, or take it as a data frame.

    Attributes:
        choices: One for each amount of noise, in the order that was asked for.
        releases: How many equal releases share the risk.
        alpha: The false positive rate of `tpr`.
    """

    choices: tuple[Choice, ...]
    releases: int
    alpha: float

    def to_dataframe(self) -> Any:
        """One row for each amount of noise, as a pandas data frame.

        Raises:
            MissingExtraError: When pandas is not installed; the extra is `frames`.
        """
        try:
            pandas = importlib.import_module("pandas")
        except ImportError as error:
            raise MissingExtraError("Sweep.to_dataframe", "frames") from error
        return pandas.DataFrame([_row(one) for one in self.choices])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what attacks recognise over the usual error of a number, one mark for each amount of noise.

        Raises:
            MissingExtraError: When matplotlib is not installed; the extra is `plot`.
        """
        marks = [(one.utility.error, one.tpr, one.advantage, label(one.noise)) for one in self.choices]
        return risk_against_error(marks, self.alpha, ax)

    def __str__(self) -> str:
        with_count = self.choices[0].utility.count
        relative = () if with_count is None else (f"error of\n{float(with_count):,g}",)
        table = Table(
            title="",
            header=(
                str(type(self.choices[0].mechanism).noise_parameter),
                "95% error\n(+-)",
                *relative,
                f"TPR at {percent_label(self.alpha)}\nat most",
                "advantage\nat most",
                "Bayes risk\nat least",
            ),
            rows=tuple(
                (
                    label(one.noise),
                    number(one.utility.error, Side.AT_MOST),
                    *(percent_above(one.utility.relative_error or 0.0) for _ in relative),
                    percent(one.tpr, Side.AT_MOST),
                    percent(one.advantage, Side.AT_MOST),
                    percent(one.bayes_risk, Side.AT_LEAST),
                )
                for one in self.choices
            ),
        )
        return "\n".join(line.rstrip() for line in table_lines(table))


def sweep(
    mechanism: type[Mechanism],
    noises: Iterable[float],
    *,
    sensitivity: Any,
    releases: int = 1,
    count: object = None,
    alpha: float = 0.01,
    **fixed: Any,
) -> Sweep:
    """What each of several amounts of noise costs in accuracy and leaves in risk.

    Args:
        mechanism: A class of mechanisms, such as `Gaussian`.
        noises: Values of its noise parameter (`sigma`, `scale`).
        sensitivity: As for the mechanism.
        releases: How many equal releases share the risk; they are taken as fixed in advance.
        count: A count that errors are related to.
        alpha: The false positive rate at which true positive rates are compared.
        **fixed: Further parameters of the mechanism, such as `grid` and `length`.

    Raises:
        InvalidParameterError: When an argument is out of range, there are no noises, or the class has no `noise_parameter`.
        UnsupportedConversionError: When its mechanisms do not add noise to numbers.

    Example:
        >>> from privacy_accountant import Gaussian
        >>> print(sweep(Gaussian, [2, 4, 8], sensitivity=1, releases=4, count=200))
          sigma   95% error   error of   TPR at 1%   advantage   Bayes risk
                       (+-)        200     at most     at most     at least
              2           4         2%       9.24%       38.3%        30.8%
              4           8         4%       3.39%       19.8%        40.1%
              8          16         8%       1.90%       9.95%        45.0%
    """
    given: object = mechanism
    if not (isinstance(given, type) and issubclass(given, Mechanism)):
        raise InvalidParameterError("mechanism", "a class of mechanisms such as Gaussian", given)
    name = given.noise_parameter
    if name is None:
        raise InvalidParameterError("mechanism", "a class with a noise_parameter", given.__name__)
    times = integer(releases, "releases", "an integer >= 1", least=1)
    rate = float(probability(alpha, "alpha"))
    several = tuple(np.atleast_1d(np.asarray(list(noises), dtype=object)).tolist())
    if not several:
        raise InvalidParameterError("noises", "at least one amount of noise", several)
    choices = []
    for noise in several:
        made = given(**{name: noise, "sensitivity": sensitivity, **fixed})
        together = made.guarantee() if times == 1 else made.guarantee().self_compose(times)
        choices.append(
            Choice(
                noise=float(getattr(made, name)),
                mechanism=made,
                guarantee=together,
                utility=utility(made, count=count),
                tpr=float(true_positive_rate(together, rate)),
                advantage=together.advantage,
                bayes_risk=together.bayes_risk(0.5),
            )
        )
    return Sweep(tuple(choices), times, rate)


def _row(one: Choice) -> dict[str, float | None]:
    return {
        "noise": one.noise,
        "standard_deviation": one.utility.standard_deviation,
        "error": one.utility.error,
        "relative_error": one.utility.relative_error,
        "tpr": one.tpr,
        "advantage": one.advantage,
        "bayes_risk": one.bayes_risk,
    }
