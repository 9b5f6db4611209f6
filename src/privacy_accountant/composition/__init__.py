"""How guarantees add up: one file for each currency, entered in the table of `guarantees.registry`."""

from __future__ import annotations

from privacy_accountant.composition import concentrated, gaussian, groups, losses, mixed, renyi, selection
from privacy_accountant.composition.adp import advanced, basic

__all__ = ["advanced", "basic", "concentrated", "gaussian", "groups", "losses", "mixed", "renyi", "selection"]
