"""What rows must have in common to be summed up together."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Literal

from ..inputs.predictions import Kind
from ..inputs.views import Data, View
from ..measures.scores import clip_of


@dataclass(frozen=True)
class Shape:
    """Of predictions their kind and classes, of a view its event; and where `nll` clips."""

    kind: Kind | None
    classes: tuple[Hashable, ...]
    event: str
    completes: Literal[0, 1] | None
    clip: float
    has_odds: bool  # whether log odds are known beyond the claims, so that no claim is exact

    @property
    def k(self) -> int:
        """How many classes; a view has none."""
        return len(self.classes)

    @property
    def words(self) -> str:
        """The same in a few words."""
        return f"{self.k} classes, from {self.kind}" if self.kind else f"claims that {self.event}"

    def merged(self, other: "Shape") -> "Shape":
        """That of both; they must be alike."""
        if replace(self, clip=other.clip) != other:
            raise ValueError(
                f"rows of one sketch must be alike; got {self.words} {_some(self.classes)} "
                f"and {other.words} {_some(other.classes)}: make a sketch of each"
            )
        return replace(self, clip=max(self.clip, other.clip))


def shape_of(x: Data) -> Shape:
    """The shape of predictions, or of a view."""
    if isinstance(x, View):
        has_odds = x.exact_log_odds is not None
        return Shape(None, (), x.event, x.completes, clip_of(x.p, x.clip), has_odds=has_odds)
    if x.kind == "logits":
        return Shape("logits", x.classes, "", None, 0.0, has_odds=True)
    return Shape("probs", x.classes, "", None, clip_of(x.values, x.clip), has_odds=False)


def _some(classes: tuple[Hashable, ...]) -> str:
    if not classes:
        return ""
    names = ", ".join(str(each) for each in classes[:3])
    return f"({names}, ...)" if len(classes) > 3 else f"({names})"
