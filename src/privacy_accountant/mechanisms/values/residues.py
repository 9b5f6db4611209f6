"""Decrypted aggregates that wrap round: residues modulo the plaintext modulus, read within a publicly known bound."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from privacy_accountant.codec import Json
from privacy_accountant.codec.numbers import decode_integer, encode_integer
from privacy_accountant.errors import InvalidAggregateError, InvalidParameterError
from privacy_accountant.exact import integer
from privacy_accountant.mechanisms.values.aggregates import read_aggregate
from privacy_accountant.mechanisms.values.cells import clipped, narrow

_ROOM = 2**62


def _modulus(value: object) -> int:
    return integer(value, "modulus", "an integer >= 2", least=2)


def _at_most(value: Any) -> int | tuple[int, ...]:
    rule = "an integer >= 0, or a list of them with one for each slot"
    if isinstance(value, (list, tuple, np.ndarray)) and np.ndim(value) == 1 and len(value) > 0:
        return tuple(integer(bound, "at_most", rule, least=0) for bound in value)
    return integer(value, "at_most", rule, least=0)


@attrs.frozen
class Residues:
    r"""How the residue x mod t of a decrypted aggregate is read as the aggregate itself.

    A homomorphic sum is known modulo the plaintext modulus t only. If it could pass the modulus, one person could move the
    result by the whole range, and no noise of the usual size would hide that. So the aggregate needs a bound that is known
    without the data: :math:`0 \le x \le B < t`, or when it may be negative :math:`|x| \le B < t/2`. Then the residue says
    which integer it is, and noise is added over the integers.

    Reading never fails on a residue: one outside the bound, which a true bound excludes, is moved to the nearest end. So
    nothing about the reading depends on the data but the value that is noised, and clamping moves no two values further apart.

    Attributes:
        modulus: The plaintext modulus t.
        at_most: The bound B: one for every cell, or one for each slot of a vector.
        signed: Whether the residue is read as centred (from -B to B) or as unsigned (from 0 to B).

    Raises:
        InvalidParameterError: When bound and modulus do not fit.

    Example:
        >>> Residues(modulus=65537, at_most=1000, signed=True).read([65530, 3])
        [-7, 3]
    """

    modulus: int = attrs.field(converter=_modulus)
    at_most: int | tuple[int, ...] = attrs.field(converter=_at_most)
    signed: bool = False

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.signed, bool):
            raise InvalidParameterError("signed", "True or False", self.signed)
        most = self.at_most if isinstance(self.at_most, int) else max(self.at_most)
        if most * (2 if self.signed else 1) >= self.modulus:
            limit = "half the modulus" if self.signed else "the modulus"
            raise InvalidParameterError(
                "at_most", f"below {limit} {self.modulus}, else sums wrap round", most
            )

    def check(self, shape: tuple[int, ...]) -> None:
        """Check that there is a bound for each slot.

        Raises:
            InvalidAggregateError: When the aggregate has another shape.
        """
        if isinstance(self.at_most, tuple) and shape != (len(self.at_most),):
            rule = f"a vector with one slot for each of the {len(self.at_most)} bounds of at_most"
            raise InvalidAggregateError("value", rule, f"a shape of {shape}")

    def read(self, value: Any) -> Any:
        """The aggregate behind the residues, in the caller's kind."""
        aggregate = read_aggregate(value)
        self.check(aggregate.shape)
        return aggregate.mapped(self._unwrap)

    def _unwrap(self, cells: NDArray[Any]) -> NDArray[Any]:
        # One-dimensional at least: numpy turns operations on single objects into plain Python numbers.
        flat = np.atleast_1d(cells if self.modulus < _ROOM else cells.astype(object))
        residues = flat % self.modulus
        if self.signed:
            residues = np.where(2 * residues >= self.modulus, residues - self.modulus, residues)
        most = np.atleast_1d(np.array(self.at_most, dtype=object))
        ends = narrow(-most if self.signed else 0 * most), narrow(most)
        return clipped(narrow(residues), *ends).reshape(cells.shape)

    def write(self) -> Json:
        """As the ledger holds it."""
        most = self.at_most
        bounds = encode_integer(most) if isinstance(most, int) else [encode_integer(bound) for bound in most]
        return {"modulus": encode_integer(self.modulus), "at_most": bounds, "signed": self.signed}

    @classmethod
    def restore(cls, data: Json) -> Residues:
        """From what the ledger holds."""
        bounds = data["at_most"]
        most = (
            [decode_integer(bound) for bound in bounds]
            if isinstance(bounds, list)
            else decode_integer(bounds)
        )
        return cls(decode_integer(data["modulus"]), most, data["signed"])
