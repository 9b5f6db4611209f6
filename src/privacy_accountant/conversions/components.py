"""Both components of a `Mixed` in one currency, where both have a bound in it."""

from __future__ import annotations

from typing import Any, TypeVar, cast

from privacy_accountant.errors import UnsupportedConversionError
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.composing import compose
from privacy_accountant.guarantees.mixed import Mixed

Form = TypeVar("Form", bound=PrivacyGuarantee)


def compose_in(guarantee: Mixed, form: type[Form], **parameters: Any) -> Form:
    """The components converted, and composed there.

    Raises:
        UnsupportedConversionError: When one has no such bound; the reason is its own.
    """
    try:
        return cast(
            "Form",
            compose(guarantee.losses.to(form, **parameters), guarantee.divergences.to(form, **parameters)),
        )
    except UnsupportedConversionError as refusal:
        reason = f"{refusal.reason}; the parts are in `losses` and `divergences`"
        raise UnsupportedConversionError("Mixed", form.__name__, reason) from None
