"""Beginning a study, or continuing the one that the ledger holds."""

from __future__ import annotations

from privacy_accountant.accountant.desk import Desk
from privacy_accountant.accountant.settings import Terms, read_settings
from privacy_accountant.errors import InvalidParameterError, LedgerCorruptedError
from privacy_accountant.ledger import Recorder


def begin(recorder: Recorder, study: str, terms: Terms) -> Desk:
    """Create a study under the terms that are stated, or continue it when they are what the ledger holds.

    Raises:
        BudgetMismatchError: When a stated term differs from what the ledger holds.
        InvalidParameterError: When the study is new and no budget is stated.
        LedgerCorruptedError: When the ledger does not hold what its hashed entries say.
    """
    head = recorder.find(study)
    if head is None:
        if terms.budget is None:
            held = ", ".join(map(repr, recorder.studies())) or "none"
            raise InvalidParameterError(
                "study", f"one that the ledger holds ({held}), or new with a budget", study
            )
        settings = terms.settle()
        # Another process may have created it in the meantime: what comes back is what the ledger holds.
        head = recorder.create(study, settings.write(recorder.sealer.name), settings.enforcer.size)
    settings = read_settings(head.settings)
    settings.require(study, terms)
    if not settings.enforcer.implies_budget():
        raise LedgerCorruptedError(f"{study}: the limits that the ledger holds do not imply its budget")
    return Desk(recorder, study, settings)
