"""Kernel terms beside the cross-entropy of the same seeds, by the error that they are trained for."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from calibrant import Interval

from .images import Data
from .runs import Run
from .tables import FEWEST, WHEN, By, Value, beyond, losses, measure, shown, title

# Accuracy that a term may cost.
TOLERANCE = 0.005
NAMES: dict[Data, str] = {"c10": "CIFAR-10", "c100": "CIFAR-100"}
GAINS = ("data", "term", "accuracy, points", "its error, points", "after T", "NLL after T")


class Cell(NamedTuple):
    """A kernel term beside cross-entropy: differences of accuracy, of its error, and of NLL."""

    run: Run
    accuracy: Interval
    before: Interval
    after: Interval
    nll_after: Interval

    @property
    def keeps_accuracy(self) -> bool:
        """Whether it costs at most the tolerance."""
        return self.accuracy.estimate >= -TOLERANCE

    def line(self) -> list[str]:
        """As a line of a table."""
        changes = (self.accuracy, self.before, self.after)
        return [
            NAMES[self.run.data],
            title(self.run),
            *(shown(change, 2, 100, sign="+") for change in changes),
            shown(self.nll_after, 4, sign="+"),
        ]


def cells(by: By) -> Iterator[Cell]:
    """Every kernel term that was run with enough seeds for an interval."""
    for data in NAMES:
        of = losses(by, data)
        base = next((runs for run, runs in of.items() if run.loss == "cross-entropy"), {})
        for run, runs in of.items():
            if run.is_kernel_term and len(runs.keys() & base.keys()) >= FEWEST:
                yield Cell(run, *(beyond(runs, base, value) for value in _values(run.loss)))


def _values(error: str) -> list[Value]:
    its = [measure(part, error) for part in WHEN]
    return [measure("test", "accuracy"), *its, measure("test_after", "nll")]


def counted(found: Sequence[Cell]) -> str:
    """In how many cells a term beats cross-entropy on the error that it is trained for."""
    kept = [cell for cell in found if cell.keeps_accuracy]
    before = _told([cell.before for cell in kept])
    after = _told([cell.after for cell in kept])
    nll = _told([cell.nll_after for cell in kept])
    return (
        f"Of {len(found)} cells {len(kept)} have an accuracy at most {100 * TOLERANCE:g} points below that of "
        f"cross-entropy. Among these {len(kept)} the error that is trained for is {before} before temperature "
        f"scaling, and {after} after it; NLL after temperature scaling is {nll}."
    )


def _told(changes: Sequence[Interval]) -> str:
    lower = sum(change.estimate < 0 for change in changes)
    clearly = sum(change.high < 0 for change in changes)
    higher = sum(change.low > 0 for change in changes)
    return f"**lower in {lower}** ({clearly} by more than the interval; higher by more than it in {higher})"
