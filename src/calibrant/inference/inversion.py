"""Confidence sets of errors by test inversion: the errors of all truths that are not rejected."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil

import numpy as np

from ..fitting.types import Array, Bools
from ..fitting.weights import weighted_mean
from ..inputs.questions import views_of
from ..inputs.views import View
from ..measures.draws import Cells, Random, cells, replicates
from ..progress import progress, quiet
from .bootstrap import drawn_exclusively, exclusive_events, row_cells
from .measuring import Bootstrap, Ends, Measure, like, number
from .memory import Memory
from .truth_paths import Truth, TruthPath, furthest_mean, one_sided, truth_paths

Tick = Callable[[], None]

# How many truths are tested along a path, the claims themselves among them, and how many on each
# side of one lend it their draws.
_TRUTHS = 6
_BEYOND = _TRUTHS - 1
_BESIDE = 2
# As truths lend one another draws, half as many as bootstrap samples tell their quantiles.
_SHARE = 0.5
_LEAST_DRAWS = 12
# A path ends where none of so many draws shows as little as is seen.
_FAR_DRAWS = 10
_LEAST_REACH = 0.01
# Exclusive events: where none has a chance left, any may happen.
_LEAST_CHANCE = 1e-9


def invert_tests(measure: Measure, x: View | Sequence[View], draws: Bootstrap) -> Ends:
    """The least and the largest error of truths under which what is seen would not be rare.

    Random variation adds most to an error that few claims share, and least to one that all share:
    truths of both kinds are tried. As large an error as the mean of claims and outcomes allows, if
    all claims err one way, is within the range too.
    """
    experiment = _experiment(measure, x)
    paths = truth_paths(experiment.parts)
    n_draws = max(_LEAST_DRAWS, ceil(_SHARE * draws.n_boot / (len(paths) * _TRUTHS)))
    right_claims = experiment.truth_at(paths.wide, 0.0)
    with progress("drawing outcomes", (1 + len(paths) * _BEYOND) * n_draws) as tick, quiet():
        null = replicates(experiment.drawn, [right_claims] * n_draws, draws.seed, tick)
        test = _Test(experiment, np.array(null), draws.level)
        ends = [test.accepted(path, draws.seed + 1 + i, tick) for i, path in enumerate(paths)]
    lows, highs = zip(*ends, strict=True)
    return min(lows), max(*highs, experiment.one_sided_error(draws.level))


@dataclass(frozen=True, eq=False)
class _Experiment:
    """What a measure gives of data as they are, or as a supposed truth would make them."""

    measure: Measure
    x: View | Sequence[View]
    parts: list[Cells]
    is_exclusive: bool  # whether one of the views' events happens in each row
    memory: Memory[float] = field(default_factory=Memory)

    @cached_property
    def seen(self) -> float:
        """Of the data themselves."""
        views = [part.counted(part.happened) for part in self.parts]
        return self._measured(views)

    def drawn(self, truth: Truth, random: Random) -> float:
        """Of as many rows, with outcomes drawn from a truth."""
        if self.is_exclusive:
            views = drawn_exclusively(self.parts, truth, random)
        else:
            pairs = zip(self.parts, truth, strict=True)
            views = [part.drawn(chance, random) for part, chance in pairs]
        return self._measured(views)

    def error(self, truth: Truth) -> float:
        """Of endless rows, with outcomes as a truth has them."""
        pairs = zip(self.parts, truth, strict=True)
        views = [part.endless(chance) for part, chance in pairs]
        return self._measured(views)

    def truth_at(self, path: TruthPath, distance: float) -> Truth:
        """The truth at a distance along a path, as far as chances may go."""
        truth = [np.clip(chance, 0, 1) for chance in path(distance)]
        if not self.is_exclusive:
            return truth
        total = sum(truth) + _LEAST_CHANCE * len(truth)
        return [(chance + _LEAST_CHANCE) / total for chance in truth]

    def one_sided_error(self, level: float) -> float:
        """The largest error that the mean of one view allows, if all claims err one way."""
        if len(self.parts) > 1:
            return 0.0
        (part,) = self.parts
        rows = part.counted(part.happened)
        furthest = furthest_mean(rows, level)
        truth = np.clip(one_sided(part, furthest), 0, 1)
        distance = weighted_mean(np.abs(truth - part.p), part.w)
        # Chances go no further than 0 and 1, but other claims than these may lie further off.
        beyond = abs(furthest) / max(distance, _LEAST_CHANCE)
        error = self.error([truth]) * max(1.0, beyond)
        return min(1.0, error)

    def _measured(self, views: list[View]) -> float:
        return self.memory.of(views, lambda: number(self.measure, like(self.x, views)))


def _experiment(measure: Measure, x: View | Sequence[View]) -> _Experiment:
    views = views_of(x)
    if exclusive_events(views):
        return _Experiment(measure, x, row_cells(views), is_exclusive=True)
    parts = [cells(view) for view in views]
    return _Experiment(measure, x, parts, is_exclusive=False)


@dataclass(frozen=True, eq=False)
class _Test:
    """Rejects truths under which data as extreme as those seen are rare.

    `null` is what right claims show.
    """

    experiment: _Experiment
    null: Array
    level: float

    @cached_property
    def shown(self) -> float:
        """What is seen, at least what right claims would show on average.

        Less excludes no error: random variation must not make an interval narrow.
        """
        return max(self.experiment.seen, float(np.mean(self.null)))

    def accepted(self, path: TruthPath, seed: int, tick: Tick) -> Ends:
        """The least and the largest error along a path that is not rejected."""
        truths = self._truths(path, seed)
        n_draws = len(self.null)
        repeated = [truth for truth in truths for _ in range(n_draws)]
        drawn = replicates(self.experiment.drawn, repeated, seed, tick)
        by_truth = np.reshape(drawn, (_BEYOND, n_draws))
        draws = np.vstack([self.null, by_truth])
        errors = [self.experiment.error(truth) for truth in truths]
        rising = np.maximum.accumulate([0.0, *errors])
        return self._least(draws, rising), self._largest(draws, rising)

    def _truths(self, path: TruthPath, seed: int) -> list[Truth]:
        """Truths from beside the claims to where what is shown would surely be rare."""
        reach = 1.5 * self._reach(path, seed)
        distances = reach * np.linspace(0, 1, _TRUTHS) ** 1.5
        return [self.experiment.truth_at(path, distance) for distance in distances[1:]]

    def _reach(self, path: TruthPath, seed: int) -> float:
        reach = max(self.shown, _LEAST_REACH)
        while reach < 1:
            truth = self.experiment.truth_at(path, reach)
            drawn = replicates(self.experiment.drawn, [truth] * _FAR_DRAWS, seed)
            if min(drawn) > self.shown:
                break
            reach *= 1.5
        return reach

    def _least(self, draws: Array, errors: Array) -> float:
        """The error of the first truth whose upper quantile reaches what is seen."""
        seen = self.experiment.seen
        upper = _quantiles(draws, (1 + self.level) / 2)
        is_often = self._often(draws, seen)
        upper = np.where(is_often, np.maximum(upper, seen), upper)
        rising = np.maximum.accumulate(upper)
        beyond = max(seen, errors[-1])
        # Turned about, so that of truths with equal quantiles the nearest to the claims is found.
        turned = -rising[::-1]
        least = np.interp(-seen, turned, errors[::-1], left=beyond)
        return float(least)

    def _largest(self, draws: Array, errors: Array) -> float:
        """The error of the last truth whose lower quantile is not above what is shown."""
        lower = _quantiles(draws, (1 - self.level) / 2)
        is_often = self._often(draws, self.shown)
        lower = np.where(is_often, np.minimum(lower, self.shown), lower)
        rising = np.maximum.accumulate(lower)
        beyond = max(self.experiment.seen, errors[-1])
        largest = np.interp(self.shown, rising, errors, right=beyond)
        return float(largest)

    def _often(self, draws: Array, value: float) -> Bools:
        """Few rows show few values: a truth that often shows the very one is not rejected."""
        is_same = np.abs(draws - value) < 1e-12
        return is_same.mean(1) > (1 - self.level) / 2


def _quantiles(draws: Array, tail: float) -> Array:
    """A quantile of the draws of each truth.

    Neighbours share how, and how far, draws spread about their mean.
    """
    mean = draws.mean(1)
    variance = draws.var(1)
    is_constant = variance == 0
    scale = np.sqrt(np.where(is_constant, 1, variance))
    centred = draws - mean[:, None]
    spread = centred / scale[:, None]
    quantiles = []
    for i in range(len(draws)):
        start = max(0, i - _BESIDE)
        stop = i + _BESIDE + 1
        near = spread[start:stop]
        quantiles.append(np.quantile(near, tail))
    sd = _standard_deviation(variance, draws.shape[1])
    return mean + sd * np.array(quantiles)


def _standard_deviation(variance: Array, n: int) -> Array:
    """That of one more draw of each truth, by its own draws and its neighbours'."""
    padded = np.pad(variance, 1, mode="edge")
    before = padded[:-2]
    after = padded[2:]
    smooth = (before + 2 * variance + after) / 4
    # One more draw strays from the mean of n by more than they do themselves.
    return np.sqrt(smooth * (n + 1) / (n - 1))
