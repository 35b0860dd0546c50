"""The identity: claims left as they are, so that doing nothing can be weighed against mending."""

from dataclasses import dataclass

from ...fitting.types import Array
from ...inputs.views import Canonical, View
from ..family import ChanceRule, Family, LogitRule


@dataclass(frozen=True, eq=False)
class Unchanged(LogitRule, ChanceRule):
    """What was claimed."""

    def logits(self, scores: Array) -> Array:
        return scores

    def __call__(self, view: View | Canonical) -> Array:
        return view.p


@dataclass(frozen=True)
class Identity(Family):
    """Leaves every claim as it is; fits one chance and whole vectors alike.

    >>> from calibrant import binary
    >>> Identity().fit(binary([0.2, 0.9], [0, 1]))([0.3, 0.7]).tolist()
    [0.3, 0.7]
    """

    def chance_rule(self, view: View) -> Unchanged:  # noqa: ARG002 - there is nothing to learn
        """The only rule there is."""
        return Unchanged()

    def vector_rule(self, view: Canonical) -> Unchanged:  # noqa: ARG002 - there is nothing to learn
        """The only rule there is."""
        return Unchanged()
