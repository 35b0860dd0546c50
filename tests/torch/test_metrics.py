"""Streamed errors: those of the library, to the last bit the same over any batches, order and processes."""

import itertools
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is an extra")
pytest.importorskip("torchmetrics", reason="torchmetrics is an extra")

import torch
from torch import Tensor
from torchmetrics import MetricCollection
from torchmetrics.classification import BinaryCalibrationError

import calibrant as c
from calibrant.fitting.types import Array
from calibrant.inputs.predictions import Kind
from calibrant.measures.smooth_ece import smece
from calibrant.torch.metrics import CalibrationError, Measure

N = 3000


def _logits(k: int, n: int = N, seed: int = 0) -> tuple[Tensor, Tensor]:
    random = np.random.default_rng(seed)
    z = random.normal(0, 2, (n, k))
    labels = np.where(random.random(n) < 0.6, z.argmax(1), random.integers(0, k, n))
    return torch.from_numpy(z), torch.from_numpy(labels)


def _chances(n: int = N, seed: int = 0) -> tuple[Tensor, Tensor]:
    """Claims piled up at the ends, some equal, some on edges of bins."""
    random = np.random.default_rng(seed)
    p = random.beta(0.3, 0.2, n)
    p[: n // 4] = p[: n // 4].round(1)
    p[:6] = 0, 1, 1 / 15, 0.6, 7 / 15, 5e-324
    return torch.from_numpy(p), torch.from_numpy(random.random(n) < p**1.3)


def _error(
    metric: CalibrationError, preds: Tensor, target: Tensor, sizes: list[int] | None = None
) -> float:
    ends = np.cumsum([0, *(sizes or [len(preds)])])
    for start, end in itertools.pairwise(ends):
        metric.update(preds[start:end], target[start:end])
    return metric.compute().item()


MEASURES: dict[Measure, Callable[[c.Predictions], float]] = {
    "ece": c.ece,
    "ks": c.ks_error,
    "classwise": c.classwise_ece,
}


@pytest.mark.parametrize("kind", ["logits", "probs"])
@pytest.mark.parametrize("k", [2, 5])
@pytest.mark.parametrize("measure", MEASURES)
def test_the_error_is_that_of_the_library(measure: Measure, k: int, kind: Kind) -> None:
    z, labels = _logits(k)
    values = z if kind == "logits" else z.softmax(1)
    pred = (c.from_logits if kind == "logits" else c.from_probs)(values, labels)
    metric = CalibrationError(measure, input=kind, n_classes=k if measure == "classwise" else None)
    # Distinct claims of one cell are few here, and its two ends are the highest of the sums in it.
    assert _error(metric, values, labels) == pytest.approx(MEASURES[measure](pred), abs=1e-12)


@pytest.mark.parametrize("n_bins", [1, 10, 15, 1000])
def test_a_claim_on_an_edge_falls_on_the_side_that_it_does_in_the_library(n_bins: int) -> None:
    p = np.linspace(0, 1, n_bins + 1)
    p = np.concatenate([p, np.nextafter(p, 0), np.nextafter(p, 1).clip(0, 1)])
    y = np.arange(len(p)) % 3 == 0
    for claims in (p, p.astype(np.float32)):
        metric = CalibrationError(input="probs", n_bins=n_bins)
        found = _error(metric, torch.from_numpy(claims), torch.from_numpy(y))
        assert found == pytest.approx(c.ece(c.binary(claims, y), n_bins), abs=1e-14)


def test_sums_are_exact() -> None:
    p, y = _chances()
    edges = [Fraction(float(edge)) for edge in np.linspace(0, 1, 16)]
    gaps = [Fraction(0)] * 15
    for claim, happened in zip(map(Fraction, p.tolist()), y.tolist(), strict=True):
        k = next(i for i in range(15) if claim <= edges[i + 1])
        gaps[k] += happened - claim
    exact = sum(map(abs, gaps), Fraction(0)) / len(p)
    assert _error(CalibrationError(input="probs"), p, y) == pytest.approx(float(exact), rel=1e-15)


def _drift_by_cell(p: Array, y: Array) -> tuple[float, float]:
    """The KS error row by row, and by how much more than the sums at ends of cells it may be."""
    order = np.argsort(p, kind="stable")
    p, y = p[order], y[order]
    last = np.append(p[1:] != p[:-1], True)
    exact = np.abs(np.cumsum(y - p))[last].max() / len(p)
    cell = np.where(p <= 0.5, np.sqrt(p / 2), 1 - np.sqrt((1 - p) / 2)) * 2**16
    cell = np.minimum(cell.astype(int), 2**16 - 1)
    rises, falls = np.bincount(cell, y * (1 - p)), np.bincount(cell, (1 - y) * p)
    return exact, np.minimum(rises, falls).max() / len(p)


@pytest.mark.parametrize("width", [1.0, 1e-3, 1e-5, 1e-9])
@pytest.mark.parametrize("near", [0.5, 0.9, 1.0])
def test_ks_is_as_exact_as_its_cells_allow(near: float, width: float) -> None:
    random = np.random.default_rng(0)
    p = (near - width * random.random(N)).clip(0, 1)
    for y in (random.random(N) < p, p > np.median(p), p < np.median(p)):
        found = _error(
            CalibrationError("ks", input="probs"), torch.from_numpy(p), torch.from_numpy(y)
        )
        exact, bound = _drift_by_cell(p, y.astype(float))
        assert exact == pytest.approx(c.ks_error(c.binary(p, y)), abs=1e-12)
        assert exact - bound - 1e-12 <= found <= exact + 1e-12


@pytest.mark.parametrize("seed", [0, 1])
def test_smooth_error_is_that_of_the_library(seed: int) -> None:
    p, y = _chances(seed=seed)
    found = _error(CalibrationError("smece", input="probs"), p, y)
    assert found == pytest.approx(smece(c.binary(p.numpy(), y.numpy())), abs=1e-6)


@pytest.mark.parametrize("kind", ["logits", "probs"])
@pytest.mark.parametrize("measure", ["ece", "classwise", "ks", "smece"])
def test_batches_and_order_change_no_bit(measure: Measure, kind: Kind) -> None:
    z, labels = _logits(5)
    values = (z if kind == "logits" else z.softmax(1)).float()
    settings = {"n_classes": 5} if measure == "classwise" else {}
    whole = CalibrationError(measure, input=kind, **settings)
    expected = _error(whole, values, labels)
    random = np.random.default_rng(0)
    order = torch.from_numpy(random.permutation(N))
    for sizes in ([1] * 40 + [N - 40], [1000, 0, 1, 1999], [7] * 428 + [4]):
        parts = CalibrationError(measure, input=kind, **settings)
        assert _error(parts, values[order], labels[order], sizes) == expected
        assert torch.equal(parts.sums, whole.sums)


def test_many_classes_and_one_row_give_the_bits_of_many_rows() -> None:
    z, labels = _logits(50_000, n=4)
    whole, parts = CalibrationError(input="logits"), CalibrationError(input="logits")
    assert _error(whole, z.float(), labels) == _error(parts, z.float(), labels, [1, 1, 2])
    assert torch.equal(parts.sums, whole.sums)


RANK = """
import sys, torch, torch.distributed as dist
torch.set_num_threads(1)
from calibrant.torch.metrics import CalibrationError
rank, file = int(sys.argv[1]), sys.argv[2]
dist.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=2)
random = torch.Generator().manual_seed(3)
z, labels = torch.randn(1000, 4, generator=random) * 3, torch.randint(0, 4, (1000,), generator=random)
# Unequal shares; in the second round a process sees nothing at all.
for share in ([300, 700], [0, 1000]):
    errors = []
    for measure in ("ece", "classwise", "ks", "smece"):
        metric = CalibrationError(measure, input="logits", n_classes=4 if measure == "classwise" else None)
        for rows in torch.arange(1000).split(share)[rank].split(64):
            metric.update(z[rows], labels[rows])
        errors.append(metric.compute().item().hex())
        metric.reset()
    print(*errors)
dist.destroy_process_group()
"""


def test_two_processes_give_the_bits_of_one(tmp_path: Path) -> None:
    run = [sys.executable, "-c", RANK]
    rendezvous = str(tmp_path / "rendezvous")
    ranks = [
        subprocess.Popen([*run, str(rank), rendezvous], stdout=subprocess.PIPE, text=True)
        for rank in (0, 1)
    ]
    said = [rank.communicate(timeout=100)[0].split() for rank in ranks]
    random = torch.Generator().manual_seed(3)
    z, labels = (
        torch.randn(1000, 4, generator=random) * 3,
        torch.randint(0, 4, (1000,), generator=random),
    )
    measures: list[Measure] = ["ece", "classwise", "ks", "smece"]
    errors = [
        _error(
            CalibrationError(
                measure, input="logits", n_classes=4 if measure == "classwise" else None
            ),
            z,
            labels,
        )
        for measure in measures
    ]
    assert said == [[error.hex() for error in errors] * 2] * 2


def test_millions_of_claims_are_as_exact_as_three() -> None:
    p = torch.tensor([0.97, 0.9, 0.31], dtype=torch.float32).repeat(100_000)
    y = torch.tensor([True, True, False]).repeat(100_000)
    metric = CalibrationError(input="probs")
    for _ in range(11):
        metric.update(p, y)
    assert metric.compute().item() == pytest.approx(
        _error(CalibrationError(input="probs"), p[:3], y[:3]), rel=1e-15
    )
    # What adds in float32 is wrong in the third digit by now.
    peer = BinaryCalibrationError(n_bins=15, validate_args=False)
    peer.update(p.repeat(11), y.repeat(11).int())
    assert abs(peer.compute().item() - metric.compute().item()) > 5e-4


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_half_precision_is_read_as_the_numbers_it_holds(dtype: torch.dtype) -> None:
    z, labels = _logits(5)
    half = z.to(dtype)
    single, exact = CalibrationError(input="logits"), CalibrationError(input="logits")
    assert _error(single, half, labels) == _error(exact, half.double(), labels)
    # Rounded probabilities sum to one as nearly as their type allows.
    assert _error(CalibrationError(input="probs"), z.softmax(1).to(dtype), labels) > 0


def test_it_is_a_metric_like_others() -> None:
    z, labels = _logits(5)
    both = MetricCollection([CalibrationError(input="logits")])
    both["ks"] = CalibrationError("ks", input="logits")
    first = both(z[:100], labels[:100])
    assert first["CalibrationError"].item() == pytest.approx(
        c.ece(c.from_logits(z[:100], labels[:100])), abs=1e-12
    )
    both(z[100:], labels[100:])
    assert both.compute()["ks"].item() == pytest.approx(
        c.ks_error(c.from_logits(z, labels)), abs=1e-12
    )
    metric = CalibrationError(input="logits")
    metric(z, labels)
    before = metric.compute()
    assert before.shape == ()
    metric.half().set_dtype(torch.float32)
    assert metric.sums.dtype == torch.int64
    metric.persistent(mode=True)
    again = CalibrationError(input="logits")
    again.load_state_dict(metric.state_dict())
    again.update(z[:0], labels[:0])
    assert again.compute() == before
    z.requires_grad_()
    assert not metric(z, labels).requires_grad


def test_an_empty_epoch_has_no_error() -> None:
    metric = CalibrationError(input="logits")
    with (
        pytest.warns(UserWarning, match="before the ``update``"),
        pytest.raises(ValueError, match="no error of no rows"),
    ):
        metric.compute()
    metric.update(torch.zeros(0, 3), torch.zeros(0, dtype=torch.long))
    with pytest.raises(ValueError, match=r"no error of no rows: update\(preds, target\)"):
        metric.compute()


def test_more_rows_than_sums_can_hold_are_refused() -> None:
    metric = CalibrationError(input="probs")
    metric.update(torch.tensor([0.3]), torch.tensor([1]))
    metric.sums[0, 4] = 2**32
    with pytest.raises(ValueError, match=r"fewer than 2\^32 rows, got 4294967296"):
        metric.compute()


def test_outcomes_may_be_bools_or_floats() -> None:
    p, y = _chances()
    errors = {
        _error(CalibrationError(input="probs"), p, y.to(kind))
        for kind in (torch.bool, torch.int8, torch.float32)
    }
    assert len(errors) == 1


def test_log_odds_of_an_event_are_told_and_never_guessed() -> None:
    z, y = torch.tensor([0.2, 0.9]), torch.tensor([0, 1])
    assert _error(CalibrationError(input="logits"), z, y) == _error(
        CalibrationError(input="probs"), z.double().sigmoid(), y
    )
    assert _error(CalibrationError(input="probs"), z, y) != _error(
        CalibrationError(input="logits"), z, y
    )


def test_settings_that_mean_nothing_are_refused() -> None:
    with pytest.raises(TypeError, match="input"):
        CalibrationError()  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="measure must be 'ece' or"):
        CalibrationError("mce", input="probs")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="input must be 'logits' or 'probs'"):
        CalibrationError(input="scores")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="n_bins must be at least 1, got 0"):
        CalibrationError(input="probs", n_bins=0)
    with pytest.raises(
        ValueError, match='told to "classwise", and to no other; got None for classwise'
    ):
        CalibrationError("classwise", input="probs")
    with pytest.raises(ValueError, match="and to no other; got 3 for ks"):
        CalibrationError("ks", input="probs", n_classes=3)
    with pytest.raises(ValueError, match="n_classes must be at least 2, got 1"):
        CalibrationError("classwise", input="probs", n_classes=1)
    with pytest.raises(ValueError, match=r"3 columns, one a class, got shape \(2, 4\)"):
        CalibrationError("classwise", input="probs", n_classes=3).update(
            torch.full((2, 4), 0.25), torch.zeros(2)
        )


def test_an_absent_torchmetrics_says_how_to_get_it() -> None:
    program = "import sys; sys.modules['torchmetrics'] = None; import calibrant.torch.metrics"
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert 'pip install "calibrant[torch]"' in found.stderr.splitlines()[-1]
