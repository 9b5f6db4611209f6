"""Sentences in plain language, each true as written of the numbers it is made from."""

from __future__ import annotations

import math

from privacy_accountant.risk.figures import Accusation, Attack, Figures, Guess, Success
from privacy_accountant.risk.rounding import Side, at_most, factor, percent_label, points, share
from privacy_accountant.risk.words import Words

_PROOF = (
    "Each figure is a proved bound on the best possible attack, rounded so that no risk looks smaller than it is. It"
    " holds whatever else the attacker knows, every other record included."
)
_SCOPE = (
    "The figures cover the results published under this guarantee alone. Whatever else is published about the same"
    " people adds to them."
)
_GROUPS = (
    "What is true of a whole group can be learned from the results with or without any one person's record."
)
CLOSING = (_PROOF, _SCOPE, _GROUPS)
"""What every report says about how to read it."""

_PRIOR_OF_GUESS = 0.5
_ALPHAS_TOLD = (0.001, 0.01)
_ACCUSATION_TOLD = (0.01, 0.01)
_BASELINE_TOLD = 0.1
_LARGEST_EXPONENT_TOLD = math.log(1e6)


def sentences(figures: Figures, words: Words) -> tuple[str, ...]:
    """What the numbers mean for one person, in the words of the relation."""
    told = [_recognised(attack, words) for attack in figures.attacks if attack.alpha in _ALPHAS_TOLD]
    told.append(_advantage(figures.advantage, words))
    told += [_guess(guess, words) for guess in figures.guesses if guess.prior == _PRIOR_OF_GUESS]
    told += [
        _accused(one, words) for one in figures.accusations if (one.alpha, one.prior) == _ACCUSATION_TOLD
    ]
    told += [_succeeded(one, words) for one in figures.successes if one.baseline == _BASELINE_TOLD]
    told += [
        _odds(one.epsilon, words)
        for one in figures.epsilons
        if one.delta == 0.0 and _is_tellable(one.epsilon)
    ]
    return tuple(told)


def _recognised(attack: Attack, words: Words) -> str:
    whole = round(1 / attack.alpha)
    tries = (
        f"Someone who tries to tell whether {words.question}, and accepts being wrong about"
        f" {share(attack.alpha, whole, Side.AT_MOST)} of {words.outside},"
    )
    if attack.tpr >= 1:
        return f"{tries} is not kept from recognising all of {words.inside}."
    return f"{tries} will recognise {at_most(share(attack.tpr, max(whole, 100), Side.AT_MOST))} of {words.inside}."


def _advantage(advantage: float, words: Words) -> str:
    return (
        f"Whatever the attack, its share of hits among {words.inside} exceeds its share of false alarms among"
        f" {words.outside} by {at_most(points(advantage, Side.AT_MOST))}."
    )


def _guess(guess: Guess, words: Words) -> str:
    risk = _times(share(guess.bayes_risk, 100, Side.AT_LEAST))
    still = f"is still wrong at least {risk}" if guess.bayes_risk > 0 else "need not be wrong any more"
    return (
        f"Someone who thinks it as likely as not that {words.question}, and then sees all that is published, {still};"
        f" a guess without the results is wrong {_times(share(guess.without_results, 100, Side.AT_LEAST))}."
    )


def _accused(one: Accusation, words: Words) -> str:
    return (
        f"If {share(one.prior, 100, Side.AT_MOST)} of the people in question {words.predicate}, then of those whom an"
        f" attack with a false positive rate of {percent_label(one.alpha)} accuses,"
        f" {at_most(share(one.ppv, 100, Side.AT_MOST))} {words.predicate}."
    )


def _succeeded(one: Success, words: Words) -> str:
    before, after = (_times(share(value, 100, Side.AT_MOST)) for value in (one.baseline, one.attack_success))
    bound = (
        f"succeeds {at_most(after)}" if one.attack_success < 1 else "is not kept from succeeding every time"
    )
    return (
        "An attempt to single a person out, to infer an attribute or to reconstruct a record that succeeds"
        f" {before} on results {words.otherwise} {bound} on these."
    )


def _odds(epsilon: float, words: Words) -> str:
    if epsilon == 0:
        return f"Nothing that is published changes the odds that {words.question}."
    return (
        f"Nothing that is published can raise or lower the odds that {words.question} by a factor of more than"
        f" {factor(epsilon)}."
    )


def _is_tellable(epsilon: float) -> bool:
    return epsilon <= _LARGEST_EXPONENT_TOLD


def _times(bound: str) -> str:
    return bound.replace(" in ", " times in ")
