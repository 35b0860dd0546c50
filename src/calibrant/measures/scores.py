"""Scores of the probabilities themselves, and what they say besides calibration."""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from ..families.binary.isotonic import Isotonic
from ..families.family import Family
from ..fitting.blocks import on_all_cores, row_blocks
from ..fitting.irls import logistic
from ..fitting.logspace import floored_log as log
from ..fitting.logspace import log_sum_exp
from ..fitting.types import Array
from ..inputs.checks import check_argument
from ..inputs.predictions import Predictions
from ..inputs.questions import Asked, top_label, views_of
from ..inputs.views import Canonical, View

Scored = Asked | Canonical


class Line(NamedTuple):
    """The straight line through log odds that best fits the outcomes: (1, 0) for a calibrated model."""

    slope: float
    intercept: float


class Decomposition(NamedTuple):
    """A mean score taken apart: score = miscalibration - discrimination + uncertainty."""

    miscalibration: float
    discrimination: float
    uncertainty: float


def nll(x: Scored) -> float:
    """Mean negative log-likelihood, in nats: of the right class, or of the event for a view.

    >>> from calibrant import from_probs
    >>> round(nll(from_probs([[0.5, 0.5], [0.2, 0.8]], [0, 1])), 4)
    0.4581
    """
    if isinstance(x, Predictions | Canonical):
        return _mean_of_rows(x, row_nll)
    # log(1 + e^-z) of the log odds z of what happened, so that no digit is lost near 0 and 1.
    return _mean_of_views(
        x, lambda view: np.logaddexp(0, np.where(view.y, -view.log_odds, view.log_odds))
    )


def brier(x: Scored) -> float:
    """Mean squared distance to what happened: summed over classes, or of the one chance for a view.

    >>> from calibrant import from_probs
    >>> round(brier(from_probs([[0.5, 0.5], [0.2, 0.8]], [0, 1])), 4)
    0.29
    """
    if isinstance(x, Predictions | Canonical):
        return _mean_of_rows(x, row_brier)
    return _mean_of_views(x, lambda view: (view.p.astype(np.float64) - view.y) ** 2)


def top_label_brier(pred: Predictions) -> float:
    """Brier score of the question whether the top label is right."""
    return brier(top_label(pred))


def accuracy(x: Asked) -> float:
    """Share of rows whose top label is right; for a view, share of rows on the right side of one half."""
    if isinstance(x, Predictions):
        view = top_label(x)
        return float(np.average(view.y, weights=view.w))
    return _mean_of_views(x, lambda view: ((view.p > 0.5) == view.y).astype(np.float64))


def slope_intercept(x: Asked) -> Line:
    """Logistic regression of outcomes on log odds; a slope below 1 means claims too extreme.

    Refused where no line fits best: one outcome only, one claim only, or a threshold that parts the outcomes.

    >>> from calibrant import binary
    >>> slope_intercept(binary([0.2] * 5 + [0.8] * 5, [1, 0, 0, 0, 0, 1, 1, 1, 1, 0])).slope.__round__(6)
    1.0
    """
    lines = []
    for view in views_of(x):
        _refuse_undefined_line(view)
        features = np.stack([view.log_odds, np.ones(view.n)], axis=1)
        lines.append(logistic(features, view.y, view.w, start=np.array([1.0, 0.0]))[0])
    slope, intercept = np.mean(lines, axis=0)
    return Line(float(slope), float(intercept))


def observed_expected(x: Asked) -> float:
    """Events that happened over events claimed: below 1 means too much was promised."""
    ratios = []
    for view in views_of(x):
        happened, claimed = (
            np.average(each, weights=view.w) for each in (view.y, view.p.astype(np.float64))
        )
        if claimed == 0:
            raise ValueError(
                "observed_expected needs claims above 0: every chance is exactly 0, so nothing is expected"
            )
        ratios.append(happened / claimed)
    return float(np.mean(ratios))


def decompose(
    x: Asked,
    *,
    score: Literal["brier", "log"] = "brier",
    family: Family = Isotonic(),  # noqa: B008 - families are frozen
) -> Decomposition:
    """Score = miscalibration - discrimination + uncertainty, with calibrated chances from `family`.

    >>> from calibrant import binary
    >>> parts = decompose(binary([0.9, 0.9, 0.1, 0.1], [1, 0, 0, 0]))
    >>> [round(part, 4) for part in parts]
    [0.085, 0.0625, 0.1875]
    """
    check_argument("score", score, Literal["brier", "log"])
    check_argument("family", family, Family)
    parts = [_parts(view, score, family) for view in views_of(x)]
    return Decomposition(*(float(part) for part in np.mean(parts, axis=0)))


def _parts(view: View, score: str, family: Family) -> tuple[float, float, float]:
    y = view.y.astype(np.float64)

    def mean_score(q: Array) -> float:
        loss = (q - y) ** 2 if score == "brier" else -log(np.where(view.y, q, 1 - q))
        return float(np.average(loss, weights=view.w))

    claimed = brier(view) if score == "brier" else nll(view)
    calibrated = mean_score(np.clip(family.fit(view)(view), 0, 1))
    constant = mean_score(np.full(view.n, np.average(y, weights=view.w)))
    return claimed - calibrated, constant - calibrated, constant


def _refuse_undefined_line(view: View) -> None:
    z, w = view.log_odds, np.ones(view.n) if view.w is None else view.w
    yes, no = z[view.y & (w > 0)], z[~view.y & (w > 0)]
    if not len(yes) or not len(no):
        why = "every outcome is the same"
    elif np.ptp(z[w > 0]) == 0:
        why = "all claims are the same"
    elif yes.min() >= no.max() or yes.max() <= no.min():
        why = "one threshold parts the outcomes"
    else:
        return
    raise ValueError(f"no slope and intercept fit best: {why}")


def row_nll(pred: Predictions) -> Array:
    """Negative log-likelihood of the right class, a row each."""
    right = pred.values[np.arange(pred.n), pred.labels].astype(np.float64)
    if pred.kind == "probs":
        return -log(right)
    return (
        log_sum_exp(pred.values.astype(np.promote_types(pred.values.dtype, np.float32), copy=False))
        - right
    )


def row_brier(pred: Predictions) -> Array:
    """Squared distance to what happened, summed over classes, a row each."""
    p = pred.probs.astype(np.float64)
    p[np.arange(pred.n), pred.labels] -= 1
    return np.einsum("ij,ij->i", p, p)


def _mean_of_rows(x: Predictions | Canonical, loss: Callable[[Predictions], Array]) -> float:
    pred = x.pred if isinstance(x, Canonical) else x

    def part(rows: slice) -> float:
        losses = loss(pred[rows])
        return float(losses.sum() if pred.weights is None else losses @ pred.weights[rows])

    return sum(on_all_cores(part, row_blocks(pred.n, pred.k))) / pred.total


def _mean_of_views(x: Asked, loss: Callable[[View], Array]) -> float:
    return float(np.mean([np.average(loss(view), weights=view.w) for view in views_of(x)]))
