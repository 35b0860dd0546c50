"""Which errors may be true: those of supposed truths under which what is seen would not be rare."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..families.binary.smooth import Smooth
from ..fitting.types import Array, Bools
from ..inputs.predictions import Predictions
from ..inputs.questions import Asked, views_of
from ..inputs.views import View
from ..progress import progress, quiet
from .bootstrap import Cells, Random, cells, drawn_as_one, of_one, replicates, row_cells

Measure = Callable[[Any], float]
Truth = list[Array]  # the true chance of every claim, for each view
Line = Callable[[float], Truth]

# How many truths are supposed along each line, and how many on each side of one lend it their draws.
_TRUTHS, _BESIDE = 8, 2
# Claims that err upwards and downwards by turns, so many, are as hard to see as any truth we suppose.
_TURNS = 6


def by_truths(
    measure: Measure, x: View | Sequence[View], level: float, n_boot: int, seed: int
) -> tuple[float, float]:
    """The least and the largest error of truths under which what is seen would not be rare.

    Truths lie at growing distances from the claims along two lines: towards fitted chances, and up and down in waves.
    What chance adds to an error, and how much of it a measure can see, depends on how it is shared out among claims;
    the two span that.
    """
    views = views_of(x)
    joint = of_one(views)
    parts = row_cells(views) if joint else [cells(view) for view in views]

    def measured(views: Iterable[View]) -> float:
        return number(measure, like(x, list(views)))

    def draw(truth: Truth, random: Random) -> float:
        if joint:
            return measured(drawn_as_one(parts, truth, random))
        return measured(
            part.drawn(chance, random) for part, chance in zip(parts, truth, strict=True)
        )

    def error(truth: Truth) -> float:
        return measured(part.endless(chance) for part, chance in zip(parts, truth, strict=True))

    def truth_at(line: Line, far: float) -> Truth:
        truth = [np.clip(chance, 0, 1) for chance in line(far)]
        if not joint:
            return truth
        # One of the events happens: where none has a chance left, any may.
        total = sum(truth) + 1e-9 * len(truth)
        return [(chance + 1e-9) / total for chance in truth]

    lines = _lines(parts)
    seen = measured(part.counted(part.happened) for part in parts)
    each = -(-n_boot // (2 * _TRUTHS))
    # Less than right claims would show on average excludes no error: luck must not make an interval narrow.
    right = replicates(draw, [truth_at(lines[0], 0.0)] * each, seed, lambda: None)
    shown = max(seen, float(np.mean(right)))

    def limits(line: Line, seed: int) -> tuple[float, float]:
        reach = max(shown, 0.01)
        while (
            reach < 1
            and min(replicates(draw, [truth_at(line, reach)] * 10, seed, lambda: None)) <= shown
        ):
            reach *= 1.5
        truths = [truth_at(line, far) for far in 1.5 * reach * np.linspace(0, 1, _TRUTHS) ** 1.5]
        items = [truth for truth in truths for _ in range(each)]
        draws = np.array(replicates(draw, items, seed, tick)).reshape(_TRUTHS, each)
        errors = np.maximum.accumulate([0.0, *(error(truth) for truth in truths[1:])])
        beyond = max(seen, errors[-1])
        upper, lower = _edge(draws, (1 + level) / 2), _edge(draws, (1 - level) / 2)
        # Few rows show few values: a truth that often shows the very one seen is not excluded.
        upper = np.where(_often(draws, seen, level), np.maximum(upper, seen), upper)
        lower = np.where(_often(draws, shown, level), np.minimum(lower, shown), lower)
        upper, lower = np.maximum.accumulate(upper), np.maximum.accumulate(lower)
        # Turned about, so that of truths with equal edges the nearest to the claims is found.
        low = np.interp(-seen, -upper[::-1], errors[::-1], left=beyond)
        return float(low), float(np.interp(shown, lower, errors, right=beyond))

    with progress("drawing outcomes", 2 * _TRUTHS * each) as tick, quiet():
        lows, highs = zip(*(limits(line, seed + i) for i, line in enumerate(lines)), strict=True)
    return min(lows), max(highs)


def like(x: Asked, rows: Sequence[Any]) -> Any:  # noqa: ANN401 - one of them, or all, as a measure was given x
    """Rows as a measure was given them: alone, or several."""
    return rows[0] if isinstance(x, Predictions | View) else rows


def number(measure: Measure, x: object) -> float:
    """What a measure gives, which must be one number."""
    value: object = measure(x)
    if not isinstance(value, float | int | np.floating):
        raise ValueError(
            f"measure must give one number, got {value!r}; pick one, as in lambda x: measure(x)[0]"
        )
    if np.isnan(value):
        raise ValueError("measure must give a number, got nan; refuse such rows, or leave them out")
    return float(value)


def _lines(parts: list[Cells]) -> tuple[Line, Line]:
    """Truths at a mean distance from the claims: towards the fit, and in waves."""
    views = [part.counted(part.happened) for part in parts]
    gaps = [Smooth().fit(view)(view[::2]) - part.p for view, part in zip(views, parts, strict=True)]
    reached = float(
        np.mean(
            [np.average(np.abs(gap), weights=part.w) for gap, part in zip(gaps, parts, strict=True)]
        )
    )
    if reached < 1e-9:
        # A fit that leaves all claims as they are points nowhere: they are taken to be too bold.
        gaps, reached = [np.where(part.p < 0.5, 1.0, -1.0) for part in parts], 1.0
    # Along the angle, which spreads claims near 0 and 1 apart.
    waves = [np.pi / 2 * np.cos(_TURNS * 2 * np.arcsin(np.sqrt(part.p))) for part in parts]

    def fitted(far: float) -> Truth:
        return [part.p + far / reached * gap for part, gap in zip(parts, gaps, strict=True)]

    def waved(far: float) -> Truth:
        return [part.p + far * wave for part, wave in zip(parts, waves, strict=True)]

    return fitted, waved


def _edge(draws: Array, tail: float) -> Array:
    """A quantile of the draws of each truth; neighbours share how, and how far, draws spread about their mean."""
    n, mean, variance = draws.shape[1], draws.mean(1), draws.var(1)
    spread = (draws - mean[:, None]) / np.sqrt(np.where(variance > 0, variance, 1))[:, None]
    near = [spread[max(0, i - _BESIDE) : i + _BESIDE + 1] for i in range(len(draws))]
    before, after = np.append(variance[0], variance[:-1]), np.append(variance[1:], variance[-1])
    # One more draw strays from the mean of n by more than they do themselves.
    sd = np.sqrt((before + 2 * variance + after) / 4 * (n + 1) / (n - 1))
    return mean + sd * np.array([np.quantile(each, tail) for each in near])


def _often(draws: Array, value: float, level: float) -> Bools:
    return (np.abs(draws - value) < 1e-12).mean(1) > (1 - level) / 2
