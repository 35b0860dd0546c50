"""Commands read what memory does not hold part by part, and say the same of it."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from shared_parts import N, assert_rows_close, files, table

from calibrant.cli import run

FRAME = table()


@pytest.fixture
def parts(tmp_path: Path) -> list[str]:
    folder = tmp_path / "parts"
    folder.mkdir()
    return [str(path) for path in files(folder, FRAME)]


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert run([*arguments, "--json"]) == 0, capsys.readouterr().err
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(list(arguments)) == 2
    return capsys.readouterr().err


def assert_like(mine: dict[str, Any], other: dict[str, Any]) -> None:
    assert (mine["finding"], mine["about"], mine["n"]) == (
        other["finding"],
        other["about"],
        other["n"],
    )
    for one, two in zip(mine["rows"], other["rows"], strict=True):
        assert one["name"] == two["name"]
        if one["name"] != "sweep ECE":
            assert one["value"] == pytest.approx(two["value"], abs=1e-4), one["name"]


def test_reports_of_parts_are_those_of_the_whole(
    parts: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = str(tmp_path / "parts")
    whole = told(capsys, "report", folder, "--by", "site")
    page = tmp_path / "page.html"
    for given in (parts, [folder, "--memory", "1K"]):
        mine = told(capsys, "report", *given, "--by", "site", "--html", str(page))
        assert_like(mine, whole)
        assert page.read_text().startswith("<!")
        for one, two in zip(mine["groups"], whole["groups"], strict=True):
            assert (one["name"], one["n"]) == (two["name"], two["n"])
            assert one["ks"] == pytest.approx(two["ks"], abs=1e-5)
    assert "several files must end in .parquet" in refused(capsys, "report", parts[0], "other.csv")
    assert "4GB or 500M; got 'much'" in refused(capsys, "report", folder, "--memory", "much")


def test_maps_are_tried_on_parts(parts: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--fit-on", parts[0], "--families", "temperature"]
    mine = told(capsys, "report", *parts, *arguments)
    whole = told(capsys, "report", str(Path(parts[0]).parent), *arguments)
    for one, two in zip(mine["standings"], whole["standings"], strict=True):
        assert one["nll"] == pytest.approx(two["nll"], rel=1e-6)


def test_summaries_are_written_added_up_and_reported(
    parts: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    days = [str(tmp_path / f"{day}.sketch") for day in range(3)]
    for path, day in zip(parts, days, strict=True):
        assert told(capsys, "sketch", path, "-o", day)["rows"] == 1000
    week = str(tmp_path / "week.sketch")
    assert told(capsys, "sketch", *days, "-o", week)["rows"] == N
    whole = told(capsys, "report", str(tmp_path / "parts"))
    assert_like(told(capsys, "report", week), whole)
    assert_like(told(capsys, "report", *days), whole)
    said = refused(capsys, "report", week, "--by", "site")
    assert "groups are made of the rows themselves" in said
    assert "summaries are added to" in refused(capsys, "sketch", week, parts[0], "-o", week)
    Path(week).write_bytes(Path(week).read_bytes()[:-9])
    assert "week.sketch: these bytes are not a sketch" in refused(capsys, "report", week)


def test_bad_parts_are_named_or_left_out(
    parts: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    pl.read_parquet(parts[2]).drop("prob_emu").write_parquet(parts[2])
    said = refused(capsys, "report", *parts)
    assert "part-2.parquet, row group 0: " in said
    assert "--skip-bad" in said
    assert run(["report", *parts, "--skip-bad", "--json"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["n"] == 2000
    assert "1 part with" in told.err


def test_maps_are_applied_to_parts_and_go_on(
    parts: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    fitted, one, out = (str(tmp_path / name) for name in ("map.safetensors", "one.parquet", "out"))
    assert run(["fit", parts[0], "--family", "temperature", "-o", fitted]) == 0
    folder = str(tmp_path / "parts")
    capsys.readouterr()
    told(capsys, "apply", fitted, folder, "-o", one)
    found = told(capsys, "apply", fitted, *parts, "-o", out)
    assert (found["rows"], found["already"]) == (N, 0)
    again = told(capsys, "apply", fitted, *parts, "-o", out)
    assert again["rows"] == 0
    assert_rows_close(pl.read_parquet(out), pl.read_parquet(one))
    said = refused(capsys, "apply", fitted, *parts, "-o", str(tmp_path / "x.csv"))
    assert "are written into a folder" in said


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # between Dask and pandas
def test_dask_reads_on_this_machine_too(
    parts: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    mine = told(capsys, "report", *parts, "--engine", "dask")
    assert_like(mine, told(capsys, "report", str(Path(parts[0]).parent)))
