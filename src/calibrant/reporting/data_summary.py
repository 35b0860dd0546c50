"""What the data are: how many rows, of what, and how the claims and classes are spread."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..inputs.predictions import Predictions
from ..inputs.views import View


@dataclass(frozen=True)
class Fact:
    """One thing about the data, in words."""

    name: str
    words: str


def facts_of(x: Predictions | View, view: View) -> tuple[Fact, ...]:
    """The data in a few lines; `view` is what its claims are taken from."""
    return tuple(Fact(*pair) for pair in _facts(x, view))


def _facts(x: Predictions | View, view: View) -> Iterator[tuple[str, str]]:
    yield (
        "rows",
        f"{view.n:,}"
        + ("" if view.w is None else f", standing for {view.total:,.6g} observations"),
    )
    if isinstance(x, Predictions):
        yield "given as", f"{x.kind} of {x.k:,} classes, in {x.values.dtype}"
        seen = np.bincount(x.labels, x.weights, x.k)
        most, least = int(seen.argmax()), int(np.where(seen > 0, seen, np.inf).argmin())
        yield "classes that occur", f"{np.count_nonzero(seen):,} of {x.k:,}"
        for title, k in (("commonest class", most), ("rarest that occurs", least)):
            yield title, f"{x.classes[k]}: {seen[k]:,.6g} rows, {100 * seen[k] / view.total:.3g}%"
    else:
        happened = view.y.sum() if view.w is None else view.w @ view.y
        yield "events", f"{happened:,.6g}, {100 * happened / view.total:.3g}% of the claims"
    yield "what is claimed", f"that {view.event}"
    p = view.pool.p
    yield "claims", f"from {100 * p[0]:.4g}% to {100 * p[-1]:.4g}%, {len(p):,} of them distinct"
