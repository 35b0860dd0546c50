"""calibrant in scikit-learn's own terms: estimators and scorers. The only file that imports it."""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .families.binary.logistic import Platt
from .families.binary.smooth import Smooth
from .families.family import Family, Map
from .families.multiclass.temperature import Temperature
from .fitting.logspace import LOG_TINY
from .fitting.types import Array, Ints
from .inputs.checks import check_argument
from .inputs.predictions import Kind, Predictions, from_logits, from_probs
from .measures.errors import calibration_error, classwise_ece, ece
from .measures.scores import brier, nll

try:
    from sklearn import get_config
    from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
    from sklearn.frozen import FrozenEstimator
    from sklearn.model_selection import check_cv
    from sklearn.svm import LinearSVC
    from sklearn.utils import Tags, _safe_indexing, assert_all_finite, get_tags, indexable
    from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import (
        _check_method_params,
        check_is_fitted,
        has_fit_parameter,
        validate_data,
    )
    from sklearn.utils.validation import column_or_1d as one_column
except ImportError as error:
    raise ImportError(
        'calibrant.sklearn needs scikit-learn 1.6 or later: pip install "calibrant[sklearn]"'
    ) from error

Classifier = Any  # scikit-learn has no types
Table = Any  # rows of features: whatever the classifier takes
Splitter = Any  # all that scikit-learn's check_cv takes
Labels = NDArray[Any]


