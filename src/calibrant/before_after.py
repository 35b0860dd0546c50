"""What a family makes of scores, by maps that had not seen the rows they are scored on."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from .choosing import LEAST_NOISE, mean_and_error, quick_rows
from .families.binary.binning import width_bins, width_edges
from .families.family import Family
from .families.folds import held_out
from .families.names import family_of
from .fitting.types import Array
from .fitting.weights import Weights, some, weighted, weighted_mean
from .inputs.predictions import Predictions
from .inputs.questions import canonical, top_label
from .inputs.views import Data, View
from .measures.scores import row_losses
from .progress import progress

ECE_BINS = 15
NOISE = 2.0  # standard errors
Scored = Literal["NLL", "Brier score", "ECE"]


@dataclass(frozen=True)
class Change:
    """A score before and after; `error` is the standard error of the change, row by row."""

    score: Scored
    before: float
    after: float
    error: float

    @property
    def is_worse(self) -> bool:
        """Whether it grew by more than noise, two standard errors."""
        growth = self.after - self.before
        return self.after > self.before and not growth <= max(NOISE * self.error, LEAST_NOISE)


@dataclass(frozen=True)
class BeforeAfter:
    """Scores of `rows` rows as they are and as mended, by cross-validation; less is better."""

    rows: int
    folds: int
    changes: tuple[Change, ...]

    @property
    def worse(self) -> tuple[Change, ...]:
        """The scores that grew by more than noise."""
        return tuple(change for change in self.changes if change.is_worse)

    def to_dict(self) -> dict[str, Any]:
        """As json holds it; errors are fractions, not percents."""
        return asdict(self) | {"worse": [change.score for change in self.worse]}


def before_after(family: Family | str, x: Data, *, folds: int = 5, seed: int = 0) -> BeforeAfter:
    """NLL, Brier score and ECE as claimed, and of maps that had not seen the rows.

    Of very many rows a sample is looked at.

    >>> from calibrant import Temperature, samples
    >>> found = before_after(Temperature(), samples.load("c10-resnet18")[0])
    >>> [(each.score, each.after < each.before) for each in found.changes]
    [('NLL', True), ('Brier score', True), ('ECE', True)]
    """
    family = family_of(family)
    x = quick_rows(x)
    view = canonical(x) if isinstance(x, Predictions) else x
    parts = held_out(view, folds, seed)
    before = []
    after = []
    with progress("scoring before and after", len(parts)) as tick:
        for fitted, held in parts:
            rows = x[held]
            before.append(rows)
            after.append(family.fit(x[fitted]).apply(rows))
            tick()
    w = some(view.w, np.concatenate([held for _, held in parts]))
    return BeforeAfter(x.n, len(parts), changes(before, after, w))


def changes(before: Sequence[Data], after: Sequence[Data], w: Weights) -> tuple[Change, ...]:
    """NLL, Brier score and ECE of the same rows, in parts, as claimed and as mended."""
    return (
        _change("NLL", _losses(before, "nll"), _losses(after, "nll"), w),
        _change("Brier score", _losses(before, "brier"), _losses(after, "brier"), w),
        _change("ECE", _gaps(before, w), _gaps(after, w), w),
    )


def _change(score: Scored, before: Array, after: Array, w: Weights) -> Change:
    _, error = mean_and_error(after - before, w)
    return Change(score, weighted_mean(before, w), weighted_mean(after, w), error)


def _losses(parts: Sequence[Data], score: Literal["nll", "brier"]) -> Array:
    return np.concatenate([row_losses(part, score) for part in parts])


def _gaps(parts: Sequence[Data], w: Weights) -> Array:
    """What each row adds to the ECE of all: its residual, with the sign of its bin's sum."""
    views = [_asked(part) for part in parts]
    p = np.concatenate([view.p.astype(np.float64) for view in views])
    y = np.concatenate([view.y.astype(np.float64) for view in views])
    bins = width_bins(p, width_edges(ECE_BINS))
    residual = p - y
    sums = np.bincount(bins, weighted(residual, w), ECE_BINS)
    return np.sign(sums)[bins] * residual


def _asked(x: Data) -> View:
    return top_label(x) if isinstance(x, Predictions) else x
