"""What a network's claims are worth after each epoch of training."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.special import ndtri

from ..choosing import mean_and_error
from ..contenders import table
from ..families.multiclass.temperature import Temperature
from ..fitting.types import Array, Ints
from ..fitting.weights import Weights, weighted_mean
from ..inference.intervals import Interval
from ..inputs.predictions import Predictions
from ..inputs.questions import top_label
from ..measures.errors import ece
from ..measures.ks import ks_error
from ..measures.scores import entropy, nll, row_losses

_LEVEL = 0.95
_TITLES = (
    "epoch",
    "NLL",
    "tempered",
    "error %",
    "ECE %",
    "KS %",
    "temperature",
    "entropy",
)


@dataclass(frozen=True)
class Epoch:
    """What claims of validation rows are worth after an epoch.

    `tempered_nll` is the NLL after the best `temperature`. `nll_rise` and `error_rise` are what NLL
    and error lie above those of the epoch of least NLL until then, row by row, with their
    intervals.
    """

    epoch: int
    rows: int
    nll: float
    tempered_nll: float
    error: float
    ece: float
    ks: float
    entropy: float
    temperature: float
    nll_rise: Interval
    error_rise: Interval
    train_loss: float | None = None
    checkpoint: str | None = None


@dataclass(frozen=True)
class Fault:
    """An epoch of which there are no numbers, or no training loss, and why."""

    epoch: int
    reason: str

    def __str__(self) -> str:
        return f"epoch {self.epoch}: {self.reason}"


@dataclass(frozen=True)
class Overfit:
    """How far NLL and error lie, after epoch `now`, above those after `lowest`, of least NLL."""

    lowest: Epoch
    now: Epoch

    @property
    def error_still_falls(self) -> bool:
        """Whether the error is lower now than where NLL was least: claims are all that is spoilt."""
        return self.now.error_rise.estimate < 0

    def __str__(self) -> str:
        lowest, now = self.lowest, self.now
        risen = f"{lowest.nll:.4f} after epoch {lowest.epoch}, {now.nll:.4f} after {now.epoch}"
        verb = "still fell" if self.error_still_falls else "did not fall"
        fallen = f"from {100 * lowest.error:.2f}% to {100 * now.error:.2f}%"
        _, low, high = now.nll_rise
        rise = f"by {low:.4f} to {high:.4f}"
        _, low, high = now.error_rise
        change = f"by {100 * low:+.2f} to {100 * high:+.2f} points"
        sure = f"{100 * _LEVEL:g}% intervals: {rise}, {change}"
        return f"NLL overfits: {risen}, while the error {verb}, {fallen} ({sure})."


class Rows(NamedTuple):
    """Of each validation row its label and weight, its NLL, and whether the top label is wrong."""

    labels: Ints
    w: Weights
    losses: Array
    wrong: Array

    @property
    def nll(self) -> float:
        """The mean over rows."""
        return weighted_mean(self.losses, self.w)

    def are_those_of(self, other: "Rows") -> bool:
        """Whether these are the same rows in the same order, by their labels."""
        if not np.array_equal(self.labels, other.labels):
            return False
        if self.w is None or other.w is None:
            return self.w is other.w
        return np.array_equal(self.w, other.w)


class History:
    """What claims of the same validation rows are worth, epoch by epoch.

    >>> from calibrant import samples
    >>> fit_on, _ = samples.load("c10-lenet5")
    >>> history = History()
    >>> _ = history.add(fit_on)
    >>> print(history)
    epoch     NLL  tempered  error %  ECE %  KS %  temperature  entropy
    1      0.7769    0.7763    27.24   1.49  0.61        1.039   0.7481
    Best after temperature: epoch 1, NLL 0.7763 at temperature 1.039.
    """

    def __init__(self) -> None:
        self.epochs: tuple[Epoch, ...] = ()
        self.faults: tuple[Fault, ...] = ()
        self.rows_of_lowest: Rows | None = None

    @property
    def best(self) -> Epoch:
        """The epoch of least NLL after temperature: the refined, then calibrated one."""
        return min(self._some(), key=lambda each: each.tempered_nll)

    @property
    def lowest(self) -> Epoch:
        """The epoch of least NLL as claimed."""
        return min(self._some(), key=lambda each: each.nll)

    @property
    def overfit(self) -> Overfit | None:
        """How far NLL has risen by the last epoch, where it is more than random variation."""
        now = self._some()[-1]
        return Overfit(self.lowest, now) if now.nll_rise.low > 0 else None

    @property
    def next_epoch(self) -> int:
        """The number of the epoch to come; the first is 1."""
        measured = [each.epoch for each in self.epochs]
        faulty = [each.epoch for each in self.faults]
        return max(measured + faulty, default=0) + 1

    def add(
        self,
        pred: Predictions,
        *,
        epoch: int | None = None,
        train_loss: float | None = None,
        checkpoint: str | None = None,
    ) -> Epoch:
        """Measure what is claimed of the validation rows after an epoch, the next one by default.

        A `train_loss` that is not finite is kept as a fault. `checkpoint` is where the network was
        saved.
        """
        number = self.next_epoch if epoch is None else epoch
        if train_loss is not None and not np.isfinite(train_loss):
            self.note(number, f"the training loss is {train_loss}")
            train_loss = None
        rows = _rows(pred)
        since = self.rows_of_lowest
        if since is None or rows.nll < since.nll:
            since = self.rows_of_lowest = rows
        measured = _measured(pred, number, rows, since)
        found = replace(measured, train_loss=train_loss, checkpoint=checkpoint)
        self.epochs += (found,)
        return found

    def note(self, epoch: int, reason: str) -> None:
        """Keep why an epoch has no numbers."""
        self.faults += (Fault(epoch, reason),)

    def to_dict(self) -> dict[str, Any]:
        """Epochs and faults, as json holds them."""
        return {
            "epochs": [_kept(each) for each in self.epochs],
            "faults": [asdict(each) for each in self.faults],
        }

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> Self:
        """What `to_dict` gave, json between them or not; later epochs are compared with later ones."""
        history = cls()
        history.epochs = tuple(map(_epoch, kept["epochs"]))
        history.faults = tuple(Fault(**each) for each in kept["faults"])
        return history

    def __str__(self) -> str:
        if not self.epochs:
            return "\n".join(["no epochs yet", *map(str, self.faults)])
        numbers = table(_TITLES, map(_cells, self.epochs))
        return "\n".join([numbers, *self._findings()])

    def _findings(self) -> Iterator[str]:
        best = self.best
        where = f"epoch {best.epoch}"
        if best.checkpoint is not None:
            where += f" ({best.checkpoint})"
        found = f"NLL {best.tempered_nll:.4f} at temperature {best.temperature:.3f}"
        yield f"Best after temperature: {where}, {found}."
        if self.overfit is not None:
            yield str(self.overfit)
        yield from map(str, self.faults)

    def _some(self) -> tuple[Epoch, ...]:
        if self.epochs:
            return self.epochs
        why = f"; {self.faults[0]}" if self.faults else ""
        raise ValueError(f"the history has no epochs yet{why}")


def _rows(pred: Predictions) -> Rows:
    right = top_label(pred).y.astype(np.float64)
    return Rows(pred.labels, pred.w, row_losses(pred, "nll"), 1 - right)


def _measured(pred: Predictions, epoch: int, rows: Rows, since: Rows) -> Epoch:
    fitted = Temperature().fit(pred)
    facts = {fact.name: fact.value for fact in fitted.rule.facts()}
    view = top_label(pred)
    paired = rows.are_those_of(since)
    return Epoch(
        epoch=epoch,
        rows=pred.n,
        nll=nll(pred),
        tempered_nll=nll(fitted.apply(pred)),
        error=weighted_mean(rows.wrong, rows.w),
        ece=ece(view),
        ks=ks_error(view),
        entropy=entropy(pred),
        temperature=float(facts["temperature"]),
        nll_rise=_rise(rows.losses, rows.w, since.losses, since.w, paired=paired),
        error_rise=_rise(rows.wrong, rows.w, since.wrong, since.w, paired=paired),
    )


def _rise(x: Array, w: Weights, since: Array, w_since: Weights, *, paired: bool) -> Interval:
    """How far the mean of x lies above that of `since`, of the same rows or of others."""
    if paired:
        rise, error = mean_and_error(x - since, w)
    else:
        mean, of_mean = mean_and_error(x, w)
        mean_since, of_since = mean_and_error(since, w_since)
        rise = mean - mean_since
        error = float(np.hypot(of_mean, of_since))
    half = float(ndtri((1 + _LEVEL) / 2)) * error
    return Interval(rise, rise - half, rise + half)


def _cells(each: Epoch) -> tuple[str, ...]:
    shares = (each.error, each.ece, each.ks)
    return (
        str(each.epoch),
        f"{each.nll:.4f}",
        f"{each.tempered_nll:.4f}",
        *(f"{100 * share:.2f}" for share in shares),
        f"{each.temperature:.3f}",
        f"{each.entropy:.4f}",
    )


def _kept(each: Epoch) -> dict[str, Any]:
    rises = {"nll_rise": [*each.nll_rise], "error_rise": [*each.error_rise]}
    return asdict(each) | rises


def _epoch(kept: Mapping[str, Any]) -> Epoch:
    """An epoch as it was, its intervals read from lists."""
    rises = {name: Interval(*kept[name]) for name in ("nll_rise", "error_rise")}
    return Epoch(**{**kept, **rises})
