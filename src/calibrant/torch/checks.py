"""What losses and metrics ask of a batch, and how a bad row is named."""

import torch
from torch import Tensor

from ..fitting.bandwidths import LEAST_BANDWIDTH
from ..inputs.predictions import Kind
from ..inputs.vector_checks import SUM_TOLERANCE

# How many bad rows an error names, and how much of them it shows.
_MOST_NAMED = 5
_MOST_SHOWN = 3
_MOST_CHARACTERS = 200
_FOR_LOGITS = 'for logits say input="logits"'


def batch(logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """Logits (n, k), labels as places; logits (n,) are the log odds of class 1 of two.

    Looks at shapes and types alone, which does not wait for the device.
    """
    _refuse_no_tensor("logits", logits)
    _refuse_no_tensor("labels", labels)
    if not logits.is_floating_point():
        raise ValueError(f"logits must be floats, got {logits.dtype}; use logits.float()")
    if labels.is_floating_point() or labels.is_complex():
        raise ValueError(f"labels must be whole numbers, got {labels.dtype}; use labels.long()")
    if logits.ndim == 1:
        zeros = logits.new_zeros(()).expand_as(logits)
        logits = torch.stack([zeros, logits], 1)
    _check_shapes(logits, labels)
    return logits, labels.to(torch.int64)


def _refuse_no_tensor(name: str, given: object) -> None:
    if not isinstance(given, Tensor):
        got = type(given).__name__
        raise ValueError(f"{name} must be a tensor, got {got}; use torch.as_tensor({name})")


def refuse_bad_rows(logits: Tensor, labels: Tensor) -> None:
    """An error that names rows whose logits are not finite or whose label is no class.

    Waits for the device.
    """
    _refuse(~logits.isfinite(), logits, "logits must be finite")
    refuse_labels(labels, logits.shape[1])


def refuse_labels(labels: Tensor, k: int) -> None:
    """An error that names rows whose label is none of k classes."""
    is_no_class = (labels < 0) | (labels >= k)
    _refuse(is_no_class, labels, f"labels must be from 0 to {k - 1}")


def result_type(logits: Tensor) -> torch.dtype:
    """The type of what is computed from logits: theirs, half precision widened to float32."""
    return torch.promote_types(logits.dtype, torch.float32)


def checked_bandwidth(bandwidth: float) -> float:
    """The bandwidth, where it is one."""
    if not LEAST_BANDWIDTH <= bandwidth < float("inf"):
        least = f"at least {LEAST_BANDWIDTH:g}, such as 0.01"
        raise ValueError(f"bandwidth must be above 0, {least}; got {bandwidth}")
    return float(bandwidth)


def streamed(
    preds: Tensor,
    target: Tensor,
    kind: Kind,
    n_classes: int | None,
) -> tuple[Tensor, Tensor]:
    """A metric's batch, which may be empty: values in float64 and labels."""
    _check_streamed_shapes(preds, target, n_classes)
    values = preds.double().contiguous()
    rows = values[:, None] if values.ndim == 1 else values
    finite = rows.isfinite().all(1)
    _refuse_rows(~finite, preds, f"{kind} must be finite")
    if kind == "probs":
        _check_probs(preds, rows)
        values = values.clamp(0, 1)
    return values, _checked_target(preds, target)


def _check_shapes(logits: Tensor, labels: Tensor) -> None:
    shape = tuple(logits.shape)
    if len(shape) != 2 or shape[1] < 2:
        rule = "logits must be (n, k) with k of at least 2, or (n,) log odds"
        raise ValueError(f"{rule}; got {shape}")
    if labels.shape != shape[:1]:
        rule = "labels must be (n,), one for each row of logits"
        raise ValueError(f"{rule}; got {tuple(labels.shape)}")
    if not len(logits):
        raise ValueError("a batch must hold at least one row; got none")


def _check_streamed_shapes(preds: Tensor, target: Tensor, n_classes: int | None) -> None:
    shape = tuple(preds.shape)
    is_event = len(shape) == 1
    is_classes = len(shape) == 2 and shape[1] >= 2
    if not (is_event or is_classes) or not preds.is_floating_point():
        classes = "floats of shape (rows, classes) with at least two classes"
        rule = f"preds must be {classes}, or (rows,) for one event"
        raise ValueError(f"{rule}; got {preds.dtype} of shape {shape}")
    if n_classes is not None and shape[1:] != (n_classes,):
        rule = f"preds must have {n_classes} columns, one a class"
        raise ValueError(f"{rule}, got shape {shape}")
    if target.shape != shape[:1]:
        rule = f"target must be one label a row, {len(preds)} of them"
        hint = "; for one-hot rows give target.argmax(1)" if target.ndim == 2 else ""
        raise ValueError(f"{rule}, got shape {tuple(target.shape)}{hint}")


def _check_probs(preds: Tensor, rows: Tensor) -> None:
    # A type's own rounding is no fault; what sums to one may also be off by the tolerance.
    rounding = 4 * torch.finfo(preds.dtype).eps
    tolerance = max(rounding, SUM_TOLERANCE)
    is_event = preds.ndim == 1
    above_one = rounding if is_event else tolerance
    too_low = rows < -rounding
    too_high = rows > 1 + above_one
    outside = (too_low | too_high).any(1)
    _refuse_rows(outside, preds, f"probs must lie in [0, 1]; {_FOR_LOGITS}")
    if is_event:
        return
    off = (rows.sum(1) - 1).abs()
    _refuse_rows(off > tolerance, preds, f"probs must sum to one; {_FOR_LOGITS}")


def _checked_target(preds: Tensor, target: Tensor) -> Tensor:
    if preds.ndim == 2:
        classes = preds.shape[1]
        rule = f"target must lie in 0..{classes - 1}"
    else:
        classes = 2
        rule = "target must be 0 or 1, whether it happened"
    given = target.to(preds.device)
    labels = given.long()
    inside = (given >= 0) & (given < classes)
    whole = given == labels
    _refuse_rows(~(inside & whole), target, rule)
    return labels


def _refuse(bad: Tensor, values: Tensor, rule: str) -> None:
    """An error that counts the rows with a bad value, and gives the first such value."""
    if not bad.any():
        return
    n = len(bad)
    rows = _places(bad.reshape(n, -1).any(1))
    named = ", ".join(map(str, rows[:_MOST_NAMED]))
    if len(rows) > _MOST_NAMED:
        named += ", ..."
    first = values[bad][0].item()
    faults = f"{len(rows)} of {n} rows are not"
    raise ValueError(f"{rule}: {faults} (rows {named}; got {first})")


def _refuse_rows(bad: Tensor, given: Tensor, rule: str) -> None:
    """An error that shows the first bad rows as they were given."""
    if not bad.any():
        return
    rows = _places(bad)
    some = [f"row {row} is {given[row].tolist()}" for row in rows[:_MOST_SHOWN]]
    shown = ", ".join(some)[:_MOST_CHARACTERS]
    if len(rows) > _MOST_SHOWN:
        shown += f", {len(rows)} rows in all"
    raise ValueError(f"{rule} ({shown})")


def _places(bad: Tensor) -> list[int]:
    """Of the rows that are bad."""
    places: list[int] = bad.nonzero().flatten().tolist()
    return places
