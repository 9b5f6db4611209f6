"""The exception tree: every error carries its data as attributes and says one thing in one line."""

from __future__ import annotations

from typing import Any


class PrivacyAccountantError(Exception):
    """Root of every error that this package raises on purpose."""


class InvalidParameterError(PrivacyAccountantError, ValueError):
    """A value that the mathematics does not allow.

    Attributes:
        field: Name of the argument or field.
        rule: What the value must be, in words.
        value: The value that was given.

    Example:
        >>> raise InvalidParameterError("sigma", "a positive finite number", -1)
        Traceback (most recent call last):
        ...
        privacy_accountant.errors.InvalidParameterError: sigma must be a positive finite number; got -1
    """

    def __init__(self, field: str, rule: str, value: object) -> None:
        super().__init__(field, rule, value)
        self.field = field
        self.rule = rule
        self.value = value

    def __str__(self) -> str:
        return f"{self.field} must be {self.rule}; got {_one_line(self.value)}"


class InvalidAggregateError(InvalidParameterError):
    """A value that cannot be noised as it stands; the data behind it is not quoted.

    An aggregate that is refused is still unpublished data: the message and the attributes hold its kind, never the value.

    Attributes:
        field: Name of the argument.
        rule: What the value must be, in words.
        value: What kind of value was given, in words.
    """

    def __init__(self, field: str, rule: str, kind: str) -> None:
        super().__init__(field, rule, kind)

    def __str__(self) -> str:
        return f"{self.field} must be {self.rule}; got {self.value}"


class UnsupportedConversionError(PrivacyAccountantError, TypeError):
    """A form that cannot be expressed in another one, and what would work.

    Attributes:
        source: Name of the form (or mechanism) that was to be converted.
        target: Name of the form that was asked for.
        reason: Why there is none, and what would work.
    """

    def __init__(self, source: str, target: str, reason: str) -> None:
        super().__init__(source, target, reason)
        self.source = source
        self.target = target
        self.reason = reason

    def __str__(self) -> str:
        return f"no conversion from {self.source} to {self.target}: {self.reason}"


class CalibrationError(PrivacyAccountantError, ValueError):
    """A target that no amount of noise reaches.

    Attributes:
        target: The guarantee or risk that was asked for.
        reason: Why it cannot be reached.
    """

    def __init__(self, target: object, reason: str) -> None:
        super().__init__(target, reason)
        self.target = target
        self.reason = reason

    def __str__(self) -> str:
        return f"cannot calibrate to {self.target!r}: {self.reason}"


class BudgetExceededError(PrivacyAccountantError):
    """A release that no longer fits; nothing was drawn, nothing was spent, and smaller releases still go through.

    Attributes:
        study: Name of the study.
        budget: The study's budget.
        spent: What has been spent, in the study's currency, exact.
        requested: What the release would have cost, in the same currency, exact.
        fits: The least noise of the same mechanism that still fits, in words, or None when none does.
    """

    def __init__(
        self, message: str, *, study: str, budget: Any, spent: Any, requested: Any, fits: str | None = None
    ) -> None:
        super().__init__(message)
        self.study = study
        self.budget = budget
        self.spent = spent
        self.requested = requested
        self.fits = fits

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.args, dict(vars(self)))


class NeighborsMismatchError(PrivacyAccountantError, ValueError):
    """A mechanism whose sensitivity was stated for another adjacency than the study's.

    Attributes:
        mechanism: The mechanism's relation.
        study: The study's relation.
    """

    def __init__(self, mechanism: Any, study: Any) -> None:
        super().__init__(mechanism, study)
        self.mechanism = mechanism
        self.study = study

    def __str__(self) -> str:
        return f"neighbors must be {self.study.name}, the study's relation; the mechanism's is {self.mechanism.name}"


class BudgetMismatchError(PrivacyAccountantError, ValueError):
    """A setting that differs from what the ledger already holds for the study.

    Attributes:
        study: Name of the study.
        field: The setting (`budget`, `neighbors`, `adaptive`, `currency`).
        held: What the ledger holds.
        given: What the caller gave.
    """

    def __init__(self, study: str, field: str, held: object, given: object) -> None:
        super().__init__(study, field, held, given)
        self.study = study
        self.field = field
        self.held = held
        self.given = given

    def __str__(self) -> str:
        held, given = _one_line(self.held), _one_line(self.given)
        return f"{self.study}: {self.field} must be {held}, as the ledger holds it; got {given}"


class ReleaseFailedError(PrivacyAccountantError):
    """Something raised after the data was touched: the cost stays spent and the cause is withheld.

    A failure that depends on the data is an output. The message is the same whatever happened to the data.

    Attributes:
        study: Name of the study.
        entry: The ledger entry that stays spent.
        recorded: Whether the ledger says that it failed. Where that could not be written, the entry must not be voided.
    """

    def __init__(self, study: str, entry: Any, recorded: bool = True) -> None:
        super().__init__(study, entry, recorded)
        self.study = study
        self.entry = entry
        self.recorded = recorded

    def __str__(self) -> str:
        if not self.recorded:
            return (
                f"{self.study}: the release failed after it touched the data, and the ledger could not record that;"
                f" entry {self.entry} must not be voided"
            )
        return f"{self.study}: the release failed after it touched the data; entry {self.entry} stays spent"


class LedgerError(PrivacyAccountantError):
    """The ledger cannot be opened, read or written."""


class LedgerCorruptedError(LedgerError):
    """The ledger's chain or balances do not add up.

    Attributes:
        entry: The first entry that does not agree, or None when the fault is not in one entry.
    """

    def __init__(self, message: str, *, entry: Any = None) -> None:
        super().__init__(message)
        self.entry = entry

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.args, dict(vars(self)))


class MissingExtraError(PrivacyAccountantError, ImportError):
    """An optional dependency is not installed.

    Attributes:
        feature: What was asked for.
        extra: The extra that brings it.
    """

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(feature, extra)
        self.feature = feature
        self.extra = extra

    def __str__(self) -> str:
        return f"{self.feature} needs an optional dependency: pip install 'privacy-accountant[{self.extra}]'"


def _one_line(value: object, limit: int = 120) -> str:
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # an integer past the interpreter's limit of digits
        text = f"a very long {type(value).__name__}"
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _rebuild(
    cls: type[PrivacyAccountantError], args: tuple[Any, ...], state: dict[str, Any]
) -> PrivacyAccountantError:
    """Unpickle an error whose constructor takes keywords."""
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(state)
    return error
