"""The yes/no questions one can ask of predictions."""

from collections.abc import Sequence
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from ..fitting.types import Array, Ints, Outcomes
from ..fitting.weights import Weights
from .checks import MAKE_THEM, briefly, checked_chances, checked_outcomes, checked_weights, floats
from .chosen_columns import among, clip_of, leading_columns, top_view
from .labels import Labels, are_shares
from .predictions import Predictions
from .views import Canonical, View, class_log_odds, likely_log_odds

# What a measure takes: predictions are asked for their top label, several views for their mean.
Asked = Predictions | View | Sequence[View]
# What a proper score takes: whole vectors too.
Scored = Asked | Canonical


def binary(
    p: ArrayLike,
    y: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    event: str = View.event,
) -> View:
    """Claims and outcomes as given: forecasts, top-1 confidences, language-model confidences.

    An outcome is whether the event happened, or to what share: .3 stands for a row of weight .3 in
    which it did and one of weight .7 in which it did not. What estimates noise takes it as one row.
    Reports say `event` of it, such as "the answer is right".

    >>> binary([0.9, 0.6], [True, False]).total
    2.0
    >>> binary([0.9, 0.6], [0.3, 1]).y.tolist()
    [0.3, 1.0]
    """
    claims = checked_chances(p)
    n = len(claims)
    outcomes = checked_outcomes(y, n)
    w = checked_weights(weights, n)
    return View(claims, outcomes, w, event, completes=1)


def multilabel(
    probs: ArrayLike, labels: ArrayLike, *, weights: ArrayLike | None = None
) -> tuple[View, ...]:
    """A view for each label where a row may have several: (n, k) chances and labels, or shares.

    >>> views = multilabel([[0.9, 0.2], [0.7, 0.4]], [[1, 0], [1, 1]])
    >>> [round(float(view.p.mean()), 2) for view in views]
    [0.8, 0.3]
    """
    p = floats(probs, "probs")
    y = floats(labels, "labels")
    if p.ndim != 2 or p.shape != y.shape:
        raise ValueError(
            f"probs and labels must share one shape (rows, labels), got {p.shape} and {y.shape}"
        )
    n, k = p.shape
    w = checked_weights(weights, n)
    return tuple(_label_view(j, p[:, j], y[:, j], w) for j in range(k))


def top_label(pred: Predictions) -> View:
    """Is the most probable class right?

    >>> from calibrant import from_probs
    >>> top_label(from_probs([[0.7, 0.3], [0.4, 0.6]], [0, 0])).y.tolist()
    [True, False]
    """
    _check_predictions(pred)
    if pred.answers is not None:
        return pred.answers.view("top_label")
    return top_view(pred, "the top label is right")


def top_r(pred: Predictions, r: int) -> View:
    """Is the r-th most probable class right?"""
    _check_predictions(pred)
    _check_rank(r, pred.k)
    return _of_rank(pred, leading_columns(pred, r), r)


def each_rank(pred: Predictions, ranks: int) -> tuple[View, ...]:
    """`top_r` for r = 1 to `ranks`, from rows sorted once."""
    _check_predictions(pred)
    _check_rank(ranks, pred.k)
    first = leading_columns(pred, ranks)
    return tuple(_of_rank(pred, first, r) for r in range(1, ranks + 1))


def within_top_r(pred: Predictions, r: int) -> View:
    """Is the right class among the r most probable?"""
    _check_predictions(pred)
    # That the right class is among all of them is no question.
    _check_rank(r, pred.k - 1)
    if pred.answers is not None:
        return pred.answers.view(f"within_top_{r}")
    chosen = leading_columns(pred, r)
    return among(pred, chosen, f"the right class is among the top {r}")


def one_class(pred: Predictions, k: int | str) -> View:
    """Is class number k, or the class of that name, the right one?

    >>> from calibrant import from_probs
    >>> pred = from_probs([[0.8, 0.2]], ["cat"], classes=["cat", "dog"])
    >>> one_class(pred, "dog").p.tolist()
    [0.2]
    """
    _check_predictions(pred)
    if isinstance(k, str):
        k = _column_called(pred, k)
    if not isinstance(k, int | np.integer) or not 0 <= k < pred.k:
        raise ValueError(f"k must be a column in 0..{pred.k - 1}, got {k!r}")
    if pred.answers is not None:
        return pred.answers.view(f"class_{k}")
    completes: Literal[0, 1] = 1 if k else 0
    has_two = pred.k == 2
    return View(
        _class_chance(pred, k),
        _are_class(pred.labels, k),
        pred.weights,
        f"the class is {pred.classes[k]}",
        completes if has_two else None,
        pred.classes if has_two else None,
        partial(class_log_odds, pred, k),
        pred.late_reading,
        clip_of(pred),
    )


def classwise(pred: Predictions) -> tuple[View, ...]:
    """A view for each class against the rest."""
    _check_predictions(pred)
    return tuple(one_class(pred, k) for k in range(pred.k))


def canonical(pred: Predictions) -> Canonical:
    """All classes at once: the strongest question."""
    _check_predictions(pred)
    return Canonical(pred)


def views_of(x: Asked) -> tuple[View, ...]:
    """The views a measure averages over: of predictions their top label, of views themselves."""
    if isinstance(x, Predictions):
        return (top_label(x),)
    if isinstance(x, View):
        return (x,)
    if isinstance(x, Sequence) and x and all(isinstance(view, View) for view in x):
        return tuple(x)
    raise ValueError(
        f"expected Predictions, a View or a sequence of Views, got {type(x).__name__}: {MAKE_THEM}"
    )


def only_view(x: Asked) -> View:
    """The one view that is asked for: of predictions their top label."""
    found = views_of(x)
    if len(found) > 1:
        raise ValueError(f"one view is asked about, got {len(found)}; ask about each")
    return found[0]


def _label_view(j: int, p: Array, y: Array, w: Weights) -> View:
    claims = checked_chances(p, f"probs[:, {j}]")
    outcomes = checked_outcomes(y, len(p))
    event = f"label {j} is present"
    return View(claims, outcomes, w, event, completes=1)


def _are_class(labels: Labels, k: int) -> Outcomes:
    """Whether rows are of a class, or their share of it."""
    return labels[:, k] if are_shares(labels) else labels == k


def _class_chance(pred: Predictions, k: int) -> Array:
    p = np.minimum(pred.probs[:, k], 1)
    if pred.kind == "probs":
        return p
    p = p.astype(np.float64)
    likely = np.flatnonzero(p > 0.5)
    odds = likely_log_odds(pred, k, likely, pred.floor)
    p[likely] = expit(odds)
    return p


def _of_rank(pred: Predictions, first: Ints, r: int) -> View:
    return among(pred, first[:, r - 1 : r], f"the class ranked {r} is right")


def _check_rank(r: int, most: int) -> None:
    if not isinstance(r, int | np.integer) or not 1 <= r <= most:
        raise ValueError(f"r must be a rank in 1..{most}, got {r!r}")


def _column_called(pred: Predictions, name: str) -> int:
    names = [str(each) for each in pred.classes]
    if name not in names:
        known = briefly(names)
        raise ValueError(
            f"k must be a column in 0..{pred.k - 1} or the name of a class, one of {known}; "
            f"got {name!r}"
        )
    return names.index(name)


def _check_predictions(pred: Predictions) -> None:
    if not isinstance(pred, Predictions):
        raise ValueError(f"a view is asked of Predictions, got {type(pred).__name__}: {MAKE_THEM}")
