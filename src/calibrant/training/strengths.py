"""What a term of the training loss is worth, before temperature scaling and after it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit

from ..choosing import mean_and_error
from ..contenders import table
from ..families.multiclass.temperature import Temperature
from ..fitting.types import Array
from ..fitting.weights import Weights, weighted_mean
from ..inference.bootstrap import same_rows
from ..inference.intervals import Interval
from ..inputs.checks import MAKE_THEM
from ..inputs.predictions import Predictions
from ..measures.scores import accuracy, row_losses

Runs = Mapping[float, Predictions | Sequence[Predictions]]
_TITLES = (
    "strength",
    "NLL",
    "gain",
    "interval",
    "tempered NLL",
    "gain",
    "interval",
    "accuracy %",
)


@dataclass(frozen=True)
class Worth:
    """What one strength comes to: means over its runs, and NLL gained over strength 0.

    Gains are in nats, above 0 where the term helps. `tempered_nll` and `tempered_gain` are after
    each run's best temperature.
    """

    strength: float
    nll: float
    gain: Interval
    tempered_nll: float
    tempered_gain: Interval
    accuracy: float


@dataclass(frozen=True)
class Strengths:
    """What `choose_strength` found: a row for each strength, 0 first, of `runs` runs each."""

    rows: tuple[Worth, ...]
    runs: int
    level: float

    @property
    def best(self) -> float:
        """The strength of least NLL after temperature, 0 where it is not shown to gain anything."""
        row = self._leading
        return row.strength if row.tempered_gain.low > 0 else 0.0

    @property
    def finding(self) -> str:
        """What the term is worth, in a sentence or two."""
        after = self._leading
        if after.tempered_gain.low > 0:
            gains = self._told(after.tempered_gain)
            return f"Strength {after.strength:g} gains {gains} after temperature scaling."
        most = max(row.tempered_gain.high for row in self.rows[1:])
        gains = self._told(after.tempered_gain)
        found = (
            f"After temperature scaling no strength is shown to be worth anything, nor more than "
            f"{max(most, 0):.4f} nats: the best, {after.strength:g}, gains {gains}."
        )
        before = max(self.rows[1:], key=lambda row: row.gain.estimate)
        if before.gain.low > 0:
            gains = self._told(before.gain)
            found += f" Before it, {before.strength:g} gains {gains}, as a temperature does."
        return found

    def to_dict(self) -> dict[str, Any]:
        """The table as json holds it."""
        return asdict(self) | {"best": self.best, "finding": self.finding}

    def __str__(self) -> str:
        lines = [table(_TITLES, map(_cells, self.rows)), self.finding]
        if self.runs == 1:
            lines.append("One run each: what another seed would change is in no interval.")
        return "\n".join(lines)

    @property
    def _leading(self) -> Worth:
        """The row of most gain after temperature, other than strength 0."""
        return max(self.rows[1:], key=lambda row: row.tempered_gain.estimate)

    def _told(self, gain: Interval) -> str:
        interval = f"{100 * self.level:g}% interval {gain.low:.4f} to {gain.high:.4f}"
        return f"{gain.estimate:.4f} nats ({interval})"


def choose_strength(runs: Runs, *, level: float = 0.95) -> Strengths:
    """Which strength of a term training should have, by NLL of validation rows after temperature.

    `runs` has for each strength, 0 among them, what networks claim of the same validation rows,
    one for each seed, the same seeds in the same order. Intervals are Student's, of differences
    paired by seed and by row; they hold together, for all strengths.

    >>> from calibrant import Temperature, samples
    >>> fit_on, test = samples.load("c10-resnet18")
    >>> softer = Temperature().fit(fit_on).apply(test)
    >>> found = choose_strength({0: test, 0.1: softer})
    >>> found.best, found.rows[1].gain.low > 0.01
    (0.0, True)
    """
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level}")
    by_strength = _checked(runs)
    plain = by_strength[0.0]
    others = [strength for strength in by_strength if strength]
    # Bonferroni: one strength is chosen of several.
    each_level = 1 - (1 - level) / len(others)
    before = [row_losses(pred, "nll") for pred in plain]
    after = _tempered_losses(plain)
    rows = []
    for strength in [0.0, *others]:
        preds = by_strength[strength]
        losses = [row_losses(pred, "nll") for pred in preds]
        tempered = _tempered_losses(preds)
        w = preds[0].weights
        row = Worth(
            strength=strength,
            nll=_mean(losses, w),
            gain=_gain(before, losses, w, each_level),
            tempered_nll=_mean(tempered, w),
            tempered_gain=_gain(after, tempered, w, each_level),
            accuracy=float(np.mean([accuracy(pred) for pred in preds])),
        )
        rows.append(row)
    return Strengths(tuple(rows), len(plain), level)


def _tempered_losses(preds: Sequence[Predictions]) -> list[Array]:
    """After a temperature for each run; what it overfits is the same for all, and cancels."""
    family = Temperature()
    return [row_losses(family.fit(pred).apply(pred), "nll") for pred in preds]


def _mean(losses: Sequence[Array], w: Weights) -> float:
    return weighted_mean(np.mean(losses, axis=0), w)


def _gain(before: Sequence[Array], after: Sequence[Array], w: Weights, level: float) -> Interval:
    """How far losses have fallen: over seeds and over rows, each with variance of its own."""
    gains = np.stack(before) - np.stack(after)
    of_seeds = np.array([weighted_mean(gain, w) for gain in gains])
    mean, of_rows = mean_and_error(gains.mean(0), w)
    variances = [of_rows**2]
    freedom = [gains.shape[1] - 1]
    if len(gains) > 1:
        _, over_seeds = mean_and_error(of_seeds, None)
        variances.append(over_seeds**2)
        freedom.append(len(gains) - 1)
    half = _half_width(np.array(variances), np.array(freedom), level)
    return Interval(mean, mean - half, mean + half)


def _half_width(variances: Array, freedom: Array, level: float) -> float:
    """Student's, with the degrees of freedom of a sum of variances (Satterthwaite 1946)."""
    variance = variances.sum()
    if not variance:
        return 0.0
    of_sum = variance**2 / (variances**2 / freedom).sum()
    quantile = stdtrit(of_sum, (1 + level) / 2)
    return float(quantile * np.sqrt(variance))


