"""Groups: each asks its own rows, whatever they are called, and what cannot be parted is refused."""

import numpy as np
import polars as pl
import pytest
from shared_claims import claims

import calibrant
from calibrant import Predictions, binary, from_logits, report, top_label
from calibrant.inference.tests import ks_limit
from calibrant.reporting.groups import MOST_GROUPS, groups

RNG = np.random.default_rng(0)
VIEW = claims(2000, lift=-0.5)
SITE = np.array(["north", "south", "east"])[RNG.integers(0, 3, 2000)]


def preds(n: int = 400) -> Predictions:
    return from_logits(RNG.normal(size=(n, 4)), RNG.integers(0, 4, n))


def test_each_group_is_measured_on_its_own_rows() -> None:
    found, notes = groups(VIEW, SITE, has_classes=False)
    assert notes == ()
    assert [each.name for each in found] == ["east", "north", "south"]
    for each in found:
        part = VIEW[each.name == SITE]
        assert (each.by, each.n, each.total) == ("group", part.n, part.total)
        assert each.ks == pytest.approx(calibrant.ks_error(part))
        assert each.limit == pytest.approx(ks_limit(part))
        assert (each.claimed, each.happened) == pytest.approx((part.p.mean(), part.y.mean()))
        alone = report(part)
        assert (each.finding, each.words) == (alone.finding, alone.verdict)
        assert (each.low, each.high) == (None, None)


def test_of_predictions_the_top_label_is_asked() -> None:
    pred, by = preds(), np.arange(400) % 2
    found = report(pred, by={"half": by}).groups
    assert [(each.by, each.name, each.n) for each in found] == [
        ("half", "0", 200),
        ("half", "1", 200),
    ]
    assert found[1].ks == pytest.approx(calibrant.ks_error(top_label(pred[by == 1])))


def test_intervals_hold_what_interval_gives() -> None:
    (found,), _ = groups(VIEW, np.zeros(2000), has_classes=False, intervals=True)
    assert found.low is not None
    assert found.high is not None
    expected = calibrant.interval(calibrant.ks_error, VIEW)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-9)


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ([10, 9, 10, 9], ["9", "10"]),
        ([True, False, True, True], ["False", "True"]),
        ([0.5, np.nan, 0.25, np.nan], ["0.25", "0.5", "missing"]),
        (["b", None, "a", "b"], ["a", "b", "missing"]),
        (pl.Series(["b", None, "a", "b"]), ["a", "b", "missing"]),
        (np.array(["2020-01-01", "2021-01-01"] * 2, "datetime64[D]"), ["2020-01-01", "2021-01-01"]),
    ],
    ids=repr,
)
def test_any_values_part_the_rows(values: object, names: list[str]) -> None:
    found, _ = groups(binary([0.1, 0.2, 0.8, 0.9], [0, 1, 1, 1]), values, has_classes=False)  # type: ignore[arg-type]
    assert [each.name for each in found] == names
    assert sum(each.n for each in found) == 4


def test_weights_are_counts_and_rows_without_are_absent() -> None:
    w = RNG.integers(0, 3, 2000)
    found, _ = groups(binary(VIEW.p, VIEW.y, weights=w), SITE, has_classes=False)
    rows = np.repeat(np.arange(2000), w)
    same, _ = groups(VIEW[rows], SITE[rows], has_classes=False)
    for one, other in zip(found, same, strict=True):
        assert (one.name, one.total) == (other.name, other.total)
        assert (one.ks, one.limit, one.claimed) == pytest.approx(
            (other.ks, other.limit, other.claimed)
        )
    absent, _ = groups(binary([0.1, 0.9], [0, 1], weights=[1, 0]), ["a", "b"], has_classes=False)
    assert [each.name for each in absent] == ["a"]


def test_of_many_groups_the_largest_are_shown_and_that_is_told() -> None:
    by = np.concatenate([np.repeat(np.arange(MOST_GROUPS), 50), np.arange(1000, 1500)])
    found, notes = groups(VIEW, by, has_classes=False)
    assert [each.name for each in found] == [str(value) for value in range(MOST_GROUPS)]
    assert notes[0].startswith(
        f"group has 530 different values: the {MOST_GROUPS} with the most rows are shown"
    )
    assert notes[1] == f"Of {MOST_GROUPS} groups about 2 would look off by chance alone."


@pytest.mark.parametrize(
    ("by", "why"),
    [
        (
            np.zeros(7),
            r"by 'group' must have one value for each of the 2,000 rows, got shape \(7,\)",
        ),
        ({"site": np.zeros((2000, 2))}, r"by 'site' must .* got shape \(2000, 2\)"),
        ({}, "an empty dict"),
        ("site", r"by 'group' must .* got shape \(\)"),
    ],
    ids=str,
)
def test_what_does_not_part_the_rows_is_refused(by: object, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        report(VIEW, by=by)  # type: ignore[arg-type]
