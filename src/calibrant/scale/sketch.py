"""Sketch: a summary of any number of predictions, in bounded memory, that adds up."""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, final

import numpy as np

from ..fitting.blocks import row_blocks
from ..fitting.logspace import TINY
from ..fitting.types import Array
from ..fitting.weights import weighted_sum
from ..inputs.checks import MAKE_THEM
from ..inputs.labels import are_shares, class_totals
from ..inputs.predictions import Predictions
from ..inputs.rounded import LateReading, fixed
from ..inputs.views import Data, View
from ..measures.scores import Score, row_losses
from .asking import SCORES, Block, Ranked
from .grid import FINE, grid_of_classes
from .reservoir import Reservoir
from .rounding import Rounding
from .shape import Shape, shape_of
from .skipped import Skipped
from .tally import Claims, Points, Tally
from .viewing import view_of_points

if TYPE_CHECKING:
    from ..inputs.answers import Answers

Question = Literal["top_label", "within_top_2", "classwise"]
QUESTIONS: tuple[Question, ...] = ("top_label", "within_top_2", "classwise")
CLAIMS = "claims"  # the one question of a view
EVENTS = {
    "top_label": "the top label is right",
    "within_top_2": "the right class is among the top 2",
}


_ARRAYS = 2  # of a block that are in use at once


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
        self.views = tuple(each for each in QUESTIONS if each in views)
        self.shape: Shape | None = None
        self.n = 0
        self.weight = 0.0
        self.scores = dict.fromkeys(SCORES, 0.0)
        self.squares = dict.fromkeys(SCORES, 0.0)
        self.occurred: Array = np.zeros(0)
        self.rounding = Rounding()
        self.tallies: dict[str, Tally] = {}
        self.reservoir = Reservoir(sample, seed)
        self.skipped = Skipped()

    @property
    def has_weights(self) -> bool:
        """Whether some row stands for more or less than one."""
        return self.weight != self.n

    @property
    def total(self) -> float:
        """How many observations its rows stand for."""
        return self.weight

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
        self._begin(shape_of(pred))
        if _is_in_parts(pred):
            for tally in self.tallies.values():
                tally.to_floats()
        if isinstance(pred, View):
            for rows in row_blocks(pred.n, _ARRAYS):
                self._add_claims(pred[rows])
        else:
            for rows in row_blocks(pred.n, _ARRAYS * pred.k):
                self._add(pred[rows])
        self.n += pred.n
        self.weight += pred.total
        return self

    def merge(self, other: "Sketch") -> "Sketch":
        """The summary of the rows of both; neither changes."""
        if self.shape is None or other.shape is None:
            merged = other if self.shape is None else self
            return merged.with_skipped(self.skipped + other.skipped)
        self._check_alike(other)
        merged = Sketch(views=self.views, sample=self.reservoir.most, seed=self.reservoir.seed)
        merged.shape = self.shape.merged(other.shape)
        merged.n = self.n + other.n
        merged.weight = self.weight + other.weight
        merged.scores = {name: self.scores[name] + other.scores[name] for name in SCORES}
        merged.squares = {name: self.squares[name] + other.squares[name] for name in SCORES}
        merged.occurred = self.occurred + other.occurred
        merged.rounding = self.rounding.merged(other.rounding)
        for name, tally in self.tallies.items():
            merged.tallies[name] = tally.merged(other.tallies[name])
        merged.reservoir = self.reservoir.merge(other.reservoir)
        merged.skipped = self.skipped + other.skipped
        return merged

    def with_skipped(self, skipped: Skipped) -> "Sketch":
        """The same rows, and which parts were left out when they were read."""
        if skipped == self.skipped:
            return self
        same = copy(self)
        same.skipped = skipped
        return same

    def view(self, name: str = "top_label") -> View:
        """A view of weighted points: "top_label", "within_top_2", or "class_3", by its column.

        A sketch of a view has that one alone. Each cell with rows is a claim, their mean, of
        which events and the rest are a point each.
        """
        shape = self._shape()
        if CLAIMS in self.tallies:
            points = self.tallies[CLAIMS].points()
            return self._as_view(points, shape.event, completes=shape.completes)
        if name in EVENTS and name in self.tallies:
            return self._as_view(self.tallies[name].points(), EVENTS[name])
        column = _column(name, shape.k)
        if column is None or "classwise" not in self.tallies:
            had = ", ".join(self.views).replace("classwise", f"class_0 to class_{shape.k - 1}")
            raise ValueError(f"this sketch has the views {had}; got {name!r}")
        return self._class_view(column)

    def classwise(self) -> tuple[View, ...]:
        """A view for each class against the rest."""
        return tuple(self.view(f"class_{k}") for k in range(self._shape().k))

    def sample(self) -> Predictions:
        """Some whole rows, to fit on: weights make them stand for all, as so many rows."""
        shape = self._shape()
        found = self.reservoir.rows()
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

        if CLAIMS in self.tallies:
            return self.view()
        return self.sample().answered_by(Sums(self) if answers is None else answers)

    @property
    def nll(self) -> float:
        """As `nll` of all rows; of no grid."""
        return self.scores["nll"] / self.total

    @property
    def brier(self) -> float:
        """As `brier` of all rows; of no grid."""
        return self.scores["brier"] / self.total

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

    def _begin(self, shape: Shape) -> None:
        if self.shape is not None:
            self.shape = self.shape.merged(shape)
            return
        self.shape = shape
        self.occurred = np.zeros(shape.k)
        if shape.kind is None:
            self.tallies = {CLAIMS: Tally.empty(FINE)}
            return
        for name in self.views:
            is_classwise = name == "classwise"
            grid = grid_of_classes(shape.k) if is_classwise else FINE
            self.tallies[name] = Tally.empty(grid, shape.k if is_classwise else 1)

    def _check_alike(self, other: "Sketch") -> None:
        mine = self.views, self.reservoir.most, self.reservoir.seed
        theirs = other.views, other.reservoir.most, other.reservoir.seed
        if mine != theirs:
            raise ValueError(
                f"sketches that add up have the same views, sample and seed; got {mine} and {theirs}"
            )

    def _add(self, pred: Predictions) -> None:
        is_probs = pred.kind == "probs"
        if is_probs:
            found = Rounding.of(pred.values.T, pred.weights, self.rounding)
            self.rounding = self.rounding.merged(found)
        block = Block(pred, counts_zeros=is_probs and self.rounding.may_share)
        top = block.top()
        if "top_label" in self.tallies:
            self._count("top_label", top, pred)
        if "within_top_2" in self.tallies and pred.k > 2:
            self._count("within_top_2", block.top_two(), pred)
        if "classwise" in self.tallies:
            self._count_classes(block, top, pred)
        self._score(pred, block.losses(pred, top.y))
        self.occurred = self.occurred + class_totals(pred.labels, pred.weights, pred.k)
        self.reservoir.offer(pred, block.values)

    def _count(self, name: str, asked: Ranked, pred: Predictions) -> None:
        is_exact = pred.kind == "probs"
        self.tallies[name].add(asked.claims, asked.y, pred.weights, is_exact=is_exact)

    def _count_classes(self, block: Block, top: Ranked, pred: Predictions) -> None:
        tally = self.tallies["classwise"]
        labels = pred.labels.T if are_shares(pred.labels) else pred.labels
        is_exact = pred.kind == "probs"
        tally.add_classes(
            block.p, block.is_top, labels, pred.w, is_exact=is_exact, zeros=block.zeros
        )
        tally.add(top.claims, top.y, pred.w, is_exact=is_exact, part=block.top_column)

    def _add_claims(self, view: View) -> None:
        p = view.p.astype(np.float64)
        rest = 1 - p
        is_exact = view.exact_log_odds is None
        if is_exact:
            found = Rounding.of(view.p[None], view.w, self.rounding)
            self.rounding = self.rounding.merged(found)
        else:
            odds = view.log_odds
            rest = np.where(odds > 0, np.exp(-np.logaddexp(0, odds)), rest)
        excess = None if is_exact else p + rest - 1
        self.tallies[CLAIMS].add(Claims(p, rest, excess), view.y, view.w, is_exact=is_exact)
        self._score(view, {score: row_losses(view, score) for score in SCORES})

    def _score(self, x: Data, losses: Mapping[Score, Array]) -> None:
        for score, each in losses.items():
            self.scores[score] += float(weighted_sum(each, x.w))
            self.squares[score] += float(weighted_sum(each**2, x.w))

    def _class_view(self, column: int) -> View:
        shape = self._shape()
        points = self.tallies["classwise"].points(column)
        view = self._as_view(points, f"the class is {shape.classes[column]}")
        if shape.k > 2:
            return view
        whole = replace(view, completes=1 if column else 0, classes=shape.classes)
        return whole if self.has_weights else whole.pooling(self.n)

    def _as_view(
        self, points: Points, event: str, *, completes: Literal[0, 1] | None = None
    ) -> View:
        is_single = CLAIMS in self.tallies
        view = view_of_points(points, event, self._late_reading(), is_single=is_single)
        view = replace(view, completes=completes, clip=self._shape().clip)
        return view if self.has_weights else view.pooling(self.n)

    def _late_reading(self) -> LateReading:
        shape = self._shape()
        if shape.has_odds:
            return fixed(TINY)
        return LateReading(lambda: self.rounding.reading(shape.k, self.total))


def _column(name: str, k: int) -> int | None:
    number = name.removeprefix("class_")
    if number == name or not number.isdecimal() or int(number) >= k:
        return None
    return int(number)


def _is_in_parts(pred: Data) -> bool:
    """Whether rows have weights, or outcomes that are shares."""
    y = pred.labels if isinstance(pred, Predictions) else pred.y
    is_share = y.ndim == 2 or (isinstance(pred, View) and y.dtype.kind == "f")
    return pred.w is not None or is_share
