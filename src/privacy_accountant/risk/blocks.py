"""What a report consists of, as blocks of finished strings: every face sets the same ones in its own type."""

from __future__ import annotations

from collections import Counter
from typing import TypeAlias

import attrs

from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.summary import MuSummary
from privacy_accountant.risk.facts import StudyFacts
from privacy_accountant.risk.figures import ALPHAS, EXCEPTIONS, PRIORS, Figures
from privacy_accountant.risk.rounding import (
    Side,
    at_most,
    chance,
    label,
    number,
    percent,
    percent_label,
    points,
)
from privacy_accountant.risk.sentences import CLOSING, sentences
from privacy_accountant.risk.words import words_for

_LISTED = 12
_LONGEST = 300


@attrs.frozen
class Pairs:
    """Facts with their names."""

    title: str
    rows: tuple[tuple[str, str], ...]


@attrs.frozen
class Sentences:
    """Sentences, each standing alone."""

    title: str
    items: tuple[str, ...]


@attrs.frozen
class Table:
    """Numbers in columns, under headings of one or more lines, and remarks below them."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    remarks: tuple[str, ...] = ()


Block: TypeAlias = Pairs | Sentences | Table


def title_of(study: StudyFacts | None) -> str:
    """The report's title."""
    return f"Risk report: {study.study}" if study is not None and study.study else "Risk report"


def blocks_of(guarantee: PrivacyGuarantee, study: StudyFacts | None, figures: Figures) -> tuple[Block, ...]:
    """The report's blocks, in reading order."""
    words = words_for(None if study is None else study.neighbors)
    blocks: list[Block] = [
        Pairs("What is claimed", _claim(guarantee, study, words.relation)),
        Sentences("In plain words", sentences(figures, words)),
        _attacks(figures),
        _guesses(figures),
        _accusations(figures),
        _beliefs(figures),
        _successes(figures),
        _profile(figures),
    ]
    if figures.groups:
        blocks.append(_groups(figures))
    if study is not None:
        blocks += [Pairs(title, rows) for title, rows in _study(study) if rows]
    return (*blocks, Sentences("How to read this", CLOSING))


def _claim(
    guarantee: PrivacyGuarantee, study: StudyFacts | None, relation: str
) -> tuple[tuple[str, str], ...]:
    rows = [("guarantee", _shortened(repr(guarantee)))]
    if study is not None:
        rows.append(("claim", study.claim))
        if study.unit is not None:
            rows.append(("unit of privacy", study.unit))
    return (*rows, ("protected", relation))


def _attacks(figures: Figures) -> Table:
    return Table(
        "What an attack can find out",
        ("false positive rate\n(alpha)", "misses at least\n(beta)", "recognises at most\n(TPR)"),
        tuple(
            (percent_label(one.alpha), percent(one.beta, Side.AT_LEAST), percent(one.tpr, Side.AT_MOST))
            for one in figures.attacks
        ),
        (
            f"Advantage, the largest TPR - alpha at any alpha: {at_most(percent(figures.advantage, Side.AT_MOST))}.",
        ),
    )


def _guesses(figures: Figures) -> Table:
    return Table(
        "What an attacker's guess is worth",
        ("prior belief", "error without\nthe results", "error at least\n(Bayes risk)"),
        tuple(
            (
                percent_label(one.prior),
                percent_label(one.without_results),
                percent(one.bayes_risk, Side.AT_LEAST),
            )
            for one in figures.guesses
        ),
    )


def _accusations(figures: Figures) -> Table:
    worth = {(one.alpha, one.prior): percent(one.ppv, Side.AT_MOST) for one in figures.accusations}
    heads = (f"prior belief\n{percent_label(prior)}" for prior in PRIORS)
    return Table(
        "How many accusations are right, at most",
        ("false positive rate\n(alpha)", *heads),
        tuple((percent_label(alpha), *(worth[alpha, prior] for prior in PRIORS)) for alpha in ALPHAS),
        ("The share grows as the false positive rate falls: it means nothing without it.",),
    )


def _beliefs(figures: Figures) -> Table:
    sure = {(one.exception, one.prior): percent(one.posterior, Side.AT_MOST) for one in figures.posteriors}
    heads = (f"belief at most, except\n{chance(exception)}" for exception in EXCEPTIONS)
    return Table(
        "How sure an attacker can become",
        ("prior belief", *heads),
        tuple(
            (percent_label(prior), *(sure[exception, prior] for exception in EXCEPTIONS)) for prior in PRIORS
        ),
        (
            "The exception is the chance of results that tell more. The same holds for the belief that it is not so.",
        ),
    )


