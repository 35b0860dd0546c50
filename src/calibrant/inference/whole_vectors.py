"""Errors of whole vectors as inference takes them: by rows that were cross-fitted once, or not."""

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, NoReturn

import numpy as np

from ..inputs.predictions import Predictions
from ..inputs.questions import Asked, canonical, top_label
from ..inputs.views import Canonical
from ..measures.variational import RowTerms, row_terms, vector_error
from .measuring import Measure, number

# Right claims, endlessly many, show no more than this of an error.
NOTHING = 1e-3
ENDLESS = 1e6
# A score of right vectors is a quarter of what it is of reversed ones; an error is less.
_MUCH = 8
_VECTORS = 40
_WAY_OUT = (
    "bootstrap samples show more error of whole vectors than there is: {call} can take "
    "vector_error, whose rows were cross-fitted, or views, such as {views}"
)


class NoInterval(ValueError):
    """An error that bootstrap samples show too large."""


def vector_terms(measure: Measure) -> Callable[[Any], RowTerms] | None:
    """What gives each row's part of a measure that is `vector_error`, with settings or without."""
    settings: dict[str, Any] = {}
    if isinstance(measure, partial) and not measure.args:
        settings = measure.keywords
        measure = measure.func
    if measure is not vector_error:
        return None
    return partial(row_terms, **settings)


def of_predictions(measure: Measure, x: Asked | Canonical) -> tuple[Measure, Asked]:
    """The same measure of the predictions themselves, which have rows to resample."""
    if not isinstance(x, Canonical):
        return measure, x

    def asked(pred: Predictions) -> float:
        return measure(canonical(pred))

    return asked, x.pred


def as_asked(measure: Measure, x: Asked, estimate: float) -> Asked:
    """The view of the top label, where a measure of predictions looks at nothing else."""
    if not isinstance(x, Predictions):
        return x
    view = top_label(x)
    try:
        asks_top_label = number(measure, view) == estimate
    except (ValueError, TypeError, AttributeError):
        # A measure of predictions may fail on a view in any way: it then looks at more.
        return x
    return view if asks_top_label else x


def is_vector_error(measure: Measure, x: Predictions) -> bool:
    """Whether a measure of whole vectors shows little where they are right, much where reversed."""
    try:
        right = number(measure, _endless_vectors(x, 1))
        reversed_ = number(measure, _endless_vectors(x, -1))
    except ValueError:
        # An error is defined wherever there are claims and outcomes.
        return False
    return abs(right) < max(NOTHING, reversed_ / _MUCH)


def refuse_vectors(call: str, views: str) -> NoReturn:
    """Say the ways out: `vector_error`, and views."""
    raise NoInterval(_WAY_OUT.format(call=call, views=views))


def _endless_vectors(x: Predictions, direction: Literal[1, -1]) -> Predictions:
    """Vectors of the kind that x has, endlessly many, that are right, or with classes reversed."""
    k = x.k
    angle = np.linspace(0.05, 0.95, _VECTORS) * np.pi / 2
    vectors = np.full((_VECTORS, k), 0.02 / k)
    # Between the first class and the last, and most of them near either.
    vectors[:, 0] += 0.98 * np.sin(angle) ** 2
    vectors[:, -1] += 0.98 * np.cos(angle) ** 2
    values = vectors if x.kind == "probs" else np.log(vectors)
    truth = vectors[:, ::direction]
    return Predictions(
        values=np.repeat(values, k, axis=0),
        known_labels=np.tile(np.arange(k), _VECTORS),
        weights=ENDLESS * truth.ravel(),
        classes=x.classes,
        kind=x.kind,
    )
