"""Risk: a guarantee and plain facts in, what an ethics board reads out."""

from privacy_accountant.risk.comparison import Comparison, Verdict, compare
from privacy_accountant.risk.facts import StudyFacts
from privacy_accountant.risk.gallery import plot_reports
from privacy_accountant.risk.registry import from_registry, to_registry
from privacy_accountant.risk.report import RiskReport
from privacy_accountant.risk.sweep import Choice, Sweep, sweep
from privacy_accountant.risk.utility import Utility, utility

__all__ = [
    "Choice",
    "Comparison",
    "RiskReport",
    "StudyFacts",
    "Sweep",
    "Utility",
    "Verdict",
    "compare",
    "from_registry",
    "plot_reports",
    "sweep",
    "to_registry",
    "utility",
]
