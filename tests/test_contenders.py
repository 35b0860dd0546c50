"""Comparisons and selections print as tables, and comparisons are plain data."""

import json

from calibrant import Comparison, Selection, Temperature
from calibrant.contenders import Candidate, Contender

BEFORE = Contender("as they are", 0.51234, 0.3, 0.75, 0.1, 0.08, None, 0.0, 0.0)
AFTER = Contender("T", 0.4, 0.25, 0.75, 0.0123, 0.008, 0.05, 1.5, 0.02)
FAILED = (("too many", "ranks must be at most 3"),)


def test_a_comparison_prints_as_a_table() -> None:
    titles, before, after, failed = str(Comparison((BEFORE, AFTER), FAILED)).splitlines()
    assert titles.split()[:2] == ["NLL", "Brier"]
    numbers = ["0.5123", "0.3000", "75.00", "10.00", "8.00", "-", "0.00", "0.00"]
    assert before.split() == ["as", "they", "are", *numbers]
    assert len(titles) == len(before) == len(after)
    assert after.startswith("T ")
    assert failed == "too many failed: ranks must be at most 3"


def test_a_comparison_is_plain_data() -> None:
    found = Comparison((BEFORE, AFTER), FAILED).to_dict()
    assert json.loads(json.dumps(found))["rows"][1]["name"] == "T"


def test_a_selection_marks_what_was_chosen() -> None:
    rows = (Candidate("as is", 0.5, 0.01, 0.1, 0.005), Candidate("T", 0.4, 0.01, 0.0, 0.0))
    found = Selection(Temperature(), "T", "nll", rows, FAILED)
    titles, before, after, failed = str(found).splitlines()
    assert titles.split()[:2] == ["held-out", "nll"]
    assert before.split() == ["as", "is", "0.50000", "0.01000", "0.10000", "0.00500"]
    assert after.endswith("chosen")
    assert failed.startswith("too many failed")
