"""At home among other libraries: their events, histories, distributions and measurements in, ours out. Each is optional."""

from privacy_accountant.guarantees.pld.exchange import from_dp_accounting, to_dp_accounting
from privacy_accountant.interop.documents import from_json, to_json
from privacy_accountant.interop.events import from_dp_event
from privacy_accountant.interop.histories import from_history
from privacy_accountant.interop.opendp import from_opendp
from privacy_accountant.interop.to_events import to_dp_event

__all__ = [
    "from_dp_accounting",
    "from_dp_event",
    "from_history",
    "from_json",
    "from_opendp",
    "to_dp_accounting",
    "to_dp_event",
    "to_json",
]
