"""The command as a program: how it refuses, how it ends, and with which code."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from time import sleep

import numpy as np
import pytest
from shared_command import LABELS, PROBS, refused

from calibrant import from_probs, write
from calibrant.cli import run


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
        (
            ["report", "odd.xls"],
            "must end in .npz, .npy, .csv, .tsv, .parquet, .arrow, .feather, .jsonl, .json",
        ),
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
        (["report", "huge.csv"], "column 'label'"),
        (
            ["fit", "classes.csv", "-o", "folder.safetensors"],
            "folder.safetensors: this is a folder",
        ),
        (["show", "absent.safetensors"], "there is no such file"),
        (["show", "classes.csv"], "is not a map saved by calibrant"),
        (["fit", "classes.csv"], "Missing option"),
        (["fit", "classes.csv", "-o", "classes.csv"], "must end in .safetensors, .onnx, .sql"),
        (["fit", "classes.csv", "-o", "nowhere/m.safetensors"], "there is no folder nowhere"),
        (
            ["fit", "classes.csv", "-o", "m.safetensors", "--family", "temprature"],
            "did you mean temperature?",
        ),
        (
            ["fit", "classes.csv", "-o", "m.safetensors", "--family", "one-vs-rest"],
            "one-vs-rest needs family: write as in one-vs-rest(smooth)",
        ),
        (
            ["fit", "classes.csv", "-o", "m.safetensors", "--family", "spline(knot=3)"],
            "spline has no setting 'knot'; did you mean knots?",
        ),
        (
            ["fit", "classes.csv", "-o", "m.safetensors", "--family", "spline(knots=3"],
            "a family is written as in ranked(spline, ranks=2), got 'spline(knots=3'",
        ),
        (
            ["fit", "classes.csv", "-o", "m.safetensors", "--family", "spline(knots=x)"],
            "spline: knots must be",
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
            "must end in .npz, .csv, .tsv, .parquet, .arrow, .feather, .jsonl, .json",
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
    pred = from_probs(np.tile(PROBS, (2000, 1)), np.tile(LABELS, 2000))
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
