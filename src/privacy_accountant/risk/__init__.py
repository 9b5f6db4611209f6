"""Risk: a guarantee and plain facts in, what an ethics board reads out."""

from privacy_accountant.risk.facts import StudyFacts
from privacy_accountant.risk.report import RiskReport

__all__ = ["RiskReport", "StudyFacts"]
