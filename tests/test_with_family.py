"""Estimators with a family: its default, and its fields as parameters."""

from typing import Any

import numpy as np
import pytest
from shared_classifiers import FOREST, SVM, X2, X3, Y2, Y3
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

from calibrant import (
    Binned,
    Family,
    HistogramBinning,
    Isotonic,
    OneVsRest,
    Platt,
    Smooth,
    Spline,
    Temperature,
    from_probs,
    select,
)
from calibrant.families.defaults import classifier_family
from calibrant.fitting.types import Array
from calibrant.sklearn import CalibratedClassifier, Calibrator, brier_scorer, nll_scorer


def test_the_default_family() -> None:
    def chosen(estimator: Any, X: Array, y: Array) -> Family:  # noqa: ANN401
        return CalibratedClassifier(estimator, ensemble=False).fit(X, y).map_.family

    few = slice(0, 198)
    assert chosen(None, X2[few], Y2[few]) == Platt()
    assert chosen(FOREST, X2[few], Y2[few]) == Smooth()
    assert chosen(FOREST, X3[few], Y3[few]) == chosen(SVM, X3[few], Y3[few]) == Temperature()


@pytest.mark.parametrize(("X", "y"), [(X2, Y2), (X3, Y3)], ids=["two", "three"])
def test_of_enough_rows_the_family_is_chosen(X: Array, y: Array) -> None:
    p = LogisticRegression().fit(X, y).predict_proba(X)
    p[:, 0] *= 20
    p /= p.sum(1, keepdims=True)
    enough = slice(0, 200)
    fitted = Calibrator().fit(p[enough], y[enough]).map_
    assert fitted.family == select(from_probs(p[enough], y[enough])).family
    few = slice(0, 199)
    usual = classifier_family(from_probs(p[few], y[few]))
    assert Calibrator().fit(p[few], y[few]).map_.family == usual
    assert fitted.family != usual
    assert Calibrator(Isotonic()).fit(p, y).map_.family in (Isotonic(), OneVsRest(Isotonic()))


def test_parameters_of_the_family_can_be_set() -> None:
    model = CalibratedClassifier(LogisticRegression(), HistogramBinning())
    assert model.get_params()["family__n_bins"] == "auto"
    assert "family__n_bins" not in model.get_params(deep=False)
    family: object = model.family
    model.set_params(family__n_bins=7, family__edges="width", estimator__C=0.5, ensemble=False)
    assert model.family == HistogramBinning(7, edges="width")
    assert family == HistogramBinning()
    assert clone(model).family == model.family
    model.set_params(family__family__n_bins=3, family=OneVsRest(Binned()))
    assert model.get_params()["family"] == OneVsRest(Binned(3))
    model.set_params(family__family__n_bins=4, family__family=Binned(edges="mass"))
    assert model.get_params()["family"] == OneVsRest(Binned(4, edges="mass"))
    for wrong in ("family__bins", "family__family__bins", "family__family__n_bins__x", "nonsense"):
        with pytest.raises(ValueError, match="Invalid parameter"):
            model.set_params(**{wrong: 1})
    with pytest.raises(ValueError, match="Invalid parameter 'n_bins' for family None"):
        Calibrator().set_params(family__n_bins=3)
    shown = repr(Calibrator(HistogramBinning(7, edges="width")))
    assert "HistogramBinning(n_bins=7, edges='width')" in shown


@pytest.mark.parametrize(
    "model",
    [
        CalibratedClassifier().set_params(family=7),
        CalibratedClassifier().set_params(ensemble="auto"),
        Calibrator().set_params(input="odds"),
    ],
)
def test_wrong_parameters_are_refused(model: Any) -> None:  # noqa: ANN401
    with pytest.raises(ValueError, match=r"must be|is needed; got 7"):
        model.fit(X2, Y2)


def test_a_family_may_be_named() -> None:
    named = CalibratedClassifier(GaussianNB(), "isotonic", cv=3).fit(X2, Y2)
    given = CalibratedClassifier(GaussianNB(), Isotonic(), cv=3).fit(X2, Y2)
    assert np.array_equal(named.predict_proba(X2), given.predict_proba(X2))
    model = CalibratedClassifier(family="spline")
    assert model.get_params()["family__knots"] == 6
    assert model.set_params(family__knots=9).family == Spline(9)
    with pytest.raises(ValueError, match="did you mean isotonic"):
        CalibratedClassifier(GaussianNB(), "isotone").fit(X2, Y2)


def test_a_search_over_families() -> None:
    grid = [
        {"family": [Binned(slope=0), HistogramBinning()], "family__n_bins": [2, 9]},
        {"family": [Smooth()]},
    ]
    model = CalibratedClassifier(GaussianNB(), cv=3)
    search = GridSearchCV(model, grid, scoring=nll_scorer, cv=3).fit(X2, Y2)
    assert search.best_params_ == {"family": Smooth()}
    assert len(search.cv_results_["params"]) == 5
    two = {"family": [Platt(), Isotonic()]}
    p = GaussianNB().fit(X2, Y2).predict_proba(X2)
    search = GridSearchCV(Calibrator(), two, scoring=brier_scorer, cv=3).fit(p, Y2)
    assert search.best_score_ > -0.5
