"""Estimators and scorers against families applied by hand, and scikit-learn's own checks."""

import doctest
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.special import expit
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import calibrant
from calibrant import (
    Binned,
    Family,
    HistogramBinning,
    Isotonic,
    OneVsRest,
    Platt,
    Smooth,
    Temperature,
    ece,
    from_logits,
    from_probs,
)
from calibrant.fitting.logspace import softmax
from calibrant.fitting.types import Array
from calibrant.sklearn import (
    CalibratedClassifier,
    Calibrator,
    Scorer,
    brier_scorer,
    calibration_error_scorer,
    classwise_ece_scorer,
    ece_scorer,
    nll_scorer,
)

X2, Y2 = make_classification(300, flip_y=0.1, random_state=0)
X3, Y3 = make_classification(300, n_informative=5, n_classes=3, flip_y=0.1, random_state=0)
W = np.random.default_rng(0).integers(0, 4, 300).astype(float)
NAMES = np.array(["ant", "bee", "cat"])
SVM = LinearSVC(random_state=0)
FOREST = RandomForestClassifier(10, random_state=0)


class Softmaxed(Calibrator):
    """A calibrator of probabilities that makes them of any numbers, which is what scikit-learn's checks hand over."""

    def _values(self, scores: Any, *, reset: bool) -> Array:  # noqa: ANN401
        z = super()._values(scores, reset=reset)
        return expit(z) if z.ndim == 1 else softmax(z.astype(float))


def _expected_failures(estimator: object) -> dict[str, str]:
    if not isinstance(estimator, Calibrator):
        return {}
    reason = "the check's data have other than one column for each class, which scores must have"
    checks = (
        "check_estimators_overwrite_params",
        "check_estimators_fit_returns_self",
        "check_readonly_memmap_input",
        "check_estimators_nan_inf",
        "check_classifiers_classes",
        "check_classifiers_train",
    )
    return dict.fromkeys(checks, reason)


@pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore:The least populated class"
)
@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [
        CalibratedClassifier(LogisticRegression(), cv=3),
        # Tight, or the machine's own stopping would tell weights from repeated rows.
        CalibratedClassifier(
            LinearSVC(random_state=0, tol=1e-12, max_iter=100_000), Platt(), cv=3, ensemble=False
        ),
        Calibrator(input="logits"),
        Softmaxed(),
    ],
    expected_failed_checks=_expected_failures,
)
def test_scikit_learns_own_checks(estimator: Any, check: Any) -> None:  # noqa: ANN401
    check(estimator)


@pytest.mark.parametrize("family", [Platt(), Smooth(), Isotonic(), Temperature()])
@pytest.mark.parametrize(("X", "y"), [(X2, Y2), (X3, Y3)])
def test_a_fitted_classifier_is_calibrated_as_by_hand(family: Family, X: Array, y: Array) -> None:
    svm, bayes = clone(SVM).fit(X[:150], y[:150]), GaussianNB().fit(X[:150], y[:150])
    for fitted, make, claim in (
        (svm, from_logits, svm.decision_function),
        (bayes, from_probs, bayes.predict_proba),
    ):
        model = CalibratedClassifier(fitted, family, cv="prefit").fit(X[150:], y[150:], W[150:])
        by_hand = family.fit(make(claim(X[150:]), y[150:], weights=W[150:]))
        expected = by_hand.apply(make(claim(X), y)).probs
        np.testing.assert_array_equal(model.predict_proba(X), expected)
        np.testing.assert_array_equal(model.predict(X), expected.argmax(1))
        frozen = clone(CalibratedClassifier(FrozenEstimator(fitted), family)).fit(
            X[150:], y[150:], W[150:]
        )
        np.testing.assert_array_equal(frozen.predict_proba(X), expected)


def test_an_ensemble_is_the_mean_over_folds() -> None:
    model = CalibratedClassifier(GaussianNB(), Temperature(), cv=3).fit(X3, Y3, W)
    expected = np.zeros((300, 3))
    for train, test in StratifiedKFold(3).split(X3, Y3):
        fitted = GaussianNB().fit(X3[train], Y3[train], W[train])
        by_hand = Temperature().fit(
            from_probs(fitted.predict_proba(X3[test]), Y3[test], weights=W[test])
        )
        expected += by_hand.apply(from_probs(fitted.predict_proba(X3), Y3)).probs / 3
    np.testing.assert_allclose(model.predict_proba(X3), expected, rtol=1e-12)
    with pytest.raises(AttributeError, match="there are 3 maps"):
        _ = model.map_


