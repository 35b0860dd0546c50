"""What classifiers of scikit-learn's kind claim, as Predictions; nothing here imports it."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .fitting.logspace import LOG_TINY
from .fitting.types import Array
from .fitting.weights import Weights, some
from .inputs.predictions import Kind, Predictions, from_logits, from_probs

Classifier = Any  # scikit-learn has no types
Table = Any  # rows of features: whatever the classifier takes
Labels = NDArray[Any]


def classes_of_rows(labels: Labels) -> Labels:
    """The distinct labels of rows, of which there must be two."""
    distinct = np.unique(labels)
    if len(distinct) < 2:
        raise ValueError(f"y must have two classes at least, got one class or none: {distinct}")
    return distinct


def classes_of_columns(labels: Labels, k: int) -> Labels:
    """The class of each of k columns, from the labels alone."""
    distinct = np.unique(labels)
    is_whole = distinct.dtype.kind in "iu"
    if is_whole and len(distinct) < k and np.isin(distinct, np.arange(k)).all():
        return np.arange(k)
    if len(distinct) != k:
        raise ValueError(
            "scores must have a column for each class, or a single one for two classes: "
            f"got {k} columns and {len(distinct)} classes, {distinct[:5].tolist()}"
        )
    return distinct


def predictions(
    values: Array,
    kind: Kind,
    classes: Labels,
    labels: Labels | None = None,
    w: ArrayLike | None = None,
) -> Predictions:
    """Predictions of rows; labels need not be known to apply a map, which looks at none."""
    make = from_probs if kind == "probs" else from_logits
    return make(values, labels, weights=w, classes=classes)


def claims_of(estimator: Classifier, X: Table) -> Predictions:
    """What a fitted estimator claims of the classes that it knows."""
    values, kind = _scores(estimator, X)
    return predictions(values, kind, estimator.classes_)


def claims_with_labels(
    estimator: Classifier, classes: Labels, X: Table, labels: Labels, w: Weights
) -> Predictions:
    """What an estimator claims of the rows whose class it knows, and what they turned out to be."""
    known = estimator.classes_
    values, kind = _scores(estimator, X)
    if len(known) < len(classes):
        columns = np.searchsorted(classes, known)
        values = _widened(values, kind, columns, len(classes))
    rows = np.flatnonzero(np.isin(labels, known))
    if not len(rows):
        raise ValueError(f"no row to calibrate on has a class that the estimator knows: {known}")
    return predictions(values[rows], kind, classes, labels[rows], some(w, rows))


def joined(parts: list[Predictions]) -> Predictions:
    """The rows of several predictions, one after the other."""
    first = parts[0]
    values = np.concatenate([part.values for part in parts])
    labels = np.concatenate([part.labels for part in parts])
    weights = [part.weights for part in parts if part.weights is not None]
    w = np.concatenate(weights) if weights else None
    return Predictions(values, labels, w, first.classes, first.kind)


def _scores(estimator: Classifier, X: Table) -> tuple[Array, Kind]:
    """Probabilities of the classes known, (n, k), or raw scores where an estimator has none."""
    known = estimator.classes_
    if len(known) < 2:
        raise ValueError(
            f"each estimator must be fitted on two classes at least, got {known}: "
            "use StratifiedKFold"
        )
    predict_proba = getattr(estimator, "predict_proba", None)
    kind: Kind = "logits" if predict_proba is None else "probs"
    score = estimator.decision_function if predict_proba is None else predict_proba
    values = np.asarray(score(X))
    if values.ndim == 1:
        values = np.stack([np.zeros_like(values), values], axis=1)
    k = len(known)
    # Three classes make three pairs, so the number of columns alone does not tell.
    is_of_pairs = kind == "logits" and k > 2 and _scores_pairs(estimator)
    if values.shape[1] != k or is_of_pairs:
        raise ValueError(
            f"scores must be one for each of the {k} classes, got shape {values.shape}; "
            "where they are one for each pair, use decision_function_shape='ovr'"
        )
    return values, kind


def _scores_pairs(estimator: Classifier) -> bool:
    """Whether an estimator, or one within it, is set to score each pair of classes."""
    settings = estimator.get_params()
    shapes = [name for name in settings if name.endswith("decision_function_shape")]
    return any(settings[name] == "ovo" for name in shapes)


def _widened(values: Array, kind: Kind, columns: Labels, k: int) -> Array:
    """Scores of all k classes, those that an estimator does not know being next to impossible."""
    whole = np.zeros((len(values), k))
    if kind == "logits":
        whole += values.max(1, keepdims=True) + LOG_TINY
    whole[:, columns] = values
    return whole
