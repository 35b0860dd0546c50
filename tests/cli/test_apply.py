"""calibrant apply mends a file, keeps what else it holds, and refuses a map of something else."""

from pathlib import Path

import pytest
from shared_command import refused, said, told


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
def test_a_map_that_does_not_fit_the_file_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "fit", "classes.csv", "-o", "vector.safetensors")
    said(capsys, "fit", "chances.jsonl", "-o", "chance.safetensors")
    assert "whole vectors" in refused(
        capsys, "apply", "vector.safetensors", "chances.jsonl", "-o", "out.csv"
    )
    assert "calibrant apply vector.safetensors classes.csv -o OUT" in refused(
        capsys, "apply", "classes.csv", "vector.safetensors", "-o", "out.csv"
    )
    assert "this is a map, as calibrant show tells of" in refused(
        capsys, "report", "vector.safetensors"
    )
    assert "3 classes" in refused(
        capsys, "apply", "chance.safetensors", "classes.csv", "-o", "out.csv"
    )
    assert "logits" in refused(capsys, "apply", "vector.safetensors", "both.npz", "-o", "out.csv")
