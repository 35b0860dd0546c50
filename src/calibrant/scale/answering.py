"""Sums that answer for all rows what predictions in memory are asked."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import final

from ..families.family import Family
from ..families.maps import Map
from ..fitting.types import Array
from ..inputs.answers import Moments
from ..inputs.predictions import Predictions
from ..inputs.views import View
from ..measures.scores import Score
from .asking import QUESTIONS
from .parts import Part, Rows, Task
from .sketch import Sketch

ALONE = "a sketch is sums of rows and no map can be applied to them: give the rows themselves"


@final
@dataclass(frozen=True, eq=False)
class Sums:
    """A sketch, and the rows that it is of where these can be read again."""

    sketch: Sketch
    rows: Rows | None = None

    @property
    def n(self) -> int:
        """How many rows there are."""
        return self.sketch.n

    @property
    def total(self) -> float:
        """How many observations they stand for."""
        return self.sketch.total

    @property
    def occurred(self) -> Array:
        """How many observations each class has."""
        return self.sketch.totals.occurred

    def view(self, name: str) -> View:
        """A view by its name."""
        return self.sketch.view(name)

    def moments(self, score: str) -> Moments:
        """What a score is of all rows, and its square."""
        total = self.sketch.total
        sums: tuple[Mapping[Score, float], ...] = (
            self.sketch.totals.scores,
            self.sketch.totals.squares,
        )
        return Moments(*(each[score] / total for each in sums))  # type: ignore[index]

    def fitted(self, family: Family) -> Map:
        """The map of a family, fitted to all rows where they can be read again."""
        from .fits import fit_summed

        return fit_summed(family, self.rows, self.sketch)

    def mended(self, fitted: Map) -> Predictions:
        """What a map makes of all rows, which are read once more."""
        if self.rows is None:
            raise ValueError(ALONE)
        sample = fitted.apply(self.sketch.sample())
        found = mended_sketch(fitted, self.rows)
        return sample.answered_by(replace(self, sketch=found, rows=None))


def mended_sketch(fitted: Map, rows: Rows) -> Sketch:
    """A sketch of what a map makes of rows."""
    empty = partial(Sketch, views=QUESTIONS, sample=0)
    task = Task(empty, partial(_mend, fitted), Sketch.merge)
    return rows.sum(task).value


def _mend(fitted: Map, sketch: Sketch, part: Part) -> Sketch:
    return sketch.update(fitted.apply(part.x))
