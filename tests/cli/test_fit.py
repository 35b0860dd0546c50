"""calibrant fit writes the map that the library fits, and says what it is."""

import re

import numpy as np
import pytest
from shared_command import refused, said, told
from shared_families import needs_arguments

import calibrant
from calibrant import Blend, Predictions, binary, choosing, cross_validate, read, write
from calibrant.choosing import BLEND, quick_rows
from calibrant.families.binary.family import ChanceFamily
from calibrant.families.defaults import selection_candidates
from calibrant.families.names import family_of, known_families, name_of

WITHOUT_SETTINGS = [name for name, kind in known_families().items() if not needs_arguments(kind)]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("file", "family", "name"),
    [
        ("classes.csv", "temperature", "temperature"),
        ("chances.jsonl", "smooth", "smooth"),
        ("classes.csv", "isotonic", "one-vs-rest(isotonic)"),
        ("chances.jsonl", "Histogram-Binning", "histogram-binning"),
        ("chances.jsonl", "temperature", "temperature"),
        ("chances.jsonl", "binned(5, slope=0)", "binned(n_bins=5, slope=0)"),
        ("classes.csv", "ranked(spline, ranks=2)", "ranked(spline, ranks=2)"),
    ],
)
def test_fit_then_apply_writes_what_the_library_gives(
    file: str, family: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--family", family]
    assert told(capsys, "fit", file, "-o", "m.safetensors", *options)["family"] == name
    out = said(capsys, "fit", file, "-o", "m.safetensors", *options)
    assert "Wrote m.safetensors" in out
    assert (re.search(r"temperature +\d\.", out) is not None) == (name == "temperature")
    assert ("Optimum reached" in out) == (name == "temperature")
    for suffix in (".npz", ".csv", ".parquet", ".jsonl"):
        assert "before" in said(capsys, "apply", "m.safetensors", file, "-o", f"out{suffix}")
        before, fitted, after = read(file), calibrant.load("m.safetensors"), read(f"out{suffix}")
        if isinstance(before, Predictions):
            assert isinstance(after, Predictions)
            assert after.classes == ("a", "b", "c")
            assert np.allclose(after.probs, fitted.apply(before).probs)
        else:
            assert isinstance(after, calibrant.View)
            assert np.allclose(after.p, np.clip(fitted(before), 0, 1))
    found = told(capsys, "apply", "m.safetensors", file, "-o", "out.csv")
    assert found["before"]["nll"] == pytest.approx(calibrant.nll(read(file)))
    assert found["after"]["ks"] == pytest.approx(calibrant.ks_error(read("out.csv")))


# Families of whole vectors that take one chance too.
OF_BOTH = ("identity", "temperature", "order-preserving")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("file", ["chances.jsonl", "classes.csv"])
@pytest.mark.parametrize("family", WITHOUT_SETTINGS)
def test_every_family_is_fitted_applied_and_shown(
    file: str, family: str, capsys: pytest.CaptureFixture[str]
) -> None:
    of_one_chance = issubclass(known_families()[family], ChanceFamily)
    if file == "chances.jsonl" and not of_one_chance and family not in OF_BOTH:
        reason = refused(capsys, "fit", file, "--family", family, "-o", "m.safetensors")
        assert "maps whole vectors and was given one chance" in reason
        return
    found = told(capsys, "fit", file, "--family", family, "-o", "m.safetensors")
    assert family in found["family"]
    assert family_of(found["family"]) == calibrant.load("m.safetensors").family
    assert told(capsys, "apply", "m.safetensors", file, "-o", "out.csv")["after"]["nll"] > 0
    out = said(capsys, "show", "m.safetensors")
    assert " ".join(out.split()).startswith(found["family"])
    assert max(map(len, out.splitlines())) <= 80
    shown = told(capsys, "show", "m.safetensors")
    assert shown["facts"] == found["facts"]
    of_each_class = isinstance(calibrant.load("m.safetensors").family, calibrant.OneVsRest)
    if file == "classes.csv":
        # A spline maps the top label, whichever class that is.
        assert of_each_class == (of_one_chance and family != "spline")
    if of_each_class:
        assert told(capsys, "show", "m.safetensors", "--class", "b")["of_class"] == "b"
        assert "did you mean 'c'?" in refused(capsys, "show", "m.safetensors", "--class", "cc")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("file", ["classes.csv", "chances.jsonl"])
def test_select_writes_what_cross_validation_chooses_and_says_why(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = cross_validate(read(file))
    found = told(capsys, "fit", file, "--select", "-o", "m.safetensors")
    assert found["family"] == name_of(expected.chosen)
    assert calibrant.load("m.safetensors").family == expected.chosen
    selection = found["selection"]
    assert [row["score"] for row in selection["rows"]] == [row.score for row in expected.rows]
    names = [row["name"] for row in selection["rows"]]
    candidates = list(selection_candidates(read(file)))
    assert [*map(family_of, names[: len(candidates)])] == candidates
    is_blend = isinstance(expected.chosen, Blend)
    assert names[len(candidates) :] == [BLEND] * is_blend
    assert is_blend == (selection["chosen"] == BLEND)
    assert is_blend or family_of(selection["chosen"]) == expected.chosen
    assert selection["failures"] == []
    assert told(capsys, "fit", file, "--family", "select", "-o", "m.safetensors") == found
    out = said(capsys, "fit", file, "--select", "-o", "m.safetensors")
    assert max(map(len, out.splitlines())) <= 80
    (line,) = (line for line in out.splitlines() if line.rstrip().endswith(" chosen"))
    assert line.strip().startswith(selection["chosen"])
    assert f"Chose {selection['chosen']}: " in " ".join(out.split())
    assert "Wrote m.safetensors" in out


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("file", ["classes.csv", "chances.jsonl"])
def test_without_options_a_family_is_chosen(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    plain = told(capsys, "fit", file, "-o", "m.safetensors")
    assert plain["selection"]["chosen"] is not None
    assert plain == told(capsys, "fit", file, "--select", "-o", "m.safetensors")
    out = said(capsys, "fit", file, "-o", "m.safetensors")
    assert f"Chose {plain['selection']['chosen']}: " in " ".join(out.split())
    assert "By cross-validation: NLL " in out


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("file", "usual"), [("classes.csv", "temperature"), ("chances.jsonl", "smooth")]
)
def test_of_few_rows_the_usual_family_is_fitted_and_said_so(
    file: str, usual: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write("few.csv", read(file)[:150])
    found = told(capsys, "fit", "few.csv", "-o", "m.safetensors")
    assert found["family"] == usual
    assert "selection" not in found
    out = said(capsys, "fit", "few.csv", "-o", "m.safetensors")
    words = f"Fewer than 200 rows are too few to choose a family: {usual} is the usual one."
    assert words in " ".join(out.split())
    assert "selection" in told(capsys, "fit", "few.csv", "--select", "-o", "m.safetensors")


@pytest.mark.usefixtures("here")
def test_of_very_many_rows_a_sample_is_looked_at(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choosing, "MOST_QUICK_CELLS", 250)
    monkeypatch.setattr(choosing, "LEAST_QUICK_ROWS", 10)
    found = told(capsys, "fit", "chances.jsonl", "-o", "m.safetensors")
    assert found["fitted_on"].startswith("300 claims")
    assert found["cross_validated"]["rows"] == 250
    drawn = cross_validate(quick_rows(read("chances.jsonl")))
    assert [row["score"] for row in found["selection"]["rows"]] == [row.score for row in drawn.rows]
    out = " ".join(said(capsys, "fit", "chances.jsonl", "-o", "m.safetensors").split())
    assert "Chosen on 250 of 300 rows, drawn at random; --select looks at all." in out
    assert "By cross-validation on 250 of the rows: NLL " in out


@pytest.mark.usefixtures("here")
def test_a_map_that_does_harm_is_warned_of(capsys: pytest.CaptureFixture[str]) -> None:
    random = np.random.default_rng(0)
    p = random.random(2000)
    write("right.csv", binary(p, random.random(2000) < p))
    harmful = ["fit", "right.csv", "--family", "binned(300, slope=0)", "-o", "m.safetensors"]
    found = told(capsys, *harmful)["cross_validated"]
    assert (found["rows"], found["folds"]) == (2000, 5)
    assert [each["score"] for each in found["changes"]] == ["NLL", "Brier score", "ECE"]
    assert "NLL" in found["worse"]
    out = " ".join(said(capsys, *harmful).split())
    assert "Caution: on rows that the map has not seen the NLL" in out
    assert "; without --family one is chosen." in out
    usual = told(capsys, "fit", "right.csv", "-o", "m.safetensors")["cross_validated"]
    assert usual["worse"] == []
    assert "Caution" not in said(capsys, "fit", "right.csv", "-o", "m.safetensors")


@pytest.mark.usefixtures("here")
def test_what_never_occurs_among_the_rows_is_said_of_a_map_of_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = read("classes.csv")
    assert isinstance(rows, Predictions)
    write("seen.csv", rows[rows.labels != 0])
    fit = ["--family", "temperature", "-o", "m.safetensors"]
    out = " ".join(said(capsys, "fit", "seen.csv", *fit).split())
    assert f"Caution: 1 of 3 classes never occur ({rows.classes[0]}), so the map" in out
    write("always.csv", binary([0.2, 0.6, 0.9], [1, 1, 1]))
    out = " ".join(said(capsys, "fit", "always.csv", *fit).split())
    assert "Caution: the event happens in every row, so the map says little else." in out


@pytest.mark.usefixtures("here")
def test_where_nothing_can_be_held_out_it_is_said_why(capsys: pytest.CaptureFixture[str]) -> None:
    write("one.csv", binary([0.3], [1]))
    found = told(capsys, "fit", "one.csv", "-o", "m.safetensors")
    assert found["cross_validated"] is None
    out = " ".join(said(capsys, "fit", "one.csv", "-o", "m.safetensors").split())
    assert "no scores by cross-validation: cross-fitting needs" in out


@pytest.mark.usefixtures("here")
def test_an_infinite_temperature_is_null_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    write("liar.csv", binary([0.9, 0.9, 0.1, 0.1], [0, 0, 1, 1]))
    arguments = ["fit", "liar.csv", "--family", "temperature", "-o", "m.safetensors"]
    (fact,) = told(capsys, *arguments)["facts"]
    assert (fact["name"], fact["value"]) == ("temperature", None)
    assert "temperature  inf" in said(capsys, *arguments)
