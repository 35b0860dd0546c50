"""A history beside training: in a plain loop, in several processes, and in Lightning."""

import math
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is an extra")

import torch
from torch import Tensor

import calibrant as c
from calibrant import plots
from calibrant.torch.callback import CalibrationHistory
from calibrant.training.history import History


def _rows(n: int = 1000, k: int = 5, dtype: torch.dtype = torch.float32) -> tuple[Tensor, Tensor]:
    random = torch.Generator().manual_seed(0)
    labels = torch.randint(k, (n,), generator=random)
    logits = torch.randn(n, k, generator=random) + 2 * torch.eye(k)[labels]
    return logits.to(dtype), labels


def _measured(history: CalibrationHistory, logits: Tensor, labels: Tensor, size: int = 64) -> None:
    for start in range(0, len(labels), size):
        rows = slice(start, start + size)
        history.update(logits[rows], labels[rows])
    history.end_epoch()


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("size", [1, 64, 1000])
def test_the_numbers_are_the_librarys(dtype: torch.dtype, size: int) -> None:
    logits, labels = _rows(dtype=dtype)
    history = CalibrationHistory()
    _measured(history, logits.requires_grad_(), labels, size)
    least = torch.promote_types(dtype, torch.float32)
    pred = c.from_logits(logits.detach().to(least), labels)
    expected = History()
    expected.add(pred)
    assert history.to_dict() == expected.to_dict()
    assert history.epochs[0].nll == pytest.approx(c.nll(pred), abs=1e-9)


def test_log_odds_are_two_classes() -> None:
    logits, labels = _rows(k=2)
    odds, both = CalibrationHistory(), CalibrationHistory()
    _measured(odds, logits[:, 1] - logits[:, 0], labels)
    _measured(both, logits, labels)
    assert odds.epochs[0].nll == pytest.approx(both.epochs[0].nll, abs=1e-6)
    assert odds.epochs[0].error == both.epochs[0].error


def test_a_batch_may_be_overwritten() -> None:
    logits, labels = _rows()
    history = CalibrationHistory()
    given = logits.clone()
    history.update(given, labels)
    given.zero_()
    history.end_epoch()
    _measured(history, logits, labels)
    first, second = history.epochs
    assert first.nll == second.nll


def test_logits_that_are_not_finite_end_nothing() -> None:
    logits, labels = _rows()
    history = CalibrationHistory()
    _measured(history, logits, labels)
    bad = logits.clone()
    bad[70:72] = torch.nan
    _measured(history, bad, labels)
    assert len(history.epochs) == 1
    where = "epoch 2: logits of batch 2 are not finite in 2 of 64 rows"
    assert [str(each) for each in history.faults] == [where]
    assert where in str(history)
    _measured(history, logits, labels)
    assert [each.epoch for each in history.epochs] == [1, 3]


def test_an_empty_epoch_is_refused() -> None:
    rule = r"epoch 1 has no validation rows: update\(logits, labels\) before"
    with pytest.raises(ValueError, match=rule):
        CalibrationHistory().end_epoch()


def test_bad_batches_are_refused() -> None:
    logits, labels = _rows(10)
    history = CalibrationHistory()
    with pytest.raises(ValueError, match="labels must be from 0 to 4: 1 of 10 rows"):
        history.update(logits, labels.index_fill(0, torch.tensor([3]), 5))
    with pytest.raises(ValueError, match="labels must be whole numbers"):
        history.update(logits, labels.float())
    history.update(logits, labels)
    with pytest.raises(ValueError, match="5 columns, as those of the first batch; got 3"):
        history.update(logits[:, :3], labels.clamp(max=2))
    assert history.end_epoch() is not None


def test_what_is_no_tensor_is_told() -> None:
    logits, labels = _rows(10)
    with pytest.raises(
        ValueError, match=r"logits must be a tensor, got ndarray; use torch.as_tensor"
    ):
        CalibrationHistory().update(logits.numpy(), labels)  # type: ignore[arg-type]


def test_a_training_loss_may_be_a_tensor() -> None:
    logits, labels = _rows(100)
    history = CalibrationHistory()
    for loss in (0.25, torch.nan):
        history.update(logits, labels)
        history.end_epoch(train_loss=torch.tensor(loss, requires_grad=True))
    assert [each.train_loss for each in history.epochs] == [0.25, None]
    assert [str(each) for each in history.faults] == ["epoch 2: the training loss is nan"]


def test_claims_that_no_temperature_mends_end_nothing() -> None:
    _, labels = _rows(100)
    history = CalibrationHistory()
    for right in (labels, (labels + 1) % 5):
        history.update(30 * torch.eye(5)[right], labels)
        history.end_epoch()
    good, bad = history.epochs
    assert good.error == 0
    assert bad.temperature == torch.inf
    assert bad.tempered_nll == pytest.approx(math.log(5))
    assert history.best is good
    plots.training(history)


RANK = """
import sys, torch, torch.distributed as dist
torch.set_num_threads(1)
from calibrant.torch.callback import CalibrationHistory
rank, file = int(sys.argv[1]), sys.argv[2]
dist.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=2)
random = torch.Generator().manual_seed(3)
z, labels = torch.randn(1000, 4, generator=random) * 3, torch.randint(0, 4, (1000,), generator=random)
history = CalibrationHistory()
# Unequal shares; in the second epoch a process sees nothing at all, in the third one sees nan.
for share in ([300, 700], [0, 1000]):
    for rows in torch.arange(1000).split(share)[rank].split(64):
        if len(rows):
            history.update(z[rows], labels[rows])
    history.end_epoch()
history.update(z / rank, labels)
history.end_epoch()
print(*[each.tempered_nll.hex() for each in history.epochs], *history.faults)
dist.destroy_process_group()
"""


def test_several_processes_measure_all_rows(tmp_path: Path) -> None:
    run = [sys.executable, "-c", RANK]
    ranks = [
        subprocess.Popen([*run, str(rank), str(tmp_path / "meet")], stdout=subprocess.PIPE)
        for rank in (0, 1)
    ]
    said = [rank.communicate(timeout=120)[0].decode() for rank in ranks]
    random = torch.Generator().manual_seed(3)
    z = torch.randn(1000, 4, generator=random) * 3
    labels = torch.randint(0, 4, (1000,), generator=random)
    whole = History().add(c.from_logits(z, labels)).tempered_nll.hex()
    fault = "epoch 3: logits of batch 1 are not finite in 1000 of 1000 rows"
    assert said == [f"{whole} {whole} {fault}\n"] * 2
