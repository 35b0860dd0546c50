"""A memory of draws: few rows draw the same again and again."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar, final

from ..fitting.weights import counts
from ..inputs.views import View

Found = TypeVar("Found")
# Samples of more rows are hardly ever equal, and to keep them would cost memory alone.
_FEW_ROWS = 40


@final
class Memory(Generic[Found]):
    """What was found of samples of the same claims, each a view or several."""

    def __init__(self) -> None:
        self._known: dict[tuple[bytes, ...], Found] = {}

    def of(self, drawn: Sequence[View], find: Callable[[], Found]) -> Found:
        """What `find` gives of the views drawn; of equal outcomes and weights it is asked once."""
        if sum(view.n for view in drawn) > _FEW_ROWS:
            return find()
        key = tuple(part for view in drawn for part in _content(view))
        if key not in self._known:
            self._known[key] = find()
        return self._known[key]


def _content(view: View) -> tuple[bytes, bytes]:
    return view.y.tobytes(), counts(view.w, view.n).tobytes()
