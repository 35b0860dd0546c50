"""The display of scikit-learn's kind: numbers first, then drawn on the axes given."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

from calibrant import binary, calibration_error, from_probs, one_class, top_label
from calibrant.sklearn import ReliabilityDisplay

X, Y = make_classification(300, n_classes=3, n_informative=4, random_state=0)
WORDS = np.array(["cat", "dog", "eel"])


def test_of_two_classes_the_positive_one_is_shown() -> None:
    y = np.where(Y == 1, "yes", "no")
    model = GaussianNB().fit(X, y)
    p = model.predict_proba(X)[:, 1]
    display = ReliabilityDisplay.from_estimator(model, X, y)
    expected = calibration_error(binary(p, y == "yes"))
    assert display.curve.event == "the class is yes"
    assert display.curve.error == pytest.approx(expected, abs=1e-9)
    alike = ReliabilityDisplay.from_predictions(y, p)
    assert np.allclose(alike.curve.q, display.curve.q, rtol=1e-6)
    plt.close("all")


def test_chances_may_be_of_the_class_named() -> None:
    y = np.where(Y == 1, "a", "b")
    p = np.linspace(0.1, 0.9, 300)
    display = ReliabilityDisplay.from_predictions(y, p, pos_label="a", level=None)
    assert display.curve.event == "the class is a"
    assert display.curve.error == pytest.approx(calibration_error(binary(p, y == "a")), abs=1e-9)
    plt.close("all")


def test_of_more_classes_the_top_label_is_shown_or_the_class_named() -> None:
    model = GaussianNB().fit(X, WORDS[Y])
    pred = from_probs(model.predict_proba(X), WORDS[Y], classes=WORDS)
    display = ReliabilityDisplay.from_estimator(model, X, WORDS[Y], family="isotonic", level=None)
    assert display.curve.error == pytest.approx(calibration_error(top_label(pred), "isotonic"))
    of_eel = ReliabilityDisplay.from_predictions(WORDS[Y], pred.probs, pos_label="eel", level=None)
    assert of_eel.curve.error == pytest.approx(calibration_error(one_class(pred, "eel")))
    plt.close("all")


def test_it_draws_on_the_axes_given_and_again() -> None:
    _, ax = plt.subplots()
    weights = np.arange(300) % 3
    p = np.linspace(0.01, 0.99, 300)
    display = ReliabilityDisplay.from_predictions(
        Y == 1, p, sample_weight=weights, level=None, ax=ax
    )
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert display.curve.total == weights.sum()
    assert display.plot().ax_ is not ax
    plt.close("all")


def test_names_of_the_star_import_are_our_own() -> None:
    names: dict[str, object] = {}
    exec("from calibrant.sklearn import *", names)
    found = set(names) - {"__builtins__"}
    assert found == {
        "CalibratedClassifier",
        "Calibrator",
        "ReliabilityDisplay",
        "Scorer",
        "brier_scorer",
        "calibration_error_scorer",
        "classwise_ece_scorer",
        "ece_scorer",
        "nll_scorer",
    }
