"""The identity: claims left as they are, so that doing nothing can be weighed against mending."""

from collections.abc import Iterator
from dataclasses import dataclass

from ...fitting.types import Array
from ...inputs.views import Canonical, View
from ..family import Family
from ..numpy_operations import NumpyVectors
from ..operations import Claims, Operations, Value, Vectors
from ..rules import ChanceRule, Fact, LogitRule


@dataclass(frozen=True, eq=False)
class Unchanged(ChanceRule):
    """The chance that was claimed."""

    tag = "unchanged"
    changes_nothing = True

    def formula(self, claims: Claims, ops: Operations) -> Value:  # noqa: ARG002 - nothing to do
        return claims.p

    def facts(self) -> Iterator[Fact]:
        yield AS_CLAIMED


@dataclass(frozen=True, eq=False)
class UnchangedVectors(LogitRule):
    """The vector that was claimed."""

    tag = "unchanged-vectors"
    changes_nothing = True

    def logits(self, x: Vectors, ops: Operations) -> Value:  # noqa: ARG002 - nothing to do
        return x.scores

    def formula(self, x: Vectors, ops: Operations) -> Value:  # noqa: ARG002 - nothing to do
        return x.p

    def __call__(self, view: Canonical) -> Array:
        return view.p

    def calibrated_logits(self, view: Canonical) -> Array:
        return NumpyVectors(view).scores

    def facts(self) -> Iterator[Fact]:
        yield AS_CLAIMED


AS_CLAIMED = Fact("change", 0.0, "claims are left as they are")


@dataclass(frozen=True)
class Identity(Family):
    """Leaves every claim as it is; fits one chance and whole vectors alike.

    >>> from calibrant import binary
    >>> Identity().fit(binary([0.2, 0.9], [0, 1]))([0.3, 0.7]).tolist()
    [0.3, 0.7]
    """

    def chance_rule(self, view: View) -> Unchanged:  # noqa: ARG002 - nothing to learn
        """The only rule there is."""
        return Unchanged()

    def vector_rule(self, view: Canonical) -> UnchangedVectors:  # noqa: ARG002 - nothing to learn
        """The only rule there is."""
        return UnchangedVectors()
