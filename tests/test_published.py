"""Figures that papers, slides and data sheets print, to the digits they print."""

from typing import NamedTuple

import numpy as np
import pytest
from scipy.stats import spearmanr
from shared_data import needs_real, real

from calibrant import (
    Beta,
    Binned,
    Family,
    Isotonic,
    Platt,
    Predictions,
    Temperature,
    View,
    accuracy,
    binary,
    ece,
    ks_error,
    samples,
    top_r,
    within_top_r,
)
from calibrant.families.maps import ChanceMap
from calibrant.measures.debiasing import debiased
from calibrant.simulate import ERRORS, Shape, task

FAMILIES: dict[str, Family] = {
    "ES15": Binned(15, edges="mass"),
    "sweep": Binned(edges="mass", rule="sweep"),
    "CV": Binned(edges="mass", rule="cv"),
    "isotonic": Isotonic(),
    "Platt": Platt(),
    "beta": Beta(),
}
DRAWS = [(n, seed) for n in (1000, 3000, 10000) for seed in range(5)]

# Kängsepp et al. 2022, Tables F21 (|error - truth|), F22 (of squares) and F23 (rank correlation
# over the derivates of a task).
F21_F22_F23 = [
    ("square", "ES15", 7.40, 0.91, 0.9965),
    ("square", "sweep", 7.07, 0.97, 0.9898),
    ("square", "CV", 6.59, 0.81, 0.9811),
    ("sqrt", "isotonic", 9.60, 1.39, 0.9894),
    ("beta2", "ES15", 7.18, 1.03, 0.9971),
    ("stairs", "sweep", 7.46, 0.91, 0.9956),
    ("stairs", "isotonic", 10.30, 1.41, 0.9939),
    ("square", "Platt", 5.79, 0.70, 0.9954),
    ("beta1", "Platt", 6.76, 0.85, 0.9945),
    ("sqrt", "beta", 6.49, 0.85, 0.9913),
    ("stairs", "beta", 24.98, 3.11, 0.9777),
]
# Kängsepp et al. 2022, Table F20 (distance of the fitted map from the true one, on a million
# fresh claims).
F20 = [("square", "ES15", 24.76), ("stairs", "isotonic", 25.45), ("beta2", "Platt", 12.87)]


class Simulated(NamedTuple):
    """Errors that a family finds on one draw of each derivate of a task, and the true ones."""

    found: list[float]
    true: list[float]
    found_squared: list[float]
    true_squared: list[float]


def simulated(family: Family, shape: Shape, n: int, seed: int) -> Simulated:
    """What a family finds on one draw of each derivate."""
    errors = Simulated([], [], [], [])
    for error in ERRORS:
        view, truth = task(shape, error).sample(n, seed)
        found, found_squared = errors_found(family, view)
        gap = view.p - truth
        errors.found.append(found)
        errors.true.append(np.abs(gap).mean())
        errors.found_squared.append(found_squared)
        errors.true_squared.append((gap**2).mean())
    return errors


def errors_found(family: Family, view: View) -> tuple[float, float]:
    """The mean gap and mean squared gap between claims and the fitted map; of bins, debiased."""
    fitted = family.fit(view)
    bins = fitted.rule.bins
    if bins is not None:
        return debiased(bins, 1), debiased(bins, 2)
    gap = fitted(view) - view.p
    return np.abs(gap).mean(), (gap**2).mean()


@pytest.mark.parametrize(("shape", "row", "f21", "f22", "f23"), F21_F22_F23)
def test_errors_on_simulated_tasks(
    shape: Shape, row: str, f21: float, f22: float, f23: float
) -> None:
    draws = [simulated(FAMILIES[row], shape, n, seed) for n, seed in DRAWS]
    off = [np.subtract(draw.found, draw.true) for draw in draws]
    off_squared = [np.subtract(draw.found_squared, draw.true_squared) for draw in draws]
    ranks = [spearmanr(draw.found, draw.true).statistic for draw in draws]
    assert round(1000 * np.abs(off).mean(), 2) == f21
    assert round(1000 * np.abs(off_squared).mean(), 2) == f22
    assert round(np.mean(ranks), 4) == f23


@pytest.mark.parametrize(("shape", "row", "f20"), F20)
def test_maps_on_simulated_tasks(shape: Shape, row: str, f20: float) -> None:
    distances = []
    for error in ERRORS:
        test, truth = task(shape, error).sample(10**6, seed=0)
        for n, seed in DRAWS:
            fitted = FAMILIES[row].fit(task(shape, error).sample(n, seed).view)
            distances.append(np.abs(fitted(test) - truth).mean())
    assert round(1000 * np.mean(distances), 2) == f20


