"""The words in which a report speaks about one person, for each relation between neighbouring data sets."""

from __future__ import annotations

import attrs

from privacy_accountant.neighbors import Neighbors


@attrs.frozen
class Words:
    """How the two worlds that an attacker tries to tell apart are spoken of.

    Attributes:
        relation: What is protected: the difference between the two data sets.
        question: What the attacker wants to know, as a clause after "whether".
        inside: The people of whom it is so.
        outside: The people of whom it is not.
        predicate: What is so of them, as a verb with its object.
        otherwise: How the results are made in the other world.
    """

    relation: str
    question: str
    inside: str
    outside: str
    predicate: str
    otherwise: str


TOOK_PART = Words(
    relation="whether one person's record is in the data (add or remove one)",
    question="a given person took part",
    inside="those who took part",
    outside="those who did not take part",
    predicate="took part",
    otherwise="made without that person's record",
)

HAD_THIS_RECORD = Words(
    relation="which record one person has in the data (replace one)",
    question="a given person had this record rather than another",
    inside="those who had this record",
    outside="those who had another record",
    predicate="had this record",
    otherwise="made with another record in the place of that person's",
)

WAS_NOT_BLANKED = Words(
    relation="whether one person's record is in the data or left blank (replace special)",
    question="a given person's record was used rather than left blank",
    inside="those whose record was used",
    outside="those whose record was left blank",
    predicate="had their record used",
    otherwise="made with that person's record left blank",
)

WAS_USED = Words(
    relation="what one person's record adds, under the relation that the guarantee was derived for",
    question="a given person's record was used",
    inside="those whose record was used",
    outside="those whose record was not used",
    predicate="had their record used",
    otherwise="made without using that person's record",
)

_WORDS = {
    Neighbors.ADD_OR_REMOVE_ONE: TOOK_PART,
    Neighbors.REPLACE_ONE: HAD_THIS_RECORD,
    Neighbors.REPLACE_SPECIAL: WAS_NOT_BLANKED,
}


def words_for(neighbors: Neighbors | None) -> Words:
    """The words of a relation; without one, words that are true of each."""
    return WAS_USED if neighbors is None else _WORDS[neighbors]
