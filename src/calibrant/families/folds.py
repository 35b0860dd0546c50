"""Cross-fitting: folds that do not depend on the order of rows."""

import numpy as np

from ..fitting.types import Array, Ints
from ..inputs.views import Canonical, View
from .family import Family


def cross_fit(family: Family, view: View | Canonical, *, folds: int = 10, seed: int = 0) -> Array:
    """Calibrated chances in which no row had a say in its own map.

    >>> from calibrant import Isotonic
    >>> q = cross_fit(Isotonic(), binary(np.linspace(0, 1, 200), np.arange(200) % 3 == 0))
    >>> bool(abs(q - 1 / 3).mean() < 0.1)
    True
    """
    if not isinstance(view, View | Canonical):
        raise ValueError(
            f"cross_fit takes a view, got {type(view).__name__}: use top_label(pred) or canonical(pred)"
        )
    q = np.empty(view.p.shape)
    for fitted, held in held_out(view, folds, seed):
        q[held] = family.fit(view[fitted])(view[held])
    if view.w is not None and not view.w.all():
        silent = np.flatnonzero(view.w == 0)
        q[silent] = family.fit(view)(view[silent])
    return q


def held_out(view: View | Canonical, folds: int, seed: int) -> list[tuple[Ints, Ints]]:
    """Rows to fit on and rows held out, for each fold; rows are sorted first, so their order is irrelevant.

    The folds are those of scikit-learn's `KFold(folds, shuffle=True, random_state=seed)` over rows sorted by claim.
    """
    weights = np.zeros(view.n) if view.w is None else view.w
    # Claims that round to one value are told apart by their log odds.
    claims = (view.log_odds, view.p) if isinstance(view, View) else tuple(view.scores.T[::-1])
    order = np.lexsort((weights, view.y, *claims))
    if view.w is not None:
        order = order[view.w[order] > 0]
    n = len(order)
    if not isinstance(folds, int | np.integer) or folds < 2 or n < 2:
        raise ValueError(
            f"cross-fitting needs a whole number of folds, at least 2, and 2 rows; got {folds} and {n}"
        )
    shuffled = np.arange(n)
    np.random.RandomState(seed).shuffle(shuffled)
    fold = np.empty(n, np.intp)
    for place, part in enumerate(np.array_split(shuffled, min(folds, n))):
        fold[part] = place
    return [(order[fold != place], order[fold == place]) for place in range(min(folds, n))]


def simplest_within(scores: Array, slack: float) -> int:
    """Place of the first, and so simplest, candidate whose score is at most so large a share above the best."""
    return int(np.argmax(scores <= scores.min() * (1 + slack)))


def refuse_slack(slack: float) -> None:
    """A share by which a simpler candidate may be worse than the best must not be negative."""
    if not slack >= 0:
        raise ValueError(f"slack must be at least 0, such as 0.001 for 0.1%; got {slack}")
