"""Each sentence, read by a regular expression, against the number it speaks of."""

import re
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_accountant import ADP, GDP, Neighbors
from privacy_accountant.risk import RiskReport, StudyFacts

RELATIONS = {
    None: ("record was used", "record was not used"),
    Neighbors.ADD_OR_REMOVE_ONE: ("took part", "did not take part"),
    Neighbors.REPLACE_ONE: ("had this record", "had another record"),
    Neighbors.REPLACE_SPECIAL: ("record was used", "record was left blank"),
}
guarantees = st.one_of(
    st.floats(0, 20).map(GDP), st.builds(ADP, st.floats(0, 20), st.one_of(st.just(0.0), st.floats(0, 1)))
)
BOUND = r"(at most|less than) ([\d.]+)"


def told(guarantee, neighbors=Neighbors.ADD_OR_REMOVE_ONE):
    study = None if neighbors is None else StudyFacts(neighbors=neighbors, adaptive=True)
    return RiskReport(guarantee, study=study).to_dict()["sentences"]


def one(pattern, sentences):
    found = [match for match in (re.search(pattern, sentence) for sentence in sentences) if match]
    assert len(found) == 1, (pattern, sentences)
    return found[0]


def assert_bounds(match, truth, slack):
    """`at most x` or `less than x`: true of the number, and not far from it."""
    kind, printed = match[1], Fraction(match[2])
    truth = Fraction(repr(truth))
    assert truth < printed if kind == "less than" else truth <= printed
    assert printed <= truth + max(truth / 100, slack)


@given(guarantees)
def test_what_an_attack_recognises(guarantee):
    sentences = told(guarantee)
    for whole, text in ((100, "100"), (1000, "1,000")):
        tpr = RiskReport(guarantee).tpr(1 / whole)
        if tpr == 1:
            one(
                rf"about 1 in {text} of those who did not take part, is not kept from recognising all",
                sentences,
            )
        else:
            match = one(
                rf"about 1 in {text} of those who did not take part, will recognise {BOUND} in {text} of",
                sentences,
            )
            assert_bounds(match, float(tpr * whole), Fraction(1, 100) + Fraction(1, 10**9))


@given(guarantees)
def test_the_advantage(guarantee):
    match = one(
        rf"false alarms among those who did not take part by {BOUND} percentage points\.", told(guarantee)
    )
    truth = Fraction(repr(guarantee.advantage)) * 100
    printed = Fraction(match[2])
    assert truth < printed if match[1] == "less than" else truth <= printed
    assert printed - truth <= max(truth / 100, Fraction(1, 10**4))


@given(guarantees)
def test_the_error_of_a_guess(guarantee):
    risk, sentences = guarantee.bayes_risk(0.5), told(guarantee)
    one(r"a guess without the results is wrong 50 times in 100\.", sentences)
    if risk == 0:
        one(r"need not be wrong any more;", sentences)
    else:
        printed = Fraction(one(r"is still wrong at least ([\d.]+) times in 100;", sentences)[1])
        truth = Fraction(repr(risk)) * 100
        assert truth - max(truth / 100, Fraction(1, 100)) <= printed <= truth


@given(guarantees)
def test_right_accusations_come_with_their_rate_and_prior(guarantee):
    match = one(
        rf"^If 1 in 100 of the people in question took part, .* false positive rate of 1% accuses, {BOUND} in 100 took",
        told(guarantee),
    )
    # The guarantee pays for its roundings with ulps; the report computes this share exactly from its beta.
    truth = Fraction(repr(guarantee.ppv(0.01, 0.01))) * 100 * (1 - Fraction(1, 10**11))
    assert truth <= Fraction(match[2]) <= truth * Fraction("1.0101")


@given(guarantees)
def test_success_from_a_baseline(guarantee):
    success, sentences = guarantee.attack_success(0.1), told(guarantee)
    if success == 1:
        one(
            r"succeeds 10 times in 100 on results .* is not kept from succeeding every time on these\.",
            sentences,
        )
    else:
        match = one(
            rf"succeeds 10 times in 100 on results .* succeeds {BOUND} times in 100 on these\.", sentences
        )
        truth = Fraction(repr(success)) * 100
        assert truth <= Fraction(match[2]) <= truth * Fraction("1.0101")


@given(st.floats(0, 13))
def test_the_factor_of_the_odds_is_told_under_pure_privacy_alone(epsilon):
    sentences = told(ADP(epsilon))
    if epsilon == 0:
        one(r"^Nothing that is published changes the odds", sentences)
    else:
        factor = one(
            r"^Nothing .* raise or lower the odds .* by a factor of more than ([\d.]+)\.$", sentences
        )[1]
        with mpmath.workdps(40):
            assert mpmath.exp(mpmath.mpf(repr(epsilon))) <= mpmath.mpf(factor)


@pytest.mark.parametrize("guarantee", [GDP(1), ADP(1, 1e-9), ADP(800)], ids=repr)
def test_no_factor_is_told_where_there_is_none_or_none_worth_telling(guarantee):
    assert not any("odds" in sentence for sentence in told(guarantee))


@pytest.mark.parametrize("neighbors", RELATIONS, ids=str)
def test_sentences_speak_the_words_of_the_relation(neighbors):
    inside, outside = RELATIONS[neighbors]
    sentences = told(ADP(1), neighbors)
    assert all(sentence[0].isupper() and sentence.endswith(".") for sentence in sentences)
    assert len(sentences) == 7
    for sentence in sentences[:3]:
        assert inside in sentence
        assert outside in sentence
    for words in (pair for relation, pair in RELATIONS.items() if relation is not neighbors):
        for word in set(words) - {inside, outside}:
            assert not any(word in sentence for sentence in sentences)


def test_a_sentence_as_a_board_reads_it():
    assert told(GDP(1))[1] == (
        "Someone who tries to tell whether a given person took part, and accepts being wrong about 1 in 100 of those"
        " who did not take part, will recognise at most 9.24 in 100 of those who took part."
    )
    assert told(GDP(1), Neighbors.REPLACE_ONE)[3] == (
        "Someone who thinks it as likely as not that a given person had this record rather than another, and then sees"
        " all that is published, is still wrong at least 30.8 times in 100; a guess without the results is wrong 50"
        " times in 100."
    )
