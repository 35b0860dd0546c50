"""A history's numbers are the library's; it names the best epoch and says when NLL overfits."""

import json

import numpy as np
import pytest

import calibrant as c
from calibrant import curves, plots, samples
from calibrant.training.history import History


def _epochs(scales: list[float], *, n: int = 2000, k: int = 4) -> History:
    """Epochs of the same rows: the error falls slowly, and claims grow surer by so much."""
    random = np.random.default_rng(0)
    labels = random.integers(0, k, n)
    noise = random.normal(size=(n, k))
    history = History()
    for place, scale in enumerate(scales):
        logits = noise + (1 + 0.1 * place) * np.eye(k)[labels]
        history.add(c.from_logits(scale * logits, labels))
    return history


@pytest.mark.parametrize("kind", ["logits", "probs", "weighted", "shares", "two classes"])
def test_the_numbers_are_the_librarys(kind: str) -> None:
    pred, _ = samples.load("c10-lenet5")
    pred = pred[:1000]
    if kind == "probs":
        pred = c.from_probs(pred.probs, pred.labels)
    if kind == "weighted":
        weights = np.arange(1000) % 3
        pred = c.from_logits(pred.scores, pred.labels, weights=weights)
    if kind == "shares":
        shares = 0.9 * np.eye(10)[pred.labels] + 0.01
        pred = c.from_logits(pred.scores, shares)
    if kind == "two classes":
        pred = c.from_logits(pred.scores[:, 0], pred.labels == 0)
    found = History().add(pred)
    tempered = c.Temperature().fit(pred)
    expected = {
        "nll": c.nll(pred),
        "tempered_nll": c.nll(tempered.apply(pred)),
        "error": 1 - c.accuracy(pred),
        "ece": c.ece(pred),
        "ks": c.ks_error(pred),
        "entropy": c.entropy(pred),
    }
    measured = {name: getattr(found, name) for name in expected}
    assert measured == pytest.approx(expected, abs=1e-12)
    assert found.temperature == tempered.rule.temperature
    assert found.nll_rise == found.error_rise == (0, 0, 0)


def test_it_says_when_nll_overfits_while_the_error_falls() -> None:
    history = _epochs([0.5, 1, 2, 4])
    assert history.lowest.epoch == 2
    assert history.best.epoch == 4
    found = history.overfit
    assert found is not None
    assert found.error_still_falls
    assert "the error still fell" in str(history)
    nll = [each.nll for each in history.epochs]
    assert found.now.nll_rise.estimate == pytest.approx(nll[3] - nll[1])
    assert 0 < found.now.nll_rise.low < found.now.nll_rise.high


def test_random_variation_is_no_overfitting() -> None:
    history = _epochs([0.5, 1, 0.97])
    assert history.overfit is None
    assert "overfits" not in str(history)


def test_the_interval_is_of_pairs_only_where_rows_are_the_same() -> None:
    pred, _ = samples.load("c10-lenet5")
    sharper = c.from_logits(1.1 * pred.scores, pred.labels)
    order = np.random.default_rng(0).permutation(pred.n)
    same, shuffled = History(), History()
    same.add(pred)
    shuffled.add(pred)
    paired = same.add(sharper).nll_rise
    apart = shuffled.add(sharper[order]).nll_rise
    assert paired.estimate == pytest.approx(apart.estimate, abs=1e-12)
    assert 4 * (paired.high - paired.low) < apart.high - apart.low


def test_json_keeps_it() -> None:
    history = _epochs([1, 3])
    history.note(3, "the power failed")
    kept = json.loads(json.dumps(history.to_dict()))
    again = History.from_dict(kept)
    assert again.epochs == history.epochs
    assert str(again) == str(history)
    assert again.next_epoch == 4


def test_a_training_loss_of_nan_is_a_fault() -> None:
    pred, _ = samples.load("c10-lenet5")
    history = History()
    assert history.add(pred, train_loss=0.5).train_loss == 0.5
    assert history.add(pred, train_loss=float("nan")).train_loss is None
    assert [str(each) for each in history.faults] == ["epoch 2: the training loss is nan"]
    assert str(history).endswith("epoch 2: the training loss is nan")


def test_a_history_without_epochs_says_why() -> None:
    history = History()
    assert str(history) == "no epochs yet"
    history.note(1, "the power failed")
    with pytest.raises(ValueError, match="no epochs yet; epoch 1: the power failed"):
        _ = history.best
    with pytest.raises(ValueError, match="no epochs yet"):
        plots.training(history)


@pytest.mark.parametrize("number", [1, 2, 30])
def test_it_is_drawn(number: int) -> None:
    history = _epochs(np.linspace(0.5, 3, number).tolist(), n=200)
    history.note(number + 1, "the power failed")
    panels = plots.training(history)
    line = panels[0].lines[0]
    assert np.asarray(line.get_ydata()).tolist() == [each.nll for each in history.epochs]
    assert f"epoch {history.best.epoch}" in panels[1].get_title("left")
    again = plots.training(curves.training(history), panels=panels)
    assert again == panels
