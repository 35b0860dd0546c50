"""Errors of groups against each group alone, and multicalibration by looking at every interval."""

import numpy as np
import pytest

from calibrant import binary, calibration_error, cutoff_error, ece, from_probs, top_label
from calibrant.groups import group_errors, multicalibration_error, worst_group_error
from calibrant.inference.running_sums import kuiper

RANDOM = np.random.default_rng(0)
P = RANDOM.random(900).round(2)
SITE = RANDOM.choice(["a", "b", "c"], 900)
VIEW = binary(P, RANDOM.random(900) < np.where(SITE == "b", P**2, P))


def test_each_group_is_measured_alone() -> None:
    found = group_errors(VIEW, SITE)
    assert [each.name for each in found] == ["a", "b", "c"]
    for each in found:
        part = VIEW[each.name == SITE]
        assert each.total == part.n
        assert each.error == pytest.approx(calibration_error(part))
        assert each.p_value == pytest.approx(kuiper(part).p_value)
        assert (each.claimed, each.happened) == pytest.approx((part.p.mean(), part.y.mean()))
    assert worst_group_error(VIEW, SITE) == max(each.error for each in found)
    assert worst_group_error(VIEW, SITE, ece) == max(ece(VIEW[each == SITE]) for each in "abc")


def test_of_predictions_the_top_label_is_asked_and_no_weight_is_no_group() -> None:
    pred = from_probs(np.stack([P, 1 - P], 1), VIEW.y.astype(int))
    assert group_errors(pred, SITE) == group_errors(top_label(pred), SITE)
    weighed = binary(P, VIEW.y, weights=(SITE != "b").astype(float))
    assert [each.name for each in group_errors(weighed, SITE)] == ["a", "c"]


def test_multicalibration_by_every_interval() -> None:
    age = RANDOM.integers(20, 26, 900)
    columns = {"site": SITE, "age": age}
    worst = cutoff_error(VIEW)
    claims = np.unique(P)
    for column in columns.values():
        for value in np.unique(column):
            inside = column == value
            gap = [((VIEW.y - P) * (inside & (each == P))).sum() for each in claims]
            sums = np.append(0, np.cumsum(gap)) / 900
            intervals = np.abs(sums[:, None] - sums[None])
            worst = max(worst, intervals.max())
    assert multicalibration_error(VIEW, columns) == pytest.approx(worst)
    halved = binary(np.tile(P, 2), np.tile(VIEW.y, 2), weights=np.full(1800, 0.5))
    doubled = {name: np.tile(values, 2) for name, values in columns.items()}
    assert multicalibration_error(halved, doubled) == pytest.approx(worst)


def test_columns_have_names() -> None:
    with pytest.raises(ValueError, match=r'columns must be named, as in \{"site"'):
        multicalibration_error(VIEW, SITE)  # type: ignore[arg-type]
