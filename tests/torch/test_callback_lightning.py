"""The history as a callback of Lightning's own Trainer."""

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="torch is an extra")
pytest.importorskip("pytorch_lightning", reason="Lightning is no extra, only for tests")

import pytorch_lightning as lightning
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

import calibrant as c
from calibrant.torch.callback import CalibrationHistory

K = 4


@pytest.fixture(autouse=True)
def _advice_is_no_error() -> Iterator[None]:
    # Lightning advises on workers and the like by warnings.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class _Module(lightning.LightningModule):
    def __init__(self, *, gives: str = "logits", bad_epoch: int | None = None) -> None:
        super().__init__()
        self.net = nn.Linear(6, K)
        self.gives = gives
        self.bad_epoch = bad_epoch
        self.seen: list[Tensor] = []

    def training_step(self, batch: list[Tensor], _: int) -> Tensor:
        return nn.functional.cross_entropy(self.net(batch[0]), batch[1])

    def validation_step(self, batch: list[Tensor], _: int) -> dict[str, Tensor]:
        logits = self.net(batch[0])
        if self.current_epoch == self.bad_epoch and not self.trainer.sanity_checking:
            logits = logits * torch.nan
        return {self.gives: logits, "labels": batch[1]}

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), lr=0.1)


def _loader(n: int, seed: int) -> DataLoader[tuple[Tensor, ...]]:
    random = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 6, generator=random)
    noise = torch.randn(n, K, generator=random)
    return DataLoader(TensorDataset(x, (x[:, :K] + noise).argmax(1)), batch_size=64)


def _trainer(tmp_path: Path, *callbacks: Any, epochs: int = 3) -> Any:  # noqa: ANN401
    return lightning.Trainer(
        max_epochs=epochs,
        callbacks=list(callbacks),
        default_root_dir=tmp_path,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=bool(callbacks[1:]),
        enable_progress_bar=False,
        enable_model_summary=False,
    )


def test_it_keeps_the_checkpoint_that_is_best_after_temperature(tmp_path: Path) -> None:
    history = CalibrationHistory()
    keeper = lightning.callbacks.ModelCheckpoint(tmp_path, monitor="tempered_nll")
    module, rows = _Module(), _loader(300, 1)
    _trainer(tmp_path, history, keeper).fit(module, _loader(200, 0), rows)
    # The trial validation before training is none of the epochs, which Lightning counts from 0.
    assert [each.epoch for each in history.epochs] == [0, 1, 2]
    assert [each.rows for each in history.epochs] == [300] * 3
    assert Path(keeper.best_model_path).stem == history.best.checkpoint
    score = keeper.best_model_score
    assert score is not None
    assert score.item() == pytest.approx(history.best.tempered_nll)
    x, labels = rows.dataset[:]
    with torch.no_grad():
        pred = c.from_logits(module.net(x), labels)
    assert history.epochs[-1].nll == pytest.approx(c.nll(pred), abs=1e-7)


def test_it_goes_on_where_a_checkpoint_left_off(tmp_path: Path) -> None:
    before, after = CalibrationHistory(), CalibrationHistory()
    keeper = lightning.callbacks.ModelCheckpoint(tmp_path)
    rows = _loader(200, 0), _loader(300, 1)
    _trainer(tmp_path, before, keeper, epochs=2).fit(_Module(), *rows)
    trainer = _trainer(tmp_path, after, epochs=4)
    trainer.fit(_Module(), *rows, ckpt_path=keeper.best_model_path)
    assert after.epochs[:2] == before.epochs
    assert [each.epoch for each in after.epochs] == [0, 1, 2, 3]
    assert after.rows_of_lowest is not None


def test_validation_beside_training_is_no_epoch(tmp_path: Path) -> None:
    history = CalibrationHistory()
    trainer = _trainer(tmp_path, history)
    trainer.validate(_Module(), _loader(100, 1), verbose=False)
    assert not history.epochs


def test_logits_that_are_not_finite_end_nothing(tmp_path: Path) -> None:
    history = CalibrationHistory()
    keeper = lightning.callbacks.ModelCheckpoint(tmp_path, monitor="tempered_nll")
    _trainer(tmp_path, history, keeper).fit(_Module(bad_epoch=1), _loader(200, 0), _loader(300, 1))
    assert [each.epoch for each in history.epochs] == [0, 2]
    assert [each.epoch for each in history.faults] == [1]
    assert Path(keeper.best_model_path).stem == history.best.checkpoint


def test_a_validation_step_without_logits_is_told_what_to_give(tmp_path: Path) -> None:
    trainer = _trainer(tmp_path, CalibrationHistory())
    with pytest.raises(ValueError, match=r"got \['scores', 'labels'\]: return"):
        trainer.fit(_Module(gives="scores"), _loader(200, 0), _loader(300, 1))
