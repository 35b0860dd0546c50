"""The training study's pages, from runs at a tiny size: what they print is what the runs found."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_1samp

import calibrant as c

torch = pytest.importorskip("torch")

from training import causes_page, history_page, losses_page  # noqa: E402 - after torch was found
from training.images import Images, Part  # noqa: E402
from training.loop import Training  # noqa: E402
from training.outcomes import outcome, written  # noqa: E402
from training.records import Record, read_all  # noqa: E402
from training.runs import Run  # noqa: E402
from training.tables import beyond, by_setting, estimate, measure, shown, title  # noqa: E402
from training.worth import cells, counted  # noqa: E402

TEN = Run("losses", "c10", epochs=3, images=96)
RUNS = (
    TEN,
    replace(TEN, loss="smoothing", strength=0.05),
    replace(TEN, loss="classwise-1", strength=0.3),
    replace(TEN, loss="classwise-2", strength=0.3),
    replace(TEN, part="causes", decay=0.01),
    replace(TEN, part="held", loss="top_label-1", strength=0.3, held=True, term_batch=16),
    Run("binary", "vehicles", "kde-mse", 0.2, epochs=3),
)


def _images() -> Images:
    """Noise around a grey of each class."""
    random = np.random.default_rng(0)

    def part(n: int) -> Part:
        labels = (np.arange(n) % 10).astype(np.uint8)
        noise = random.integers(0, 90, (n, 8, 8, 3))
        return Part((15 * labels[:, None, None, None] + noise).astype(np.uint8), labels)

    return Images.of((part(96), part(60), part(90)), 10, torch.device("cpu"))


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three seeds of each run, as the study keeps them."""
    folder = tmp_path_factory.mktemp("results")
    images = _images()
    for run in RUNS:
        for seed in range(3):
            small = replace(run, width=4, batch=32, seed=seed)
            of = images.vehicles() if run.data == "vehicles" else images
            training = Training(small, of)
            for _ in training.work():
                pass
            path = folder / f"{small.name}.npz"
            path.write_bytes(written(*outcome(training, 0.0)))
    return folder


@pytest.fixture(scope="module")
def records(results: Path) -> list[Record]:
    """All of them."""
    return read_all(results)


def test_every_run_keeps_what_its_pages_need(records: list[Record]) -> None:
    assert len(records) == 3 * len(RUNS)
    for record in records:
        kept = "val_logits" in record.rows
        assert kept == (record.run.part != "causes")
        if kept:
            pred = c.from_logits(record.rows["test_logits"], record.rows["test_labels"])
            assert measure("test", "nll")(record) == pytest.approx(c.nll(pred), rel=1e-6)


def test_an_estimate_is_students() -> None:
    values = [0.3, 0.5, 0.1]
    found = estimate(values)
    expected = ttest_1samp(values, 0).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert shown(found, 1) == "0.3 ± 0.5"
    assert shown(estimate([0.3]), 1) == "0.3"


def test_differences_are_of_the_same_seed(records: list[Record]) -> None:
    by = by_setting(records)
    base, other = (
        next(runs for run, runs in by.items() if run.loss == loss and run.part == "losses")
        for loss in ("cross-entropy", "smoothing")
    )
    value = measure("test_after", "nll")
    found = beyond(other, base, value)
    gains = [value(other[seed]) - value(base[seed]) for seed in range(3)]
    assert found.estimate == pytest.approx(np.mean(gains))
    only = beyond({0: other[0], 7: other[1]}, base, value)
    assert only.estimate == pytest.approx(gains[0])
    assert np.isnan(only.high)


def test_cells_hold_kernel_terms_against_cross_entropy(records: list[Record]) -> None:
    found = list(cells(by_setting(records)))
    assert [cell.run.loss for cell in found] == ["classwise-1", "classwise-2"]
    text = counted(found)
    assert text.startswith("Of 2 cells ")
    assert title(found[1].run) == "KDE class-wise, norm 2, 0.3"


def test_pages_are_written_from_what_there_is(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = replace(TEN, width=4, batch=32)
    decays = {"0.01": replace(base, decay=0.01), "5e-4": base}
    cause = causes_page.Cause("weight decay", decays, "worse with less")
    monkeypatch.setattr(causes_page, "BASE", base)
    monkeypatch.setattr(causes_page, "CAUSES", (cause,))
    causes_page.write(results, tmp_path)
    losses_page.write(results, tmp_path)
    pages = {path.name for path in tmp_path.glob("*.md")}
    pictures = {path.stem for path in tmp_path.glob("images/*.png")}
    assert pages == {"causes.md", "losses.md"}
    assert pictures == {"causes", "overfitting", "entropy", "pareto-c10", "pareto-c100", "binary"}
    assert "| weight decay: 0.01 to 5e-4 |" in (tmp_path / "causes.md").read_text()
    text = (tmp_path / "losses.md").read_text()
    assert "label smoothing 0.05 | 3 |" in text
    assert "$" not in text


def test_a_checkpoint_is_chosen_on_validation_rows(records: list[Record]) -> None:
    record = records[0]
    values = dict.fromkeys(record.columns, np.zeros(3))
    values["val_nll"] = np.array([1.0, 2.0, 3.0])
    values["val_nll_after"] = np.array([1.0, 0.5, 0.7])
    values["test_nll_after"] = np.array([0.9, 0.6, 0.4])
    curves = np.stack(list(values.values()), axis=1).astype(np.float32)
    changed = replace(record, columns=tuple(values), curves=curves)
    assert history_page.checkpoints(changed) == pytest.approx((0.4, 0.9, 0.6))


def test_a_history_is_the_librarys_on_all_rows() -> None:
    assert history_page.cost(300, 4).off < 1e-9
