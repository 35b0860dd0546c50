"""A shell is offered what completes a word: commands, options, families, measures, columns."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from calibrant import binary, from_probs, write
from calibrant.cli.completion import of_families, of_measures


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