def test_without_an_ensemble_all_held_out_rows_fit_one_map() -> None:
    model = CalibratedClassifier(SVM, Platt(), cv=3, ensemble=False).fit(X2, Y2, W)
    scores = np.empty(300)
    for train, test in StratifiedKFold(3).split(X2, Y2):
        scores[test] = clone(SVM).fit(X2[train], Y2[train], W[train]).decision_function(X2[test])
    by_hand = Platt().fit(from_logits(scores, Y2, weights=W))
    whole = clone(SVM).fit(X2, Y2, W)
    expected = by_hand.apply(from_logits(whole.decision_function(X2), Y2)).probs
    np.testing.assert_allclose(model.predict_proba(X2), expected, rtol=1e-7)
    assert model.map_ is model.maps_[0]


def test_splitters_and_pairs_of_rows_serve_as_cv() -> None:
    splitter = StratifiedKFold(3, shuffle=True, random_state=1)
    by_splitter = CalibratedClassifier(GaussianNB(), cv=splitter).fit(X2, Y2)
    by_rows = CalibratedClassifier(GaussianNB(), cv=list(splitter.split(X2, Y2))).fit(X2, Y2)
    np.testing.assert_array_equal(by_splitter.predict_proba(X2), by_rows.predict_proba(X2))
    with pytest.raises(ValueError, match="Expected `cv`"):
        CalibratedClassifier(GaussianNB(), cv="prefix").fit(X2, Y2)
    with pytest.raises(NotFittedError):
        CalibratedClassifier(GaussianNB(), cv="prefit").fit(X2, Y2)


def test_the_default_family() -> None:
    def chosen(estimator: Any, X: Array, y: Array) -> Family:  # noqa: ANN401
        return CalibratedClassifier(estimator, ensemble=False).fit(X, y).map_.family

    assert chosen(None, X2, Y2) == Platt()
    assert chosen(FOREST, X2, Y2) == Smooth()
    assert chosen(FOREST, X3, Y3) == chosen(SVM, X3, Y3) == Temperature()


@pytest.mark.parametrize("ensemble", [True, False])
@pytest.mark.parametrize("estimator", [SVM, FOREST, LogisticRegression()])
def test_probabilities_are_sound_and_the_same_every_time(estimator: Any, ensemble: bool) -> None:  # noqa: ANN401
    for X, y, k in ((X2, Y2, 2), (X3, Y3, 3)):
        for family in (None, Isotonic(), Smooth()):
            model = CalibratedClassifier(estimator, family, cv=3, ensemble=ensemble).fit(
                X, NAMES[y]
            )
            q = model.predict_proba(X)
            assert q.shape == (len(X), k)
            np.testing.assert_allclose(q.sum(1), 1)
            assert model.classes_.tolist() == NAMES[:k].tolist()
            np.testing.assert_array_equal(model.predict(X), NAMES[q.argmax(1)])
            np.testing.assert_array_equal(clone(model).fit(X, NAMES[y]).predict_proba(X), q)
            np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), q)


def test_weight_zero_is_no_row() -> None:
    fitted = GaussianNB().fit(X3, Y3)
    kept = W > 0
    with_zeros = CalibratedClassifier(fitted, cv="prefit").fit(X3, Y3, W)
    without = CalibratedClassifier(fitted, cv="prefit").fit(X3[kept], Y3[kept], W[kept])
    np.testing.assert_allclose(with_zeros.predict_proba(X3), without.predict_proba(X3), rtol=1e-9)


def test_weights_go_to_the_map_alone_where_the_estimator_takes_none() -> None:
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    model = CalibratedClassifier(pipeline, Platt(), ensemble=False, cv=3).fit(X2, Y2, W)
    plain = clone(pipeline).fit(X2, Y2)
    np.testing.assert_array_equal(model.estimators_[0].predict_proba(X2), plain.predict_proba(X2))
    also = CalibratedClassifier(pipeline, Platt(), cv=3).fit(
        X2, Y2, W, logisticregression__sample_weight=W
    )
    assert not np.allclose(also.predict_proba(X2), model.predict_proba(X2))


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
    some = Y3 < 2
    model = CalibratedClassifier(GaussianNB().fit(X3, NAMES[Y3]), cv="prefit").fit(
        X3[some], NAMES[Y3[some]]
    )
    assert model.predict_proba(X3).shape == (300, 3)
    model = CalibratedClassifier(GaussianNB().fit(X3[some], NAMES[Y3[some]]), cv="prefit").fit(
        X3, NAMES[Y3]
    )
    assert model.predict_proba(X3)[:, 2].max() == 0
    with pytest.raises(
        ValueError, match="no row to calibrate on has a class that the estimator knows"
    ):
        CalibratedClassifier(GaussianNB().fit(X3[some], Y3[some]), cv="prefit").fit(
            X3[~some], Y3[~some]
        )


