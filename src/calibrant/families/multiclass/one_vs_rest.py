"""One-vs-rest: a map of one chance for each class, and the vector made to sum to one again."""

from dataclasses import dataclass

import numpy as np

from ...fitting.blocks import on_all_cores
from ...fitting.types import Array
from ...inputs.questions import classwise
from ...inputs.views import Canonical
from ..family import ChanceRule, Family, VectorRule


@dataclass(frozen=True, eq=False)
class EachClass(VectorRule):
    """A rule for each class; a row that every rule sends to 0 stays as it was claimed."""

    rules: tuple[ChanceRule, ...]

    def __call__(self, view: Canonical) -> Array:
        q = np.empty((view.n, len(self.rules)))
        views = classwise(view.pred)

        def fill(k: int) -> None:
            q[:, k] = np.clip(self.rules[k](views[k]), 0, 1)

        on_all_cores(fill, range(len(self.rules)))
        total = q.sum(1, keepdims=True)
        empty = total[:, 0] == 0
        q[empty], total[empty] = view.p[empty], 1
        q /= total
        return q


@dataclass(frozen=True)
class OneVsRest(Family):
    """Fits a one-chance family to each class against the rest.

    >>> from calibrant import Isotonic, from_probs
    >>> pred = from_probs([[0.6, 0.3, 0.1], [0.3, 0.4, 0.3], [0.2, 0.2, 0.6]], [0, 1, 2])
    >>> OneVsRest(Isotonic()).fit(pred).apply(pred).probs.argmax(1).tolist()
    [0, 1, 2]
    """

    family: Family

    def vector_rule(self, view: Canonical) -> EachClass:
        """Fit class by class, on all cores."""
        return EachClass(tuple(on_all_cores(self.family.chance_rule, classwise(view.pred))))
