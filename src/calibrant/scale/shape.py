"""What rows must have in common to be summed up together."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ..inputs.predictions import Kind, Predictions
from ..inputs.views import Data, View


@dataclass(frozen=True)
class Shape:
    """Of predictions their kind and classes, of a view its event; and where `nll` clips."""

    kind: Kind | None
    classes: tuple[Hashable, ...]
    event: str
    completes: Literal[0, 1] | None
    clip: float

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
        clip = float(np.finfo(x.p.dtype).eps) if x.clip is None else x.clip
        return Shape(None, (), x.event, x.completes, clip)
    if x.kind == "logits":
        return Shape("logits", x.classes, "", None, 0.0)
    clip = float(np.finfo(x.values.dtype).eps) if x.clip is None else x.clip
    return Shape("probs", x.classes, "", None, clip)


def _some(classes: tuple[Hashable, ...]) -> str:
    if not classes:
        return ""
    names = ", ".join(str(each) for each in classes[:3])
    return f"({names}, ...)" if len(classes) > 3 else f"({names})"
