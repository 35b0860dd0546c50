"""Card, curve, numbers and advice never disagree, on many models of known truth and in a mirror."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit, logit
from shared_data import DATA

from calibrant import Predictions, curves, from_probs, read, report
from calibrant.fitting.types import Array
from calibrant.inference.examination import examine
from calibrant.reporting.findings import CALM, LEVEL, tone_of
from calibrant.reporting.first_question import first_view
from calibrant.reporting.summary import Report
from calibrant.reporting.verdict import LITTLE, MEND, MORE_ROWS, NOTHING, judge

KINDS = {
    "even": lambda random, n: random.random(n),
    "unsure": lambda random, n: random.beta(5, 4, n),
    "sure": lambda random, n: random.beta(0.3, 0.3, n),
    "rare": lambda random, n: random.beta(0.5, 40, n),
    "common": lambda random, n: 1 - random.beta(0.5, 20, n),
    "votes of 20": lambda random, n: np.round(20 * random.beta(0.6, 0.9, n)) / 20,
}
TRUTHS = {
    "right": lambda z: z,
    "too high": lambda z: z - 0.8,
    "too low": lambda z: z + 0.8,
    "too extreme": lambda z: z / 2,
    "too timid": lambda z: 2 * z,
    "wavy": lambda z: z + 0.9 * np.sin(2 * z),
}
SIZES = (150, 2000, 6, 600)
MODELS = [(*each, SIZES[place % len(SIZES)]) for place, each in enumerate(product(KINDS, TRUTHS))]
REAL = sorted((DATA / "real").glob("*.npz"))
MIRRORED = {"too high": "too low", "too low": "too high"}


def model(kind: str, truth: str, n: int, seed: int = 0) -> Predictions:
    """Predictions of two classes whose truth is known."""
    random = np.random.default_rng([seed, n, len(kind), len(truth)])
    p: Array = KINDS[kind](random, n)
    chance = expit(TRUTHS[truth](logit(np.clip(p, 1e-6, 1 - 1e-6))))
    happened = random.random(n) < chance
    return from_probs(np.stack([1 - p, p], axis=1), happened.astype(int), classes=["no", "yes"])


def mirrored(pred: Predictions) -> Predictions:
    """The classes in the other order, under other names: the event is the other one."""
    return from_probs(pred.probs[:, ::-1], 1 - pred.labels, classes=["b", "a"])


def number(found: Report, name: str) -> float:
    """A number of the report's first question."""
    value = next(row.value for row in found.rows if row.name == name)
    assert value is not None
    return value


@pytest.mark.parametrize(("kind", "truth", "n"), MODELS)
def test_all_that_is_shown_agrees_in_a_mirror_too(kind: str, truth: str, n: int) -> None:
    pred = model(kind, truth, n)
    found = report(pred)
    view = first_view(pred)
    evidence = examine(view)
    # The card: words, tone and advice are of one finding.
    assert found.tone == tone_of(evidence, found.finding)
    assert ("face value" in found.verdict) == (found.finding not in CALM) == (found.tone == "bad")
    assert ("p < " in found.verdict or "p = " in found.verdict) == (found.finding != "too few rows")
    advice = {"good": (NOTHING,), "bad": (MEND,), "so-so": (LITTLE, MORE_ROWS)}
    assert found.advice in advice[found.tone]
    # Numbers: they lie on the side that the words say.
    gap = view.p.mean() - view.y.mean()
    if found.finding in ("too high", "too low"):
        assert (gap > 0) == (found.finding == "too high")
        assert (number(found, "observed/expected") < 1) == (gap > 0)
        assert evidence.p_value <= LEVEL
    # The curve: so it lies too, and its distance is the number that is told.
    curve = curves.reliability(view, level=None)
    assert curve.error == pytest.approx(number(found, "calibration error"), abs=5e-3)
    lean = curve.count @ (curve.p - curve.q)
    if found.finding in ("too high", "too low"):
        assert (lean > 0) == (gap > 0)
    # Rows of classes: the second is the question itself, the first its mirror.
    rows = {each.name: each.finding for each in found.classes}
    assert rows["yes"] == found.finding
    assert rows["no"] == MIRRORED.get(found.finding, found.finding)

    # Nothing flips where classes come in the other order under other names.
    other = judge(first_view(mirrored(pred)), has_classes=False)
    assert other.finding == MIRRORED.get(found.finding, found.finding)
    assert (other.tone, other.advice) == (found.tone, found.advice)


def test_a_part_of_the_rows_is_judged_as_they_are_alone() -> None:
    pred = model("even", "too extreme", 2000)
    half = np.arange(2000) % 2
    parts = report(pred, by=half).groups
    for place, part in enumerate(parts):
        assert part.finding == report(pred[np.flatnonzero(half == place)]).finding


@pytest.mark.skipif(not REAL, reason="no data beside the checkout")
@pytest.mark.parametrize("path", REAL, ids=lambda path: path.stem)
def test_nothing_flips_on_real_files_of_two_classes(path: Path) -> None:
    pred = read(path, split="test")
    if not isinstance(pred, Predictions) or pred.k != 2:
        return
    found = judge(first_view(pred), has_classes=False)
    other = judge(first_view(mirrored(pred)), has_classes=False)
    assert other.finding == MIRRORED.get(found.finding, found.finding)
    assert (other.tone, other.advice) == (found.tone, found.advice)


@pytest.mark.parametrize("truth", TRUTHS)
def test_a_map_that_clearly_gains_is_no_green(truth: str) -> None:
    fit_on = model("even", truth, 600, seed=1)
    found = report(model("even", truth, 600), fit_on=fit_on, families="temperature")
    gain = found.standings[0].nll - found.standings[1].nll
    if "lowers the NLL by" in found.verdict:
        assert gain > 0
        assert found.tone != "good"
