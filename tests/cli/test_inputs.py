"""Options name the columns and the rows that are read."""

import json
from pathlib import Path

import pytest
from shared_command import refused, told

from calibrant.cli import run


@pytest.mark.usefixtures("here")
def test_options_name_the_columns(capsys: pytest.CaptureFixture[str]) -> None:
    Path("odd.csv").write_text(
        "t,ham,spam,sure,fine,times\nspam,0.2,0.8,0.8,1,2\nham,0.3,0.7,0.7,0,1\n"
    )
    found = told(
        capsys, "report", "odd.csv", "--label", "t", "--probs", "ham,spam", "--weight", "times"
    )
    assert (found["k"], found["total"]) == (2, 3.0)
    found = told(capsys, "report", "odd.csv", "--confidence", "sure", "--correct", "fine")
    assert (found["k"], found["n"]) == (None, 2)
    found = told(capsys, "report", "odd.csv", "--label", "t", "--logits", "ham,spam")
    assert {"name": "given as", "words": "logits of 2 classes, in float64"} in found["facts"]
    Path("list.jsonl").write_text('{"label": "spam", "probs": [0.2, 0.8]}\n')
    assert told(capsys, "report", "list.jsonl", "--classes", "ham, spam")["k"] == 2


@pytest.mark.usefixtures("here")
def test_fit_takes_the_validation_split(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "fit", "both.npz", "-o", "m.safetensors")["fitted_on"].startswith(
        "100 rows"
    )
    assert told(capsys, "fit", "both.npz", "-o", "m.safetensors", "--split", "test")[
        "fitted_on"
    ].startswith("300")


@pytest.mark.usefixtures("here")
def test_rows_that_lack_a_value_are_left_out_and_told_of(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = Path("classes.csv").read_text().splitlines()
    lines[3] = lines[3].rpartition(",")[0] + ","
    lines[5] = "," + lines[5].partition(",")[2]
    Path("gaps.csv").write_text("\n".join(lines))
    said = refused(capsys, "report", "gaps.csv")
    assert "column 'prob_c' must have a value in every row (1 of 300 have none" in said
    assert said.rstrip().endswith("leave such rows out with --skip-missing")
    assert run(["report", "gaps.csv", "--skip-missing", "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["n"] == 298
    left_out = "left out 2 of 300 rows of gaps.csv: 1 without prob_c, 1 without label"
    assert captured.err == f"calibrant: {left_out}\n"


@pytest.mark.usefixtures("here")
def test_standard_input_is_a_file_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = told(capsys, "report", "classes.csv")
    for options in ([], ["--fit-on", "classes.csv"]):
        with Path("classes.csv").open() as file:
            monkeypatch.setattr("sys.stdin", file)
            found = told(capsys, "report", "-", *options)
        assert found["verdict"] == expected["verdict"] or options
        assert found["rows"] == expected["rows"]
    with Path("classes.csv").open() as file:
        monkeypatch.setattr("sys.stdin", file)
        assert "standard input: nothing came in" in refused(capsys, "report", "-", "--fit-on", "-")
