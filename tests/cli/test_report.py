"""calibrant report prints what the library reports, and writes it as a page."""

import json
from pathlib import Path

import numpy as np
import pytest
from shared_command import LABELS, PROBS, VERDICT, is_page, said, told

import calibrant
from calibrant import from_probs, read, write


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
    assert shown == str(found).splitlines()
    assert told(capsys, "report", "classes.csv") == json.loads(json.dumps(found.to_dict()))
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