def test_folds_of_one_class_are_refused() -> None:
    order = np.argsort(Y2, kind="stable")
    with pytest.raises(ValueError, match="fitted on two classes at least"):
        CalibratedClassifier(DummyClassifier(), cv=KFold(2)).fit(
            X2[order][:298], np.arange(298) >= 149
        )


def test_scores_of_pairs_are_refused() -> None:
    for k in (3, 4):
        X, y = make_classification(80, n_informative=5, n_classes=k, random_state=0)
        by_pairs = make_pipeline(StandardScaler(), SVC(decision_function_shape="ovo"))
        with pytest.raises(ValueError, match="use decision_function_shape='ovr'"):
            CalibratedClassifier(by_pairs, cv=3).fit(X, y)
    CalibratedClassifier(SVC(decision_function_shape="ovo"), cv=3).fit(X2, Y2)
    CalibratedClassifier(SVC(), cv=3).fit(X3, Y3)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames(frame: Any) -> None:  # noqa: ANN401
    table = frame({f"column {j}": X3[:, j] for j in range(X3.shape[1])})
    series = (pd.Series if frame is pd.DataFrame else pl.Series)(NAMES[Y3].tolist())
    expected = CalibratedClassifier(GaussianNB(), cv=3).fit(X3, NAMES[Y3])
    model = CalibratedClassifier(GaussianNB(), cv=3).fit(table, series)
    np.testing.assert_allclose(model.predict_proba(table), expected.predict_proba(X3), rtol=1e-9)
    assert model.n_features_in_ == 20
    assert list(model.feature_names_in_) == list(table.columns)
    p = frame(dict(zip(NAMES.tolist(), model.predict_proba(table).T, strict=True)))
    assert list(Calibrator().fit(p, series).feature_names_in_) == NAMES.tolist()


def test_parameters_of_the_family_can_be_set() -> None:
    model = CalibratedClassifier(LogisticRegression(), HistogramBinning())
    assert model.get_params()["family__n_bins"] == 15
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
    assert "HistogramBinning(n_bins=7, edges='width')" in repr(
        Calibrator(HistogramBinning(7, edges="width"))
    )


@pytest.mark.parametrize(
    "model",
    [
        CalibratedClassifier().set_params(family="isotonic"),
        CalibratedClassifier().set_params(ensemble="auto"),
        Calibrator().set_params(input="odds"),
    ],
)
def test_wrong_parameters_are_refused(model: Any) -> None:  # noqa: ANN401
    with pytest.raises(ValueError, match="must be"):
        model.fit(X2, Y2)


def test_a_search_over_families() -> None:
    grid = [
        {"family": [Binned(slope=0), HistogramBinning()], "family__n_bins": [2, 9]},
        {"family": [Smooth()]},
    ]
    search = GridSearchCV(
        CalibratedClassifier(GaussianNB(), cv=3), grid, scoring=nll_scorer, cv=3
    ).fit(X2, Y2)
    assert search.best_params_ == {"family": Smooth()}
    assert len(search.cv_results_["params"]) == 5
    search = GridSearchCV(
        Calibrator(), {"family": [Platt(), Isotonic()]}, scoring=brier_scorer, cv=3
    )
    assert search.fit(GaussianNB().fit(X2, Y2).predict_proba(X2), Y2).best_score_ > -0.5


@pytest.mark.parametrize("kind", ["probs", "logits"])
def test_a_calibrator_of_saved_scores(kind: str, tmp_path: Path) -> None:
    make = from_probs if kind == "probs" else from_logits
    z = np.random.default_rng(1).normal(0, 2, (300, 3))
    for scores, y in (
        (softmax(z) if kind == "probs" else z, Y3),
        (expit(z[:, 0]) if kind == "probs" else z[:, 0], Y2),
    ):
        for family in (Isotonic(), Temperature()):
            model = Calibrator(family, input=kind).fit(scores, NAMES[y], sample_weight=W)  # type: ignore[arg-type]
            expected = family.fit(make(scores, y, weights=W)).apply(make(scores, y)).probs
            np.testing.assert_array_equal(model.predict_proba(scores), expected)
            np.testing.assert_array_equal(model.predict(scores), NAMES[expected.argmax(1)])
            model.map_.save(tmp_path / "map")
            names = NAMES[: len(model.classes_)]
            saved = calibrant.load(tmp_path / "map").apply(make(scores, NAMES[y], classes=names))
            np.testing.assert_array_equal(saved.probs, expected)
            kept = W > 0
            without = clone(model).fit(scores[kept], NAMES[y][kept], W[kept])
            np.testing.assert_allclose(without.predict_proba(scores), expected, rtol=1e-9)


