"""Maps are written for calibrant, for other programs and for databases, as the suffix says."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from shared_command import LABELS, PROBS, refused, said

import calibrant
from calibrant import Platt, Predictions, Temperature, from_probs, read, write


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


@pytest.mark.usefixtures("here")
def test_rows_of_another_sort_are_refused_in_words_for_files(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pred = from_probs(PROBS, LABELS)
    Temperature().fit(pred).save("probs.safetensors")
    Temperature().fit(calibrant.from_logits(PROBS, LABELS)).save("logits.safetensors")
    Platt().fit(calibrant.top_label(pred)).save("one.safetensors")
    for fitted, file, told in (
        ("probs", "chances.jsonl", "name a column for each class with --probs, or fit a map"),
        ("logits", "classes.csv", "takes logits and these are probs: name columns with --logits"),
        ("one", "classes.csv", "name a column of chances with --confidence, or fit a map"),
    ):
        command = ["apply", f"{fitted}.safetensors", file, "-o", "out.csv"]
        assert told in refused(capsys, *command)
    watched = ["monitor", "chances.jsonl", "--map", "probs.safetensors"]
    assert "name a column for each class with --probs" in refused(capsys, *watched)


def test_without_the_extra_nothing_is_fitted_and_the_pip_line_is_told(here: Path) -> None:
    code = "import sys; sys.modules['onnx'] = None; from calibrant.cli import main; main()"
    command = [sys.executable, "-c", code, "fit", "classes.csv", "-o", "m.onnx"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=here, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert 'pip install "calibrant[onnx]"' in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("file", "columns"),
    [
        ("classes.csv", ["prob_a", "prob_b", "prob_c"]),
        ("both.npz", ["logit_0", "logit_1", "logit_2"]),
    ],
)
def test_a_map_of_vectors_is_written_as_sql_of_the_columns_that_were_read(
    file: str, columns: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    out = said(capsys, "fit", file, "--family", "temperature", "-o", "m.sql")
    assert f"to be selected from a table with columns {', '.join(columns)}; for calibrant" in out
    fitted = Temperature().fit(read(file, default_split="val"))
    assert Path("m.sql").read_text() == f"{fitted.to_sql(columns)}\n"
    for command in (["show", "m.sql"], ["apply", "m.sql", "classes.csv", "-o", "out.csv"]):
        assert "m.sql: SQL is for databases; fit with -o MAP" in refused(capsys, *command)


@pytest.mark.usefixtures("here")
def test_a_map_of_one_chance_is_written_as_sql_of_its_column(
    capsys: pytest.CaptureFixture[str],
) -> None:
    platt = ["--family", "platt", "-o", "m.sql"]
    said(capsys, "fit", "chances.jsonl", *platt)
    expected = Platt().fit(read("chances.jsonl")).to_sql("confidence")
    assert Path("m.sql").read_text() == f"{expected}\n"
    np.savez("claims.npz", confidence=PROBS[:, 0], correct=LABELS == 0)
    said(capsys, "fit", "claims.npz", *platt)
    assert Path("m.sql").read_text() == f"{expected.replace('confidence', 'p')}\n"


@pytest.mark.usefixtures("here")
def test_of_two_classes_the_second_is_the_column_and_odd_names_are_quoted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pair = np.stack([PROBS[:, 0], 1 - PROBS[:, 0]], 1)
    write("two.csv", from_probs(pair, (LABELS > 0).astype(int), classes=["no", "new york"]))
    assert 'the column "prob_new york";' in said(
        capsys, "fit", "two.csv", "--family", "platt", "-o", "m.sql"
    )
    assert '1e0 * "prob_new york"' in Path("m.sql").read_text()
    np.savez("two.npz", logits=np.log(pair), labels=LABELS > 0)
    assert "the column p_1;" in said(capsys, "fit", "two.npz", "--family", "platt", "-o", "m.sql")


@pytest.mark.usefixtures("here")
def test_of_many_classes_a_whole_query_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    pred = calibrant.samples.load("c100-resnet18")[0][:200]
    assert isinstance(pred, Predictions)
    np.savez("many.npz", logits=pred.scores, labels=pred.labels)
    out = said(capsys, "fit", "many.npz", "--family", "temperature", "-o", "m.sql")
    assert "a query of the table predictions with columns logit_0 to logit_99" in out
    columns = [f"logit_{i}" for i in range(100)]
    expected = Temperature().fit(read("many.npz")).to_sql(columns, table="predictions")
    assert Path("m.sql").read_text() == f"{expected}\n"


@pytest.mark.usefixtures("here")
def test_what_has_no_form_in_sql_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    ranked = ["fit", "classes.csv", "--family", "ranked(platt)", "-o", "m.sql"]
    assert "has no form in SQL" in refused(capsys, *ranked)
    assert not Path("m.sql").exists()
