"""ICI, E50 and E90 by hand, of weights, of several views, and where the truth is known."""

import numpy as np
import pytest

from calibrant import (
    Binned,
    Identity,
    Isotonic,
    Platt,
    Smooth,
    binary,
    calibration_error,
    e50,
    e90,
    ici,
    multilabel,
    simulate,
)


def test_they_are_mean_and_percentiles_of_the_gaps() -> None:
    view = simulate.task("beta1", 0.08).sample(1001, seed=0).view
    for family in (Smooth(), Isotonic(), Platt()):
        gaps = np.abs(family.fit(view)(view) - view.p)
        assert ici(view, family) == pytest.approx(gaps.mean(), rel=1e-12)
        assert e50(view, family) == pytest.approx(np.median(gaps), rel=1e-12)
        of_nine_in_ten = np.quantile(gaps, 0.9, method="inverted_cdf")
        assert e90(view, family) == pytest.approx(of_nine_in_ten, rel=1e-12)
    assert ici(view) == calibration_error(view)


def test_a_weight_is_a_count() -> None:
    p = np.array([0.1, 0.2, 0.6, 0.7, 0.9])
    y = [0, 1, 0, 1, 1]
    w = [3, 0, 1, 2, 4]
    repeated = binary(np.repeat(p, w), np.repeat(y, w))
    for measure in (e50, e90):
        found = measure(binary(p, y, weights=w), Isotonic())
        assert found == pytest.approx(measure(repeated, Isotonic()), abs=1e-12)


def test_most_rows_may_be_right_and_few_far_off() -> None:
    p = np.repeat([0.2, 0.5, 0.8], [400, 480, 120])
    y = np.concatenate([np.arange(400) < 80, np.arange(480) < 240, np.arange(120) < 24])
    view = binary(p, y)
    assert e50(view, Binned(3)) == pytest.approx(0, abs=1e-12)
    assert ici(view, Binned(3)) == pytest.approx(0.12 * 0.6)
    assert e90(view, Binned(3)) == pytest.approx(0.6)
    assert e90(view, Identity()) == 0


def test_of_several_views_it_is_the_mean() -> None:
    random = np.random.default_rng(0)
    p = random.random((300, 2))
    views = multilabel(p, random.random((300, 2)) < p**2)
    for measure in (ici, e50, e90):
        each = [measure(view) for view in views]
        assert measure(views) == pytest.approx(np.mean(each))


def test_near_the_truth() -> None:
    view, truth = simulate.task("square", 0.1).sample(10_000, seed=2)
    gaps = np.abs(view.p - truth)
    assert e50(view) == pytest.approx(np.median(gaps), abs=0.01)
    assert e90(view) == pytest.approx(np.quantile(gaps, 0.9), abs=0.015)


def test_a_family_is_asked_for() -> None:
    with pytest.raises(ValueError, match="a family, or its name"):
        e50(binary([0.2, 0.4], [0, 1]), 15)  # type: ignore[arg-type]
