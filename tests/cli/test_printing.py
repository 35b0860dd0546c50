"""What is printed: JSON without infinities, words without markup, one line where something is refused."""

import json

import numpy as np
import pytest

from calibrant.cli.printing import print_json, print_page, refuse


def test_infinities_are_null_however_deep(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"a": [np.inf, {"b": (-np.inf, 1.5)}], "c": np.inf})
    assert json.loads(capsys.readouterr().out) == {"a": [None, {"b": [None, 1.5]}], "c": None}


def test_what_was_not_measured_is_no_json(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        print_json({"a": np.nan})
    assert capsys.readouterr().out == ""


def test_names_are_printed_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    print_page("[red]class[/red] :smile: " + "x" * 300)
    assert capsys.readouterr().out == "[red]class[/red] :smile: " + "x" * 300 + "\n"


def test_a_reason_is_one_line_however_many_it_had(capsys: pytest.CaptureFixture[str]) -> None:
    assert refuse("first\n  second\n") == 2
    assert capsys.readouterr() == ("", "calibrant: first second\n")
