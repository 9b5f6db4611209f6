"""For tests of mechanisms, yours as well as those that come with the package."""

from privacy_accountant.testing.conformance import Conformance, check_mechanism
from privacy_accountant.testing.laws import LawViolatedError

__all__ = ["Conformance", "LawViolatedError", "check_mechanism"]
