"""Whole faces against files that were read by a person: nothing in them changes unnoticed."""

import json
import math
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"


def held(name):
    return (GOLDEN / name).read_text(encoding="utf-8")


def test_the_printed_page(ward):
    assert f"{ward}\n" == held("ward.txt")


def test_the_markdown_page(ward):
    assert ward.to_markdown() == held("ward.md")


def alike(have, want):
    """Equal but for the last digits of a float, which another build of a numeric library may round differently."""
    if isinstance(want, dict):
        return have.keys() == want.keys() and all(alike(have[key], want[key]) for key in want)
    if isinstance(want, list):
        return len(have) == len(want) and all(map(alike, have, want))
    if isinstance(want, float) and math.isfinite(want):
        return have == pytest.approx(want, rel=1e-12, abs=0)
    return have == want


def test_the_record(ward):
    assert alike(json.loads(ward.to_json()), json.loads(held("ward.json")))
