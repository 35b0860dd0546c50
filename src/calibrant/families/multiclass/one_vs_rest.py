"""One-vs-rest: a map of one chance for each class, and the vector made to sum to one again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...fitting.blocks import on_all_cores
from ...fitting.types import Array
from ...inputs.questions import classwise
from ...inputs.views import Canonical
from ..family import Family, VectorFamily
from ..numpy_operations import NUMPY, NumpyVectors
from ..operations import Operations, Value, Vectors
from ..rules import ChanceRule, Fact, VectorRule


@dataclass(frozen=True, eq=False)
class EachClass(VectorRule):
    """A rule for each class; a row that every rule sends to 0 stays as it was claimed."""

    tag = "each-class"
    rules: tuple[ChanceRule, ...]

    @property
    def by_class(self) -> Sequence[ChanceRule]:
        return self.rules

    def formula(self, x: Vectors, ops: Operations) -> Value:
        q = ops.columns(self.rules, x.by_class())
        total = ops.row_sum(q)
        some = total > 0
        normalised = q / ops.where(some, total, 1.0)
        return ops.where(some, normalised, x.p)

    def __call__(self, view: Canonical) -> Array:
        # Whole columns, not blocks of rows: a class is worked out by one call.
        return self.formula(NumpyVectors(view), NUMPY)

    def facts(self) -> Iterator[Fact]:
        classes = len(self.rules)
        yield Fact("classes", classes, "each with a map of its own; then vectors sum to one")

    def parts(self) -> Sequence[ChanceRule]:
        return self.rules


@dataclass(frozen=True)
class OneVsRest(VectorFamily):
    """Fits a one-chance family to each class against the rest (Zadrozny and Elkan 2002).

    >>> from calibrant import Isotonic, from_probs
    >>> pred = from_probs([[0.6, 0.3, 0.1], [0.3, 0.4, 0.3], [0.2, 0.2, 0.6]], [0, 1, 2])
    >>> OneVsRest(Isotonic()).fit(pred).apply(pred).probs.argmax(1).tolist()
    [0, 1, 2]
    """

    family: Family

    def vector_rule(self, view: Canonical) -> EachClass:
        """Fit class by class, on all cores."""
        views = classwise(view.pred)
        rules = on_all_cores(self.family.chance_rule, views)
        return EachClass(tuple(rules))
