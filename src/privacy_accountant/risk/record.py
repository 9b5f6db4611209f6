"""The machine's face: a versioned record that is valid JSON, with every number as the guarantee gave it."""

from __future__ import annotations

import math
from typing import Any

import attrs

from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.summary import MuSummary
from privacy_accountant.risk.facts import StudyFacts
from privacy_accountant.risk.figures import Figures
from privacy_accountant.risk.sentences import sentences
from privacy_accountant.risk.words import words_for

SCHEMA = "privacy-accountant/risk-report"
VERSION = 1

BOUNDS = {
    "beta": "lower",
    "tpr": "upper",
    "advantage": "upper",
    "bayes_risk": "lower",
    "ppv": "upper",
    "posterior": "upper",
    "attack_success": "upper",
    "epsilon": "upper",
    "epsilon_low": "lower",
    "delta": "upper",
    "mu": "upper",
    "rho": "upper",
}


def record_of(guarantee: PrivacyGuarantee, study: StudyFacts | None, figures: Figures) -> dict[str, Any]:
    """The record; keys keep their meaning for as long as the version stays, and are only added to."""
    neighbors = None if study is None else study.neighbors
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "guarantee": {"form": type(guarantee).__name__, "text": repr(guarantee)},
        "study": None if study is None else _study(study),
        "bounds": dict(BOUNDS),
        "attacks": _rows(figures.attacks),
        "advantage": figures.advantage,
        "bayes_risks": _rows(figures.guesses),
        "ppvs": _rows(figures.accusations),
        "posteriors": _rows(figures.posteriors),
        "attack_successes": _rows(figures.successes),
        "epsilons_at_delta": _rows(figures.epsilons),
        "deltas_at_epsilon": _rows(figures.deltas),
        "implied": {"mu": _plain(figures.mu), "rho": _plain(figures.rho)},
        "summary": None if figures.summary is None else _summary(figures.summary),
        "groups": _rows(figures.groups),
        "sentences": list(sentences(figures, words_for(neighbors))),
    }


def _summary(summary: MuSummary) -> dict[str, Any]:
    return {"mu": _plain(summary.mu), "slack": float(summary.slack), "regret": summary.regret}


def _study(study: StudyFacts) -> dict[str, Any]:
    facts = attrs.asdict(study, recurse=False)
    released = [{"label": name, "mechanism": text} for name, text in study.mechanisms]
    spending = [{"time": time, "share": share} for time, share in study.spending]
    return {
        **facts,
        "neighbors": study.neighbors.name,
        "mechanisms": released,
        "spending": spending,
        "voids": list(study.voids),
    }


def _rows(rows: tuple[Any, ...]) -> list[dict[str, Any]]:
    return [{name: _plain(value) for name, value in attrs.asdict(row).items()} for row in rows]


def _plain(value: float | None) -> float | str | None:
    """JSON has no infinity: it is written as the string `inf`."""
    return "inf" if value is not None and math.isinf(value) else value
