"""Each class against the rest: its errors, and which classes are furthest off."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..choosing import MOST_CELLS
from ..fitting.blocks import on_all_cores, row_blocks
from ..fitting.types import Array
from ..inputs.predictions import Predictions
from ..inputs.questions import one_class
from ..inputs.views import View
from ..measures.errors import ece
from ..measures.ks import ks_error
from .verdict import chance_limit, mean_claim, share

MOST_SHOWN = 20
LEFT_OUT = "Only the {} classes whose mean claim is furthest off were measured one by one: {:,} rows of {:,} classes are many."


@dataclass(frozen=True)
class ClassError:
    """What one class claims and how often it occurs, its errors, and the KS error that chance alone stays below."""

    name: str
    column: int
    seen: float
    claimed: float
    happened: float
    ece: float
    ks: float
    limit: float


def class_errors(pred: Predictions) -> tuple[ClassError, ...]:
    """Classes from the furthest off on, by KS error: all of them, or of too many those whose means are furthest off."""
    columns = range(pred.k) if measures_all(pred) else _suspects(pred)
    return tuple(
        sorted(on_all_cores(lambda k: _class_error(pred, k), columns), key=lambda each: -each.ks)
    )


def measures_all(pred: Predictions) -> bool:
    """Whether each class is measured, or only those whose means are furthest off."""
    return pred.n * pred.k <= MOST_CELLS


def notes_about(x: Predictions | View) -> Iterator[str]:
    """Which classes were not looked at."""
    if isinstance(x, Predictions) and not measures_all(x):
        yield LEFT_OUT.format(MOST_SHOWN, x.n, x.k)


def _class_error(pred: Predictions, k: int) -> ClassError:
    view = one_class(pred, k)
    happened = share(view)
    seen = round(happened * view.total, 6)
    name = str(pred.classes[k])
    return ClassError(
        name, k, seen, mean_claim(view), happened, ece(view), ks_error(view), chance_limit(view)
    )


def _suspects(pred: Predictions) -> list[int]:
    def claims(rows: slice) -> Array:
        p = pred[rows].probs
        return p.sum(0, dtype=np.float64) if pred.weights is None else pred.weights[rows] @ p

    claimed = np.sum(on_all_cores(claims, row_blocks(pred.n, pred.k)), axis=0)
    off = np.abs(claimed - np.bincount(pred.labels, pred.weights, pred.k))
    return [int(k) for k in np.argsort(-off, kind="stable")[:MOST_SHOWN]]
