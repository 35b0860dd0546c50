"""How far each group's claims are off, the worst of them, and the worst interval of claims in any."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..decisions.kept import single_view
from ..fitting.weights import counts
from ..inference.running_sums import kuiper
from ..inputs.groups import grouped
from ..inputs.predictions import Predictions
from ..inputs.views import View
from ..measures.errors import calibration_error
from ..measures.ks import cutoff_error
from ..measures.scores import event_rate, mean_claim
from .segments import Columns, segments

Measure = Callable[[View], float]


class GroupError(NamedTuple):
    """A group's rows, mean claim and share of events, its error, and Kuiper's p-value alone."""

    name: str
    total: float
    claimed: float
    happened: float
    error: float
    p_value: float


def group_errors(
    x: Predictions | View, groups: ArrayLike, measure: Measure = calibration_error
) -> tuple[GroupError, ...]:
    """The error of each group, by any measure; of predictions that of the top label.

    Of many groups some p-values are small by chance alone: `worst_segment` has one that knows so.

    >>> from calibrant import binary, ks_error
    >>> view = binary([0.5] * 8, [1, 0, 1, 0, 1, 1, 1, 1])
    >>> found = group_errors(view, ["a"] * 4 + ["b"] * 4, ks_error)
    >>> [(each.name, each.error) for each in found]
    [('a', 0.0), ('b', 0.5)]
    """
    view = single_view(x)
    found = grouped(groups, view.n)
    weights = counts(view.w, view.n)
    each = []
    for name, rows in zip(found.names, found.rows(), strict=True):
        if weights[rows].any():
            each.append(_group_error(name, view[rows], measure))
    return tuple(each)


def worst_group_error(
    x: Predictions | View, groups: ArrayLike, measure: Measure = calibration_error
) -> float:
    """The largest error of any group; small groups show large ones by chance, but for debiased ones.

    >>> from calibrant import binary, ks_error
    >>> view = binary([0.5] * 8, [1, 0, 1, 0, 1, 1, 1, 1])
    >>> worst_group_error(view, ["a"] * 4 + ["b"] * 4, ks_error)
    0.5
    """
    return max(each.error for each in group_errors(x, groups, measure))


def multicalibration_error(x: Predictions | View, columns: Columns) -> float:
    """The widest gap of claims and events over any interval of claims in any segment of any column.

    It is a mean over all rows, so that a segment counts by its size (Hébert-Johnson et al. 2018);
    of all rows alone it is the `cutoff_error`. Numbers of more than 30 values are cut into ten ranges.

    >>> from calibrant import binary, ks_error
    >>> view = binary([0.5] * 8, [1, 0, 0, 0, 1, 1, 1, 0])
    >>> multicalibration_error(view, {"side": ["a"] * 4 + ["b"] * 4})
    0.125
    """
    view = single_view(x)
    weights = counts(view.w, view.n)
    gaps = [cutoff_error(view)]
    for found in segments(columns, view.n).values():
        for rows in found.rows():
            share = weights[rows].sum() / view.total
            if share:
                gaps.append(share * cutoff_error(view[rows]))
    return float(np.max(gaps))


def _group_error(name: str, view: View, measure: Measure) -> GroupError:
    return GroupError(
        name,
        view.total,
        mean_claim(view),
        event_rate(view),
        measure(view),
        kuiper(view).p_value,
    )
