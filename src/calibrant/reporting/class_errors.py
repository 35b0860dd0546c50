"""Each class against the rest: its errors, and which classes are furthest off."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np

from ..contenders import MOST_CELLS
from ..fitting.blocks import on_all_cores, row_blocks
from ..fitting.types import Array
from ..fitting.weights import some, weighted_sum
from ..inference.tests import ks_limit
from ..inputs.predictions import Predictions
from ..inputs.questions import one_class
from ..inputs.views import Data
from ..measures.errors import ece
from ..measures.ks import ks_error
from ..measures.scores import event_rate, mean_claim
from .counts import class_counts
from .findings import Finding
from .verdict import judge

MOST_CLASSES = 20
LEFT_OUT = (
    "Only the {} classes whose mean claim is furthest off were measured one by one: "
    "{:,} rows of {:,} classes are many."
)


@dataclass(frozen=True)
class ClassError:
    """What one class claims, how often it occurs, and its errors against the rest.

    `limit` is the KS error that random variation alone stays below. `finding` is what the evidence
    amounts to, of those furthest off.
    """

    name: str
    column: int
    seen: float
    claimed: float
    happened: float
    ece: float
    ks: float
    limit: float
    finding: Finding | None = None


def class_errors(pred: Predictions) -> tuple[ClassError, ...]:
    """Classes by their KS error, the largest first.

    Of too many classes only those whose mean claims are furthest off.
    """
    columns = range(pred.k) if measures_all(pred) else _suspects(pred)

    def measured(column: int) -> ClassError:
        return _class_error(pred, column)

    found = on_all_cores(measured, columns)
    ordered = sorted(found, key=attrgetter("ks"), reverse=True)

    def judged(each: ClassError) -> ClassError:
        verdict = judge(one_class(pred, each.column), has_classes=False)
        return replace(each, finding=verdict.finding)

    furthest = on_all_cores(judged, ordered[:MOST_CLASSES])
    return (*furthest, *ordered[MOST_CLASSES:])


def measures_all(pred: Predictions) -> bool:
    """Whether each class is measured, or only those whose means are furthest off."""
    return pred.n * pred.k <= MOST_CELLS or pred.answers is not None


def class_notes(x: Data) -> Iterator[str]:
    """Which classes were not looked at."""
    if isinstance(x, Predictions) and not measures_all(x):
        yield LEFT_OUT.format(MOST_CLASSES, x.n, x.k)


def _class_error(pred: Predictions, column: int) -> ClassError:
    view = one_class(pred, column)
    happened = event_rate(view)
    return ClassError(
        name=str(pred.classes[column]),
        column=column,
        seen=round(happened * view.total, 6),
        claimed=mean_claim(view),
        happened=happened,
        ece=ece(view),
        ks=ks_error(view),
        limit=ks_limit(view),
    )


def _suspects(pred: Predictions) -> list[int]:
    """The columns whose sum of claims is furthest from how often the class occurs."""

    def claims(rows: slice) -> Array:
        p = pred[rows].probs.astype(np.float64)
        return weighted_sum(p, some(pred.weights, rows))

    claimed = np.sum(on_all_cores(claims, row_blocks(pred.n, pred.k)), axis=0)
    occurred = class_counts(pred)
    off = np.abs(claimed - occurred)
    furthest = np.argsort(-off, kind="stable")
    return [int(column) for column in furthest[:MOST_CLASSES]]
