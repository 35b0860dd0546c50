"""calibrant in scikit-learn's own terms: estimators and scorers. The only file that imports it."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .classifier_claims import (
    Classifier,
    Labels,
    Table,
    claims_of,
    claims_with_labels,
    classes_of_columns,
    classes_of_rows,
    joined,
    predictions,
)
from .families.family import Family
from .families.maps import Map
from .fitting.types import Array, Ints
from .fitting.weights import Weights, some
from .inputs.checks import check_argument
from .inputs.predictions import Kind, Predictions, from_probs
from .measures.errors import calibration_error, classwise_ece, ece
from .measures.scores import brier, nll
from .reliability_display import ReliabilityDisplay
from .with_family import WithFamily

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

__all__ = [
    "CalibratedClassifier",
    "Calibrator",
    "ReliabilityDisplay",
    "Scorer",
    "brier_scorer",
    "calibration_error_scorer",
    "classwise_ece_scorer",
    "ece_scorer",
    "nll_scorer",
]

Splitter = Any  # all that scikit-learn's check_cv takes
Folds = list[tuple[Ints, Ints]]


class CalibratedClassifier(MetaEstimatorMixin, WithFamily, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose probabilities are calibrated on rows that it was not fitted on.

    Where it has no probabilities its raw scores are. `cv="prefit"` takes the estimator as fitted.
    No family: for each map what cross-validation chooses, one or a blend; of fewer
    than 200 rows Temperature, for two classes Smooth, or Platt of raw scores.

    >>> from calibrant import Platt
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
        family: Family | str | None = None,
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
        """Fit estimator and map; weights go to both, if the estimator's `fit` takes them."""
        check_argument("ensemble", self.ensemble, bool)
        X, y, sample_weight = indexable(X, y, sample_weight)
        labels = _labels(y)
        w = None if sample_weight is None else np.asarray(sample_weight)
        claims = self._fit_estimators(X, labels, w, fit_params)
        self.maps_ = [self._map(pred) for pred in claims]
        for name in ("n_features_in_", "feature_names_in_"):
            value = getattr(self.estimators_[0], name, None)
            if value is not None:
                setattr(self, name, value)
        return self

    def predict_proba(self, X: Table) -> Array:
        """Calibrated chances of `classes_`, a column each: the mean over estimators and maps."""
        check_is_fitted(self)
        means: Array = np.zeros(len(self.classes_))
        for estimator, fitted in zip(self.estimators_, self.maps_, strict=True):
            pred = claims_of(estimator, X)
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
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        to_split = MethodMapping().add(caller="fit", callee="split")
        router = MetadataRouter(owner=self).add_self_request(self)
        router.add(estimator=self._estimator(), method_mapping=to_fit)
        return router.add(splitter=self.cv, method_mapping=to_split)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._estimator()).input_tags
        tags.input_tags.sparse = inner.sparse
        tags.input_tags.allow_nan = inner.allow_nan
        return tags

    def _estimator(self) -> Classifier:
        if self.estimator is not None:
            return self.estimator
        default = LinearSVC(random_state=0)
        if get_config()["enable_metadata_routing"]:
            return default.set_fit_request(sample_weight=True)
        return default

    def _fit_estimators(
        self, X: Table, labels: Labels, w: Weights, fit_params: dict[str, object]
    ) -> list[Predictions]:
        """What estimators claim of rows that they were not fitted on, for each map to come."""
        estimator = self._estimator()
        is_prefit = isinstance(self.cv, str) and self.cv == "prefit"
        if is_prefit or isinstance(estimator, FrozenEstimator):
            check_is_fitted(estimator)
            self.estimators_ = [estimator]
            self.classes_ = np.union1d(estimator.classes_, labels)
            return [claims_with_labels(estimator, estimator.classes_, X, labels, w)]
        self.classes_ = classes_of_rows(labels)
        params, split_params = self._routed(w, fit_params)
        splitter = check_cv(self.cv, labels, classifier=True)
        folds = list(splitter.split(X, labels, **split_params))
        claims = self._fit_folds(folds, X, labels, w, params)
        if self.ensemble:
            return claims
        self.estimators_ = [_fitted(estimator, X, labels, np.arange(len(labels)), params)]
        return [joined(claims)]

    def _fit_folds(
        self, folds: Folds, X: Table, labels: Labels, w: Weights, params: dict[str, Any]
    ) -> list[Predictions]:
        """What copies of the estimator, each fitted on the other folds, claim of each fold."""
        self.estimators_ = []
        claims = []
        for train, test in folds:
            fitted = _fitted(self._estimator(), X, labels, train, params)
            classes = fitted.classes_ if self.ensemble else self.classes_
            X_test = _safe_indexing(X, test)
            claims.append(claims_with_labels(fitted, classes, X_test, labels[test], some(w, test)))
            self.estimators_.append(fitted)
        return claims

    def _routed(
        self, w: Weights, fit_params: dict[str, object]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """What is handed on to the estimator's `fit`, and to the splitter."""
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", sample_weight=w, **fit_params)
            return routed.estimator.fit, routed.splitter.split
        if w is not None and has_fit_parameter(self._estimator(), "sample_weight"):
            return fit_params | {"sample_weight": w}, {}
        return fit_params, {}


class Calibrator(WithFamily, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Calibrates scores that were saved: (n, k), or (n,) for the second of two classes.

    `classes_` are the distinct labels, or all columns where labels are whole numbers below k. No
    family: as with `CalibratedClassifier`.

    >>> from calibrant import Platt
    >>> model = Calibrator(Platt()).fit([0.2] * 5 + [0.9] * 5, [1, 0, 0, 0, 0, 1, 1, 1, 1, 0])
    >>> model.predict_proba([0.9]).round(4).tolist()
    [[0.2857, 0.7143]]
    """

    def __init__(self, family: Family | str | None = None, *, input: Kind = "probs") -> None:
        self.family = family
        self.input = input

    def fit(self, scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the map on the scores as given."""
        check_argument("input", self.input, Kind)
        values = self._values(scores, reset=True)
        labels = _labels(y)
        indexable(values, labels, sample_weight)
        if sample_weight is not None and not np.asarray(sample_weight).any():
            raise ValueError(
                "sample_weight must not be zero for every row: no observation would be left"
            )
        k = values.shape[1] if values.ndim == 2 else 2
        self.classes_ = classes_of_columns(labels, k)
        pred = predictions(values, self.input, self.classes_, labels, sample_weight)
        self.map_ = self._map(pred)
        return self

    def predict_proba(self, scores: ArrayLike) -> Array:
        """Calibrated chances, a column for each of `classes_`."""
        check_is_fitted(self)
        values = self._values(scores, reset=False)
        return self.map_.apply(predictions(values, self.input, self.classes_)).probs

    def _values(self, scores: ArrayLike, *, reset: bool) -> Array:
        if np.asarray(scores).ndim == 1 and (reset or self.n_features_in_ == 1):
            scores = np.asarray(scores).reshape(-1, 1)
        values = np.asarray(validate_data(self, scores, reset=reset))
        return values[:, 0] if values.shape[1] == 1 else values


class Scorer(BaseEstimator):  # type: ignore[misc]
    """Minus a measure of a classifier's probabilities, as GridSearchCV and cross_val_score want it.

    Unlike scikit-learn's make_scorer it looks at `classes_`: the rows scored may lack a class.

    >>> from calibrant import mce
    >>> from sklearn.dummy import DummyClassifier
    >>> model = DummyClassifier().fit([[0]] * 4, [0, 1, 1, 1])
    >>> round(Scorer(mce)(model, [[0]] * 2, [1, 0]), 3)
    -0.25
    """

    def __init__(self, measure: Callable[[Predictions], float]) -> None:
        self.measure = measure

    def score(
        self, estimator: Classifier, X: Table, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """Minus the measure: the greater the better."""
        p, classes = estimator.predict_proba(X), estimator.classes_
        pred = from_probs(p, _labels(y), weights=sample_weight, classes=classes)
        return -self.measure(pred)

    __call__ = score


nll_scorer = Scorer(nll)
brier_scorer = Scorer(brier)
ece_scorer = Scorer(ece)
classwise_ece_scorer = Scorer(classwise_ece)
calibration_error_scorer = Scorer(calibration_error)


def _labels(y: ArrayLike) -> Labels:
    labels: Labels = one_column(y, warn=True)
    assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    return labels


def _fitted(
    estimator: Classifier, X: Table, labels: Labels, rows: Ints, params: dict[str, Any]
) -> Classifier:
    """A fresh copy of the estimator, fitted on some rows."""
    params_of_rows = _check_method_params(X, params, indices=rows)
    return clone(estimator).fit(_safe_indexing(X, rows), labels[rows], **params_of_rows)
