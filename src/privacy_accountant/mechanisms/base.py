"""The abstract base of every mechanism: frozen parameters that say what one release guarantees, and how it is drawn."""

from __future__ import annotations

import abc
import importlib
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, cast, overload

from privacy_accountant.errors import CalibrationError, InvalidParameterError, UnsupportedConversionError
from privacy_accountant.guarantees.base import Form, PrivacyGuarantee, show_field, shown_fields
from privacy_accountant.mechanisms.prices import additive_cost
from privacy_accountant.mechanisms.values.presence import require_presence
from privacy_accountant.neighbors import Neighbors

if TYPE_CHECKING:
    from typing_extensions import Self

_CALIBRATION = "privacy_accountant.calibration"


class Mechanism(abc.ABC):
    """A way to publish one aggregate of people's data with noise.

    A mechanism holds frozen parameters, no state and no budget. A subclass says what one release guarantees in *one* form
    (`_native`) and how to draw (`randomize`); every other form, calibration, budget enforcement and risk then work.

    Attributes:
        neighbors: The relation under which the sensitivity was stated, or None for "the study's relation".
        noise_parameter: Name of the field that grows with the noise, which calibration solves for; None when there is none.
    """

    __slots__ = ()

    neighbors: Neighbors | None = None
    noise_parameter: ClassVar[str | None] = None

    @abc.abstractmethod
    def _native(self) -> PrivacyGuarantee:
        """What one release guarantees, in the tightest form."""

    def _in_form(self, form: type[Form], parameters: dict[str, Any]) -> Form:
        """The guarantee in another form; a mechanism overrides it for a form that it states more exactly itself."""
        return self._native().to(form, **parameters)

    @abc.abstractmethod
    def randomize(self, value: Any) -> Any:
        """The noised value, **with no accounting at all**; to publish under a budget use `Accountant.release`."""

    def check(self, value: Any) -> tuple[int, ...]:
        """The shape of a value that this mechanism can publish, before anything is spent on it.

        The shape goes into the ledger, so it must be public. Here it is () for every value: what a mechanism that is not noise
        on cells takes may be the data set itself, whose size is nobody's business.

        Raises:
            InvalidAggregateError: When it cannot; here for None and for NaN, which a failed computation leaves behind. The
                message never quotes the value.
        """
        require_presence(value)
        return ()

    def noise_interval(self, level: float = 0.95) -> int | float:
        """The least half width h such that one noised value is within h of the truth with probability at least `level`.

        Raises:
            UnsupportedConversionError: When the mechanism adds no noise to numbers, which is what is assumed here.
        """
        del level
        reason = "it is not a mechanism that adds noise to numbers"
        raise UnsupportedConversionError(type(self).__name__, "a noise interval", reason)

    @overload
    def guarantee(self, form: None = None) -> PrivacyGuarantee: ...

    @overload
    def guarantee(self, form: type[Form], **parameters: Any) -> Form: ...

    def guarantee(self, form: type[Form] | None = None, **parameters: Any) -> PrivacyGuarantee:
        """What one release guarantees.

        Args:
            form: The class of the form that is wanted; None for the tightest one.
            **parameters: What the conversion needs, such as `delta` for `ADP` or `orders` for `RDP`.

        Raises:
            UnsupportedConversionError: When this mechanism has no such guarantee.

        Example:
            >>> from privacy_accountant import GDP, Gaussian
            >>> Gaussian(sigma=2.0, sensitivity=1).guarantee()
            GDP(mu=0.5)
        """
        if form is not None:
            return self._in_form(form, parameters)
        if parameters:
            raise InvalidParameterError("form", f"given together with {', '.join(parameters)}", None)
        return self._native()

    def price(
        self, form: type[PrivacyGuarantee], orders: Sequence[Any] | None = None
    ) -> tuple[Fraction, ...]:
        """The exact cost of one release in units that add up.

        Args:
            form: `ADP` for (epsilon, delta), `GDP` for (mu squared,), `ZCDP` for (rho, delta), `RDP` for one divergence an order.
            orders: The orders, for `RDP`.

        Returns:
            Exact rationals; a transcendental cost is rounded up to a multiple of 2**-200.

        Raises:
            UnsupportedConversionError: When one release has no finite cost in that unit.

        Example:
            >>> from privacy_accountant import ADP, Laplace
            >>> Laplace(scale=10, sensitivity=1).price(ADP)
            (Fraction(1, 10), Fraction(0, 1))
        """
        return additive_cost(type(self).__name__, self._native(), form, orders)

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
        """The least noise with which equal releases meet a target.

        Args:
            target: `ADP`, `GDP`, `ZCDP`, `RDP`, `TradeOff` or `Risk`.
            sensitivity: As for the mechanism itself; absent for one that has none.
            releases: How many equal releases share the target.
            with_other: Guarantees of other releases that share it.
            neighbors: As for the mechanism itself.
            **fixed: Further parameters of the mechanism, such as `grid` and `length`.

        Returns:
            A mechanism whose releases, composed, meet the target; its noise parameter is rounded up.

        Raises:
            CalibrationError: When no amount of noise meets the target, or the mechanism has no `noise_parameter`.
            InvalidParameterError: When an argument is out of range.

        Example:
            >>> from privacy_accountant import ADP, Gaussian
            >>> round(Gaussian.calibrate(ADP(1.0, 1e-5), sensitivity=1).sigma, 6)
            3.730632
        """
        if cls.noise_parameter is None:
            reason = f"{cls.__name__} has no noise_parameter, the name of a field that grows with the noise"
            raise CalibrationError(target, reason)
        solver = importlib.import_module(_CALIBRATION)
        return cast(
            "Self",
            solver.calibrate(
                cls,
                target,
                sensitivity=sensitivity,
                releases=releases,
                with_other=with_other,
                neighbors=neighbors,
                **fixed,
            ),
        )

    def __repr__(self) -> str:
        shown = {name: getattr(self, name) for name in shown_fields(type(self))}
        fields = ", ".join(
            f"{name}={self._show(name, value)}" for name, value in shown.items() if value is not None
        )
        return f"{type(self).__name__}({fields})"

    def _show(self, name: str, value: Any) -> str:
        """A parameter as people read it."""
        del name
        return show_field(value)