def _successes(figures: Figures) -> Table:
    return Table(
        "What an attempt on one record can achieve",
        ("success without\nthe record", "success at most\nwith it"),
        tuple(
            (percent_label(one.baseline), percent(one.attack_success, Side.AT_MOST))
            for one in figures.successes
        ),
        ("To single a person out, to infer an attribute, or to reconstruct the record.",),
    )


def _profile(figures: Figures) -> Table:
    shown = [one for one in figures.epsilons if one.delta > 0 or one.epsilon < float("inf")]
    remarks = tuple(
        f"As {name}: {symbol} at most {number(value, Side.AT_MOST)}."
        for name, symbol, value in (
            ("Gaussian differential privacy", "mu", figures.mu),
            ("zero-concentrated differential privacy", "rho", figures.rho),
        )
        if value is not None and value < float("inf")
    )
    if figures.summary is not None:
        remarks += (_summarized(figures.summary),)
    title = "As (epsilon, delta)-differential privacy"
    if all(one.epsilon_low is None for one in shown):
        rows = tuple((label(one.delta), number(one.epsilon, Side.AT_MOST)) for one in shown)
        return Table(title, ("delta", "epsilon at most"), rows, remarks)
    return Table(
        title,
        ("delta", "least epsilon is\nat least", "and at most"),
        tuple(
            (
                label(one.delta),
                number(one.epsilon_low or 0.0, Side.AT_LEAST),
                number(one.epsilon, Side.AT_MOST),
            )
            for one in shown
        ),
        remarks,
    )


def _summarized(summary: MuSummary) -> str:
    slack = f"with slack {label(float(summary.slack))}" if summary.slack else "without slack"
    return (
        f"Summary by one Gaussian curve, {slack}: mu at most {number(summary.mu, Side.AT_MOST)}, which overstates the"
        f" risk by {at_most(points(summary.regret, Side.AT_MOST))} in each error rate (its regret)."
    )


def _groups(figures: Figures) -> Table:
    first = figures.groups[0]
    return Table(
        "What a group risks as a whole",
        (
            "people whose\nrecords change",
            f"recognised at most\n(TPR at {percent_label(first.alpha)})",
            "advantage\nat most",
            f"error at least\n(prior {percent_label(first.prior)})",
        ),
        tuple(
            (
                str(one.size),
                percent(one.tpr, Side.AT_MOST),
                percent(one.advantage, Side.AT_MOST),
                percent(one.bayes_risk, Side.AT_LEAST),
            )
            for one in figures.groups
        ),
        (
            "Such as a household: the records of all of them differ between the two data sets that an attack tells apart.",
        ),
    )


def _study(study: StudyFacts) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    unit = f" ({study.currency})" if study.currency else ""
    texts = (
        ("budget", study.budget),
        (f"spent{unit}", study.spent),
        (f"remaining{unit}", study.remaining),
        ("releases", f"{study.releases:,}"),
        (
            "plan",
            "releases may be chosen after seeing earlier results" if study.adaptive else "fixed in advance",
        ),
        ("pending", f"{study.pending:,} begun and not finished, counted as spent" if study.pending else None),
        (
            "failed",
            f"{study.failures:,} after touching the data, counted as spent" if study.failures else None,
        ),
        ("voided", f"{len(study.voids):,} given back, data never touched" if study.voids else None),
        ("ledger head", study.ledger_head),
    )
    facts = tuple((name, text) for name, text in texts if text is not None)
    return ("The study", facts), ("What was released", _released(study.mechanisms))


def _released(mechanisms: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """One row a release, or one row a mechanism when there are many."""
    if len(mechanisms) <= _LISTED:
        return tuple((name, _shortened(text)) for name, text in mechanisms)
    counts = Counter(text for _, text in mechanisms).most_common()
    rows = tuple((f"{count:,} times", _shortened(text)) for text, count in counts[:_LISTED])
    rest = sum(count for _, count in counts[_LISTED:])
    return (*rows, (f"{rest:,} more", f"with {len(counts) - _LISTED:,} other mechanisms")) if rest else rows


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
