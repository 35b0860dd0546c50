"""Peers side by side: a worker's answers against the study's references, and the page that is made of them."""

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from peers import match, page, study
from peers.data import DATA, chances, vectors
from peers.tasks import TASKS
from peers.wrong import CASES, tried

SMALL = {
    "200,000 x 10 float32": partial(vectors, 500, 4),
    "10,000 x 50 float32": partial(vectors, 400, 5),
    "20,000 x 10 float32": partial(vectors, 400, 3),
    "5,000 x 10 float64": partial(vectors, 300, 3, np.float64),
    "500,000 chances": partial(chances, 700),
    "100,000 chances": partial(chances, 800),
    "20,000 chances": partial(chances, 800),
    "5,000 chances": partial(chances, 300),
}
# Not exact by design: smoothed targets, pooled claims, a grid; and what has no exact answer.
LOOSE = {"platt": 1e-4, "smece": 1e-4}
EXACT = [name for name, task in TASKS.items() if "truth" not in task.error]


@pytest.fixture(scope="module")
def ours() -> Iterator[match.Library]:
    """Our own worker, in this environment."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(match, "python_of", lambda _: Path(sys.executable))
        library = match.Library("calibrant")
    yield library
    library.end()


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little data, few rounds."""
    for name, make in SMALL.items():
        monkeypatch.setitem(DATA, name, make)
    monkeypatch.setattr(match, "SECONDS", 0.0)


@pytest.mark.parametrize("name", EXACT)
def test_answers_are_those_of_the_references(
    ours: match.Library, tmp_path: Path, name: str
) -> None:
    found = study.measured(name, [ours], tmp_path / "data.npz")["sides"]["calibrant"]
    assert abs(found["error"]) <= LOOSE.get(name, 1e-6)
    assert len(found["processor"]) == match.FEWEST
    assert found["megabytes"] >= 0


@pytest.mark.parametrize("name", CASES)
def test_no_answer_of_ours_is_wrong(ours: match.Library, tmp_path: Path, name: str) -> None:
    assert tried(name, [ours], tmp_path / "data.npz")["is_right"]


def test_what_fails_is_said(ours: match.Library, tmp_path: Path) -> None:
    path = tmp_path / "data.npz"
    np.savez(path, p=np.array([2.0]), y=np.array([1]))
    (side,) = match.play([ours], "ece", path)
    assert "p must lie in [0, 1]" in side.failed
    assert ours.ask("has", "calibrant:ece(debias)", "calibrant:no")["there"] == [True, False]


def test_misses_come_first_each_with_its_ratio() -> None:
    def side(seconds: float, error: float) -> dict[str, object]:
        return {"processor": [seconds] * 3, "clock": [9.0], "error": error, "megabytes": 1.0}

    sides = {"calibrant": side(1.0, 0.0), "fast": side(0.5, 0.0), "slow": side(10.0, 0.1)}
    tasks = {name: {"load": 1.0, "sides": {"calibrant": side(1.0, 0.0)}} for name in TASKS}
    tasks["ks"]["sides"] = sides
    text = page.page(
        {"tasks": tasks, "cases": {}, "refused": {"gone": "no wheel"}, "versions": {},
         "features": {"libraries": [], "rows": {}}, "stamp": "today"}
    )  # fmt: skip
    assert text.index("| fast | 2.00 |") < text.index("| slow | 0.10 |")
    assert "2 rows of 1 tasks" in text
    assert "could not be installed: no wheel" in text