def test_the_toy_example_of_the_slides() -> None:
    claims = [0.55] * 2 + [0.74] * 6 + [0.86] * 7
    right = [1, 0] + [1] * 4 + [0] * 2 + [1] * 5 + [0] * 2
    exact = (2 * 0.05 + 6 * abs(0.74 - 4 / 6) + 7 * abs(0.86 - 5 / 7)) / 15
    assert ece(binary(claims, right), 5) == pytest.approx(exact, abs=1e-15)
    assert round(exact, 3) == 0.104


# Accuracy, ECE15 and KS error in percent, as the data sheet of these files gives them.
SHEET = [
    ("nncal_resnet110_c10", 93.56, 4.750, 4.750),
    ("top1_nncal_resnet110_c100", 71.48, 18.48, 18.4805),
    ("top1_nncal_densenet40_c100", 70.00, 21.16, 21.1563),
    ("top1_nncal_resnet50_birds", 73.14, 2.354, 0.5347),
    ("verifiedcal_vgg16_c10", 93.59, 3.978, 3.970),
    ("cleanlab_cifar10", 92.94, 3.259, 3.209),
    ("cleanlab_mnist", 99.13, 0.298, 0.121),
    ("cleanlab_imdb", 89.58, 4.040, 4.040),
    ("cleanlab_20news", 92.34, 20.11, 20.11),
    ("netcal_wideresnet_16_4_cifar_100", 75.43, 5.806, 4.791),
    ("netcal_lenet_5_cifar_10", 53.08, 10.789, 10.790),
    ("modeldata_hpc_cv", 70.87, 7.121, 6.435),
    ("probably_segment_logistic", 78.71, 4.309, 4.309),
    ("probably_segment_naive_bayes", 76.93, 21.05, 20.93),
    ("probably_species_c50", 77.27, 7.829, 3.417),
    ("zygmuntz_adult_rf", 84.72, 4.636, 4.636),
    ("fte_nba_games", 66.07, 3.546, 3.425),
]


@needs_real
@pytest.mark.parametrize(("name", "right", "binned", "widest"), SHEET)
def test_real_predictions(name: str, right: float, binned: float, widest: float) -> None:
    x = real(name)
    share = accuracy(x) if isinstance(x, Predictions) else x.y.mean()
    assert 100 * share == pytest.approx(right, abs=0.005 + 1e-9)
    assert 100 * ece(x) == pytest.approx(binned, abs=0.01)
    assert 100 * ks_error(x) == pytest.approx(widest, abs=0.01)


def _percent(pred: Predictions) -> list[float]:
    """KS of the top label, the second and the first two, and ECE of 25 bins."""
    second = top_r(pred, 2)
    first_two = within_top_r(pred, 2)
    errors = [ks_error(pred), ks_error(second), ks_error(first_two), ece(pred, 25)]
    return [100 * error for error in errors]


@needs_real
def test_resnet110_before_and_after_temperature() -> None:
    """Gupta et al. 2021, Tables 1, 2, 4 and 6: KS top-1, top-2, within top-2, ECE of 25 bins."""
    fit_on = real("nncal_resnet110_c10", "val")
    test = real("nncal_resnet110_c10")
    assert isinstance(fit_on, Predictions)
    assert isinstance(test, Predictions)
    assert _percent(test) == pytest.approx([4.750, 3.011, 1.805, 4.750], abs=0.002)
    calibrated = Temperature().fit(fit_on).apply(test)
    assert _percent(calibrated) == pytest.approx([0.916, 0.947, 0.097, 1.224], abs=0.002)
    assert accuracy(calibrated) == accuracy(test) == pytest.approx(0.9356)


# The same code on predictions that are always here, against their own sheet (accuracy and KS in
# percent). It was made before the logits were rounded to float16, so a few of 10,000 rows differ.
@pytest.mark.parametrize(
    ("name", "right", "widest"),
    [("c10-lenet5", 72.20, 0.97), ("c10-resnet18", 94.62, 2.91), ("c100-resnet18", 76.04, 8.31)],
)
def test_sample_predictions(name: samples.Name, right: float, widest: float) -> None:
    test = samples.load(name)[1]
    assert 100 * accuracy(test) == pytest.approx(right, abs=0.02)
    assert 100 * ks_error(test) == pytest.approx(widest, abs=0.02)
    assert len(_percent(test)) == 4


def test_temperature_of_a_top_label_view_is_a_map_of_one_chance() -> None:
    fit_on, _ = samples.load("c10-lenet5")
    assert isinstance(Temperature().fit(top_r(fit_on, 1)), ChanceMap)
