"""What the data are: how many rows, of what, and how the claims and classes are spread."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..fitting.weights import weighted_sum
from ..inputs.predictions import Predictions
from ..inputs.views import Data, View
from .counts import class_counts, has_weights, observations, row_count

KINDS = {"probs": "probabilities", "logits": "logits"}


@dataclass(frozen=True)
class DataFact:
    """One thing about the data, in words."""

    name: str
    words: str


def data_facts(x: Data, view: View) -> tuple[DataFact, ...]:
    """The data in a few lines; `view` is what its claims are taken from."""
    outcomes = _classes(x) if isinstance(x, Predictions) else _events(x)
    return (
        _rows(view),
        *outcomes,
        DataFact("what is claimed", f"that {view.event}"),
        _claims(view),
    )


def data_in_words(x: Data) -> str:
    """What the data are, in one line."""
    if isinstance(x, Predictions):
        rows = f"{_counted(row_count(x), 'row')} of {x.k:,} classes"
    else:
        rows = f"{_counted(row_count(x), 'claim')} that {x.event}"
    if not has_weights(x):
        return rows
    return f"{rows}, standing for {observations(x):,.6g}"


def _rows(view: View) -> DataFact:
    rows = f"{row_count(view):,}"
    if has_weights(view):
        rows += f", standing for {view.total:,.6g} observations"
    return DataFact("rows", rows)


def _classes(pred: Predictions) -> Iterator[DataFact]:
    occurred = class_counts(pred)
    commonest = int(occurred.argmax())
    rarest = int(np.where(occurred > 0, occurred, np.inf).argmin())

    def told(column: int) -> str:
        rows = occurred[column]
        share = _percent(rows, observations(pred))
        return f"{pred.classes[column]}: {_counted(rows, 'row')}, {share}"

    yield DataFact("given as", f"{KINDS[pred.kind]} of {pred.k:,} classes, in {pred.values.dtype}")
    yield DataFact("classes that occur", f"{np.count_nonzero(occurred):,} of {pred.k:,}")
    yield DataFact("commonest class", told(commonest))
    yield DataFact("rarest that occurs", told(rarest))


def _events(view: View) -> Iterator[DataFact]:
    happened = weighted_sum(view.y, view.w)
    percent = _percent(happened, view.total)
    yield DataFact("events", f"{happened:,.6g}, {percent} of the claims")


def _claims(view: View) -> DataFact:
    p = view.pool.p
    span = f"from {100 * p[0]:.4g}% to {100 * p[-1]:.4g}%"
    differing = "of them distinct" if view.pooled_rows is None else "means of cells"
    return DataFact("claims", f"{span}, {len(p):,} {differing}")


def _counted(number: float, what: str) -> str:
    return f"{number:,.6g} {what}{'' if number == 1 else 's'}"


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.3g}%"
