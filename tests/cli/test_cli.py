"""The command: what it prints, what it writes, and how it refuses."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from time import sleep
from typing import Any

import numpy as np
import pytest
from shared_files import predictions
from shared_terminal import Terminal

import calibrant
from calibrant import Predictions, binary, cross_validate, from_probs, read, write
from calibrant.cli import looking, run
from calibrant.cli.names import OF_CHANCES, OF_VECTORS, families
from calibrant.families.family import ChanceFamily

RNG = np.random.default_rng(0)
PROBS = RNG.dirichlet([0.4, 0.4, 0.4], 300)
VERDICT = "Do not take these probabilities at face value"
LABELS = np.array([RNG.choice(3, p=0.5 * row + 1 / 6) for row in PROBS])


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table of classes, a table of confidences and an archive of two splits."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    write(
        "classes.csv", from_probs(PROBS, np.array(["a", "b", "c"])[LABELS], classes=["a", "b", "c"])
    )
    write("chances.jsonl", binary(PROBS[:, 0], LABELS == 0))
    logits = np.log(PROBS)
    np.savez(
        "both.npz",
        val_logits=logits[:100],
        val_labels=LABELS[:100],
        test_logits=logits,
        test_labels=LABELS,
    )
    for name in ("folder.csv", "folder.safetensors"):
        Path(name).mkdir()
    Path("huge.csv").write_text("label,p_0,p_1\n10000000000000000001,0.4,0.6\n")
    Path("bare.csv").write_text("a,b\n1,2\n")
    Path("text.jsonl").write_text('{"label": "cat", "probs": [0.4, 0.6]}\n')
    Path("odd.xls").write_text("odd")
    Path("broken.parquet").write_text("PAR1 and nothing more PAR1")
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(list(arguments)) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:  # noqa: ANN401 - what json gives
    out = said(capsys, *arguments, "--json")
    assert out.count("\n") == 1
    return json.loads(out)


def is_page(path: Path) -> bool:
    text = path.read_text()
    return (
        text.startswith("<!doctype html>") and VERDICT in text and text.rstrip().endswith("</html>")
    )


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(list(arguments)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("calibrant: ")
    assert captured.err.count("\n") == 1
    return captured.err


def test_demo_shows_the_sample_the_mending_and_commands_that_work(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The sample of ten classes says the same in a tenth of the time.
    monkeypatch.setattr(looking, "SAMPLE", "c10-resnet18")
    (here / "report.html").write_text("mine")
    out = said(capsys, "demo")
    assert VERDICT in out
    assert "Temperature" in out
    assert "\x1b" not in out
    assert "Wrote report-2.html: open it in a browser" in out
    assert (here / "report.html").read_text() == "mine"
    assert is_page(here / "report-2.html")
    commands = [line.split()[1:] for line in out.splitlines() if line.startswith("  calibrant ")]
    assert [command[0] for command in commands] == ["report", "fit", "apply", "report", "report"]
    for command in commands[:-1]:
        said(capsys, *command)
    assert (here / "mended.npz").exists()


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
def test_report_asks_of_groups_families_and_intervals(capsys: pytest.CaptureFixture[str]) -> None:
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
@pytest.mark.parametrize(
    ("file", "family", "name"),
    [
        ("classes.csv", None, "Temperature()"),
        ("chances.jsonl", None, "Smooth"),
        ("classes.csv", "isotonic", "OneVsRest"),
        ("chances.jsonl", "Histogram-Binning", "HistogramBinning"),
        ("chances.jsonl", "temperature", "Temperature()"),
        ("chances.jsonl", "binned", "Binned"),
    ],
)
def test_fit_then_apply_writes_what_the_library_gives(
    file: str, family: str | None, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [] if family is None else ["--family", family]
    assert told(capsys, "fit", file, "-o", "m.safetensors", *options)["family"].startswith(name)
    out = said(capsys, "fit", file, "-o", "m.safetensors", *options)
    assert "Wrote m.safetensors" in out
    assert (re.search(r"temperature +\d\.", out) is not None) == (name == "Temperature()")
    assert ("Optimum reached" in out) == (name == "Temperature()")
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


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("file", ["chances.jsonl", "classes.csv"])
@pytest.mark.parametrize("family", families())
def test_every_family_is_fitted_applied_and_shown(
    file: str, family: str, capsys: pytest.CaptureFixture[str]
) -> None:
    of_one_chance = issubclass(families()[family], ChanceFamily)
    if file == "chances.jsonl" and not of_one_chance and family not in ("identity", "temperature"):
        reason = refused(capsys, "fit", file, "--family", family, "-o", "m.safetensors")
        assert "maps whole vectors and was given one chance" in reason
        return
    found = told(capsys, "fit", file, "--family", family, "-o", "m.safetensors")
    assert (
        found["family"]
        .replace("OneVsRest(family=", "")
        .startswith(type(families()[family]()).__name__)
    )
    assert told(capsys, "apply", "m.safetensors", file, "-o", "out.csv")["after"]["nll"] > 0
    out = said(capsys, "show", "m.safetensors")
    assert " ".join(out.split()).startswith(found["family"])
    assert max(map(len, out.splitlines())) <= 80
    shown = told(capsys, "show", "m.safetensors")
    assert shown["facts"] == found["facts"]
    if file == "classes.csv" and of_one_chance:
        assert told(capsys, "show", "m.safetensors", "--class", "b")["of_class"] == "b"
        assert "did you mean 'c'?" in refused(capsys, "show", "m.safetensors", "--class", "cc")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("file", ["classes.csv", "chances.jsonl"])
def test_select_writes_what_cross_validation_chooses_and_says_why(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = cross_validate(read(file))
    found = told(capsys, "fit", file, "--select", "-o", "m.safetensors")
    assert found["family"] == repr(calibrant.load("m.safetensors").family) == repr(expected.chosen)
    selection = found["selection"]
    assert [row["score"] for row in selection["rows"]] == [row.score for row in expected.rows]
    beyond = {"OrderPreserving(kind='preserving')", "a blend of these"}
    assert {row["name"] for row in selection["rows"]} - beyond <= set(families())
    assert families()[selection["chosen"]]() == expected.chosen
    assert selection["failures"] == []
    out = said(capsys, "fit", file, "--select", "-o", "m.safetensors")
    assert max(map(len, out.splitlines())) <= 80
    (line,) = (line for line in out.splitlines() if line.rstrip().endswith(" chosen"))
    assert line.split()[0] == selection["chosen"]
    assert f"Chose {selection['chosen']}: " in out
    assert "Wrote m.safetensors" in out


@pytest.mark.usefixtures("here")
def test_a_map_is_written_as_onnx_where_the_suffix_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    onnx = pytest.importorskip("onnx")
    assert "for calibrant apply, fit with -o MAP.safetensors" in said(
        capsys, "fit", "classes.csv", "-o", "m.onnx"
    )
    onnx.checker.check_model(onnx.load("m.onnx"))
    for command in (["show", "m.onnx"], ["apply", "m.onnx", "classes.csv", "-o", "out.csv"]):
        assert (
            "m.onnx: an ONNX model is for other programs; fit with -o MAP.safetensors"
            in refused(capsys, *command)
        )


def test_without_the_extra_nothing_is_fitted_and_the_pip_line_is_told(here: Path) -> None:
    code = "import sys; sys.modules['onnx'] = None; from calibrant.cli import main; main()"
    command = [sys.executable, "-c", code, "fit", "classes.csv", "-o", "m.onnx"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=here, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert 'pip install "calibrant[onnx]"' in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.usefixtures("here")
def test_compare_ranks_families_fitted_on_val_and_scored_on_test(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = told(capsys, "compare", "both.npz")
    assert found["fitted_on"].startswith("100 rows")
    assert found["scored_on"].startswith("300 rows")
    names = [row["name"] for row in found["rows"]]
    assert sorted(names) == sorted(["as they are", *OF_VECTORS, *OF_CHANCES])
    assert found["best"] == names[0]
    losses = [row["nll"] for row in found["rows"]]
    assert losses == pytest.approx(sorted(losses), abs=1e-4)
    fit_on, test = (read("both.npz", split=part) for part in ("val", "test"))
    assert isinstance(test, Predictions)
    mended = families()["platt"]().fit(fit_on).apply(test)
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
    assert {row["name"] for row in found["rows"]} == {"as they are", "temperature", *OF_CHANCES}
    out = said(
        capsys,
        "compare",
        "chances.jsonl",
        "--fit-on",
        "validation.jsonl",
        "--families",
        "platt,vector-scaling",
    )
    assert "accuracy" not in out
    assert "vector-scaling failed: VectorScaling() maps whole vectors" in out
    assert "Mind: These are the rows" in said(
        capsys, "compare", "classes.csv", "--fit-on", "classes.csv", *named
    )
    assert len(told(capsys, "report", "both.npz", "--fit-on", "val")["standings"]) == 3


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
@pytest.mark.parametrize("family", ["temperature", "isotonic"])
def test_show_draws_a_picture(family: str, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "fit", "classes.csv", "--family", family, "-o", "m.safetensors")
    text = said(capsys, "show", "m.safetensors")
    assert said(capsys, "show", "m.safetensors", "--picture", "m.png") == f"{text}\nWrote m.png.\n"
    assert Path("m.png").read_bytes().startswith(b"\x89PNG")
    assert said(capsys, "show", "m.safetensors", "--picture", "m.svg", "-q") == ""
    assert told(capsys, "show", "m.safetensors", "--picture", "m.pdf")["picture"] == "m.pdf"


@pytest.mark.usefixtures("here")
def test_quiet_leaves_out_words_where_a_file_is_written(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert said(capsys, "fit", "classes.csv", "-o", "m.safetensors", "--quiet") == ""
    assert said(capsys, "apply", "m.safetensors", "classes.csv", "-o", "out.csv", "-q") == ""
    assert said(capsys, "report", "classes.csv", "-q") == said(capsys, "report", "classes.csv")
    assert "did you mean" in refused(capsys, "report", "clases.csv", "-q")
    for quiet in ([], ["-q"]):
        screen = Terminal()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stderr", screen)
            assert run(["compare", "both.npz", "--families", "platt", *quiet]) == 0
        assert (screen.getvalue() == "") == bool(quiet)


@pytest.mark.usefixtures("here")
def test_apply_keeps_other_columns_and_needs_no_labels(capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "fit", "classes.csv", "-o", "m.safetensors")
    lines = Path("classes.csv").read_text().splitlines()
    Path("named.csv").write_text("\n".join(f"{i or 'id'},{line}" for i, line in enumerate(lines)))
    said(capsys, "apply", "m.safetensors", "named.csv", "-o", "out.csv")
    assert Path("out.csv").read_text().splitlines()[0] == "id,label,prob_a,prob_b,prob_c"
    Path("bare.csv").write_text("\n".join(line.split(",", 1)[1] for line in lines))
    assert "tells no labels or outcomes, so nothing is scored" in said(
        capsys, "apply", "m.safetensors", "bare.csv", "-o", "out2.csv"
    )
    found = told(capsys, "apply", "m.safetensors", "bare.csv", "-o", "out2.csv")
    assert (found["before"], found["after"]) == (None, None)
    mended = [line.split(",", 2)[2] for line in Path("out.csv").read_text().splitlines()]
    assert Path("out2.csv").read_text().splitlines() == mended


@pytest.mark.usefixtures("here")
def test_fit_takes_the_validation_split(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "fit", "both.npz", "-o", "m.safetensors")["fitted_on"].startswith(
        "100 rows"
    )
    assert told(capsys, "fit", "both.npz", "-o", "m.safetensors", "--split", "test")[
        "fitted_on"
    ].startswith("300")


@pytest.mark.usefixtures("here")
def test_an_infinite_temperature_is_null_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    write("liar.csv", binary([0.9, 0.9, 0.1, 0.1], [0, 0, 1, 1]))
    arguments = ["fit", "liar.csv", "--family", "temperature", "-o", "m.safetensors"]
    (fact,) = told(capsys, *arguments)["facts"]
    assert (fact["name"], fact["value"]) == ("temperature", None)
    assert "temperature  inf" in said(capsys, *arguments)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["nope"], "No such command 'nope'; see calibrant --help"),
        (["report"], "Missing argument 'FILE'"),
        (["report", "classes.csv", "--colour"], "No such option: --colour"),
        (["report", "absent.csv"], "absent.csv: there is no such file"),
        (["report", "clases.csv"], "did you mean classes.csv?"),
        (["report", "classes.csv", "--label", "lable"], "did you mean 'label'?"),
        (["report", "odd.xls"], "must end in .npz, .npy, .csv, .parquet, .arrow, .feather, .jsonl"),
        (["report", "classes.csv", "--fit-on", "chances.jsonl"], "fit_on must be of the same sort"),
        (["report", "classes.csv", "--probs", ""], "--probs is an empty name"),
        (
            ["report", "classes.csv", "--by", "lable"],
            "classes.csv: there is no column 'lable'; did you mean 'label'?",
        ),
        (["report", "classes.csv", "--split", "val"], "the file has no splits: leave --split out"),
        (["report", "classes.csv", "--families", "platt"], "name those with --fit-on"),
        (["report", "classes.csv", "--html", "nowhere/x.html"], "there is no folder nowhere"),
        (["report", "classes.csv", "--html", "x.txt"], "must end in .html, .htm, not '.txt'"),
        (
            ["report", "classes.csv", "huge.csv"],
            "to read several files as one, quote their pattern",
        ),
        (["report", "none-*.csv"], "matches this pattern"),
        (["reprot", "classes.csv"], "Did you mean 'report'? see calibrant --help"),
        (
            ["report", "bare.csv"],
            "name it with --probs, --logits or --confidence; the columns are a, b",
        ),
        (["report", "text.jsonl"], "name them with --classes"),
        (["report", "broken.parquet"], "is not what its suffix says, or it was damaged"),
        (["show", "classes.csv", "--picture", "x.gif"], "must end in .png, .svg, .pdf, not '.gif'"),
        (["demo", "--html", "nowhere/x.html"], "there is no folder nowhere"),
        (["compare", "classes.csv", "classes.csv"], "a file is named twice"),
        (["compare", "both.npz", "--measure", "ece"], "name the files of several, or leave it out"),
        (["compare", "both.npz", "classes.csv", "--measure", "ecee"], "did you mean ece?"),
        (["report", "folder.csv"], "folder.csv: this is a folder"),
        (["report", "huge.csv"], "huge.csv: column 'label' cannot be read"),
        (
            ["fit", "classes.csv", "-o", "folder.safetensors"],
            "folder.safetensors: this is a folder",
        ),
        (["show", "absent.safetensors"], "there is no such file"),
        (["show", "classes.csv"], "is not a map saved by calibrant"),
        (["fit", "classes.csv"], "Missing option"),
        (["fit", "classes.csv", "-o", "classes.csv"], "must end in .safetensors, .onnx"),
        (["fit", "classes.csv", "-o", "nowhere/m.safetensors"], "there is no folder nowhere"),
        (
            ["fit", "classes.csv", "-o", "m.safetensors", "--family", "temprature"],
            "did you mean temperature?",
        ),
        (
            ["fit", "classes.csv", "-o", "m.safetensors", "--family", "one-vs-rest"],
            "there is no family",
        ),
        (
            ["fit", "classes.csv", "-o", "m.safetensors", "--select", "--family", "platt"],
            "leave one of them out",
        ),
        (["compare"], "Missing argument 'FILE'"),
        (["compare", "clases.csv", "classes.csv"], "did you mean classes.csv?"),
        (
            ["compare", "classes.csv"],
            "the file has no splits: name the rows to fit on with --fit-on",
        ),
        (
            ["compare", "both.npz", "--fit-on", "calib"],
            "the splits test, val: name the rows to fit on with --fit-on",
        ),
        (["compare", "both.npz", "--fit-on", "absent.csv"], "absent.csv: there is no such file"),
        (["compare", "both.npz", "--families", "temperature,isotonc"], "did you mean isotonic?"),
        (["compare", "both.npz", "--families", ""], "there is no family ''"),
        (
            ["compare", "both.npz", "--fit-on", "classes.csv"],
            "must come from one model and be alike",
        ),
        (
            ["compare", "both.npz", "--fit-on", "chances.jsonl"],
            "must come from one model and be alike",
        ),
        (
            [
                "compare",
                "chances.jsonl",
                "--fit-on",
                "chances.jsonl",
                "--families",
                "vector-scaling",
            ],
            "whole vectors",
        ),
        (
            ["compare", "both.npz", "classes.csv", "--families", "platt"],
            "name one file, or leave them out",
        ),
        (
            ["compare", "both.npz", "classes.csv", "--fit-on", "val"],
            "name one file, or leave them out",
        ),
        (["compare", "classes.csv", "chances.jsonl"], "models must be of one sort"),
        (
            ["apply", "classes.csv", "classes.csv", "-o", "out.csv"],
            "is not a map saved by calibrant",
        ),
        (["apply", "absent.safetensors", "classes.csv", "-o", "out.csv"], "there is no such file"),
        (
            ["apply", "m.safetensors", "classes.csv", "-o", "classes.csv"],
            "must not be a file that is read",
        ),
        (
            ["apply", "m.safetensors", "classes.csv", "-o", "out.xls"],
            "must end in .npz, .csv, .parquet, .arrow, .feather, .jsonl",
        ),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, list) else "",
)
def test_bad_input_is_one_line_and_exit_2(
    arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reason in refused(capsys, *arguments)
    assert not Path("m.safetensors").exists()
    assert not Path("out.csv").exists()


@pytest.mark.usefixtures("here")
def test_a_map_that_does_not_fit_the_file_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "fit", "classes.csv", "-o", "vector.safetensors")
    said(capsys, "fit", "chances.jsonl", "-o", "chance.safetensors")
    assert "whole vectors" in refused(
        capsys, "apply", "vector.safetensors", "chances.jsonl", "-o", "out.csv"
    )
    assert "3 classes" in refused(
        capsys, "apply", "chance.safetensors", "classes.csv", "-o", "out.csv"
    )
    assert "logits" in refused(capsys, "apply", "vector.safetensors", "both.npz", "-o", "out.csv")


def test_an_unreadable_file_is_one_line(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def denied(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied", "classes.csv")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "read_bytes", denied)
        assert (
            refused(capsys, "report", str(here / "classes.csv"))
            == "calibrant: classes.csv: Permission denied\n"
        )


def test_control_c_is_130_and_leaves_the_old_file(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    old = here / "m.safetensors"
    old.write_text("old")
    before = sorted(here.iterdir())
    monkeypatch.setattr(Path, "replace", interrupted)
    assert run(["fit", "classes.csv", "-o", "m.safetensors"]) == 130
    assert "Traceback" not in capsys.readouterr().err
    assert (old.read_text(), sorted(here.iterdir())) == ("old", before)


def test_help_has_an_example_of_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys) == said(capsys, "--help")
    assert "calibrant demo" in said(capsys, "--help")
    for command in ("demo", "report", "fit", "apply", "compare", "show"):
        assert f"Examples:\n    calibrant {command}" in said(capsys, command, "--help")
    assert said(capsys, "--version") == f"calibrant {calibrant.__version__}\n"


def test_the_program_itself_exits_with_the_code(tmp_path: Path) -> None:
    def program(*arguments: str) -> subprocess.CompletedProcess[str]:
        code = "import sys; from calibrant.cli import main; main()"
        command = [sys.executable, "-c", code, *arguments]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)

    bad = program("report", "absent.csv")
    assert (bad.returncode, bad.stdout, bad.stderr) == (
        2,
        "",
        "calibrant: absent.csv: there is no such file\n",
    )
    assert program("--version").returncode == 0
    write(tmp_path / "x.csv", from_probs(PROBS, LABELS))
    good = program("report", "x.csv", "--json")
    assert (good.returncode, good.stderr) == (0, "")
    assert json.loads(good.stdout)["k"] == 3


def test_an_interruption_is_130_without_a_trace_and_leaves_no_file(here: Path) -> None:
    pred = from_probs(np.tile(PROBS, (40, 1)), np.tile(LABELS, 40))
    write(here / "long.parquet", pred)
    before = sorted(here.iterdir())
    code = "from calibrant.cli import main; main()"
    command = [sys.executable, "-c", code, "fit", "long.parquet", "--select", "-o", "m.safetensors"]
    with subprocess.Popen(
        command, cwd=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        sleep(2)
        program.send_signal(signal.SIGINT)
        out, err = program.communicate()
    assert (program.returncode, out, err) == (130, "", "")
    assert sorted(here.iterdir()) == before


@pytest.mark.parametrize(
    "arguments", [["report", "classes.csv"], ["report", "--help"], ["report", "both.npz", "--json"]]
)
def test_a_reader_that_has_seen_enough_is_told_nothing_more(
    here: Path, arguments: list[str]
) -> None:
    code = "from calibrant.cli import main; main()"
    command = [sys.executable, "-c", code, *arguments]
    with subprocess.Popen(
        command, cwd=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        program.stdout.close()
        assert program.stderr.read() == b""
    assert program.returncode == 1


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
    wide = RNG.dirichlet(np.full(10_000, 0.01), 4)
    np.savez("wide.npz", probs=wide, labels=wide.argmax(1))
    assert told(capsys, "report", "wide.npz")["k"] == 10_000
