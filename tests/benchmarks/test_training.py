"""The training study at a tiny size: its steps, what it reads off, and its files."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import calibrant as c

torch = pytest.importorskip("torch")

from training.images import Images, Part  # noqa: E402 - after torch was found
from training.loop import Training  # noqa: E402
from training.measures import Rows, measured  # noqa: E402
from training.outcomes import outcome, written  # noqa: E402
from training.readings import Part as Read  # noqa: E402
from training.readings import readings  # noqa: E402
from training.records import Packs, Record, keep, path_of, unpacked  # noqa: E402
from training.runs import Run, queue  # noqa: E402
from training.study import take  # noqa: E402

SMALL = Run("losses", "c10", depth=3, width=4, epochs=4, batch=32)
CPU = torch.device("cpu")


def images(n_classes: int = 10, side: int = 16) -> Images:
    """Noise around a grey of each class, so that there is something to learn."""
    random = np.random.default_rng(0)

    def part(n: int) -> Part:
        labels = (np.arange(n) % n_classes).astype(np.uint8)
        grey = 20 * labels[:, None, None, None]
        return Part((grey + random.integers(0, 30, (n, side, side, 3))).astype(np.uint8), labels)

    return Images.of((part(256), part(100), part(150)), n_classes, CPU)


def trained(run: Run) -> Record:
    of = images(side=run.side)
    training = Training(run, of.vehicles() if run.data == "vehicles" else of)
    for _ in training.work():
        pass
    return Record.from_bytes(written(*outcome(training, 0.0)))


@pytest.mark.parametrize(
    "run",
    [
        SMALL,
        replace(SMALL, loss="canonical-1", strength=1.0),
        replace(SMALL, loss="top_label-2", strength=1.0, term_batch=96),
        replace(SMALL, loss="classwise-1", strength=1.0, term_batch=96, held=True),
        replace(SMALL, loss="mmce", strength=1.0, normed=False, rate=0.02),
        replace(SMALL, data="vehicles", loss="kde-mse", strength=0.3),
        replace(SMALL, loss="focal53", kind="residual", depth=18, side=32, epochs=2),
        replace(SMALL, loss="dual", strength=5.0, stem=2, depth=6),
    ],
    ids=lambda run: run.name,
)
def test_every_kind_of_run_learns_and_is_recorded(run: Run) -> None:
    record = trained(run)
    assert record.run == run
    assert record.is_finite
    assert len(record.curves) == run.epochs
    assert set(record.measures) == {"val", "val_after", "test", "test_after"}
    assert np.isfinite(list(record.measures["test_after"].values())).all()
    learnt = record.curve("train_nll")
    assert learnt[-1] < learnt[0]


def test_the_first_images_of_each_part() -> None:
    whole = images()
    few = whole.first(20, 10, 15)
    rows = np.r_[0:20, 256:266, 356:371]
    np.testing.assert_array_equal(few.pixels, whole.pixels[rows])
    np.testing.assert_array_equal(few.labels, whole.labels[rows])
    assert (few.n_train, few.n_validation) == (20, 10)


def test_the_full_study_runs_at_a_tiny_size() -> None:
    kinds = {(run.kind, run.depth) for run in queue("tiny")}
    assert {("residual", 18), ("residual", 34), ("plain", 3), ("plain", 9)} <= kinds


def test_the_same_seed_gives_the_same_run() -> None:
    one, two, other = (trained(replace(SMALL, seed=seed)) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.curves, two.curves)
    assert not np.array_equal(one.curves, other.curves)


def test_what_is_read_off_a_device_is_what_the_library_says() -> None:
    random = np.random.default_rng(1)
    labels = random.integers(0, 10, 700)
    logits = 3 * random.normal(size=(700, 10)) + 3 * np.eye(10)[labels]
    half = (Read(torch.tensor(logits[part]), torch.tensor(labels[part])) for part in _halves())
    found = {name: float(value) for name, value in readings(*half).items()}
    val, test = (c.from_logits(logits[part], labels[part]) for part in _halves())
    scaled = c.Temperature().fit(val)
    for name, pred in (("val", val), ("test", test)):
        after = scaled.apply(pred)
        said = {
            f"{name}_error": 1 - c.accuracy(pred),
            f"{name}_nll": c.nll(pred),
            f"{name}_ece": c.ece(pred),
            f"{name}_entropy": c.entropy(pred),
            f"{name}_nll_after": c.nll(after),
            f"{name}_ece_after": c.ece(after),
            f"{name}_entropy_after": c.entropy(after),
        }
        assert {key: found[key] for key in said} == pytest.approx(said, rel=1e-7)


def test_measures_are_those_after_the_temperature_of_validation_rows() -> None:
    random = np.random.default_rng(2)
    labels = random.integers(0, 3, 400)
    logits = random.normal(size=(400, 3)) + 2 * np.eye(3)[labels]
    first, second = _halves(400)
    rows = Rows(logits[first], labels[first], 4 * logits[second], labels[second])
    found = measured(rows)
    val, test = c.from_logits(*rows[:2]), c.from_logits(*rows[2:])
    after = c.Temperature().fit(val).apply(test)
    assert found["test"]["nll"] == pytest.approx(c.nll(test))
    assert found["test_after"]["nll"] == pytest.approx(c.nll(after))
    assert found["test_after"]["accuracy"] == found["test"]["accuracy"]


def test_files_come_back_from_packs(tmp_path: Path) -> None:
    record = trained(SMALL)
    packs = Packs(tmp_path)
    for name in ("one.npz", "two.npz"):
        packs.add(name, record.to_bytes())
    names, contents = zip(*unpacked(tmp_path), strict=True)
    assert names == ("one.npz", "two.npz")
    take(tmp_path, tmp_path / "results")
    assert (tmp_path / "results" / "two.npz").read_bytes() == contents[1]
    assert Record.from_bytes(contents[1]).measures == record.measures
    keep(record, ("val_logits",), tmp_path)
    kept = Record.from_bytes(path_of(SMALL, tmp_path).read_bytes())
    assert list(kept.rows) == ["val_logits"]


@pytest.mark.parametrize("size", ["small", "full", "tiny"])
def test_no_run_is_asked_for_twice(size: str) -> None:
    runs = queue(size)  # type: ignore[arg-type]
    names = [run.name for run in runs]
    assert len(set(names)) == len(names) == len(set(runs))


def _halves(n: int = 700) -> tuple[slice, slice]:
    return slice(0, n // 2), slice(n // 2, n)
