"""calibrant compare ranks families on one file, and the models of several."""

import json
from pathlib import Path

import pytest
from shared_command import said, told
from shared_files import predictions

import calibrant
from calibrant import Predictions, read, write
from calibrant.families.defaults import compared_families
from calibrant.families.names import name_of


@pytest.mark.usefixtures("here")
def test_compare_ranks_families_fitted_on_val_and_scored_on_test(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = told(capsys, "compare", "both.npz")
    assert found["fitted_on"].startswith("100 rows")
    assert found["scored_on"].startswith("300 rows")
    names = [row["name"] for row in found["rows"]]
    fit_on, test = (read("both.npz", split=part) for part in ("val", "test"))
    assert isinstance(test, Predictions)
    assert sorted(names) == sorted(["as they are", *map(name_of, compared_families(test))])
    assert found["best"] == names[0]
    losses = [row["nll"] for row in found["rows"]]
    assert losses == pytest.approx(sorted(losses), abs=1e-4)
    mended = calibrant.Platt().fit(fit_on).apply(test)
    assert found["rows"][names.index("platt")]["nll"] == calibrant.nll(mended)
    out = said(capsys, "compare", "both.npz")
    assert max(map(len, out.splitlines())) <= 80
    lines = out.splitlines()
    shown = [line.split()[0] for line in lines[5 : 5 + len(names)]]
    assert shown == [name.split()[0] for name in names]
    assert f"{names[0]} lowers the NLL most" in out


@pytest.mark.usefixtures("here")
def test_compare_takes_named_families_and_rows(capsys: pytest.CaptureFixture[str]) -> None:
    pair = read("classes.csv"), read("chances.jsonl")
    write("validation.csv", pair[0][:100])
    write("validation.jsonl", pair[1][:100])
    named = ["--families", "Platt, temperature"]
    found = told(capsys, "compare", "classes.csv", "--fit-on", "validation.csv", *named)
    assert {row["name"] for row in found["rows"]} == {"as they are", "platt", "temperature"}
    found = told(capsys, "compare", "both.npz", "--split", "val", "--fit-on", "test", *named)
    assert found["fitted_on"].startswith("300 rows")
    assert found["scored_on"].startswith("100 rows")
    found = told(capsys, "compare", "chances.jsonl", "--fit-on", "validation.jsonl")
    usual = [name_of(family) for family in compared_families(pair[1])]
    assert {row["name"] for row in found["rows"]} == {"as they are", *usual}
    of_chances = ["chances.jsonl", "--fit-on", "validation.jsonl"]
    out = said(capsys, "compare", *of_chances, "--families", "platt,vector-scaling")
    assert "accuracy" not in out
    assert "vector-scaling failed: VectorScaling() maps whole vectors" in out
    assert "Mind: These are the rows" in said(
        capsys, "compare", "classes.csv", "--fit-on", "classes.csv", *named
    )
    assert len(told(capsys, "report", "both.npz", "--fit-on", "val")["standings"]) == 3


@pytest.mark.usefixtures("here")
def test_families_with_settings_and_select_are_named_as_they_are_written(
    capsys: pytest.CaptureFixture[str],
) -> None:
    named = ["--families", "Spline(4, bounded=true), select,ranked(platt)"]
    names = {"as they are", "spline(knots=4, bounded=true)", "select", "ranked(platt)"}
    found = told(capsys, "compare", "both.npz", *named)
    assert {row["name"] for row in found["rows"]} == names
    fit_on, test = (read("both.npz", split=part) for part in ("val", "test"))
    (selected,) = (row["nll"] for row in found["rows"] if row["name"] == "select")
    assert selected == calibrant.nll(calibrant.select(fit_on).apply(test))
    found = told(capsys, "report", "both.npz", "--fit-on", "val", *named)
    assert {row["name"] for row in found["standings"]} == names


@pytest.mark.usefixtures("here")
def test_compare_ranks_the_models_of_several_files(capsys: pytest.CaptureFixture[str]) -> None:
    pred = predictions(Path("classes.csv"))
    said(capsys, "fit", "classes.csv", "-o", "m.safetensors")
    said(capsys, "apply", "m.safetensors", "classes.csv", "-o", "mended.csv")
    found = told(capsys, "compare", "classes.csv", "mended.csv")
    assert (found["best"], found["fitted_on"], found["warnings"]) == ("mended", None, [])
    worse = found["rows"][1]
    assert worse == {
        "name": "classes",
        "nll": calibrant.nll(pred),
        "brier": calibrant.brier(pred),
        "accuracy": calibrant.accuracy(pred),
        "ece": calibrant.ece(pred),
        "ks_error": calibrant.ks_error(pred),
        "classwise_ece": calibrant.classwise_ece(pred),
    }
    out = said(capsys, "compare", "classes.csv", "mended.csv")
    assert "fit" not in out
    assert "mended has the least NLL" in out
    assert "Mind" not in out
    Path("again").mkdir()
    write("again/classes.csv", pred[:200])
    names = [
        row["name"] for row in told(capsys, "compare", "classes.csv", "again/classes.csv")["rows"]
    ]
    assert sorted(names) == ["again/classes.csv", "classes.csv"]
    assert "has other labels than classes.csv" in said(
        capsys, "compare", "classes.csv", "again/classes.csv"
    )


@pytest.mark.usefixtures("here")
def test_compare_tells_which_models_differ_by_more_than_chance(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said(capsys, "fit", "classes.csv", "-o", "m.safetensors", "-q")
    said(capsys, "apply", "m.safetensors", "classes.csv", "-o", "mended.csv", "-q")
    expected = calibrant.compare_models(
        {"classes": read("classes.csv"), "mended": read("mended.csv")}, calibrant.nll
    )
    found = told(capsys, "compare", "classes.csv", "mended.csv", "--measure", "nll")
    assert found["measure"] == "nll"
    assert found["differences"] == json.loads(json.dumps(expected.to_dict()))
    assert [row["name"] for row in found["rows"]] == ["mended", "classes"]
    out = said(capsys, "compare", "classes.csv", "mended.csv", "--measure", "nll")
    assert str(expected) in out
    assert "differs" in out


@pytest.mark.usefixtures("here")
def test_compare_writes_a_page_that_says_what_was_compared(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said(capsys, "fit", "classes.csv", "--family", "temperature", "-o", "m.safetensors", "-q")
    said(capsys, "apply", "m.safetensors", "classes.csv", "-o", "<b>mended.csv", "-q")
    asked = ["compare", "classes.csv", "<b>mended.csv", "--measure", "nll", "--html", "page.html"]
    out = said(capsys, *asked, "--title", "Two & two")
    assert "Wrote page.html" in out
    text = Path("page.html").read_text()
    assert "<b>mended" not in text
    for words in ("Two &amp; two", "&lt;b&gt;mended.csv", "95% interval", "has the least NLL"):
        assert words in text
    assert "<script" not in text
    found = told(capsys, "compare", "both.npz", "--families", "platt", "--html", "families.html")
    assert found["html"] == "families.html"
    assert [file["role"] for file in found["evidence"]["files"]] == ["reported on"]
    assert "platt" in Path("families.html").read_text()
