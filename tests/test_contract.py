"""The contract that checks outside this repository call: every line of it, exactly as it is written.

Names and arguments may be added; none of these may be renamed.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

import calibrant as c
from calibrant import curves, plots
from calibrant.cli import run

RNG = np.random.default_rng(0)
N = 240
LOGITS = 2 * RNG.normal(size=(N, 3))
LABELS = (LOGITS + RNG.gumbel(size=(N, 3))).argmax(1)
PRED = c.from_logits(LOGITS, LABELS)
P = RNG.uniform(0.05, 0.95, N)
Y = (RNG.random(N) < P**1.5).astype(int)
PAIR = c.from_probs(np.stack([1 - P, P], axis=1), Y)
VIEW = c.binary(P, Y)
CANONICAL = c.canonical(PRED)
TOP = c.top_label(PRED)


@pytest.fixture(autouse=True)
def _no_figures() -> Any:  # noqa: ANN401
    yield
    plt.close("all")


def test_inputs(tmp_path: Path) -> None:
    weights = np.ones(N)
    names = ["cat", "dog", "eel"]
    for made in (
        c.from_logits(LOGITS, labels=None, weights=None, classes=None),
        c.from_logits(LOGITS, LABELS, weights=weights, classes=names),
        c.from_probs(PRED.probs, labels=None, weights=None, classes=None),
        c.from_probs(PRED.probs, np.eye(3)[LABELS], weights=weights, classes=names),
        c.from_logits(LOGITS[:, 0], Y),
        c.from_probs(P, Y),
    ):
        assert (made.n, made.k) == (N, len(made.classes))
        assert made.probs.shape == made.log_probs.shape == made.scores.shape == (N, made.k)
        assert made.weights is None or len(made.weights) == N
    assert PRED.labels.shape == (N,)
    assert PRED[np.arange(5)].n == 5
    assert len(c.multilabel(PRED.probs, np.eye(3)[LABELS], weights=weights)) == 3
    shares = c.binary(P, np.full(N, 0.3), weights=None)
    assert shares.y.mean() == pytest.approx(0.3)
    path = tmp_path / "some.csv"
    path.write_text("p,y\n0.2,0\n0.7,1\n")
    assert c.read(path).n == 2
    with pytest.raises(ValueError, match="labels"):
        c.ece(c.from_probs(P))


def test_views() -> None:
    for view in (
        c.top_label(PRED),
        c.top_r(PRED, 2),
        c.within_top_r(PRED, 2),
        c.one_class(PRED, 1),
        *c.classwise(PRED),
    ):
        assert view.p.shape == view.y.shape == view.log_odds.shape == (N,)
        assert view.w is None
        assert view.total == view.n == N
        assert isinstance(view.event, str)
    assert CANONICAL.scores.shape == (N, 3)


CHANCE: Mapping[str, Callable[[], c.Family]] = {
    "Binned": lambda: c.Binned(n_bins=15, edges="width", slope=1, rule="fixed"),
    "Binned by mass": lambda: c.Binned(15, edges="mass", slope=0, rule="sweep"),
    "Binned by folds": lambda: c.Binned(rule="cv"),
    "HistogramBinning": lambda: c.HistogramBinning(n_bins="auto", edges="mass"),
    "HistogramBinning of so many": lambda: c.HistogramBinning(9),
    "Isotonic": lambda: c.Isotonic(interpolate=True, centred=False),
    "BBQ": lambda: c.BBQ(),
    "Platt": lambda: c.Platt(),
    "Beta": lambda: c.Beta(),
    "Quadratic": lambda: c.Quadratic(),
    "ScalingBinning": lambda: c.ScalingBinning(n_bins=15),
    "Spline": lambda: c.Spline(knots=6, runout="natural", bounded=False),
    "Spline by folds": lambda: c.Spline("cv", runout="parabolic"),
    "Spline, cubic": lambda: c.Spline(runout="cubic", bounded=True),
    "PiecewiseLinear": lambda: c.PiecewiseLinear(space="chance", segments=2, loss="log"),
    "PiecewiseLinear in log odds": lambda: c.PiecewiseLinear(
        space="logit", segments=2, loss="squared"
    ),
    "Smooth": lambda: c.Smooth(),
    "Kernel": lambda: c.Kernel(bandwidth=None),
    "VennAbers": lambda: c.VennAbers(),
    "Temperature": lambda: c.Temperature(),
}
VECTOR: Mapping[str, Callable[[], c.Family]] = {
    "Temperature": lambda: c.Temperature(),
    "VectorScaling": lambda: c.VectorScaling(),
    "MatrixScaling": lambda: c.MatrixScaling(off_diagonal=0.0, intercept=0.0),
    "MS-ODIR": lambda: c.MatrixScaling(off_diagonal="cv", intercept="cv"),
    "Dirichlet": lambda: c.Dirichlet(off_diagonal="cv", intercept="cv", l2=None),
    "StructuredMatrix": lambda: c.StructuredMatrix(),
    "EnsembleTemperature": lambda: c.EnsembleTemperature(),
    "OneVsRest": lambda: c.OneVsRest(c.Isotonic()),
    "Ranked": lambda: c.Ranked(c.Spline(), ranks=1, keep_order=True),
    "OrderPreserving": lambda: c.OrderPreserving(kind="invariant"),
    "OrderPreserving, preserving": lambda: c.OrderPreserving(kind="preserving"),
    "OrderPreserving, diagonal": lambda: c.OrderPreserving(kind="diagonal"),
    "Blend": lambda: c.Blend((c.Temperature(), c.OneVsRest(c.Isotonic()))),
    "Chain": lambda: c.Chain((c.Temperature(), c.OneVsRest(c.Isotonic()))),
}


@pytest.mark.parametrize("name", CHANCE)
def test_families_of_one_chance(name: str, tmp_path: Path) -> None:
    fitted = CHANCE[name]().fit(VIEW)
    assert fitted(VIEW).shape == fitted(P).shape == (N,)
    assert np.array_equal(fitted.apply(VIEW).p, np.clip(fitted(VIEW), 0, 1))
    fitted.save(tmp_path / "map.safetensors")
    assert np.array_equal(c.load(tmp_path / "map.safetensors")(VIEW), fitted(VIEW))
    assert isinstance(fitted.to_sql("p"), str)
    assert fitted.apply(PAIR).probs.shape == (N, 2)


@pytest.mark.parametrize("name", VECTOR)
def test_families_of_whole_vectors(name: str) -> None:
    fitted = VECTOR[name]().fit(PRED)
    q = fitted.apply(PRED).probs
    assert q.shape == (N, 3)
    assert np.allclose(q.sum(1), 1)
    assert np.allclose(fitted(CANONICAL), q)
    assert np.allclose(fitted(LOGITS), q)
    assert np.allclose(fitted.apply(c.from_logits(LOGITS)).probs, q)


def test_a_family_takes_predictions_as_its_best_form() -> None:
    assert c.Isotonic().fit(PAIR).apply(PAIR).n == N
    assert c.Isotonic().fit(PRED).apply(PRED).k == 3
    of_top = c.Isotonic().fit(TOP)
    with pytest.raises(ValueError, match="fit on Predictions"):
        of_top.apply(PRED)
    with pytest.raises(ValueError, match="fit it on Predictions"):
        c.VectorScaling().fit(TOP)


def test_maps_are_exported(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    pytest.importorskip("torch")
    from calibrant.torch.modules import to_module

    fitted = c.Temperature().fit(c.from_probs(PRED.probs, LABELS, classes=["a", "b", "c"]))
    fitted.to_onnx(tmp_path / "map.onnx")
    assert " AS " in fitted.to_sql(["p_a", "p_b", "p_c"])
    assert to_module(fitted) is not None
    assert to_module(c.Platt().fit(VIEW)) is not None


@pytest.mark.parametrize("name", ["isotonic", "spline(knots=14)", "ranked(spline)", "select"])
def test_names_stand_for_families(name: str) -> None:
    is_of_vectors = name in ("ranked(spline)", "select")
    x: Any = PRED if is_of_vectors else VIEW
    assert len(c.compare(x, x, [name]).rows) == 2
    assert c.select(x, [name]).apply(x).n == N
    assert c.report(x, fit_on=x, families=[name]).n == N
    if name != "ranked(spline)":
        assert c.calibration_error(VIEW, name) >= 0
        assert c.cross_fit(name, VIEW, folds=3, seed=0).shape == (N,)
        assert c.decompose(VIEW, family=name).uncertainty > 0
        assert curves.reliability(VIEW, name, level=None).total == N
        assert c.OneVsRest(name).fit(PRED).apply(PRED).n == N  # type: ignore[arg-type]


MEASURES: Mapping[str, Callable[[], object]] = {
    "calibration_error": lambda: c.calibration_error(
        PRED, family=c.Smooth(), norm=1, folds=None, debias=False
    ),
    "calibration_error, max": lambda: c.calibration_error(VIEW, c.Isotonic(), norm="max"),
    "calibration_error, folds": lambda: c.calibration_error(VIEW, norm=2, folds=3),
    "ece": lambda: c.ece(PRED, n_bins=15, edges="width", norm=1, debias=False),
    "ece, 10": lambda: c.ece(c.classwise(PRED), 10),
    "mce": lambda: c.mce(PRED, n_bins=15),
    "classwise_ece": lambda: c.classwise_ece(PRED, n_bins=15, edges="width"),
    "sweep_ece": lambda: c.sweep_ece(VIEW),
    "cv_ece": lambda: c.cv_ece(VIEW),
    "ks_error": lambda: c.ks_error(VIEW),
    "smece": lambda: c.smece(VIEW, width=None),
    "kde_error": lambda: c.kde_error(VIEW, bandwidth=None, norm=1),
    "kde_error, canonical": lambda: c.kde_error(CANONICAL, bandwidth=0.1),
    "mmce": lambda: c.mmce(VIEW),
    "skce": lambda: c.skce(VIEW),
    "vector_error": lambda: c.vector_error(PRED, norm=1),
    "nll": lambda: c.nll(PRED),
    "brier": lambda: c.brier(PRED),
    "top_label_brier": lambda: c.top_label_brier(PRED),
    "accuracy": lambda: c.accuracy(PRED),
    "entropy": lambda: c.entropy(PRED),
}


@pytest.mark.parametrize("name", MEASURES)
def test_measures_are_floats(name: str) -> None:
    found = MEASURES[name]()
    assert type(found) is float
    assert np.isfinite(found)


def test_numbers_that_are_several() -> None:
    slope, intercept = c.slope_intercept(VIEW)
    assert slope > 0
    assert np.isfinite(intercept)
    assert c.observed_expected(VIEW) < 1
    for score in ("brier", "log"):
        found = c.decompose(VIEW, score=score, family=c.Isotonic())
        whole = found.miscalibration - found.discrimination + found.uncertainty
        assert whole == pytest.approx(c.brier(VIEW) if score == "brier" else c.nll(VIEW))


def test_inference() -> None:
    found = c.interval(c.ece, VIEW, level=0.95, n_boot=100, seed=0)
    assert found.low <= found.estimate <= found.high
    for method in ("smooth", "ks", "skce", "spiegelhalter"):
        tested = c.calibration_test(VIEW, method=method)
        assert np.isfinite(tested.statistic)
        assert 0 <= tested.p_value <= 1
    assert str(c.compare_models({"one": PAIR, "same": PAIR}, c.brier))
    at = [0.2, 0.5]
    for band in (c.confidence_band, c.consistency_band):
        low, high = band(VIEW, c.Isotonic(), at, level=0.95)
        assert (low <= high).all()
    made = c.confidence_band(VIEW, c.Smooth(), at)
    assert (made.low <= made.high).all()


def test_choosing() -> None:
    assert str(c.compare(VIEW, VIEW, [c.Platt(), c.Isotonic()]))
    families = [c.Platt(), c.Temperature()]
    assert c.select(VIEW, families, score="nll", folds=5, seed=0).family in families
    assert c.select(VIEW).apply(VIEW).n == N


def test_pictures() -> None:
    view = c.binary(P.round(1), Y)
    curve = curves.reliability(view, family=c.Smooth(), level=0.95)
    assert isinstance(plots.reliability(curve, ax=None), Axes)
    _, ax = plt.subplots()
    assert plots.reliability(view, ax=ax) is ax


def test_reports(tmp_path: Path) -> None:
    pair = c.from_probs(PAIR.probs.round(1), Y)
    found = c.report(pair, fit_on=pair, families=None, by=Y)
    assert isinstance(found, c.Report)
    found.to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size > 1000
    told = found.to_dict()
    assert isinstance(told["finding"], str)
    assert isinstance(told["verdict"], str)
    assert str(found)
    assert found._repr_html_().startswith("<")


def test_a_map_of_named_classes_takes_classes_without_names() -> None:
    named = c.from_probs(PAIR.probs, Y, classes=["no", "yes"])
    fitted = c.Platt().fit(named)
    assert fitted.apply(c.from_probs(PAIR.probs)).n == N


def test_other_rooms() -> None:
    from calibrant import decisions, monitoring, scale, shift, simulate

    sketch = scale.Sketch()
    sketch.update(PRED)
    merged = sketch.merge(sketch)
    assert merged.view(name="top_label").total == 2 * N
    assert isinstance(merged.to_bytes(), bytes)
    for name in ("scan_parquet", "from_dask", "from_spark"):
        assert callable(getattr(scale, name))
    monitor = monitoring.Monitor(map=None, alpha=0.05)
    monitor.update(VIEW)
    assert isinstance(monitor.alarm, bool)
    assert decisions.best_threshold is not None
    assert shift.estimate_prior is not None
    assert simulate.task("square", 0.1).sample(10, 0).view.n == 10
    fit_on, test = c.samples.load("c100-resnet18")
    assert fit_on.k == test.k == 100


def test_scikit_learn() -> None:
    pytest.importorskip("sklearn")
    from sklearn.naive_bayes import GaussianNB

    from calibrant.sklearn import CalibratedClassifier, Calibrator

    model = CalibratedClassifier(estimator=GaussianNB(), family="beta", cv=5, ensemble=True)
    assert model.fit(LOGITS, Y).predict_proba(LOGITS).shape == (N, 2)
    assert CalibratedClassifier().get_params()["family"] is None
    assert Calibrator(family=None, input="probs").fit(P, Y).predict_proba(P).shape == (N, 2)
    assert Calibrator("platt", input="logits").fit(LOGITS[:, 0], Y).map_ is not None


def test_torch() -> None:
    pytest.importorskip("torch")
    from calibrant.torch import losses, metrics, modules
    from calibrant.torch.callback import CalibrationHistory

    assert all((losses, metrics, modules, CalibrationHistory))


@pytest.mark.parametrize("name", ["demo", "report", "fit", "apply", "compare", "show", "check"])
def test_commands(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([name, "--help"]) == 0
    assert name in capsys.readouterr().out


@pytest.mark.parametrize(("limit", "code"), [("0.5", 0), ("0.0001", 1)])
def test_check_exits_with_a_code(limit: str, code: int, tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    rows = "".join(f"0.9,{int(place % 2 == 0)}\n" for place in range(400))
    path.write_text("p,y\n" + rows)
    assert run(["check", str(path), "--max-error", limit]) == code
