"""Every command line on a page of the docs runs, on files of the names it gives."""

import re
import shlex
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from calibrant import Temperature, read
from calibrant.cli import run

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^calibrant (.*?)(?:\s+#.*)?$", re.MULTILINE)
ROWS = 300
NAMES = ("cat", "dog", "owl")
LINES = [
    pytest.param(line, id=f"{page.stem}: {line}")
    for page in PAGES
    if page.exists()
    for block in BLOCK.findall(page.read_text("utf-8"))
    for line in COMMAND.findall(block)
]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every file that a page names."""
    folder = tmp_path_factory.mktemp("files")
    for seed, name in enumerate(("validation", "test", "predictions")):
        _table(seed).write_csv(folder / f"{name}.csv")
    sure = _table(3).select(p="prob_cat", ok=pl.col("label") == "cat")
    sure.write_ndjson(folder / "answers.jsonl")
    fit_on = read(folder / "validation.csv")
    Temperature().fit(fit_on).save(folder / "map.safetensors")
    return folder


def _table(seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    probs = rng.dirichlet([1, 1, 1], ROWS)
    labels = [NAMES[rng.choice(3, p=row)] for row in probs]
    chances = {f"prob_{name}": probs[:, place] for place, name in enumerate(NAMES)}
    regions = rng.choice(["north", "south"], ROWS)
    return pl.DataFrame({"label": labels, **chances, "region": regions})


@pytest.mark.parametrize("line", LINES)
def test_a_line_of_the_docs_runs(line: str, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if ".onnx" in line:
        pytest.importorskip("onnx", reason="onnx is an extra")
    monkeypatch.chdir(files)
    assert run(shlex.split(line)) in (0, 1)
