"""Options: groups of them in every command that needs them, and completed as they are typed."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from calibrant import binary, from_probs, write
from calibrant.cli import run
from calibrant.cli.options import of_families, of_measures

READING = [
    "--label",
    "--probs",
    "--logits",
    "--confidence",
    "--correct",
    "--weight",
    "--classes",
    "--split",
]


@pytest.mark.parametrize("name", ["demo", "report", "compare", "show", "fit", "apply"])
def test_every_command_has_the_options_of_its_groups(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([name, "--help"]) == 0
    out = capsys.readouterr().out
    assert "--json" in out
    assert "-q, --quiet" in out
    assert all((option in out) == (name not in ("demo", "show")) for option in READING)
    assert f"Examples:\n    calibrant {name}" in out
    assert "reading" not in out.lower().replace("reading of", "")


def completed(folder: Path, *words: str) -> list[str]:
    """What a shell would be offered for the last word."""
    code = "from calibrant.cli import main; main()"
    environment = {
        **os.environ,
        "_CALIBRANT_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(["calibrant", *words]),
        "COMP_CWORD": str(len(words)),
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout.split()


def test_a_shell_is_offered_commands_options_families_and_columns(tmp_path: Path) -> None:
    write(tmp_path / "x.csv", from_probs(np.full((4, 2), 0.5), [0, 1, 0, 1], classes=["no", "yes"]))
    write(tmp_path / "y.parquet", binary([0.5], [1]))
    (tmp_path / "bad.parquet").write_text("bad")
    assert completed(tmp_path, "re") == ["report"]
    assert completed(tmp_path, "report", "x.csv", "--inter") == ["--intervals"]
    assert completed(tmp_path, "report", "x.csv", "--label", "") == ["label", "prob_no", "prob_yes"]
    assert completed(tmp_path, "compare", "y.parquet", "--correct", "c") == [
        "confidence",
        "correct",
    ]
    assert completed(tmp_path, "report", "bad.parquet", "--label", "") == []
    assert completed(tmp_path, "fit", "x.csv", "--family", "ense") == ["ensemble-temperature"]


def test_the_last_of_several_names_is_completed() -> None:
    assert of_families("platt,tem") == ["platt,temperature"]
    assert of_measures("ks") == ["ks-error"]


def test_help_loads_no_library_it_does_not_need() -> None:
    heavy = ("numpy", "scipy", "polars", "matplotlib", "plotly", "torch", "sklearn")
    code = f"import sys, calibrant.cli; sys.exit(str([name for name in {heavy} if name in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == "[]"
