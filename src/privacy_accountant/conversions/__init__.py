"""How a form becomes another one: one file for each target form, entered in the table of `guarantees.registry`."""

from __future__ import annotations

from privacy_accountant.conversions import selection, to_adp, to_gdp, to_pld, to_rdp, to_tradeoff, to_zcdp

__all__ = ["selection", "to_adp", "to_gdp", "to_pld", "to_rdp", "to_tradeoff", "to_zcdp"]
