"""Claims from the surest down, with what lies at or above each: what any threshold can see."""

from dataclasses import dataclass

import numpy as np

from ..fitting.types import Array
from ..inputs.predictions import Predictions
from ..inputs.questions import one_class, views_of
from ..inputs.views import View


@dataclass(frozen=True, eq=False)
class Kept:
    """Distinct claims `p`, descending, their rows `w` and events, and sums down to each.

    `rows` and `events` are sums over all claims at or above.
    """

    p: Array
    w: Array
    happened: Array
    rows: Array
    events: Array

    @property
    def total(self) -> float:
        """How many observations there are."""
        return float(self.rows[-1])

    @property
    def all_events(self) -> float:
        """How many events happened."""
        return float(self.events[-1])

    def above(self, threshold: float | Array) -> tuple[Array, Array]:
        """Rows and events with claims at or above each threshold."""
        place = np.searchsorted(-self.p, -np.asarray(threshold), side="right")
        rows = np.append(0.0, self.rows)
        events = np.append(0.0, self.events)
        return rows[place], events[place]


def kept(view: View) -> Kept:
    """The claims of a view from the surest down; equal ones are one."""
    p, w, happened = (each[::-1] for each in view.pool)
    return Kept(p, w, happened, np.cumsum(w), np.cumsum(happened))


def decided_view(x: Predictions | View) -> View:
    """The one chance that a decision hangs on: a view's own, or of two classes that of class 1."""
    if not isinstance(x, Predictions):
        return single_view(x)
    if x.k == 2:
        return one_class(x, 1)
    raise ValueError(
        f"a decision hangs on one chance and the predictions have {x.k} classes: "
        "ask for it, as in one_class(pred, 1) or top_label(pred)"
    )


def single_view(x: Predictions | View) -> View:
    """A view, or of predictions whether the top label is right."""
    views = views_of(x)
    if len(views) != 1:
        raise ValueError(
            f"a threshold is for one view's claims, got {len(views)} views; ask of each"
        )
    return views[0]
