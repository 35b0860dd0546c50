"""Batches of a table as predictions: what its columns hold is decided once, from their names."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from ..fitting.types import Array, Ints, Values
from ..inputs.class_names import numbered
from ..inputs.column_names import CONFIDENCES, WEIGHTS, ColumnNames, find, missing
from ..inputs.columns import Columns, match_labels, numbers, outcome, outcome_columns
from ..inputs.label_columns import find_labels, label_array
from ..inputs.labels import Labels, checked_labels
from ..inputs.predictions import Predictions, from_logits, from_probs
from ..inputs.questions import binary
from ..inputs.table_columns import columns_of
from ..inputs.vector_columns import VectorColumns, vector_columns
from ..inputs.views import Data, View

# A frame of polars or pandas, or a Table or RecordBatch of Arrow.
Table = Any


class Asked(NamedTuple):
    """Labels to be looked up, and which of them each row has; None: they are a row each."""

    labels: Values
    each: Ints | None


@dataclass(frozen=True)
class Layout:
    """Which columns of a table hold what, so that each of its parts is read alike.

    `vectors` is None where a row has one chance, the column `claim`. It can be pickled.

    >>> layout = layout_of(["id", "prob_cat", "prob_dog", "label"])
    >>> layout.columns
    ('prob_cat', 'prob_dog', 'label')
    >>> layout.rows(pl.DataFrame({"prob_cat": [0.7], "prob_dog": [0.3], "label": ["dog"]}))
    Predictions(1 rows of 2 classes from probs)
    """

    names: ColumnNames
    vectors: VectorColumns | None
    claim: str
    outcomes: tuple[str, ...]
    weight: str | None

    @property
    def claimed(self) -> list[str]:
        """The columns of what is claimed."""
        return [self.claim] if self.vectors is None else self.vectors.columns

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read; no others are needed."""
        weights = [] if self.weight is None else [self.weight]
        return tuple(dict.fromkeys([*self.claimed, *self.outcomes, *weights]))

    def rows(self, table: Table) -> Data | None:
        """The rows of a part of the table; None where it has no rows."""
        frame = frame_of(table)
        lacking = [name for name in self.columns if name not in frame.columns]
        if lacking:
            raise ValueError(
                f"parts of a table must have the same columns: there is no column {lacking[0]!r}"
            )
        if not frame.height:
            return None
        frame = frame.select(self.columns)
        if self.vectors is None:
            return self._view(frame)
        return self._predictions(frame, self.vectors)

    def _view(self, frame: pl.DataFrame) -> View:
        columns = columns_of(frame)
        p = numbers(columns, self.claim)
        y = outcome(columns, self.names, required=False) if self.outcomes else None
        happened = np.zeros(len(p)) if y is None else y
        return binary(p, happened, weights=self._weights(columns))

    def _predictions(self, frame: pl.DataFrame, vectors: VectorColumns) -> Predictions:
        columns = columns_of(frame)
        values = _values(columns, vectors.columns)
        make = from_probs if vectors.kind == "probs" else from_logits
        weights = self._weights(columns)
        if not self.outcomes:
            classes = self.names.class_names or _numbered(vectors.carried)
            return make(values, weights=weights, classes=classes)
        asked = self._labels(frame, vectors)
        labels, classes = self._matched(asked.labels, vectors)
        pred = make(values, weights=weights, classes=classes)
        try:
            places = checked_labels(labels, len(labels), pred.classes)
        except ValueError:
            # Of all rows the error says which it is.
            places = self._places(columns, pred, vectors)
        return replace(pred, known_labels=places if asked.each is None else places[asked.each])

    def _weights(self, columns: Columns) -> Values | None:
        return None if self.weight is None else numbers(columns, self.weight)

    def _labels(self, frame: pl.DataFrame, vectors: VectorColumns) -> Asked:
        """Labels; where they are names, each once."""
        first = frame[self.outcomes[0]]
        are_shares = len(self.outcomes) > 1 or first.dtype.is_nested()
        are_places = first.dtype.is_integer() and self._are_places(vectors)
        if are_shares or are_places or first.null_count():
            return Asked(label_array(columns_of(frame), self.outcomes), None)
        distinct = first.unique()
        places = pl.int_range(len(distinct), eager=True)
        each = first.replace_strict(distinct, places)
        return Asked(distinct.to_numpy(), each.to_numpy())

    def _are_places(self, vectors: VectorColumns) -> bool:
        """Whether whole numbers as labels are the places of classes."""
        classes = self.names.class_names or _numbered(vectors.carried) or []
        return list(classes) == list(range(len(classes)))

    def _matched(
        self, labels: Values, vectors: VectorColumns
    ) -> tuple[Values, Sequence[Hashable] | None]:
        """Labels and class names, made alike."""
        if self.names.class_names is None and vectors.carried is not None:
            return match_labels(labels, vectors.carried)
        return labels, self.names.class_names

    def _places(self, columns: Columns, pred: Predictions, vectors: VectorColumns) -> Labels:
        labels, _ = self._matched(label_array(columns, self.outcomes), vectors)
        return checked_labels(labels, pred.n, pred.classes)


def layout_of(
    columns: Sequence[str], names: ColumnNames | None = None, *, needs_outcomes: bool = True
) -> Layout:
    """What the columns of a table hold, by the rules of `calibrant.read`.

    `names` are the columns as the caller names them; others are found by their usual names.
    """
    wanted = ColumnNames() if names is None else names
    weight = find(columns, wanted.weight, WEIGHTS)
    vectors = vector_columns(columns, wanted)
    if vectors is None:
        claim, outcomes = _claim_and_outcome(columns, wanted)
        asked = "whether each claim was right", wanted.called("correct", "label")
    else:
        claim = vectors.columns[0]
        outcomes = find_labels(columns, wanted, vectors.carried) or []
        asked = "labels", wanted.called("label")
    if needs_outcomes and not outcomes:
        raise missing(columns, *asked)
    return Layout(wanted, vectors, claim, tuple(outcomes), weight)


def frame_of(table: Table) -> pl.DataFrame:
    """A table as a frame of polars, its columns uncopied where they can be."""
    return table if isinstance(table, pl.DataFrame) else pl.DataFrame(table)


def _claim_and_outcome(columns: Sequence[str], wanted: ColumnNames) -> tuple[str, list[str]]:
    claim = find(columns, wanted.confidence, CONFIDENCES)
    if claim is None:
        options = wanted.called("probs", "logits", "confidence")
        raise missing(columns, "probabilities, logits or confidences", options)
    return claim, outcome_columns(columns, wanted)


def _values(columns: Columns, names: Sequence[str]) -> Array:
    if len(names) == 1:
        return numbers(columns, names[0])
    # Classes lie side by side, as a sketch takes them.
    return np.stack([numbers(columns, name) for name in names]).T


def _numbered(carried: Sequence[str] | None) -> Sequence[Hashable] | None:
    return None if carried is None else numbered(carried)
