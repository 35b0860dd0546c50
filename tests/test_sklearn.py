"""Estimators and scorers against families applied by hand, and scikit-learn's own checks."""

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
from shared_classifiers import FOREST, NAMES, SVM, X2, X3, Y2, Y3, W
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import calibrant
from calibrant import Family, Isotonic, Platt, Smooth, Temperature, ece, from_logits, from_probs
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


class Softmaxed(Calibrator):
    """A calibrator of probabilities that makes them of any numbers, as the checks hand over."""

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
    with pytest.raises(ValueError, match=r"Expected `?cv`?"):
        CalibratedClassifier(GaussianNB(), cv="prefix").fit(X2, Y2)
    with pytest.raises(NotFittedError):
        CalibratedClassifier(GaussianNB(), cv="prefit").fit(X2, Y2)


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


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames(frame: Any) -> None:  # noqa: ANN401
    table = frame({f"column {j}": X3[:, j] for j in range(X3.shape[1])})
    series = (pd.Series if frame is pd.DataFrame else pl.Series)(NAMES[Y3].tolist())
    expected = CalibratedClassifier(GaussianNB(), Temperature(), cv=3).fit(X3, NAMES[Y3])
    model = CalibratedClassifier(GaussianNB(), Temperature(), cv=3).fit(table, series)
    np.testing.assert_allclose(model.predict_proba(table), expected.predict_proba(X3), rtol=1e-9)
    assert model.n_features_in_ == 20
    assert list(model.feature_names_in_) == list(table.columns)
    p = frame(dict(zip(NAMES.tolist(), model.predict_proba(table).T, strict=True)))
    assert list(Calibrator().fit(p, series).feature_names_in_) == NAMES.tolist()


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
