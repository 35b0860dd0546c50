"""Tables by grade: what a grade claims and what was observed, with the tests that validators ask for."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc

from ..fitting.weights import counts
from ..inputs.checks import host
from ..inputs.predictions import Predictions
from ..inputs.views import View
from .kept import decided_view

_MOST = 100


class Grade(NamedTuple):
    """A grade: its rows, the mean claim, the share of events, and whether they are more than claimed.

    Both p-values are one-sided: a small one means that more happened than was claimed, one near 1
    that less did. `binomial` is the chance of so many events or more; `jeffreys` that of a true
    rate below the claim, after these rows and under Jeffreys' prior.
    """

    name: str
    rows: float
    claimed: float
    observed: float
    binomial: float
    jeffreys: float


def grades(x: Predictions | View, by: ArrayLike | None = None) -> tuple[Grade, ...]:
    """A line for each grade, in ascending order of the claim.

    `by` is the grade of each row; without it, rows of one claim are a grade. Where claims within a
    grade differ, the binomial test takes their mean and is conservative.

    >>> from calibrant import binary
    >>> found = grades(binary([0.01] * 100 + [0.1] * 50, [1, 1] + [0] * 98 + [1] * 5 + [0] * 45))
    >>> [(round(each.claimed, 3), each.observed, round(each.jeffreys, 3)) for each in found]
    [(0.01, 0.02, 0.15), (0.1, 0.1, 0.474)]
    """
    view = decided_view(x)
    names, place = np.unique(_grade_of_rows(view, by), return_inverse=True)
    if len(names) > _MOST:
        raise ValueError(
            f"a table has at most {_MOST} grades, got {len(names):,}: "
            "give each row its grade, as in grades(view, by=numpy.digitize(view.p, edges))"
        )
    w = counts(view.w, view.n)
    rows = np.bincount(place, w)
    kept = np.flatnonzero(rows)
    rows = rows[kept]
    events = np.bincount(place, w * view.y)[kept]
    claimed = np.bincount(place, w * view.p)[kept] / rows
    found = zip(
        map(str, names[kept].tolist()),
        rows.tolist(),
        claimed.tolist(),
        (events / rows).tolist(),
        _at_least(events, rows, claimed).tolist(),
        betainc(events + 0.5, rows - events + 0.5, claimed).tolist(),
        strict=True,
    )
    return tuple(sorted((Grade(*each) for each in found), key=lambda each: each.claimed))


def _grade_of_rows(view: View, by: ArrayLike | None) -> np.ndarray:
    if by is None:
        return view.p
    values = host(by)
    if values.shape != (view.n,):
        raise ValueError(
            f"by must have one grade for each of the {view.n:,} rows, got shape {values.shape}"
        )
    return values.astype(np.str_) if values.dtype.kind == "O" else values


def _at_least(events: np.ndarray, rows: np.ndarray, claimed: np.ndarray) -> np.ndarray:
    """The chance of so many events or more, by the incomplete beta function: weights need not be whole."""
    some = events > 0
    tails = np.ones(len(events))
    tails[some] = betainc(events[some], (rows - events + 1)[some], claimed[some])
    return tails
