"""Estimators kept by skops, which runs nothing that it was not told to trust."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import skops.io
from shared_pages import block
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

from calibrant.sklearn import CalibratedClassifier, Calibrator

FAMILIES = [None, "beta", "isotonic", "smooth", "spline", "temperature", "structured_vector"]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("family", FAMILIES)
def test_an_estimator_comes_back_as_it_was(family: str | None, classes: int) -> None:
    X, y = make_classification(300, n_classes=classes, n_informative=5, random_state=0)
    model = CalibratedClassifier(GaussianNB(), family, cv=2).fit(X, y)
    again = _kept(model)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.classes_.tolist() == model.classes_.tolist()


def test_a_calibrator_comes_back_as_it_was() -> None:
    random = np.random.default_rng(0)
    p = random.dirichlet([1, 1, 1], 300)
    labels = p.cumsum(1).argmax(1)
    calibrator = Calibrator("temperature").fit(p, labels)
    np.testing.assert_array_equal(_kept(calibrator).predict_proba(p), calibrator.predict_proba(p))


def test_nothing_is_loaded_untrusted() -> None:
    calibrator = Calibrator("platt").fit([[0.4, 0.6], [0.7, 0.3], [0.2, 0.8]], [0, 0, 1])
    with pytest.raises(skops.io.exceptions.UntrustedTypesFoundException):
        skops.io.loads(skops.io.dumps(calibrator))


def test_the_page_s_block_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    model = Calibrator("platt").fit([[0.4, 0.6], [0.7, 0.3], [0.2, 0.8]], [0, 0, 1])
    names: dict[str, Any] = {"model": model}
    exec(block("how-to/integrations.md", "Pickle, joblib and skops"), names)
    again = names["model"]
    assert again is not model
    assert again.predict_proba([[0.4, 0.6]]).tolist() == model.predict_proba([[0.4, 0.6]]).tolist()


def _kept(estimator: Any) -> Any:  # noqa: ANN401 - an estimator
    """An estimator that was saved and loaded; of types unknown to skops it holds ours alone."""
    kept = skops.io.dumps(estimator)
    unknown = skops.io.get_untrusted_types(data=kept)
    assert all(name.startswith("calibrant.") for name in unknown)
    return skops.io.loads(kept, trusted=unknown)
