"""Warnings: what in the data makes the numbers say less is told, and nothing is told of sound data."""

from pathlib import Path

import numpy as np
import pytest
from shared_claims import claims

from calibrant import Predictions, View, binary, from_logits, from_probs, report, top_label

RNG = np.random.default_rng(0)
SHARES = [[0.5, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.2, 0.8]]
EPS = float(np.finfo(np.float32).eps)
COSTS = -np.array([np.log(EPS) / 2, np.log(0.5), 0.2 * np.log(0.7) + 0.8 * np.log(0.1)])


@pytest.mark.parametrize(
    ("x", "warning"),
    [
        (claims(100), "Only 100 rows"),
        (
            binary(np.repeat([0.2, 0.4, 0.6], 700), np.tile([True, False, False], 700)),
            "3 distinct in 2,100 rows",
        ),
        (binary([1.0, 0.0, 0.5], [1, 1, 1]), "Claims of exactly 0 or 1: 2, of which 1 wrong"),
        (
            from_probs([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]], [1, 1]),
            "exactly 0 for the right class: 1.",
        ),
        (
            from_probs([[0.6, 0.3, 0.1]], ["a"], classes=["a", "b", "c"]),
            "2 of 3 classes never occur (b, c)",
        ),
        (
            from_logits(RNG.normal(size=(20, 9)), np.arange(20) % 9),
            "9 of 9 classes occur fewer than 10 times (0, 1, 2, ",
        ),
        (
            from_logits(RNG.normal(size=(200, 50)), np.minimum(np.arange(200), 49)),
            "rows, 38 times an even share",
        ),
        (
            from_logits(RNG.normal(size=(50, 2)), np.arange(50) // 49),
            "Outcomes are uneven: 0 makes up 98% of the rows",
        ),
        (
            binary(np.linspace(0, 1, 200), np.arange(200) < 2),
            "uneven: the event fails to happen 99% of the time, so",
        ),
        (
            binary(np.linspace(0, 1, 200), np.arange(200) > 1),
            "uneven: the event happens 99% of the time, so",
        ),
        (
            from_logits(RNG.normal(size=(20, 9)), np.zeros(20, int)),
            "8 of 9 classes never occur (1, 2, 3, 4, 5, ...)",
        ),
    ],
    ids=str,
)
def test_what_weakens_the_numbers_is_warned_of(x: Predictions | View, warning: str) -> None:
    found = report(x)
    assert any(warning in each for each in found.warnings)
    assert warning in " ".join(str(found).split())


def test_exact_claims_are_told_with_how_they_are_read_and_what_they_cost() -> None:
    p = np.array([0.0, 0.2, 0.5, 1.0, 1.0])
    y = np.array([0, 0, 1, 1, 0])
    view = binary(p, y, weights=[1, 1, 1, 1, 2])
    eps = np.finfo(float).eps
    claimed = np.array([1 - eps, 0.8, 0.5, 1 - eps, eps])
    losses = -np.log(claimed) * [1, 1, 1, 1, 2]
    percent = 100 * losses[[0, 3, 4]].sum() / losses.sum()
    words = (
        "Claims of exactly 0 or 1 count as rounded: maps read them as 0.1 off, NLL as 2.2e-16. "
        f"3 rows have some, and {percent:.3g}% of the NLL is theirs."
    )
    found = report(view)
    assert words in found.warnings
    assert words in found.to_dict()["warnings"]
    assert words in " ".join(str(found).split())


def test_chances_of_zero_in_vectors_are_told_too(tmp_path: Path) -> None:
    probs = np.array([[1, 0, 0], [0.5, 0.5, 0], [0.2, 0.7, 0.1]], np.float32)
    eps = np.finfo(np.float32).eps
    costs = -np.log(np.array([eps, 0.5, 0.1]))
    for labels, mixed in (([1, 1, 2], costs), (SHARES, COSTS)):
        percent = 100 * mixed[:2].sum() / mixed.sum()
        words = (
            "Chances of exactly 0 or 1 count as rounded: maps read them as 0.05 off, NLL as "
            f"1.2e-07. 2 rows have some, and {percent:.3g}% of the NLL is theirs."
        )
        found = report(from_probs(probs, labels))
        assert words in found.warnings
        assert "Rows with a chance of exactly 0 for the right class: 1." in found.warnings
        found.to_html(tmp_path / "x.html")
        assert words in (tmp_path / "x.html").read_text()


@pytest.mark.parametrize("x", [from_logits([[900.0, 0.0]], [0]), binary([0.3, 0.7], [0, 1])])
def test_nothing_is_told_where_nothing_is_exact(x: Predictions | View) -> None:
    views: list[Predictions | View] = [x]
    if isinstance(x, Predictions):
        views.append(top_label(x))
    for each in views:
        assert not any("rounded" in warning for warning in report(each).warnings)


def test_large_sound_data_have_no_warnings() -> None:
    assert report(claims(5000)).warnings == ()


def test_rows_without_weight_are_not_warned_of() -> None:
    view = binary([1.0, 0.5], [0, 1], weights=[0, 2000])
    assert not any("exactly 0 or 1" in warning for warning in report(view).warnings)
    pred = from_probs([[1.0, 0.0], [0.5, 0.5]], [1, 1], weights=[0, 2000])
    assert not any("exactly 0" in warning for warning in report(pred).warnings)
