"""Totals: what of rows adds up; a sketch answers from these."""

from collections.abc import Mapping
from typing import final

import numpy as np

from ..fitting.blocks import row_blocks
from ..fitting.types import Array
from ..fitting.weights import weighted_sum
from ..inputs.labels import are_shares, class_totals
from ..inputs.predictions import Predictions
from ..inputs.views import Data, View
from ..measures.scores import Score, row_losses
from .asking import SCORES, Block, Question, Ranked
from .grid import FINE, grid_of_classes
from .reservoir import Reservoir
from .rounding import Rounding
from .shape import Shape, shape_of
from .tally import Claims, Tally

CLAIMS = "claims"  # the one question of a view
_ARRAYS = 2  # of a block that are in use at once


@final
class Totals:
    """Rows and events by claim for each question, sums of scores, and a sample of rows."""

    def __init__(self, questions: tuple[Question, ...], reservoir: Reservoir) -> None:
        self.questions = questions
        self.reservoir = reservoir
        self.shape: Shape | None = None
        self.n = 0
        self.weight = 0.0
        self.scores = dict.fromkeys(SCORES, 0.0)
        self.squares = dict.fromkeys(SCORES, 0.0)
        self.occurred: Array = np.zeros(0)
        self.rounding = Rounding()
        self.tallies: dict[str, Tally] = {}

    def add(self, x: Data) -> None:
        """Count rows, none of which weighs nothing."""
        self._begin(shape_of(x))
        if _is_in_parts(x):
            for tally in self.tallies.values():
                tally.to_floats()
        if isinstance(x, View):
            for rows in row_blocks(x.n, _ARRAYS):
                self._add_claims(x[rows])
        else:
            for rows in row_blocks(x.n, _ARRAYS * x.k):
                self._add(x[rows])
        self.n += x.n
        self.weight += x.total

    def merged(self, other: "Totals") -> "Totals":
        """Those of the rows of both, which share nothing with either."""
        if self.shape is None or other.shape is None:
            return other.copied() if self.shape is None else self.copied()
        self._check_alike(other)
        merged = Totals(self.questions, self.reservoir.merge(other.reservoir))
        merged.shape = self.shape.merged(other.shape)
        merged.n = self.n + other.n
        merged.weight = self.weight + other.weight
        merged.scores = {name: self.scores[name] + other.scores[name] for name in SCORES}
        merged.squares = {name: self.squares[name] + other.squares[name] for name in SCORES}
        merged.occurred = self.occurred + other.occurred
        merged.rounding = self.rounding.merged(other.rounding)
        for name, tally in self.tallies.items():
            merged.tallies[name] = tally.merged(other.tallies[name])
        return merged

    def copied(self) -> "Totals":
        """The same, to which rows can be added while these stay as they are."""
        same = Totals(self.questions, Reservoir(self.reservoir.most, self.reservoir.seed))
        if self.shape is not None:
            same._begin(self.shape)
            same = self.merged(same)
        same.rounding = self.rounding
        return same

    def _begin(self, shape: Shape) -> None:
        if self.shape is not None:
            self.shape = self.shape.merged(shape)
            return
        self.shape = shape
        self.occurred = np.zeros(shape.k)
        if shape.kind is None:
            self.tallies = {CLAIMS: Tally.empty(FINE)}
            return
        for name in self.questions:
            is_classwise = name == "classwise"
            grid = grid_of_classes(shape.k) if is_classwise else FINE
            self.tallies[name] = Tally.empty(grid, shape.k if is_classwise else 1)

    def _check_alike(self, other: "Totals") -> None:
        mine = self.questions, self.reservoir.most, self.reservoir.seed
        theirs = other.questions, other.reservoir.most, other.reservoir.seed
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


def _is_in_parts(x: Data) -> bool:
    """Whether rows have weights, or outcomes that are shares."""
    y = x.labels if isinstance(x, Predictions) else x.y
    is_share = y.ndim == 2 or (isinstance(x, View) and y.dtype.kind == "f")
    return x.w is not None or is_share
