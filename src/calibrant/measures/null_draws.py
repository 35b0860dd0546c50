"""Outcomes drawn from the claims themselves, of the same rows: what right claims would show."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..fitting.types import Array
from ..fitting.weights import counts
from ..inputs.predictions import Predictions
from ..inputs.questions import Scored, views_of
from ..inputs.views import Canonical, View
from .draws import Random, replicates
from .rows import sorted_rows, whole_counts

Draw = Callable[[Random], Any]


def drawn_values(
    measure: Callable[[Any], float],
    x: Scored,
    n_draws: int,
    seed: int,
) -> list[float]:
    """What a measure gives of the same claims, in each of so many draws of their outcomes."""
    draw = _outcome_draw(x)

    def value(_: int, random: Random) -> float:
        return float(measure(draw(random)))

    return replicates(value, range(n_draws), seed)


def _outcome_draw(x: Scored) -> Draw:
    """Draws the outcomes of x, and gives data of its kind."""
    if isinstance(x, Predictions):
        return _vector_draw(x)
    if isinstance(x, Canonical):
        draw = _vector_draw(x.pred)
        return lambda random: Canonical(draw(random))
    views = sorted_rows(views_of(x))
    if isinstance(x, View):
        return lambda random: _drawn_view(views[0], random)
    return lambda random: _drawn_views(views, random)


def _vector_draw(pred: Predictions) -> Callable[[Random], Predictions]:
    (rows,) = sorted_rows([pred])
    chances = rows.probs.astype(np.float64)
    chances /= chances.sum(1, keepdims=True)
    w = counts(rows.weights, rows.n)
    times = whole_counts(w)
    each = w / times

    def drawn(random: Random) -> Predictions:
        # A weight of 2 is the row twice, so its two outcomes are drawn apart.
        happened = random.multinomial(times, chances)
        at, labels = np.nonzero(happened)
        weights = None
        if rows.weights is not None:
            weights = happened[at, labels] * each[at]
        return replace(rows[at], known_labels=labels, weights=weights)

    return drawn


def _drawn_view(view: View, random: Random) -> View:
    w = counts(view.w, view.n)
    times = whole_counts(w)
    happened = random.binomial(times, _chances(view))
    return _split(view, happened / times)


def _drawn_views(views: Sequence[View], random: Random) -> list[View]:
    """Where one of the views' events happens in each row, one is drawn; else each by itself."""
    happened = np.sum([view.y for view in views], axis=0) if _share_rows(views) else np.zeros(1)
    if not (happened == 1).all():
        return [_drawn_view(view, random) for view in views]
    chances = np.stack([_chances(view) for view in views], axis=1)
    chances /= chances.sum(1, keepdims=True)
    times = whole_counts(counts(views[0].w, views[0].n))
    drawn = random.multinomial(times, chances) / times[:, None]
    return [_split(view, share) for view, share in zip(views, drawn.T, strict=True)]


def _share_rows(views: Sequence[View]) -> bool:
    sizes = {view.n for view in views}
    return len(views) > 1 and len(sizes) == 1


def _chances(view: View) -> Array:
    p = view.p.astype(np.float64)
    return np.clip(p, 0, 1)


def _split(view: View, share: Array) -> View:
    """Rows of which a share happened: one that did and one that did not, each where there is any."""
    yes = np.flatnonzero(share > 0)
    no = np.flatnonzero(share < 1)
    at = np.concatenate([yes, no])
    y = np.arange(len(at)) < len(yes)
    part = np.concatenate([share[yes], 1 - share[no]])
    w = None if view.w is None else view.w[at] * part
    return replace(view[at], y=y, w=w)
