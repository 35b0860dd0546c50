"""Sketch: a summary of any number of predictions, in bounded memory, that adds up."""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, final

import numpy as np

from ..fitting.logspace import TINY
from ..inputs.checks import MAKE_THEM
from ..inputs.predictions import Predictions
from ..inputs.rounded import LateReading, fixed
from ..inputs.views import Data, View
from .asking import QUESTIONS, Question
from .reservoir import Reservoir
from .shape import Shape
from .skipped import Skipped
from .tally import Points
from .totals import CLAIMS, Totals
from .viewing import view_of_points

if TYPE_CHECKING:
    from ..inputs.answers import Answers

EVENTS = {
    "top_label": "the top label is right",
    "within_top_2": "the right class is among the top 2",
}


@final
class Sketch:
    """A summary of predictions, of which `view` gives what measures and families take.

    It holds rows and events by claim, on a grid of cells that are 1/38400 wide and narrower
    towards 0 and 1, the mean claim of each, exact sums of scores, and a sample of rows. Sketches of
    parts add up to that of the whole, in any order. `views` are the questions that it can answer,
    `sample` the rows that it keeps.

    >>> from calibrant import ks_error, samples
    >>> _, test = samples.load("c10-resnet18")
    >>> sketch = Sketch().update(test[:5000]).merge(Sketch().update(test[5000:]))
    >>> abs(ks_error(sketch.view()) - ks_error(test)) < 1e-5
    True
    """

    def __init__(
        self,
        *,
        views: Sequence[Question] = ("top_label", "classwise"),
        sample: int = 10_000,
        seed: int = 0,
    ) -> None:
        unknown = [each for each in views if each not in QUESTIONS]
        if unknown or not views:
            raise ValueError(f"views must be some of {', '.join(QUESTIONS)}, got {views!r}")
        asked = tuple(each for each in QUESTIONS if each in views)
        self.totals = Totals(asked, Reservoir(sample, seed))
        self.skipped = Skipped()

    @property
    def shape(self) -> Shape | None:
        """What its rows have in common; None where it has none."""
        return self.totals.shape

    @property
    def n(self) -> int:
        """How many rows it has."""
        return self.totals.n

    @property
    def has_weights(self) -> bool:
        """Whether some row stands for more or less than one."""
        return self.totals.weight != self.n

    @property
    def total(self) -> float:
        """How many observations its rows stand for."""
        return self.totals.weight

    def update(self, pred: Data) -> "Sketch":
        """Add rows: Predictions, or a View of one chance a row."""
        if not isinstance(pred, Predictions | View):
            raise ValueError(
                f"a sketch is of Predictions or a View, got {type(pred).__name__}: {MAKE_THEM}"
            )
        if pred.w is not None:
            kept = np.flatnonzero(pred.w)
            if not len(kept):
                return self
            if len(kept) < pred.n:
                pred = pred[kept]
        self.totals.add(pred)
        return self

    def merge(self, other: "Sketch") -> "Sketch":
        """The summary of the rows of both; neither changes."""
        merged = copy(self)
        merged.totals = self.totals.merged(other.totals)
        merged.skipped = self.skipped + other.skipped
        return merged

    def with_skipped(self, skipped: Skipped) -> "Sketch":
        """The same rows, and which parts were left out when they were read."""
        same = copy(self)
        same.skipped = skipped
        return same

    def view(self, name: str = "top_label") -> View:
        """A view of weighted points: "top_label", "within_top_2", or "class_3", by its column.

        A sketch of a view has that one alone. Each cell with rows is a claim, their mean, of
        which events and the rest are a point each.
        """
        shape = self._shape()
        tallies = self.totals.tallies
        if CLAIMS in tallies:
            points = tallies[CLAIMS].points()
            return self._as_view(points, shape.event, completes=shape.completes)
        if name in EVENTS and name in tallies:
            return self._as_view(tallies[name].points(), EVENTS[name])
        column = _column(name, shape.k)
        if column is None or "classwise" not in tallies:
            had = ", ".join(tallies).replace("classwise", f"class_0 to class_{shape.k - 1}")
            raise ValueError(f"this sketch has the views {had}; got {name!r}")
        return self._class_view(column)

    def classwise(self) -> tuple[View, ...]:
        """A view for each class against the rest."""
        return tuple(self.view(f"class_{k}") for k in range(self._shape().k))

    def sample(self) -> Predictions:
        """Some whole rows, to fit on: weights make them stand for all, as so many rows."""
        shape = self._shape()
        found = self.totals.reservoir.rows()
        if found is None:
            raise ValueError("this sketch keeps no whole rows; make it with sample=10000")
        drawn, weights = found
        assert shape.kind is not None
        pred = Predictions(drawn.values, drawn.labels, weights, shape.classes, shape.kind)
        return replace(pred, reading=self._late_reading(), clip=shape.clip)

    def data(self, answers: "Answers | None" = None) -> Data:
        """What measures, scores, families and reports take: they ask it as they ask the rows.

        A view, or the sample as predictions of which `answers`, by default the sums, know all.
        """
        from .answering import Sums

        if CLAIMS in self.totals.tallies:
            return self.view()
        return self.sample().answered_by(Sums(self) if answers is None else answers)

    @property
    def nll(self) -> float:
        """As `nll` of all rows; of no grid."""
        return self.totals.scores["nll"] / self.total

    @property
    def brier(self) -> float:
        """As `brier` of all rows; of no grid."""
        return self.totals.scores["brier"] / self.total

    def to_bytes(self) -> bytes:
        """The whole of it, to be kept or sent; `from_bytes` refuses what was changed."""
        from .packing import packed

        return packed(self)

    @staticmethod
    def from_bytes(content: bytes) -> "Sketch":
        """What `to_bytes` gave."""
        from .packing import unpacked

        return unpacked(content)

    def __reduce__(self) -> "tuple[Callable[[bytes], Sketch], tuple[bytes]]":
        # Between processes it goes as its bytes, in which empty cells take no room.
        return Sketch.from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        if self.shape is None:
            return "Sketch(no rows)"
        return f"Sketch({self.n:,} rows of {self.shape.words})"

    def _shape(self) -> Shape:
        if self.shape is None:
            raise ValueError("this sketch has no rows yet: update(pred) first")
        return self.shape

    def _class_view(self, column: int) -> View:
        shape = self._shape()
        points = self.totals.tallies["classwise"].points(column)
        view = self._as_view(points, f"the class is {shape.classes[column]}")
        if shape.k > 2:
            return view
        whole = replace(view, completes=1 if column else 0, classes=shape.classes)
        return whole if self.has_weights else whole.pooling(self.n)

    def _as_view(
        self, points: Points, event: str, *, completes: Literal[0, 1] | None = None
    ) -> View:
        is_single = CLAIMS in self.totals.tallies
        view = view_of_points(points, event, self._late_reading(), is_single=is_single)
        view = replace(view, completes=completes, clip=self._shape().clip)
        return view if self.has_weights else view.pooling(self.n)

    def _late_reading(self) -> LateReading:
        shape = self._shape()
        if shape.has_odds:
            return fixed(TINY)
        return LateReading(lambda: self.totals.rounding.reading(shape.k, self.total))


def _column(name: str, k: int) -> int | None:
    number = name.removeprefix("class_")
    if number == name or not number.isdecimal() or int(number) >= k:
        return None
    return int(number)
