"""A folder of files for the command to read."""

from pathlib import Path

import numpy as np
import pytest
from shared_command import LABELS, PROBS

from calibrant import binary, from_probs, write

CLASSES = ["a", "b", "c"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table of classes, a table of confidences and an archive of two splits."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    write("classes.csv", from_probs(PROBS, np.array(CLASSES)[LABELS], classes=CLASSES))
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
