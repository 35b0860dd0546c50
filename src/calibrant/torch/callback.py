"""A history of calibration beside training: in a plain loop, or as a callback of Lightning."""

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from math import nan
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, distributed

from ..inputs.predictions import Predictions, from_logits
from ..training.history import Epoch, History, Rows
from .checks import batch, refuse_labels, result_type

_LIGHTNING = {
    "lightning": "lightning.pytorch",
    "pytorch_lightning": "pytorch_lightning",
}
_WAY_OUT = 'return {"logits": logits, "labels": labels} from validation_step'


def _lightning_callback() -> Any:  # noqa: ANN401 - a class of a library that may be absent
    """Lightning's class of callbacks; any class where Lightning is not installed."""
    for package, module in _LIGHTNING.items():
        if find_spec(package) is not None:
            return import_module(module).Callback
    return object


class _Seen(NamedTuple):
    """Logits and labels of an epoch's batches so far, and what was the matter with the first bad one."""

    logits: list[Tensor]
    labels: list[Tensor]
    faults: list[str]

    @property
    def batches(self) -> int:
        """How many there were."""
        return len(self.logits) + len(self.faults)


class CalibrationHistory(History, _lightning_callback()):  # type: ignore[misc]
    """What claims of the validation rows are worth, epoch by epoch, as the library measures it.

    In a plain loop, `update(logits, labels)` takes each validation batch and `end_epoch()`
    measures. In Lightning it is a callback of the Trainer: `validation_step` returns "logits" and
    "labels", and "tempered_nll" is logged for `ModelCheckpoint(monitor="tempered_nll")`, which
    keeps the checkpoint that `best` names. The logits of one epoch are held at a time. Logits or
    training losses that are not finite end nothing: `faults` says where.

    >>> history = CalibrationHistory()
    >>> labels = torch.tensor([0, 1, 0, 1, 1])
    >>> logits = torch.tensor([0.5, 0.2, -0.1, 0.4, 0.8])
    >>> for scale in (1, 2, 20):
    ...     history.update(scale * logits, labels)
    ...     epoch = history.end_epoch(checkpoint=f"{scale}.pt")
    >>> history.lowest.checkpoint, round(epoch.temperature, 3)
    ('2.pt', 9.524)
    """

    def __init__(self) -> None:
        super().__init__()
        self._seen = _Seen([], [], [])

    def update(self, logits: Tensor, labels: Tensor) -> None:
        """Add a batch of validation rows: logits (n, k), or (n,) log odds, and labels (n,)."""
        z, y = batch(logits, labels)
        z = z.detach()
        refuse_labels(y, z.shape[1])
        seen = self._seen
        bad = (~z.isfinite()).any(1)
        if bad.any():
            n_bad = int(bad.sum())
            rows = f"{n_bad} of {len(z)} rows"
            seen.faults.append(f"logits of batch {seen.batches + 1} are not finite in {rows}")
            return
        if seen.logits and seen.logits[0].shape[1] != z.shape[1]:
            rule = (
                f"logits must have {seen.logits[0].shape[1]} columns, as those of the first batch"
            )
            raise ValueError(f"{rule}; got {z.shape[1]}")
        # What lies on the processor might be overwritten by the next batch.
        seen.logits.append(z.to("cpu", result_type(z), copy=True))
        seen.labels.append(y.to("cpu", copy=True))

    def end_epoch(
        self,
        *,
        epoch: int | None = None,
        train_loss: float | Tensor | None = None,
        checkpoint: str | None = None,
    ) -> Epoch | None:
        """Measure the epoch whose validation batches were given, the next one by default.

        None where logits were not finite. `checkpoint` is where the network was saved.
        """
        number = self.next_epoch if epoch is None else epoch
        parts = _of_all_processes(self._seen)
        if not any(each.batches for each in parts):
            rule = f"epoch {number} has no validation rows"
            raise ValueError(f"{rule}: update(logits, labels) before end_epoch()")
        self._seen = _Seen([], [], [])
        if isinstance(train_loss, Tensor):
            train_loss = train_loss.item()
        faults = [fault for each in parts for fault in each.faults]
        if faults:
            self.note(number, faults[0])
            return None
        return self.add(
            _predictions(parts),
            epoch=number,
            train_loss=train_loss,
            checkpoint=checkpoint,
        )

    def on_validation_batch_end(
        self,
        trainer: Any,  # noqa: ANN401 - Lightning's own
        pl_module: Any,  # noqa: ANN401, ARG002
        outputs: Any,  # noqa: ANN401
        batch: Any,  # noqa: ANN401, ARG002
        batch_idx: int,  # noqa: ARG002
        dataloader_idx: int = 0,
    ) -> None:
        """Lightning's: take a batch of the first validation loader."""
        if not _is_training(trainer) or dataloader_idx:
            return
        if not isinstance(outputs, Mapping) or not {"logits", "labels"} <= outputs.keys():
            got = list(outputs) if isinstance(outputs, Mapping) else type(outputs).__name__
            raise ValueError(f"validation_step must give logits and labels, got {got}: {_WAY_OUT}")
        self.update(outputs["logits"], outputs["labels"])

    def on_validation_epoch_end(self, trainer: Any, pl_module: Any) -> None:  # noqa: ANN401
        """Lightning's: measure, and log "tempered_nll"."""
        if not _is_training(trainer):
            return
        epoch = trainer.current_epoch
        # How Lightning names its checkpoints by default.
        name = f"epoch={epoch}-step={trainer.global_step}"
        found = self.end_epoch(epoch=epoch, checkpoint=name)
        pl_module.log("tempered_nll", nan if found is None else found.tempered_nll)

    def state_dict(self) -> dict[str, Any]:
        """Lightning's: what a checkpoint keeps of it."""
        rows = self.rows_of_lowest
        kept = None
        if rows is not None:
            kept = [torch.from_numpy(np.asarray(part)) for part in (rows.labels, *rows[2:])]
        return self.to_dict() | {"rows_of_lowest": kept}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Lightning's: go on where a checkpoint left off."""
        before = History.from_dict(state_dict)
        self.epochs, self.faults = before.epochs, before.faults
        kept = state_dict["rows_of_lowest"]
        if kept is not None:
            labels, losses, wrong = (part.numpy() for part in kept)
            self.rows_of_lowest = Rows(labels, None, losses, wrong)


def _is_training(trainer: Any) -> bool:  # noqa: ANN401
    """Whether Lightning validates within training, and not to try whether it could."""
    return trainer.state.fn == "fit" and not trainer.sanity_checking


def _predictions(parts: list[_Seen]) -> Predictions:
    logits = torch.cat([z for each in parts for z in each.logits])
    labels = torch.cat([y for each in parts for y in each.labels])
    return from_logits(logits, labels)


def _of_all_processes(seen: _Seen) -> list[_Seen]:
    """What every process has seen, where several train together."""
    if not (distributed.is_available() and distributed.is_initialized()):
        return [seen]
    parts: list[Any] = [None] * distributed.get_world_size()
    distributed.all_gather_object(parts, seen)
    return parts
