"""Arrays that look like others: masked ones, weights beyond counting, names that cannot be kept."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import calibrant as c
from calibrant import Temperature, binary, from_logits, from_probs

RANDOM = np.random.default_rng(0)
LOGITS = RANDOM.normal(size=(30, 3))
LABELS = RANDOM.integers(0, 3, 30)
PROBS = RANDOM.dirichlet([1, 1, 1], 30)
IS_MASKED = np.arange(30) == 7
IS_RIGHT = LABELS == 0
MASKED: Any = np.ma.MaskedArray


@pytest.mark.parametrize(
    "names",
    [
        [(1, 2), (3, 4), (5, 6)],
        [date(2020, 1, day) for day in (1, 2, 3)],
        [b"a", b"b", b"c"],
        [Decimal(1), Decimal(2), Decimal(3)],
        [None, "a", "b"],
        [frozenset({1}), frozenset({2}), frozenset()],
        [float("nan"), 1.0, 2.0],
        np.array(["2020-01-01", "2020-01-02", "2020-01-03"], "datetime64[D]"),
        ["\ud800", "a", "b"],
    ],
    ids=str,
)
def test_classes_that_are_no_texts_or_numbers_are_refused_at_once(names: Any) -> None:  # noqa: ANN401
    with pytest.raises(ValueError, match=r"classes must be texts or numbers, got .*str\(name\)"):
        from_logits(LOGITS, LABELS, classes=names)


@pytest.mark.parametrize(
    "names",
    [
        ["x", "", "\u00e4\U0001f408"],
        [0.5, 1.5, -2.0],
        [2**70, 1, -5],
        [True, False, 2],
        np.array([5, 6, 7]),
        np.array(["b", "c", "d"]),
        list(np.array([5, 6, 7])),
    ],
    ids=str,
)
def test_other_classes_work_everywhere(tmp_path: Path, names: Any) -> None:  # noqa: ANN401
    pred = from_logits(LOGITS, [names[label] for label in LABELS], classes=names)
    Temperature().fit(pred).save(tmp_path / "map")
    assert c.load(tmp_path / "map").apply(pred).classes == pred.classes
    assert c.report(pred).to_dict()["k"] == 3


def test_masked_values_are_refused_and_a_mask_of_nothing_is_none() -> None:
    def masked(x: Any) -> Any:  # noqa: ANN401
        mask = np.broadcast_to(IS_MASKED, np.shape(x)[::-1]).T
        return MASKED(x, mask)

    makers: dict[str, Callable[[], object]] = {
        "probs": lambda: from_probs(masked(PROBS), LABELS),
        "logits": lambda: from_logits(masked(LOGITS), LABELS),
        "labels": lambda: from_logits(LOGITS, masked(LABELS)),
        "weights": lambda: from_logits(LOGITS, LABELS, weights=masked(np.ones(30))),
        "p": lambda: binary(masked(PROBS[:, 0]), IS_RIGHT),
        "y": lambda: binary(PROBS[:, 0], masked(IS_RIGHT)),
    }
    for name, make in makers.items():
        with pytest.raises(ValueError, match=f"^{name} must have every value.*first in row 7"):
            make()
    whole = from_probs(MASKED(PROBS), LABELS)
    assert np.array_equal(whole.probs, PROBS)


@pytest.mark.parametrize("weight", [1e308, 1e300, 1e17, 5e-324, 1e-12])
def test_weights_that_are_no_counts_are_refused(weight: float) -> None:
    w = np.full(30, weight)
    for make in (
        lambda: from_logits(LOGITS, LABELS, weights=w),
        lambda: binary(PROBS[:, 0], IS_RIGHT, weights=w),
    ):
        with pytest.raises(ValueError, match="weights are counts and must sum to"):
            make()


@pytest.mark.parametrize("logit", [1e308, -1.7e308, 1e101])
def test_logits_whose_squares_overflow_are_refused(logit: float) -> None:
    with pytest.raises(ValueError, match=r"within ±1e\+100 \(row 2 .*mask a class with -1e9"):
        from_logits(np.where(np.arange(30)[:, None] == 2, logit, LOGITS), LABELS)
    least = float(np.finfo(np.float32).min)
    masked = from_logits(np.where([True, True, False], LOGITS, least), LABELS % 2)
    assert np.isfinite(Temperature().fit(masked)(masked)).all()


def test_counts_as_weights_cost_no_memory() -> None:
    heavy = binary(PROBS[:, 0], IS_RIGHT, weights=np.full(30, 1e14))
    fitted = c.BBQ().fit(heavy)
    assert len(fitted.rule.q) <= 31
    with pytest.raises(ValueError, match=r'blocks are of single rows.*estimator="unbiased"'):
        c.skce(heavy, estimator="block")


def test_bins_beyond_all_rows_are_refused_or_left_out() -> None:
    pred = from_probs(PROBS, LABELS)
    for measure in (c.ece, c.mce, c.classwise_ece):
        with pytest.raises(ValueError, match="n_bins must be at most 100,000, got 1000000000"):
            measure(pred, 10**9)
    with pytest.raises(ValueError, match="per_side must be at most 100,000"):
        c.simplex_error(pred, 10**6)
    alone = np.sqrt(2) * np.linalg.norm(np.eye(3)[LABELS] - PROBS, axis=1) / np.sqrt(2)
    assert c.simplex_error(pred, 10**5, norm=2) == pytest.approx(np.sqrt((alone**2).mean()))