def _checked(runs: Runs) -> dict[float, list[Predictions]]:
    """Runs by strength, in ascending order, all of the same rows."""
    if not isinstance(runs, Mapping) or 0 not in runs or len(runs) < 2:
        rule = "runs must be {strength: predictions}, strength 0 and at least one other"
        got = list(runs) if isinstance(runs, Mapping) else type(runs).__name__
        raise ValueError(f"{rule}; got {got}")
    found = {float(strength): _several(runs[strength]) for strength in sorted(runs)}
    first = found[0.0]
    for strength, preds in found.items():
        where = f"runs[{strength:g}]"
        _refuse_strangers(where, preds)
        _refuse_others(where, preds, first)
    if first[0].n < 2:
        raise ValueError(f"validation rows must be at least 2, got {first[0].n}")
    return found


def _refuse_strangers(where: str, preds: Sequence[object]) -> None:
    strangers = [type(pred).__name__ for pred in preds if not isinstance(pred, Predictions)]
    if strangers or not preds:
        got = strangers[0] if strangers else "none"
        raise ValueError(f"{where} must be Predictions, one a seed, got {got}: {MAKE_THEM}")


def _refuse_others(where: str, preds: Sequence[Predictions], first: Sequence[Predictions]) -> None:
    """Refuse runs that have no partner at strength 0, by seed and by row."""
    if len(preds) != len(first):
        rule = f"{where} must have a run for each of the {len(first)} seeds of strength 0"
        raise ValueError(f"{rule}, got {len(preds)}")
    if not all(same_rows(pred, first[0]) for pred in preds):
        rule = f"{where} must be of the same validation rows as strength 0, in the same order"
        raise ValueError(f"{rule}; their labels or weights differ")


def _several(given: Predictions | Sequence[Predictions]) -> list[Predictions]:
    return [given] if isinstance(given, Predictions) else list(given)


def _cells(row: Worth) -> tuple[str, ...]:
    return (
        f"{row.strength:g}",
        f"{row.nll:.4f}",
        *_gain_cells(row, row.gain),
        f"{row.tempered_nll:.4f}",
        *_gain_cells(row, row.tempered_gain),
        f"{100 * row.accuracy:.2f}",
    )


def _gain_cells(row: Worth, gain: Interval) -> tuple[str, str]:
    if not row.strength:
        return "", ""
    return f"{gain.estimate:.4f}", f"{gain.low:.4f} to {gain.high:.4f}"
