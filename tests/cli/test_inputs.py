"""Options name the columns and the rows that are read."""

from pathlib import Path

import pytest
from shared_command import told


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
    assert found["about"].endswith("from logits")
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
