"""What classifiers claim, though some know other classes than the rows have."""

from typing import Any

import numpy as np
import pytest
from shared_classifiers import NAMES, SVM, X2, X3, Y2, Y3
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from calibrant import Temperature
from calibrant.sklearn import CalibratedClassifier, Calibrator


@pytest.mark.parametrize("estimator", [SVM, GaussianNB()])
@pytest.mark.parametrize("ensemble", [True, False])
def test_a_fold_may_miss_a_class(estimator: Any, ensemble: bool) -> None:  # noqa: ANN401
    order = np.argsort(Y3, kind="stable")
    X, y = X3[order], NAMES[Y3[order]]
    rows = np.arange(300)
    folds = [(rows[rows % 3 != r], rows[rows % 3 == r]) for r in range(2)]
    seen = np.flatnonzero(y != "cat")
    folds.append((seen[seen % 3 != 2], rows[rows % 3 == 2]))
    model = CalibratedClassifier(estimator, Temperature(), cv=folds, ensemble=ensemble).fit(X, y)
    q = model.predict_proba(X)
    np.testing.assert_allclose(q.sum(1), 1)
    if ensemble:
        assert q[:, 2].max() <= 2 / 3
        assert model.maps_[2].classes == ("ant", "bee")  # type: ignore[attr-defined]
    assert np.mean(model.predict(X) == y) > 0.6


def test_a_fitted_classifier_may_know_more_classes_than_the_rows_and_fewer() -> None:
    y = NAMES[Y3]
    some = Y3 < 2
    knows_all = GaussianNB().fit(X3, y)
    knows_two = GaussianNB().fit(X3[some], y[some])
    model = CalibratedClassifier(knows_all, cv="prefit").fit(X3[some], y[some])
    assert model.predict_proba(X3).shape == (300, 3)
    model = CalibratedClassifier(knows_two, cv="prefit").fit(X3, y)
    assert model.predict_proba(X3)[:, 2].max() == 0
    message = "no row to calibrate on has a class that the estimator knows"
    with pytest.raises(ValueError, match=message):
        CalibratedClassifier(knows_two, cv="prefit").fit(X3[~some], y[~some])


def test_folds_of_one_class_are_refused() -> None:
    order = np.argsort(Y2, kind="stable")
    X, y = X2[order][:298], np.arange(298) >= 149
    with pytest.raises(ValueError, match="fitted on two classes at least"):
        CalibratedClassifier(DummyClassifier(), cv=KFold(2)).fit(X, y)


def test_scores_of_pairs_are_refused() -> None:
    for k in (3, 4):
        X, y = make_classification(80, n_informative=5, n_classes=k, random_state=0)
        by_pairs = make_pipeline(StandardScaler(), SVC(decision_function_shape="ovo"))
        with pytest.raises(ValueError, match="use decision_function_shape='ovr'"):
            CalibratedClassifier(by_pairs, cv=3).fit(X, y)
    CalibratedClassifier(SVC(decision_function_shape="ovo"), cv=3).fit(X2, Y2)
    CalibratedClassifier(SVC(), cv=3).fit(X3, Y3)


def test_whole_numbers_stand_for_columns() -> None:
    p = np.full((4, 3), 1 / 3)
    assert Calibrator().fit(p, [0, 1, 1, 0]).classes_.tolist() == [0, 1, 2]
    assert Calibrator().fit(p, [5, 7, 9, 5]).classes_.tolist() == [5, 7, 9]
    assert Calibrator().fit(p[:, :1], [1, 1, 1, 1]).classes_.tolist() == [0, 1]
    with pytest.raises(ValueError, match=r"3 columns and 2 classes, \[5, 7\]"):
        Calibrator().fit(p, [5, 7, 7, 5])
    with pytest.raises(ValueError, match="for logits use from_logits"):
        Calibrator().fit(3 * p, [0, 1, 2, 0])
