"""calibrant report prints what the library reports, and writes it as a page."""

import csv
import json
import shlex
from datetime import date
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from shared_command import LABELS, PROBS, VERDICT, is_page, refused, said, told

import calibrant
from calibrant import from_probs, read, write
from calibrant.cli import run


@pytest.mark.usefixtures("here")
def test_report_writes_a_page(capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "report", "chances.jsonl", "--html", "page.html")
    assert VERDICT in out
    assert out.endswith("Wrote page.html: open it in a browser, or send it to a colleague.\n")
    assert is_page(Path("page.html"))
    assert said(capsys, "report", "chances.jsonl", "--html", "quiet.html", "--quiet") == ""
    assert is_page(Path("quiet.html"))
    assert (
        told(capsys, "report", "chances.jsonl", "--html", "page.html", "--quiet")["html"]
        == "page.html"
    )


@pytest.mark.usefixtures("here")
def test_report_asks_of_groups_families_and_intervals(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("calibrant.reporting.confidence.DRAWS", 100)
    lines = Path("classes.csv").read_text().splitlines()
    sites = ["site,ward", *(f"{'nse'[i % 3]},{i % 2}" for i in range(len(lines) - 1))]
    Path("sites.csv").write_text("\n".join(map(",".join, zip(sites, lines, strict=True))))
    found = told(capsys, "report", "sites.csv", "--by", "site, ward")
    assert [(group["by"], group["name"], group["n"]) for group in found["groups"]] == [
        *(("site", name, 100) for name in "ens"),
        *(("ward", name, 150) for name in "01"),
    ]
    found = told(capsys, "report", "both.npz", "--fit-on", "val", "--families", "platt,identity")
    assert {row["name"] for row in found["standings"]} == {"as they are", "platt", "identity"}
    plain, sure = (
        told(capsys, "report", "chances.jsonl", *each)["rows"] for each in ([], ["--intervals"])
    )
    assert all(row["low"] is None for row in plain)
    assert any(row["low"] is not None and row["low"] < row["high"] for row in sure)


@pytest.mark.usefixtures("here")
def test_report_prints_what_the_library_reports(capsys: pytest.CaptureFixture[str]) -> None:
    found = calibrant.report(read("classes.csv"))
    shown = [line.rstrip() for line in said(capsys, "report", "classes.csv").splitlines()]
    of_both, made = str(found).split("How this was made")
    assert "\n".join(shown).startswith(of_both)
    assert shown[-1] == made.splitlines()[-1]
    expected = json.loads(json.dumps(found.to_dict()))
    both = told(capsys, "report", "classes.csv")
    assert {**both, "evidence": None} == {**expected, "evidence": None}
    assert told(capsys, "report", "both.npz")["n"] == 300
    assert told(capsys, "report", "both.npz", "--split", "val")["n"] == 100
    assert len(told(capsys, "report", "both.npz", "--fit-on", "both.npz")["standings"]) == 3
    assert told(capsys, "report", "chances.jsonl")["k"] is None


@pytest.mark.usefixtures("here")
def test_odd_but_sound_input_is_reported_on(capsys: pytest.CaptureFixture[str]) -> None:
    names = ["<script>alert(1)</script>", "[red]:smile:[/red]", "$x^2$"]
    write(
        "markup.parquet",
        from_probs(PROBS[:90], np.array(names, object)[LABELS[:90]], classes=names),
    )
    said(capsys, "report", "markup.parquet", "--html", "page.html")
    assert names[0] not in Path("page.html").read_text()
    said(capsys, "fit", "markup.parquet", "--family", "platt", "-o", "m.safetensors")
    out = said(capsys, "show", "m.safetensors", "--class", names[1], "--picture", "m.png")
    assert f"the map of class {names[1]}" in " ".join(out.split())
    write("few.csv", from_probs(PROBS[:2], LABELS[:2]))
    assert told(capsys, "report", "few.csv")["n"] == 2
    wide = np.random.default_rng(1).dirichlet(np.full(10_000, 0.01), 4)
    np.savez("wide.npz", probs=wide, labels=wide.argmax(1))
    assert told(capsys, "report", "wide.npz")["k"] == 10_000


@pytest.mark.usefixtures("here")
def test_a_report_says_what_it_is_of_and_how_it_was_made(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = Path("classes.csv").read_text().splitlines()
    Path("gaps.csv").write_text(
        "\n".join([*lines, lines[1].replace(lines[1].split(",")[1], "", 1)])
    )
    asked = ["report", "gaps.csv", "--skip-missing", "--title", "A $1 model", "--seed", "3"]
    assert run([*asked, "--json"]) == 0
    captured = capsys.readouterr()
    assert "left out 1 of 301 rows" in captured.err
    found = json.loads(captured.out)["evidence"]
    content = Path("gaps.csv").read_bytes()
    assert found["files"] == [
        {
            "role": "reported on",
            "name": "gaps.csv",
            "size": len(content),
            "sha256": sha256(content).hexdigest(),
        }
    ]
    assert (found["title"], found["seed"], found["skipped"]) == ("A $1 model", 3, 1)
    assert sorted(found["columns"]) == ["label", "prob_a", "prob_b", "prob_c"]
    assert found["command"] == shlex.join(["calibrant", *asked, "--json"])
    assert found["versions"]["calibrant"] == calibrant.__version__
    assert date.fromisoformat(found["date"]).year >= 2026


@pytest.mark.usefixtures("here")
def test_numbers_are_written_as_a_table_and_a_run_repeated_gives_the_same_bytes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    asked = ["report", "chances.jsonl", "--html", "page.html", "--csv", "numbers.csv"]
    assert said(capsys, *asked).endswith("Wrote numbers.csv: every number, a line each.\n")
    once = [Path(name).read_bytes() for name in ("page.html", "numbers.csv")]
    assert b"1970-01-01" in once[0]
    said(capsys, *asked)
    assert [Path(name).read_bytes() for name in ("page.html", "numbers.csv")] == once
    found = calibrant.report(read("chances.jsonl"))
    with Path("numbers.csv").open() as stream:
        rows = {(row["of"], row["number"]): row["value"] for row in csv.DictReader(stream)}
    for row in found.rows:
        assert row.value is not None
        assert float(rows[row.view, row.name]) == row.value
    assert "the file to write must end in .csv" in refused(
        capsys, "report", "chances.jsonl", "--csv", "numbers.txt"
    )
