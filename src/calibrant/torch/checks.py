"""What every loss asks of a batch, and how a bad row is named."""

from torch import Tensor, int64, stack

from ..fitting.bandwidths import LEAST_BANDWIDTH
from ..inputs.checks import check_argument

_MOST_NAMED = 5


def batch(logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """Logits (n, k), labels as places; logits (n,) are the log odds of class 1 of two. Looks at shapes alone."""
    check_argument("logits", logits, Tensor)
    check_argument("labels", labels, Tensor)
    if not logits.is_floating_point():
        raise ValueError(f"logits must be floats, got {logits.dtype}; use logits.float()")
    if labels.is_floating_point() or labels.is_complex():
        raise ValueError(f"labels must be whole numbers, got {labels.dtype}; use labels.long()")
    if logits.ndim == 1:
        logits = stack([logits.new_zeros(()).expand_as(logits), logits], 1)
    if logits.ndim != 2 or logits.shape[1] < 2:
        raise ValueError(
            f"logits must be (n, k) with k of at least 2, or (n,) log odds; got {tuple(logits.shape)}"
        )
    if labels.shape != logits.shape[:1]:
        raise ValueError(
            f"labels must be (n,), one for each row of logits; got {tuple(labels.shape)}"
        )
    if not len(logits):
        raise ValueError("a batch must hold at least one row; got none")
    return logits, labels.to(int64)


def refuse_bad_rows(logits: Tensor, labels: Tensor) -> None:
    """An error that names rows whose logits are not finite or whose label is no class; waits for the device."""
    k = logits.shape[1]
    _refuse(~logits.isfinite(), "logits must be finite", logits)
    _refuse((labels < 0) | (labels >= k), f"labels must be from 0 to {k - 1}", labels)


def width(bandwidth: float) -> float:
    """The bandwidth, where it is one."""
    if not LEAST_BANDWIDTH <= bandwidth < float("inf"):
        raise ValueError(
            f"bandwidth must be above 0, at least {LEAST_BANDWIDTH:g}, such as 0.01; got {bandwidth}"
        )
    return float(bandwidth)


def _refuse(bad: Tensor, rule: str, values: Tensor) -> None:
    if bad.any():
        rows = bad.reshape(len(bad), -1).any(1).nonzero().flatten().tolist()
        named = ", ".join(map(str, rows[:_MOST_NAMED])) + (
            ", ..." if len(rows) > _MOST_NAMED else ""
        )
        raise ValueError(
            f"{rule}: {len(rows)} of {len(bad)} rows are not (rows {named}; got {values[bad][0].item()})"
        )
