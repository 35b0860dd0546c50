"""Every command line on a page of the docs runs, on files of the names it gives."""

import json
import re
import shlex
from pathlib import Path
from zipfile import ZipFile

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
    _table(4).write_ndjson(folder / "stream.jsonl")
    _replies().write_ndjson(folder / "replies.jsonl")
    _choices().write_ndjson(folder / "samples_arc_challenge.jsonl")
    with ZipFile(folder / "task.eval", "w") as log:
        log.writestr("samples/1.json", json.dumps(_sample()))
    fit_on = read(folder / "validation.csv")
    Temperature().fit(fit_on).save(folder / "map.safetensors")
    for seed, name in enumerate(("big/1", "big/2", "monday/1"), start=7):
        path = folder / f"{name}.parquet"
        path.parent.mkdir(exist_ok=True)
        _table(seed).with_columns(site=pl.col("region")).write_parquet(path)
    for day in ("monday", "tuesday", "week"):
        assert run(["sketch", str(path), "-o", str(folder / f"{day}.sketch")]) == 0
    return folder


def _replies() -> pl.DataFrame:
    rng = np.random.default_rng(5)
    p = rng.choice([0.5, 0.7, 0.9], ROWS)
    said = [f"Rome. Confidence: {100 * each:.0f}%" for each in p]
    task = rng.choice(["law", "art"], ROWS)
    right = rng.random(ROWS) < p
    return pl.DataFrame({"completion": said, "confidence": p, "correct": right, "task": task})


def _choices() -> pl.DataFrame:
    rng = np.random.default_rng(6)
    likelihoods = rng.normal(-3, 1, (ROWS, 4)).round(3)
    responses = [[[str(each), "False"] for each in row] for row in likelihoods]
    targets = [str(place) for place in rng.integers(0, 4, ROWS)]
    return pl.DataFrame({"target": targets, "filtered_resps": responses})


def _sample() -> dict[str, object]:
    score = {"match": {"value": "C", "answer": "Rome"}}
    return {"id": 1, "scores": score, "output": {"completion": "Rome. Confidence: 80%"}}


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
    given = [each for word in shlex.split(line) for each in _expanded(word, line)]
    assert run(given) in (0, 1)


def _expanded(word: str, line: str) -> list[str]:
    """The files that a shell puts in place of a pattern that is not quoted."""
    if "*" not in word or f"'{word}'" in line:
        return [word]
    return sorted(map(str, Path().glob(word)))