class _WithFamily(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier with a frozen family, whose fields are parameters too: `family__n_bins`."""

    family: Family | None
    classes_: Labels

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002 - scikit-learn's signature
        """Parameters by name; with `deep`, those of the estimator and the family as well."""
        params: dict[str, Any] = super().get_params(deep)
        return params | _fields(self.family, "family__") if deep else params

    def set_params(self, **params: object) -> Self:
        """Set parameters by name; one of the family's makes a new family, as families are frozen."""
        own = {name: value for name, value in params.items() if not name.startswith("family__")}
        super().set_params(**own)
        # Sorted, so that a family within is set before its own fields.
        for name in sorted(set(params) - set(own)):
            self.family = _replaced(self.family, name.removeprefix("family__"), params[name])
        return self

    def predict(self, X: Table) -> Labels:
        """The most probable class after calibration."""
        q = self.predict_proba(X)
        return self.classes_[q.argmax(1)]

    def _map(self, pred: Predictions) -> Map:
        check_argument("family", self.family, Family | None)
        return (_default_family(pred) if self.family is None else self.family).fit(pred)


class CalibratedClassifier(MetaEstimatorMixin, _WithFamily):  # type: ignore[misc]
    """A classifier whose probabilities, or raw scores where it has none, are calibrated on rows it was not fitted on.

    `cv="prefit"` takes the estimator as fitted. No family: Temperature; for two classes Smooth, or Platt of raw scores.

    >>> from sklearn.datasets import make_classification
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = make_classification(400, random_state=0)
    >>> model = CalibratedClassifier(GaussianNB(), Platt(), cv=3).fit(X, y)
    >>> len(model.maps_), model.predict_proba(X).shape
    (3, (400, 2))
    """

    def __init__(
        self,
        estimator: Classifier = None,
        family: Family | None = None,
        *,
        cv: Splitter = 5,
        ensemble: bool = True,
    ) -> None:
        self.estimator = estimator
        self.family = family
        self.cv = cv
        self.ensemble = ensemble

    def fit(
        self, X: Table, y: ArrayLike, sample_weight: ArrayLike | None = None, **fit_params: object
    ) -> Self:
        """Fit estimator and map; weights go to the map, and to the estimator where its `fit` takes them."""
        check_argument("ensemble", self.ensemble, bool)
        X, y, sample_weight = indexable(X, y, sample_weight)
        labels, w = _labels(y), None if sample_weight is None else np.asarray(sample_weight)
        estimator = self._estimator()
        if isinstance(estimator, FrozenEstimator) or (
            isinstance(self.cv, str) and self.cv == "prefit"
        ):
            check_is_fitted(estimator)
            self.estimators_, self.classes_ = [estimator], np.union1d(estimator.classes_, labels)
            judged = [_judged(estimator, estimator.classes_, X, labels, w)]
        else:
            self.classes_ = np.unique(labels)
            if len(self.classes_) < 2:
                raise ValueError(
                    f"y must have two classes at least, got one class or none: {self.classes_}"
                )
            params, splitting = self._routed(sample_weight, fit_params)
            folds = list(check_cv(self.cv, labels, classifier=True).split(X, labels, **splitting))
            self.estimators_, judged = [], []
            for train, test in folds:
                fitted = _fitted(estimator, X, labels, train, params)
                some = _safe_indexing(X, test), labels[test], None if w is None else w[test]
                self.estimators_.append(fitted)
                judged.append(
                    _judged(fitted, fitted.classes_ if self.ensemble else self.classes_, *some)
                )
            if not self.ensemble:
                self.estimators_ = [_fitted(estimator, X, labels, np.arange(len(labels)), params)]
                judged = [_joined(judged)]
        self.maps_ = [self._map(pred) for pred in judged]
        for name in ("n_features_in_", "feature_names_in_"):
            if (value := getattr(self.estimators_[0], name, None)) is not None:
                setattr(self, name, value)
        return self

    def predict_proba(self, X: Table) -> Array:
        """Calibrated chances, a column for each of `classes_`: the mean over the pairs of estimator and map."""
        check_is_fitted(self)
        means: Array = np.zeros(len(self.classes_))
        for estimator, fitted in zip(self.estimators_, self.maps_, strict=True):
            pred = _unjudged(*_claims(estimator, estimator.classes_, X), estimator.classes_)
            # A class that this estimator never saw keeps chance 0.
            q = np.zeros((pred.n, len(self.classes_)))
            q[:, np.searchsorted(self.classes_, estimator.classes_)] = fitted.apply(pred).probs
            means = means + q / len(self.maps_)
        return means

    @property
    def map_(self) -> Map:
        """The fitted map, where there is one only."""
        check_is_fitted(self)
        if len(self.maps_) > 1:
            raise AttributeError(
                f"there are {len(self.maps_)} maps, in maps_; for one, fit with ensemble=False"
            )
        return self.maps_[0]

    def get_metadata_routing(self) -> MetadataRouter:
        """Who asks for what: the estimator's `fit`, and the splitter's `split`."""
        router, to = MetadataRouter(owner=self).add_self_request(self), MethodMapping
        router.add(estimator=self._estimator(), method_mapping=to().add(caller="fit", callee="fit"))
        return router.add(splitter=self.cv, method_mapping=to().add(caller="fit", callee="split"))

    def __sklearn_tags__(self) -> Tags:
        tags, inner = super().__sklearn_tags__(), get_tags(self._estimator()).input_tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = inner.sparse, inner.allow_nan
        return tags

    def _estimator(self) -> Classifier:
        if self.estimator is not None:
            return self.estimator
        default = LinearSVC(random_state=0)
        return (
            default.set_fit_request(sample_weight=True)
            if get_config()["enable_metadata_routing"]
            else default
        )

    def _routed(
        self, weights: ArrayLike | None, fit_params: dict[str, object]
    ) -> tuple[dict[str, Any], Any]:
        """What is handed on to the estimator's `fit`, and to the splitter."""
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", sample_weight=weights, **fit_params)
            return routed.estimator.fit, routed.splitter.split
        takes = weights is not None and has_fit_parameter(self._estimator(), "sample_weight")
        return fit_params | ({"sample_weight": weights} if takes else {}), {}


class Calibrator(_WithFamily):
    """Calibrates scores that were saved: (n, k), or (n,) for the second of two classes.

    `classes_` are the distinct labels; whole numbers below k stand for their columns, though some be absent.

    >>> model = Calibrator(Platt()).fit([0.2] * 5 + [0.9] * 5, [1, 0, 0, 0, 0, 1, 1, 1, 1, 0])
    >>> model.predict_proba([0.9]).round(4).tolist()
    [[0.2857, 0.7143]]
    """

    def __init__(self, family: Family | None = None, *, input: Kind = "probs") -> None:
        self.family = family
        self.input = input

    def fit(self, scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the map on the scores as given."""
        check_argument("input", self.input, Kind)
        values, labels = self._values(scores, reset=True), _labels(y)
        indexable(values, labels, sample_weight)
        if sample_weight is not None and not np.asarray(sample_weight).any():
            raise ValueError(
                "sample_weight must not be zero for every row: no observation would be left"
            )
        self.classes_ = _columns(labels, values.shape[1] if values.ndim == 2 else 2)
        self.map_ = self._map(
            _predictions(values, self.input, labels, self.classes_, sample_weight)
        )
        return self

    def predict_proba(self, scores: ArrayLike) -> Array:
        """Calibrated chances, a column for each of `classes_`."""
        check_is_fitted(self)
        values = self._values(scores, reset=False)
        return self.map_.apply(_unjudged(values, self.input, self.classes_)).probs

    def _values(self, scores: ArrayLike, *, reset: bool) -> Array:
        if np.asarray(scores).ndim == 1 and (reset or self.n_features_in_ == 1):
            scores = np.asarray(scores).reshape(-1, 1)
        values = np.asarray(validate_data(self, scores, reset=reset))
        return values[:, 0] if values.shape[1] == 1 else values


class Scorer(BaseEstimator):  # type: ignore[misc]
    """Minus a measure of a classifier's probabilities, as GridSearchCV and cross_val_score want it.

    Unlike one of scikit-learn's make_scorer it looks at `classes_`, so the rows scored may lack a class.

    >>> from calibrant import mce
    >>> from sklearn.dummy import DummyClassifier
    >>> round(Scorer(mce)(DummyClassifier().fit([[0]] * 4, [0, 1, 1, 1]), [[0]] * 2, [1, 0]), 3)
    -0.25
    """

    def __init__(self, measure: Callable[[Predictions], float]) -> None:
        self.measure = measure

    def score(
        self, estimator: Classifier, X: Table, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """Minus the measure: the greater the better."""
        p, classes = estimator.predict_proba(X), estimator.classes_
        return -self.measure(from_probs(p, _labels(y), weights=sample_weight, classes=classes))

    __call__ = score


nll_scorer = Scorer(nll)
brier_scorer = Scorer(brier)
ece_scorer = Scorer(ece)
classwise_ece_scorer = Scorer(classwise_ece)
calibration_error_scorer = Scorer(calibration_error)


def _default_family(pred: Predictions) -> Family:
    if pred.k > 2:
        return Temperature()
    # Raw scores are log odds in name only: a line gives them whatever scale fits, and asks little of few rows.
    return Smooth() if pred.kind == "probs" else Platt()


def _fields(family: object, prefix: str = "") -> dict[str, object]:
    """Fields of a family, and of the families within it, by the names that a search gives them."""
    found: dict[str, object] = {}
    for field in fields(family) if isinstance(family, Family) else ():  # type: ignore[arg-type]
        value = getattr(family, field.name)
        found |= {prefix + field.name: value} | _fields(value, f"{prefix}{field.name}__")
    return found


def _replaced(family: Any, name: str, value: object) -> Family:  # noqa: ANN401 - a family, None or a mistake
    """The family with another field: `n_bins`, or `family__n_bins` of the family within."""
    head, _, rest = name.partition("__")
    if head not in (known := list(_fields(family))):
        raise ValueError(
            f"Invalid parameter {head!r} for family {family!r}. Valid parameters are: {known}"
        )
    return replace(
        family, **{head: _replaced(getattr(family, head), rest, value) if rest else value}
    )


def _labels(y: ArrayLike) -> Labels:
    labels: Labels = one_column(y, warn=True)
    assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    return labels


def _columns(labels: Labels, k: int) -> Labels:
    """The class of each of k columns, from the labels alone."""
    distinct = np.unique(labels)
    if len(distinct) < k and distinct.dtype.kind in "iu" and distinct[0] >= 0 and distinct[-1] < k:
        return np.arange(k)
    if len(distinct) != k:
        raise ValueError(
            f"scores must have a column for each class, or a single one for two classes: got {k} columns and "
            f"{len(distinct)} classes, {distinct[:5].tolist()}"
        )
    return distinct


def _predictions(
    values: Array, kind: Kind, labels: Labels, classes: Labels, w: ArrayLike | None
) -> Predictions:
    return (from_probs if kind == "probs" else from_logits)(
        values, labels, weights=w, classes=classes
    )


def _unjudged(values: Array, kind: Kind, classes: Labels) -> Predictions:
    """Predictions of rows whose class is not known: a map does not look at it."""
    return _predictions(values, kind, np.repeat(classes[:1], len(values)), classes, None)


def _fitted(
    estimator: Classifier, X: Table, labels: Labels, rows: Ints, params: dict[str, Any]
) -> Classifier:
    """A fresh copy of the estimator, fitted on some rows."""
    some = _check_method_params(X, params, indices=rows)
    return clone(estimator).fit(_safe_indexing(X, rows), labels[rows], **some)


def _claims(estimator: Classifier, classes: Labels, X: Table) -> tuple[Array, Kind]:
    """What a fitted estimator claims of each class, (n, k): probabilities, or raw scores where it has none."""
    known = estimator.classes_
    if len(known) < 2:
        raise ValueError(
            f"each estimator must be fitted on two classes at least, got {known}: use StratifiedKFold"
        )
    kind: Kind = (
        "probs" if (chances := getattr(estimator, "predict_proba", None)) is not None else "logits"
    )
    values = np.asarray(chances(X) if chances is not None else estimator.decision_function(X))
    if values.ndim == 1:
        values = np.stack([np.zeros_like(values), values], axis=1)
    shapes = [
        value
        for name, value in estimator.get_params().items()
        if name.endswith("decision_function_shape")
    ]
    # Three classes make three pairs, so the number of columns alone does not tell.
    if values.shape[1] != len(known) or (kind == "logits" and len(known) > 2 and "ovo" in shapes):
        raise ValueError(
            f"scores must be one for each of the {len(known)} classes, got shape {values.shape}; "
            "where they are one for each pair, use decision_function_shape='ovr'"
        )
    if len(known) == len(classes):
        return values, kind
    rest = 0 if kind == "probs" else values.max(1, keepdims=True) + LOG_TINY
    whole = np.zeros((len(values), len(classes))) + rest
    whole[:, np.searchsorted(classes, known)] = values
    return whole, kind


def _judged(
    estimator: Classifier, classes: Labels, X: Table, labels: Labels, w: Array | None
) -> Predictions:
    """What an estimator claims of the rows whose class it knows, and what they turned out to be."""
    values, kind = _claims(estimator, classes, X)
    known = np.flatnonzero(np.isin(labels, estimator.classes_))
    if not len(known):
        raise ValueError(
            f"no row to calibrate on has a class that the estimator knows: {estimator.classes_}"
        )
    return _predictions(
        values[known], kind, labels[known], classes, None if w is None else w[known]
    )


def _joined(parts: list[Predictions]) -> Predictions:
    values, labels = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("values", "labels")
    )
    weights = [part.weights for part in parts if part.weights is not None]
    return Predictions(
        values,
        labels,
        np.concatenate(weights) if weights else None,
        parts[0].classes,
        parts[0].kind,
    )
