"""The command as tests run it: what it said, what it told as JSON, and how it refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calibrant.cli import run

RNG = np.random.default_rng(0)
PROBS = RNG.dirichlet([0.4, 0.4, 0.4], 300)
LABELS = np.array([RNG.choice(3, p=0.5 * row + 1 / 6) for row in PROBS])
VERDICT = "Do not take these probabilities at face value"


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(list(arguments)) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:  # noqa: ANN401 - what json gives
    out = said(capsys, *arguments, "--json")
    assert out.count("\n") == 1
    return json.loads(out)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(list(arguments)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("calibrant: ")
    assert captured.err.count("\n") == 1
    return captured.err


def is_page(path: Path) -> bool:
    text = path.read_text()
    is_whole = text.startswith("<!doctype html>") and text.rstrip().endswith("</html>")
    return is_whole and VERDICT in text
