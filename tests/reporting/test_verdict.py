"""Verdicts: held against known truth, the same in a mirror, and never at odds with themselves."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pytest
from shared_claims import claims

from calibrant import (
    Predictions,
    Temperature,
    View,
    binary,
    from_probs,
    one_class,
    report,
    top_label,
)
from calibrant.fitting.types import Array
from calibrant.reporting.findings import CALM
from calibrant.reporting.recalibration import Recalibration, recalibrate
from calibrant.reporting.verdict import Verdict, judge

MIRRORED = {
    "too high": "too low",
    "too low": "too high",
    "they are too high": "they are too low",
}


class Truth(NamedTuple):
    """Claims, their true chances, and what may be said of them."""

    name: str
    view: View
    allowed: tuple[str, ...]


def logit(p: Array) -> Array:
    return np.asarray(np.log(p) - np.log1p(-p), np.float64)


def expit(z: Array) -> Array:
    return 1 / (1 + np.exp(-z))


SHAPES: dict[str, Callable[[Array], Array]] = {
    "too high": lambda p: expit(logit(p) - 1),
    "too low": lambda p: expit(logit(p) + 1),
    "too extreme": lambda p: expit(0.4 * logit(p)),
    "too timid": lambda p: expit(2.5 * logit(p)),
    "uneven": lambda p: p + 0.16 * np.sin(6 * np.pi * p) * (4 * p * (1 - p)),
}


def evenly(n: int, *, distinct: int = 400) -> Array:
    """Claims that are spread evenly; few distinct ones make a test quick."""
    centres = np.linspace(0.5 / distinct, 1 - 0.5 / distinct, distinct)
    return np.repeat(centres, n // distinct)


def wrong_ones() -> Iterator[Truth]:
    """Every shape, on spread and on tied claims, plain, weighted and with shares as outcomes."""
    for place, (shape, truth) in enumerate(SHAPES.items()):
        rng = np.random.default_rng(place)
        for n in (2000, 20_000):
            p = evenly(n)
            yield Truth(f"{shape}, {n}", binary(p, rng.random(n) < truth(p)), (shape,))
        p = evenly(5000, distinct=20)
        y = rng.random(5000) < truth(p)
        yield Truth(f"{shape}, tied", binary(p, y), (shape,))
        w = rng.integers(0, 3, 5000).astype(float)
        yield Truth(f"{shape}, weighted", binary(p, y, weights=w), (shape,))
        shares: Array = rng.binomial(5, truth(p)) / 5
        yield Truth(f"{shape}, shares", binary(p, shares), (shape,))


def rare_ones() -> Iterator[Truth]:
    """Errors of a fraction of a point that are ratios of two to ten."""
    rng = np.random.default_rng(5)
    for n, rate, times in [(20_000, 0.009, 3), (100_000, 0.003, 3), (50_000, 0.02, 2)]:
        p: Array = rate * rng.gamma(1, 1, n).clip(0.01, 20)
        for factor, shape in [(1 / times, "too high"), (times, "too low")]:
            y = rng.random(n) < p * factor
            yield Truth(f"rare, {shape}, {n}", binary(p, y), (shape,))
            other = MIRRORED[shape]
            yield Truth(f"common, {other}, {n}", binary(1 - p, ~y), (other,))
    p = evenly(10_000)
    claimed = np.where(p < 0.1, 0.0014, p)
    y = rng.random(10_000) < np.where(p < 0.1, 0.016, p)
    anything_off = tuple(SHAPES)
    yield Truth("safest 1,000 rows", binary(claimed, y), anything_off)
    zeros = np.where(p < 0.3, 0.0, p)
    y = rng.random(10_000) < np.where(p < 0.3, 0.03, p)
    yield Truth("exact 0 that happens", binary(zeros, y), anything_off)


def right_ones() -> Iterator[Truth]:
    """Right claims: enough rows, or too few to tell."""
    rng = np.random.default_rng(6)
    for n in (10_000, 30_000, 100_000):
        for a, b in [(1, 1), (0.5, 3), (5, 0.5), (30, 30)]:
            p = np.round(rng.beta(a, b, n), 2).clip(0.004, 0.996)
            yield Truth(f"right, {a}, {b}, {n}", binary(p, rng.random(n) < p), ("no error seen",))
    for n in (1, 2, 5, 9):
        for wrong in (0, 1):
            yield Truth(f"{n} rows", binary([0.9999] * n, [wrong] * n), ("too few rows",))
    for n in (20, 50, 200, 1000):
        p = np.round(rng.random(n), 2)
        allowed = ("too few rows", "no error seen")
        yield Truth(f"right, {n}", binary(p, rng.random(n) < p), allowed)
    exact = np.repeat([0.0, 1.0], 3000)
    yield Truth("exact 0 and 1", binary(exact, exact), ("no error seen",))
    yield Truth("never", binary(np.zeros(1000), np.zeros(1000)), ("too few rows",))
    slight = binary(evenly(100_000), rng.random(100_000) < expit(logit(evenly(100_000)) + 0.04))
    yield Truth("slightly low", slight, ("small error",))


TRUTHS = [*wrong_ones(), *rare_ones(), *right_ones()]


def verdict(view: View) -> Verdict:
    return judge(view, has_classes=False)


def test_there_are_many_truths() -> None:
    assert len(TRUTHS) >= 60


@pytest.mark.parametrize("truth", TRUTHS, ids=lambda truth: truth.name)
def test_the_verdict_is_the_truth_and_agrees_with_itself(truth: Truth) -> None:
    found = verdict(truth.view)
    assert found.finding in truth.allowed, found.words
    assert (found.tone == "bad") == (found.finding not in CALM)
    assert ("face value" in found.words) == (found.tone == "bad")
    assert ("Nothing to mend" in found.advice) == (found.tone == "good")
    assert ("Report on more rows" in found.advice) == (
        found.tone == "so-so" and found.finding != "small error"
    )
    is_explained = "Random variation does not explain it" in found.words
    assert is_explained == (found.finding not in ("too few rows", "no error seen"))
    assert found.words.isascii()


@pytest.mark.parametrize("seed", range(20))
def test_a_mirror_turns_high_into_low_and_nothing_else(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.choice([30, 300, 1000]))
    a, b = rng.choice([0.3, 1, 4], 2)
    p = rng.beta(a, b, n)
    z = logit(p.clip(1e-9, 1 - 1e-9))
    slope, lift = rng.choice([0.5, 1, 2]), rng.choice([-1, 0, 1])
    y = rng.random(n) < expit(slope * z + lift)
    one, other = verdict(binary(p, y)), verdict(binary(1 - p, ~y))
    assert other.finding == MIRRORED.get(one.finding, one.finding)
    assert (other.tone, other.advice) == (one.tone, one.advice)


def test_right_claims_are_called_wrong_one_time_in_twenty() -> None:
    rng = np.random.default_rng(3)
    found = []
    for _ in range(80):
        a, b = rng.choice([0.4, 1, 3], 2)
        p = rng.beta(a, b, 100)
        found.append(verdict(binary(p, rng.random(100) < p)).finding)
    others = [each for each in found if each not in ("no error seen", "too few rows")]
    # 4 are expected, with a standard deviation of 1.9.
    assert len(others) <= 11


def test_which_of_two_classes_comes_first_does_not_matter() -> None:
    view = claims(1000, lift=0.7)
    chances = np.stack([1 - view.p, view.p], axis=1)
    labels = view.y.astype(int)
    as_given = from_probs(chances, labels)
    swapped = from_probs(chances[:, ::-1], 1 - labels, classes=["yes", "no"])
    assert judge_top(as_given) == judge_top(swapped)
    of_event = [verdict(one_class(as_given, 1)), verdict(one_class(swapped, 0))]
    assert of_event[0].finding == of_event[1].finding == "too low"
    assert verdict(one_class(swapped, 1)).finding == "too high"


def judge_top(pred: Predictions) -> Verdict:
    return judge(top_label(pred), has_classes=True)


def test_the_verdict_tells_the_direction_and_the_size() -> None:
    found = report(binary([0.9] * 1000, [1] * 600 + [0] * 400))
    assert (
        "claim 90.00% on average and the event happens 60.00% of the time, 30.00 points less"
        in found.verdict
    )
    assert "calibrant fit" in found.advice
    assert "So few rows would hide" in report(claims(40)).verdict
    assert "more rows" in report(claims(40)).advice
    rare = binary([0.003] * 30_000, [1] * 30 + [0] * 29_970)
    assert "claims are 3.0 times too high" in verdict(rare).words
    often = binary([0.997] * 30_000, [0] * 30 + [1] * 29_970)
    assert "it comes out otherwise 3.0 times less often than claimed" in verdict(often).words


def test_of_top_labels_it_speaks_of_confidence() -> None:
    rng = np.random.default_rng(0)
    pred = from_probs(np.tile([0.9, 0.05, 0.05], (1000, 1)), rng.integers(0, 3, 1000))
    assert report(pred).finding == "overconfident"


@pytest.mark.parametrize(
    ("gain", "finding", "tone", "advice"),
    [
        (0.003, "small error", "so-so", "T lowers the NLL most"),
        (0.001, "no error seen", "good", "within random variation"),
    ],
)
def test_a_clear_gain_of_other_rows_forbids_a_good_verdict(
    gain: float, finding: str, tone: str, advice: str
) -> None:
    rows = report(claims(1000), fit_on=claims(1000, seed=1)).standings
    mended = Recalibration(
        rows, best="T", advice="T lowers the NLL most", gain=gain, gain_error=0.001
    )
    found = judge(claims(20_000), has_classes=False, mended=mended)
    assert (found.finding, found.tone) == (finding, tone)
    assert advice in found.advice
    assert ("nats (standard error 0.0010)" in found.words) == (finding == "small error")


def test_if_no_map_mends_wrong_claims_others_are_to_be_tried() -> None:
    found = report(claims(3000, lift=1), fit_on=claims(30, lift=-3, seed=5))
    assert found.finding == "too low"
    assert "calibrant compare" in found.advice


def test_the_gain_is_that_of_the_best_map_row_by_row() -> None:
    view, fit_on = claims(500, slope=0.5), claims(400, slope=0.5, seed=1)
    found = recalibrate(view, fit_on, [Temperature()])
    mended = Temperature().fit(fit_on).apply(view)
    chance = np.where(view.y, view.p, 1 - view.p)
    after = np.where(view.y, mended.p, 1 - mended.p)
    gains = np.log(after) - np.log(chance)
    assert found.gain == pytest.approx(gains.mean())
    assert found.gain_error == pytest.approx(gains.std() / np.sqrt(500))
    assert not recalibrate(view, view, [Temperature()]).is_clear