def test_whole_numbers_stand_for_columns() -> None:
    p = np.full((4, 3), 1 / 3)
    assert Calibrator().fit(p, [0, 1, 1, 0]).classes_.tolist() == [0, 1, 2]
    assert Calibrator().fit(p, [5, 7, 9, 5]).classes_.tolist() == [5, 7, 9]
    assert Calibrator().fit(p[:, :1], [1, 1, 1, 1]).classes_.tolist() == [0, 1]
    with pytest.raises(ValueError, match=r"3 columns and 2 classes, \[5, 7\]"):
        Calibrator().fit(p, [5, 7, 7, 5])
    with pytest.raises(ValueError, match="for logits use from_logits"):
        Calibrator().fit(3 * p, [0, 1, 2, 0])


def test_scorers_are_minus_the_measures() -> None:
    model = GaussianNB().fit(X3, NAMES[Y3])
    p, names = model.predict_proba(X3), NAMES[Y3]
    pred = from_probs(p, Y3)
    assert nll_scorer(model, X3, names, sample_weight=W) == pytest.approx(
        -log_loss(names, p, sample_weight=W)
    )
    measures: dict[Scorer, Any] = {
        brier_scorer: calibrant.brier,
        ece_scorer: ece,
        classwise_ece_scorer: calibrant.classwise_ece,
    }
    for scorer, measure in {
        **measures,
        calibration_error_scorer: calibrant.calibration_error,
    }.items():
        assert scorer(model, X3, names) == -measure(pred)
    one = names == "bee"
    assert nll_scorer(model, X3[one], names[one]) == -calibrant.nll(pred[one])
    assert cross_val_score(GaussianNB(), X3, names, scoring=Scorer(ece), cv=3).max() < 0
    assert pickle.loads(pickle.dumps(clone(nll_scorer)))(model, X3, names) == nll_scorer(
        model, X3, names
    )


def test_metadata_is_routed() -> None:
    groups = np.arange(300) % 4
    with config_context(enable_metadata_routing=True):
        inner = LogisticRegression().set_fit_request(sample_weight=True)
        model = CalibratedClassifier(inner, Platt(), cv=GroupKFold(4)).set_fit_request(
            sample_weight=True
        )
        routed = model.fit(X2, Y2, sample_weight=W, groups=groups).predict_proba(X2)
        scorer = clone(nll_scorer).set_score_request(sample_weight=True)
        fixed = clone(model).set_params(cv=3)
        search = GridSearchCV(fixed, {"family": [Platt(), Smooth()]}, scoring=scorer, cv=3).fit(
            X2, Y2, sample_weight=W
        )
        assert CalibratedClassifier(cv=3).fit(X2, Y2, sample_weight=W).maps_
        with pytest.raises(ValueError, match="not explicitly set as requested"):
            CalibratedClassifier(LogisticRegression()).fit(X2, Y2, sample_weight=W)
    folds = list(GroupKFold(4).split(X2, Y2, groups))
    by_hand = CalibratedClassifier(LogisticRegression(), Platt(), cv=folds).fit(X2, Y2, W)
    np.testing.assert_array_equal(routed, by_hand.predict_proba(X2))
    train, test = next(StratifiedKFold(3).split(X2, Y2))
    first = CalibratedClassifier(LogisticRegression(), Platt(), cv=3).fit(
        X2[train], Y2[train], W[train]
    )
    expected = -log_loss(Y2[test], first.predict_proba(X2[test]), sample_weight=W[test])
    assert search.cv_results_["split0_test_score"][0] == pytest.approx(expected)


def test_an_absent_scikit_learn_says_how_to_get_it() -> None:
    program = "import sys; sys.modules['sklearn'] = None; import calibrant.sklearn"
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert 'pip install "calibrant[sklearn]"' in found.stderr.splitlines()[-1]


def test_the_how_to_page_does_what_it_says() -> None:
    page = Path(__file__).parents[1] / "docs" / "how-to" / "scikit-learn.md"
    assert doctest.testfile(str(page), module_relative=False).failed == 0
