"""The metric of Evidently, within its reports."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from evidently import (
    BinaryClassification,
    DataDefinition,
    Dataset,
    MulticlassClassification,
    Report,
)
from evidently.tests import lte
from shared_pages import block

import calibrant as c
from calibrant.integrations.evidently import Calibration, view_of

# Its own warnings are its own.
pytestmark = pytest.mark.filterwarnings("default")


def _rows(n: int = 400, seed: int = 0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    p = random.random(n)
    happened = random.random(n) < p**2
    return pd.DataFrame({"p": p, "paid": np.where(happened, "yes", "no")})


def _dataset(rows: pd.DataFrame, pos_label: str = "yes") -> Dataset:
    asked = BinaryClassification(target="paid", prediction_probas="p", pos_label=pos_label)
    return Dataset.from_pandas(rows, data_definition=DataDefinition(classification=[asked]))


def test_reports_tell_what_the_library_tells(tmp_path: Path) -> None:
    rows = _rows()
    view = c.binary(rows["p"], rows["paid"] == "yes")
    names = ["calibration_error", "ece", "nll"]
    report = Report([Calibration(measure=name) for name in names])
    run = report.run(_dataset(rows), None)
    found = [metric["value"] for metric in run.dict()["metrics"]]
    assert found == pytest.approx([c.calibration_error(view), c.ece(view), c.nll(view)])
    page = tmp_path / "page.html"
    run.save_html(str(page))
    shown = page.read_text(encoding="utf-8")
    assert "calibration error, by calibrant" in shown
    assert f"Calibration error {100 * c.calibration_error(view):.2f} points: paid is yes" in shown


def test_the_page_s_block_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(block("how-to/integrations.md", "Evidently"), {"rows": _rows()})
    assert "calibration error, by calibrant" in Path("report.html").read_text(encoding="utf-8")


def test_a_reference_is_measured_by_itself() -> None:
    rows, before = _rows(), _rows(seed=1)
    run = Report([Calibration()]).run(_dataset(rows), _dataset(before))
    [(metric, current)] = run.metric_results.items()
    reference = run.context.get_reference_metric_result(metric)
    assert current.value == pytest.approx(c.calibration_error(view_of(_dataset(rows))))
    assert reference.value == pytest.approx(c.calibration_error(view_of(_dataset(before))))


@pytest.mark.parametrize(("most", "status"), [(0.5, "SUCCESS"), (0.02, "FAIL")])
def test_a_limit_is_a_test_of_the_report(most: float, status: str) -> None:
    run = Report([Calibration(tests=[lte(most)])]).run(_dataset(_rows()), None)
    [told] = run.dict()["tests"]
    assert told["status"].value == status


def test_columns_of_chances_are_the_classes_by_name() -> None:
    random = np.random.default_rng(2)
    p = random.dirichlet([1, 1, 1], 300)
    labels = np.array([random.choice(3, p=each) for each in p])
    rows = pd.DataFrame(p, columns=["0", "1", "2"]).assign(target=labels)
    asked = MulticlassClassification(target="target", prediction_probas=["0", "1", "2"])
    definition = DataDefinition(classification=[asked])
    run = Report([Calibration(measure="ece")]).run(
        Dataset.from_pandas(rows, data_definition=definition), None
    )
    [found] = run.dict()["metrics"]
    assert found["value"] == pytest.approx(c.ece(c.from_probs(p, labels)))


def test_a_label_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match=r"pos_label 'paid', got \['no', 'yes'\]"):
        view_of(_dataset(_rows(), pos_label="paid"))


def test_data_without_chances_are_refused_with_the_way_out() -> None:
    asked = BinaryClassification(target="paid", prediction_labels="paid")
    definition = DataDefinition(classification=[asked])
    data = Dataset.from_pandas(_rows(), data_definition=definition)
    with pytest.raises(ValueError, match=r"no chances .*prediction_probas="):
        view_of(data)
