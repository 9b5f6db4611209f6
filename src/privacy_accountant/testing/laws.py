"""What a law is, what it is asked about, and the error when it does not hold."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeAlias

import attrs

from privacy_accountant.errors import PrivacyAccountantError
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.mechanisms.base import Mechanism

World: TypeAlias = tuple[Any, Any]
"""Two neighbouring inputs: with the person, and without (or with another)."""


class LawViolatedError(PrivacyAccountantError, AssertionError):
    """A mechanism that does not keep a law.

    Attributes:
        mechanism: The mechanism.
        law: Name of the law.
        finding: What was found, in words.
        numbers: What was found, as numbers by name.
    """

    def __init__(
        self, mechanism: object, law: str, finding: str, numbers: dict[str, float] | None = None
    ) -> None:
        super().__init__(mechanism, law, finding, numbers)
        self.mechanism = mechanism
        self.law = law
        self.finding = finding
        self.numbers = dict(numbers or {})

    def __str__(self) -> str:
        shown = ", ".join(f"{name} = {value:.6g}" for name, value in self.numbers.items())
        return (
            f"{self.mechanism!r} breaks the law of {self.law}: {self.finding}{f' ({shown})' if shown else ''}"
        )


class LawSkipped(Exception):  # noqa: N818 - no error: the law has nothing to say about this mechanism
    """Raised by a law that does not apply, with the reason."""


@attrs.frozen(eq=False, slots=False)
class Case:
    """One mechanism under test.

    Attributes:
        mechanism: The mechanism.
        worlds: Pairs of neighbouring inputs.
        draws: How many outputs of each input are attacked.
        false_alarm: The chance that a mechanism which keeps all laws is accused by some statistical one.
    """

    mechanism: Mechanism
    worlds: tuple[World, ...]
    draws: int
    false_alarm: float

    @functools.cached_property
    def guarantee(self) -> PrivacyGuarantee:
        """What the mechanism says that one release guarantees."""
        return self.mechanism.guarantee()

    @functools.cached_property
    def outputs(self) -> tuple[tuple[list[Any], list[Any]], ...]:
        """Real draws under either input of each pair."""
        draw = self.mechanism.randomize
        return tuple(
            ([draw(one) for _ in range(self.draws)], [draw(other) for _ in range(self.draws)])
            for one, other in self.worlds
        )

    def accuse(self, law: str, finding: str, **numbers: float) -> LawViolatedError:
        """The error for a law that does not hold."""
        return LawViolatedError(self.mechanism, law, finding, numbers)


Law: TypeAlias = Callable[[Case], None]
