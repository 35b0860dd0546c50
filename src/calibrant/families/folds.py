"""Cross-fitting: folds that do not depend on the order of rows."""

import numpy as np

from ..fitting.types import Array, Ints, Values
from ..inputs.habits import takes_one
from ..inputs.views import Canonical, View
from .family import Family
from .names import family_of


@takes_one
def cross_fit(
    family: Family | str, view: View | Canonical, *, folds: int = 10, seed: int = 0
) -> Array:
    """Calibrated chances in which no row had a say in its own map.

    >>> from calibrant import Isotonic, binary
    >>> q = cross_fit(Isotonic(), binary(np.linspace(0, 1, 200), np.arange(200) % 3 == 0))
    >>> bool(abs(q - 1 / 3).mean() < 0.1)
    True
    """
    if not isinstance(view, View | Canonical):
        raise ValueError(
            f"cross_fit takes a view, got {type(view).__name__}: "
            "use top_label(pred) or canonical(pred)"
        )
    family = family_of(family)
    q = np.empty(view.p.shape)
    for fitted, held in held_out(view, folds, seed):
        fold_map = family.fit(view[fitted])
        q[held] = fold_map(view[held])
    if view.w is not None and not view.w.all():
        # Rows without weight had no say in any map.
        silent = np.flatnonzero(view.w == 0)
        whole_map = family.fit(view)
        q[silent] = whole_map(view[silent])
    return q


def held_out(view: View | Canonical, folds: int, seed: int) -> list[tuple[Ints, Ints]]:
    """Rows to fit on and rows held out, for each fold.

    The folds are those of scikit-learn's `KFold(folds, shuffle=True, random_state=seed)` over rows
    sorted by claim, so that the order of rows is irrelevant. The parts that a row of a fractional
    outcome was split into stay together.
    """
    whole, rows = _whole(view)
    if whole.n > 1:
        parts = _row_folds(whole, folds, seed)
        return [
            (_parts_of(fitted, whole.n, rows), _parts_of(held, whole.n, rows))
            for fitted, held in parts
        ]
    return _row_folds(view, folds, seed)


def drawn_rows(view: View | Canonical, most: int, seed: int) -> Ints:
    """At most so many rows, drawn at random, whichever order they stand in.

    The parts that a row of a fractional outcome was split into stay together.
    """
    whole, rows = _whole(view)
    order = _sorted_rows(whole)
    drawn = np.random.RandomState(seed).permutation(len(order))[:most]
    return _parts_of(order[drawn], whole.n, rows)


def _row_folds(view: View | Canonical, folds: int, seed: int) -> list[tuple[Ints, Ints]]:
    order = _sorted_rows(view)
    n = len(order)
    is_whole = isinstance(folds, int | np.integer)
    if not is_whole or folds < 2 or n < 2:
        raise ValueError(
            "cross-fitting needs a whole number of folds, at least 2, and 2 rows; "
            f"got {folds} and {n}"
        )
    folds = min(folds, n)
    fold = _shuffled_folds(n, folds, seed)
    parts = []
    for place in range(folds):
        is_held = fold == place
        fitted = order[~is_held]
        held = order[is_held]
        parts.append((fitted, held))
    return parts


def _whole(view: View | Canonical) -> tuple[View | Canonical, Ints | None]:
    """Rows as they were given, and of which of them each row is a part; None where none is split."""
    if isinstance(view, View):
        return view.split_of or (view, None)
    if view.pred.split_of is None:
        return view, None
    pred, rows = view.pred.split_of
    return Canonical(pred), rows


def _parts_of(chosen: Ints, n: int, rows: Ints | None) -> Ints:
    """The parts of chosen rows, of n."""
    if rows is None:
        return chosen
    is_chosen = np.zeros(n, np.bool_)
    is_chosen[chosen] = True
    return np.flatnonzero(is_chosen[rows])


def simplest_within(scores: Array, slack: float) -> int:
    """Place of the first, and so simplest, candidate whose score is within a share of the best.

    >>> simplest_within(np.array([1.2, 1.04, 1.0]), 0.05)
    1
    """
    limit = scores.min() * (1 + slack)
    return int(np.argmax(scores <= limit))


def check_slack(slack: float) -> None:
    """A share by which a simpler candidate may be worse than the best must not be negative."""
    if not slack >= 0:
        raise ValueError(f"slack must be at least 0, such as 0.001 for 0.1%; got {slack}")


def _sorted_rows(view: View | Canonical) -> Ints:
    """Rows that weigh anything, sorted by claim, then by outcome and weight."""
    keys = (*_outcomes(view), *_claims(view))
    if view.w is None:
        return np.lexsort(keys)
    order = np.lexsort((view.w, *keys))
    return order[view.w[order] > 0]


def _outcomes(view: View | Canonical) -> tuple[Values, ...]:
    return tuple(np.atleast_2d(view.y.T))


def _claims(view: View | Canonical) -> tuple[Array, ...]:
    """Claims to sort by, the foremost last."""
    if isinstance(view, View):
        # Claims that round to one value are told apart by their log odds.
        return view.log_odds, view.p
    return tuple(view.scores.T[::-1])


def _shuffled_folds(n: int, folds: int, seed: int) -> Ints:
    """The fold of each of n rows."""
    shuffled = np.arange(n)
    np.random.RandomState(seed).shuffle(shuffled)
    fold = np.empty(n, np.intp)
    for place, rows in enumerate(np.array_split(shuffled, folds)):
        fold[rows] = place
    return fold
