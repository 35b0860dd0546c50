"""What a run needs and what it gives: images on a device, and a file."""

import platform
import time
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from .images import Images, Sheets, load
from .loop import Training
from .measures import Rows, canonical_errors, measured, row_losses
from .records import Record
from .runs import Run

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
# Parts of the study whose runs keep something of each row.
WITH_ROWS = ("losses", "held", "binary")


class Pictures:
    """Images, loaded once."""

    def __init__(self) -> None:
        self.loaded: dict[tuple[str, int], Images] = {}

    def of(self, run: Run) -> Images:
        """Those of a run."""
        name: Sheets = "c100" if run.data == "c100" else "c10"
        key = (name, run.side)
        if key not in self.loaded:
            self.loaded[key] = load(name, run.side, DEVICE)
        found = self.loaded[key].first(run.images, run.validation, run.test)
        return found.vehicles() if run.data == "vehicles" else found


def outcome(training: Training, begun: float) -> tuple[Record, Rows]:
    """What a finished run has found, but for the measures of its end."""
    curves = training.curves()
    val, test = training.parts
    rows = Rows(
        val.logits.cpu().numpy().astype(np.float16),
        val.labels.cpu().numpy(),
        test.logits.cpu().numpy().astype(np.float16),
        test.labels.cpu().numpy(),
    )
    errors = {}
    if np.isfinite(curves.values[-1]).all():
        temperature = float(curves.values[-1, curves.names.index("temperature")])
        for name, part in (("val", val), ("test", test)):
            for when, scale in (("", 1.0), ("_after", 1 / temperature)):
                # As they are kept, in half precision.
                logits = part.logits.half().double() * scale
                errors[name + when] = canonical_errors(logits, part.labels, null=name == "test")
    seconds = time.monotonic() - begun
    values = curves.values.astype(np.float32)
    record = Record(training.run, machine(), seconds, errors, curves.names, values, {})
    return record, rows


def written(record: Record, rows: Rows) -> bytes:
    """The whole file."""
    measures = record.measures
    kept: dict[str, Any] = {}
    if measures:
        found = measured(rows)
        measures = {part: found[part] | measures[part] for part in found}
        kept = row_losses(rows)
    run = record.run
    if run.part not in WITH_ROWS:
        kept = {}
    elif run.data != "c100":
        # Of these, losses of rows follow from logits.
        kept = {"val_logits": rows.val_logits, "test_logits": rows.test_logits}
        kept |= {
            "val_labels": rows.val_labels.astype(np.uint8),
            "test_labels": rows.test_labels.astype(np.uint8),
        }
    return replace(record, measures=measures, rows=kept).to_bytes()


def machine() -> str:
    """Where it runs."""
    name = (
        torch.cuda.get_device_name() if DEVICE.type == "cuda" else f"{platform.machine()} processor"
    )
    return f"{name}, torch {torch.__version__}"
