"""The questions of a summary, asked of a block of rows in one pass."""

from typing import Literal, NamedTuple

import numpy as np

from ..fitting.types import Array, Bools, Ints, Outcomes
from ..inputs.labels import Labels, are_shares
from ..inputs.predictions import Predictions
from ..measures.scores import Score, clip_of, clipped_log, row_losses
from .tally import Claims

Question = Literal["top_label", "within_top_2", "classwise"]
QUESTIONS: tuple[Question, ...] = ("top_label", "within_top_2", "classwise")
SCORES: tuple[Score, ...] = ("nll", "brier")


class Ranked(NamedTuple):
    """A question of the most probable classes: what they claim, and whether the class is one."""

    claims: Claims
    y: Outcomes


class Block:
    """Some rows by column: chances, which is the most probable, and what is left beside it."""

    def __init__(self, pred: Predictions, *, counts_zeros: bool) -> None:
        working = np.promote_types(pred.values.dtype, np.float32)
        self.values = np.ascontiguousarray(pred.values.T, working)
        self.labels = pred.labels
        self.is_probs = pred.kind == "probs"
        self.zeros = (self.values <= 0).sum(0) if counts_zeros else None
        self.is_top = first_of(self.values)
        parts, whole = self._parts()
        self.parts = parts
        self.others = parts.astype(np.float64)
        np.copyto(self.others, 0, where=self.is_top)
        self.rest = self.others.sum(0) / whole
        self.whole = whole

    @property
    def p(self) -> Array:
        """The chance of every class, (k, n)."""
        return self.parts if self.is_probs else self.parts / self.whole

    @property
    def top_column(self) -> Ints:
        """The most probable class of each row."""
        # A product of matrices is much quicker than argmax.
        column = np.arange(len(self.is_top), dtype=np.float32) @ self.is_top.astype(np.float32)
        return column.astype(np.intp)

    def top(self) -> Ranked:
        """Is the most probable class right?"""
        top = self.parts.max(0).astype(np.float64)
        claims = self._claims(top, self.rest)
        return Ranked(claims, _are_right(self.labels, self.is_top))

    def losses(self, pred: Predictions, right: Outcomes) -> dict[Score, Array]:
        """The scores of each row; `right`: whether its top label is."""
        if not self.is_probs or are_shares(self.labels):
            return {score: row_losses(pred, score) for score in SCORES}
        of_label = self.parts[self.labels, np.arange(pred.n)].astype(np.float64)
        nll = -clipped_log(of_label, clip_of(pred.values, pred.clip))
        top = self.parts.max(0).astype(np.float64)
        beside = np.einsum("ij,ij->j", self.others, self.others)
        # What is right is scored by its rest, in which no digit is lost.
        brier = beside + np.where(right, (1 - top) ** 2, top**2 + 1 - 2 * of_label)
        return {"nll": nll, "brier": brier}

    def top_two(self) -> Ranked:
        """Is the right class one of the two most probable?"""
        left = np.where(self.is_top, -np.inf, self.values)
        is_second = first_of(left)
        second = np.where(is_second, self.parts, 0).max(0)
        both = self.parts.max(0).astype(np.float64) + second
        rest = np.where(is_second, 0, self.others).sum(0) / self.whole
        zeros = None if self.zeros is None else self.zeros - (second <= 0)
        claims = self._claims(both, rest)._replace(zeros=zeros)
        return Ranked(claims, _are_right(self.labels, self.is_top | is_second))

    def _parts(self) -> tuple[Array, Array | float]:
        """Chances, or what they are in parts of which sum."""
        if self.is_probs:
            return self.values, 1.0
        exponentials = self.values - self.values.max(0)
        np.exp(exponentials, out=exponentials)
        return exponentials, exponentials.sum(0, dtype=np.float64)

    def _claims(self, inside: Array, rest: Array) -> Claims:
        if self.is_probs:
            excess = inside + rest - 1
            return Claims(np.minimum(inside, 1), rest, excess, self.zeros)
        return Claims(inside / self.whole, rest)


def first_of(columns: Array) -> Bools:
    """Where each row has its largest value, in the lowest column of those that share it."""
    is_top: Bools = columns == columns.max(0)
    if np.count_nonzero(is_top) > columns.shape[1]:
        first = columns.argmax(0)
        is_top = np.arange(len(columns))[:, None] == first
    return is_top


def _are_right(labels: Labels, chosen: Bools) -> Outcomes:
    if are_shares(labels):
        return np.minimum((labels.T * chosen).sum(0), 1)
    right: Bools = chosen[labels, np.arange(len(labels))]
    return right
