"""The accountant: reserve, draw, post; and refuse what no longer fits."""

from privacy_accountant.accountant.accountant import Accountant
from privacy_accountant.accountant.budgets.enforcement import Component
from privacy_accountant.accountant.budgets.previews import Preview, PreviewLine
from privacy_accountant.accountant.records import Receipt, Release, Spent

__all__ = ["Accountant", "Component", "Preview", "PreviewLine", "Receipt", "Release", "Spent"]
