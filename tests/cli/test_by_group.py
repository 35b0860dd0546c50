"""Maps by group from the command line: fitted, shown and applied by the column that is named."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from shared_command import refused, said, told

from calibrant import Platt, binary, load
from calibrant.groups import ByGroup, GroupMap

RANDOM = np.random.default_rng(0)
P = RANDOM.random(800).round(3)
SITE = np.repeat(["north", "south"], 400)
RIGHT = RANDOM.random(800) < np.where(SITE == "north", P**3, P)


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"confidence": P, "correct": RIGHT, "site": SITE}).write_csv("rows.csv")
    return "rows.csv"


def test_fitted_shown_and_applied(rows: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, "fit", rows, "--family", "platt", "--by", "site", "-o", "m.safetensors")
    assert set(found["groups"]) == {"north", "south"}
    fitted = load("m.safetensors")
    assert isinstance(fitted, GroupMap)
    np.testing.assert_array_equal(
        fitted(P, SITE), ByGroup(Platt()).fit(binary(P, RIGHT), SITE)(P, SITE)
    )
    out = said(capsys, "show", "m.safetensors")
    assert "By group:" in out
    assert "north" in out
    assert "blend(platt, platt" in said(capsys, "show", "m.safetensors", "--group", "north")
    said(capsys, "apply", "m.safetensors", rows, "--by", "site", "-o", "out.jsonl")
    mended = [json.loads(line)["confidence"] for line in Path("out.jsonl").read_text().splitlines()]
    np.testing.assert_allclose(mended, fitted(P, SITE))
    page = said(capsys, "fit", rows, "--family", "platt", "--by", "site", "-o", "m.safetensors")
    assert "own share %" in page


def test_what_does_not_fit_is_refused(rows: str, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "fit", rows, "--family", "platt", "--by", "site", "-o", "m.safetensors")
    assert "with --by" in refused(capsys, "apply", "m.safetensors", rows, "-o", "out.csv")
    assert "there is no group 'west'" in refused(capsys, "show", "m.safetensors", "--group", "west")
    said(capsys, "fit", rows, "--family", "platt", "-o", "one.safetensors")
    assert "one map for all" in refused(
        capsys, "apply", "one.safetensors", rows, "--by", "site", "-o", "out.csv"
    )
    assert "--group is for a map by group" in refused(
        capsys, "show", "one.safetensors", "--group", "north"
    )
    assert "holds one map" in refused(
        capsys, "fit", rows, "--family", "platt", "--by", "site", "-o", "m.sql"
    )
