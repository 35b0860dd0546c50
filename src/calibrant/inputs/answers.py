"""What answers the questions of predictions whose rows are more than are held."""

from typing import Any, NamedTuple, Protocol

from ..fitting.types import Array
from .views import View


class Moments(NamedTuple):
    """The mean of a score over all rows, and that of its square."""

    mean: float
    square: float


class Answers(Protocol):
    """All that is asked of rows that were summed up.

    Predictions that have answers hold a sample of their rows. Maps are fitted to all rows and
    applied to all of them; what else is asked of whole vectors is asked of the sample.
    """

    @property
    def n(self) -> int:
        """How many rows there are."""
        ...

    @property
    def total(self) -> float:
        """How many observations they stand for."""
        ...

    @property
    def occurred(self) -> Array:
        """How many observations each class has."""
        ...

    def view(self, name: str) -> View:
        """A view by its name: "top_label", "within_top_2", "class_3"."""
        ...

    def moments(self, score: str) -> Moments:
        """What "nll" or "brier" is of all rows."""
        ...

    def fitted(self, family: Any) -> Any:  # noqa: ANN401 - a family gives a map, of rooms above
        """The map of a family."""
        ...

    def mended(self, fitted: Any) -> Any:  # noqa: ANN401 - of predictions, which have answers
        """What a map makes of the rows, with answers of its own."""
        ...
