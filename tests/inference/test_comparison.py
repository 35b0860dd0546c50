"""Comparisons are paired where rows are the same, and find no difference of like models."""

import numpy as np
import pytest
from scipy.stats import norm
from shared_claims import claims

from calibrant import (
    Predictions,
    Temperature,
    binary,
    brier,
    classwise,
    ece,
    from_logits,
    from_probs,
    nll,
)
from calibrant.inference.comparison import compare_models


def _sharp(seed: int, n: int = 300, k: int = 4) -> Predictions:
    random = np.random.default_rng(seed)
    z = random.normal(0, 2, (n, k))
    return from_logits(z, (z / 2 + random.gumbel(size=z.shape)).argmax(1))


def test_paired_differences_are_those_of_a_mean() -> None:
    pred = _sharp(0, n=500)
    mended = Temperature().fit(_sharp(1, n=500)).apply(pred)
    found = compare_models({"raw": pred, "mended": mended}, nll, n_boot=2000)
    losses = [-np.log(each.probs[np.arange(500), pred.labels]) for each in (pred, mended)]
    gap = losses[1] - losses[0]
    half = norm.ppf(0.975) * gap.std() / np.sqrt(500)
    first, row = found.rows
    assert (first.difference, first.low, first.high, first.differs) == (0, 0, 0, False)
    assert found.paired
    assert row.value == nll(mended)
    assert row.difference == pytest.approx(gap.mean())
    assert [row.low, row.high] == pytest.approx(
        [gap.mean() - half, gap.mean() + half], abs=half / 5
    )
    assert row.differs
    # Unpaired, the difference drowns in what all rows have in common.
    apart = compare_models({"raw": pred, "mended": mended[1:]}, nll, n_boot=400)
    assert not apart.paired
    assert apart.rows[1].high - apart.rows[1].low > 4 * half


def test_other_labels_are_other_rows() -> None:
    one, other = _sharp(0), _sharp(1)
    assert compare_models({"one": one, "same": one}, ece, n_boot=100).paired
    assert not compare_models({"one": one, "other": other}, ece, n_boot=100).paired


def test_a_model_does_not_differ_from_its_like() -> None:
    random = np.random.default_rng(0)
    false_alarms = 0
    for seed in range(30):
        p = random.random(300)
        y = random.random(300) < p
        models = {"a": binary(np.clip(p + random.normal(0, 0.05, 300), 0, 1), y)}
        models["b"] = binary(np.clip(p + random.normal(0, 0.05, 300), 0, 1), y)
        false_alarms += compare_models(models, ece, n_boot=100, seed=seed).rows[1].differs
    assert false_alarms <= 5


def test_a_comparison_prints_as_a_table() -> None:
    random = np.random.default_rng(0)
    p = random.random(400)
    y = random.random(400) < p
    found = compare_models({"right": binary(p, y), "reversed": binary(1 - p, y)}, brier, n_boot=100)
    lines = str(found).splitlines()
    assert "above right" in lines[0]
    assert "95% interval" in lines[0]
    assert lines[1].split() == ["right", f"{found.rows[0].value:.5f}"]
    assert lines[2].startswith("reversed")
    assert lines[2].endswith("differs")
    assert found.to_dict()["rows"][1]["name"] == "reversed"


def test_several_views_are_compared_by_the_measure_of_all() -> None:
    pred = _sharp(0)
    models = {
        "raw": classwise(pred),
        "flat": classwise(from_probs(np.full((pred.n, 4), 0.25), pred.labels)),
    }
    found = compare_models(models, ece, n_boot=100)
    assert [row.value for row in found.rows] == [ece(x) for x in models.values()]
    assert found.paired


def test_one_model_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="at least two by name"):
        compare_models({"one": claims(50)}, ece)
