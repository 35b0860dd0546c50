"""calibrant threshold says what threshold_for says, and where nothing can be promised the best attainable."""

import json
from pathlib import Path

import numpy as np
import pytest
from shared_command import refused, said, told

from calibrant import binary
from calibrant.cli import run
from calibrant.decisions import accuracy_at, coverage_at, threshold_for

RANDOM = np.random.default_rng(0)
P = RANDOM.random(3000).round(4)
RIGHT = RANDOM.random(3000) < P


@pytest.fixture
def answers(tmp_path: Path) -> str:
    path = tmp_path / "answers.jsonl"
    rows = zip(P, RIGHT, strict=True)
    path.write_text("\n".join(json.dumps({"confidence": p, "correct": bool(y)}) for p, y in rows))
    return str(path)


def test_it_is_that_of_the_function(answers: str, capsys: pytest.CaptureFixture[str]) -> None:
    view = binary(P, RIGHT)
    cut = threshold_for(view, 0.8)
    found = told(capsys, "threshold", answers, "--accuracy", "0.8")
    assert found["threshold"] == cut
    assert found["coverage"] == coverage_at(view, cut)
    assert found["observed"] == pytest.approx(accuracy_at(view, found["coverage"]))
    out = said(capsys, "threshold", answers, "--accuracy", "0.8")
    assert out.startswith(f"Answer from {cut:.6g} on: with confidence 0.95, at least 0.8")


def test_what_no_data_can_reach_is_exit_code_1(
    answers: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["threshold", answers, "--accuracy", "0.9999", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["threshold"] is None
    assert 0.8 < found["best"] < 0.9999
    assert run(["threshold", answers, "--accuracy", "0.9999"]) == 1
    assert "the best attainable is" in capsys.readouterr().out
    assert "accuracy must be a share" in refused(capsys, "threshold", answers, "--accuracy", "95")
