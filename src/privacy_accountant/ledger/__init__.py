"""The append-only, hash-chained ledger: what was published is here, and what is here was paid for."""

from privacy_accountant.ledger.balance import Balance
from privacy_accountant.ledger.entries import Draft, Entry, Kind, Written
from privacy_accountant.ledger.export import export_lines, verify_export
from privacy_accountant.ledger.locations import open_recorder
from privacy_accountant.ledger.memory import MemoryRecorder
from privacy_accountant.ledger.recorder import Recorder
from privacy_accountant.ledger.sealing import Sealer
from privacy_accountant.ledger.transaction import Charge, Head, Reserved
from privacy_accountant.ledger.verification import Verification, verify

__all__ = [
    "Balance",
    "Charge",
    "Draft",
    "Entry",
    "Head",
    "Kind",
    "MemoryRecorder",
    "Recorder",
    "Reserved",
    "Sealer",
    "Verification",
    "Written",
    "export_lines",
    "open_recorder",
    "verify",
    "verify_export",
]
