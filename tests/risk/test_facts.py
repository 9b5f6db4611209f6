"""Facts are plain, frozen and checked."""

import attrs
import pytest

from privacy_accountant import Neighbors
from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.risk import StudyFacts


def facts(**changes):
    return StudyFacts(**{"neighbors": Neighbors.ADD_OR_REMOVE_ONE, "adaptive": True, **changes})


def test_the_relation_and_the_way_of_choosing_are_asked_for_and_the_rest_has_defaults():
    needed = {field.name for field in attrs.fields(StudyFacts) if field.default is attrs.NOTHING}
    assert needed == {"neighbors", "adaptive"}
    assert all(field.kw_only for field in attrs.fields(StudyFacts))


def test_facts_are_frozen_all_the_way_down():
    study = facts(mechanisms=[["a", "Laplace(scale=1)"]])
    assert study.mechanisms == (("a", "Laplace(scale=1)"),)
    assert hash(study) == hash(facts(mechanisms=(("a", "Laplace(scale=1)"),)))
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        study.releases = 2


def test_the_claim_follows_the_way_of_choosing():
    assert "claim is the budget" in facts(adaptive=True).claim
    assert "composition of the releases made" in facts(adaptive=False).claim
    assert "fixed in advance" in facts(adaptive=False).claim
    assert facts(claim="Of the plan as declared.").claim == "Of the plan as declared."


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("neighbors", "ADD_OR_REMOVE_ONE"),
        ("neighbors", None),
        ("adaptive", 1),
        ("study", 7),
        ("budget", 1.0),
        ("currency", b"mu"),
        ("spent", 0.5),
        ("remaining", 0.5),
        ("releases", -1),
        ("releases", True),
        ("releases", 2.0),
        ("failures", -1),
        ("pending", None),
        ("ledger_head", 3),
        ("claim", None),
        ("claim", " "),
        ("mechanisms", "ab"),
        ("mechanisms", 3),
        ("mechanisms", ["ab"]),
        ("mechanisms", [("label", 3)]),
        ("mechanisms", [("a", "b", "c")]),
        ("mechanisms", [3]),
    ],
)
def test_bad_facts_are_refused_with_the_field(field, value):
    with pytest.raises(InvalidParameterError) as refused:
        facts(**{field: value})
    assert refused.value.field == field
    assert "\n" not in str(refused.value)
