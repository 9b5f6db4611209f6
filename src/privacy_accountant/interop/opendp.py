"""Guarantees of OpenDP measurements: the measurement's own privacy map, read in our forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from privacy_accountant.errors import InvalidParameterError, MissingExtraError, UnsupportedConversionError
from privacy_accountant.exact import exact, float_up
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.tradeoff import TradeOff
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.interop.orders import USUAL_ORDERS
from privacy_accountant.numerics.enclosure import exp_bounds
from privacy_accountant.numerics.polyline import above_lines

_DELTAS = tuple(10.0**-power for power in range(1, 31))
_STEPS = 256
_HIGHEST = 700.0
"""No line is taken beyond this epsilon: what lies there counts as an outcome that gives the person away."""


def from_opendp(measurement: Any, d_in: Any) -> PrivacyGuarantee:
    """The guarantee of an OpenDP measurement between inputs at distance d_in.

    Its output measure becomes our form: pure differential privacy becomes `ADP`, its approximate kin `ADP` with a delta, zero
    concentrated `ZCDP`, a privacy profile `TradeOff` (through supporting lines, hence from above), and a Renyi curve `RDP` at
    usual orders. The numbers are the measurement's, which OpenDP rounds up; what was approximate stays so.

    Args:
        measurement: An OpenDP `Measurement`.
        d_in: How far inputs may be apart, in the measurement's own input metric: the sensitivity, or the number of records.

    Raises:
        InvalidParameterError: When it is no measurement.
        MissingExtraError: When OpenDP is not installed.
        UnsupportedConversionError: When its measure has no form here; the message names it.

    Example:
        >>> import opendp.prelude as dp
        >>> dp.enable_features("contrib")
        >>> space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
        >>> from_opendp(dp.m.make_laplace(*space, scale=2.0), d_in=1)
        ADP(epsilon=0.5, delta=0.0)
    """
    given: Any = measurement
    if not isinstance(given, _measurement_class()):
        raise InvalidParameterError("measurement", "an OpenDP Measurement", given)
    measure = str(measurement.output_measure.type)
    reader = _READERS.get(measure)
    if reader is None:
        known = ", ".join(_READERS)
        raise UnsupportedConversionError(
            f"an OpenDP measurement in {measure}", "a guarantee", f"the measures that are read are {known}"
        )
    return reader(measurement.map(d_in))


def _measurement_class() -> Any:
    try:
        from opendp.mod import Measurement  # noqa: PLC0415 (loaded when asked for)
    except ImportError as error:
        raise MissingExtraError("from_opendp", "opendp") from error
    return Measurement


def _approximate(bound: Sequence[float]) -> PrivacyGuarantee:
    epsilon, delta = bound
    return ADP(epsilon, delta)


def _approximate_concentrated(bound: Sequence[float]) -> PrivacyGuarantee:
    rho, delta = bound
    return ZCDP(rho) if delta == 0 else ADP(0, delta).compose(ZCDP(rho))


def _profile(profile: Any) -> PrivacyGuarantee:
    """Every point of the profile is a line that the trade-off curve does not cross, and neither does its mirror image."""
    told = [_finite(profile.epsilon(delta)) for delta in _DELTAS]
    epsilons = sorted({*told, *np.linspace(0.0, max(told), _STEPS + 1).tolist()})
    lines = [
        (Fraction(min(1.0, float(profile.delta(epsilon)))), Fraction(float_up(exp_bounds(exact(epsilon))[1])))
        for epsilon in epsilons
    ]
    mirrored = [(1 - (1 - delta) / slope, 1 / slope) for delta, slope in lines]
    return TradeOff._of(above_lines([*lines, *mirrored]))


def _finite(epsilon: float) -> float:
    return min(float(epsilon), _HIGHEST)


def _renyi(curve: Any) -> PrivacyGuarantee:
    return RDP(USUAL_ORDERS, [float(curve(order)) for order in USUAL_ORDERS])


_READERS: dict[str, Callable[[Any], PrivacyGuarantee]] = {
    "MaxDivergence": ADP,
    "Approximate<MaxDivergence>": _approximate,
    "ZeroConcentratedDivergence": ZCDP,
    "Approximate<ZeroConcentratedDivergence>": _approximate_concentrated,
    "SmoothedMaxDivergence": _profile,
    "RenyiDivergence": _renyi,
}
