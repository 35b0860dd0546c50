"""Several models or families in one diagram: before and after, accuracy and error, order."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..families.defaults import BINNED_CURVE_FAMILY, EVALUATOR_FAMILIES
from ..families.family import Family
from ..families.names import family_of
from ..fitting.types import Array
from ..inference.intervals import Interval, interval
from ..inference.measuring import Measure
from ..inference.whole_vectors import NoInterval
from ..inputs.predictions import Predictions
from ..inputs.questions import Asked, Scored
from ..inputs.views import View
from ..measures.errors import calibration_error, ece, sweep_ece
from ..measures.ks import ks_error
from ..measures.scores import accuracy
from .curve import Curve, in_short, reliability
from .drawn import Drawn


def _error_by(family: Family) -> Measure:
    def error(x: Asked) -> float:
        return calibration_error(x, family)

    return error


EVALUATORS: Mapping[str, Measure] = {
    "ECE, 15 bins": ece,
    "ECE, bins by sweep": sweep_ece,
    "KS": ks_error,
    **{name: _error_by(family) for name, family in EVALUATOR_FAMILIES.items()},
}


@dataclass(frozen=True)
class Model:
    """A model's accuracy and error with their intervals; nan where an error of vectors has none.

    It is among the `best` if no other is better in one of them and as good in both.
    """

    name: str
    accuracy: Interval
    error: Interval
    best: bool


@dataclass(frozen=True)
class Pareto(Drawn):
    """Models by accuracy and error.

    `measure` is the error's name, `level` the confidence of the intervals.
    """

    drawn_by = "pareto"

    models: tuple[Model, ...]
    measure: str
    level: float


@dataclass(frozen=True, eq=False)
class Ordering(Drawn):
    """The error that each evaluator finds in each model, (evaluators, models)."""

    drawn_by = "ordering"

    models: tuple[str, ...]
    evaluators: tuple[str, ...]
    values: Array

    @property
    def order(self) -> list[list[int]]:
        """By each evaluator, the models from the least error to the largest; ties as given."""
        return np.argsort(self.values, axis=1, kind="stable").tolist()


def before_after(
    models: Mapping[str, Predictions | View],
    family: Family | str = BINNED_CURVE_FAMILY,
    *,
    level: float | None = None,
) -> dict[str, Curve]:
    """One reliability diagram each, side by side: `{"before": test, "after": map.apply(test)}`."""
    _refuse_unnamed(models, "models", "predictions")
    return {name: reliability(x, family, level=level) for name, x in models.items()}


def maps(
    x: Predictions | View, families: Mapping[str, Family | str] | Sequence[Family | str]
) -> dict[str, Curve]:
    """The maps of several families fitted to the same rows, without bands, by name.

    >>> from calibrant import Isotonic, Platt, binary
    >>> list(maps(binary([0.2, 0.4, 0.6, 0.8], [0, 1, 0, 1]), [Isotonic(), Platt()]))
    ['Isotonic()', 'Platt()']
    """
    if not isinstance(families, Mapping):
        families = {in_short(family_of(family)): family for family in families}
    _refuse_unnamed(families, "families", "a family")
    return {name: reliability(x, family, level=None) for name, family in families.items()}


def pareto(
    models: Mapping[str, Predictions | View],
    measure: Measure = ks_error,
    *,
    ask: Callable[[Predictions], Scored] | None = None,
    called: str = "calibration error",
    level: float = 0.95,
    n_boot: int = 1000,
    seed: int = 0,
) -> Pareto:
    """Accuracy and error of several models, with intervals, and which of them no other one beats.

    The error is of the top label, or of what `ask` asks: `pareto(models, ece, ask=classwise)`,
    `pareto(models, kde_error, ask=canonical)`. `called` names the measure in the picture.
    """
    _refuse_unnamed(models, "models", "predictions")
    rows = []
    for name, x in models.items():
        _refuse_parts(name, x, ask)
        right = interval(accuracy, x, level=level, n_boot=n_boot, seed=seed)
        asked = ask(x) if ask is not None and isinstance(x, Predictions) else x
        try:
            error = interval(measure, asked, level=level, n_boot=n_boot, seed=seed)
        except NoInterval:
            error = Interval(float(measure(asked)), np.nan, np.nan)
        rows.append(Model(name, right, error, best=True))
    judged = [replace(model, best=not _is_beaten(model, rows)) for model in rows]
    return Pareto(tuple(judged), called, level)


def ordering(
    models: Mapping[str, Asked], evaluators: Mapping[str, Measure] = EVALUATORS
) -> Ordering:
    """How several evaluators order models by calibration (Kängsepp et al. 2022, fig. F8).

    >>> from calibrant import binary, ece
    >>> right, wrong = binary([0.5] * 10, [1, 0] * 5), binary([0.9] * 10, [1, 0] * 5)
    >>> ordering({"wrong": wrong, "right": right}, {"ECE": ece}).order
    [[1, 0]]
    """
    _refuse_unnamed(models, "models", "predictions")
    _refuse_unnamed(evaluators, "evaluators", "a measure")
    values = [[float(measure(x)) for x in models.values()] for measure in evaluators.values()]
    return Ordering(tuple(models), tuple(evaluators), np.array(values))


def _is_beaten(model: Model, others: Sequence[Model]) -> bool:
    return any(_beats(other, model) for other in others)


def _beats(one: Model, other: Model) -> bool:
    """Whether a model is as good as another in accuracy and error, and better in one of them."""
    accuracy_gain = one.accuracy.estimate - other.accuracy.estimate
    error_gain = other.error.estimate - one.error.estimate
    return min(accuracy_gain, error_gain) >= 0 and max(accuracy_gain, error_gain) > 0


def _refuse_parts(name: str, x: Predictions | View, ask: object) -> None:
    """Refuse a view that is one question of several: it does not say how accurate a model is."""
    if isinstance(x, Predictions) or (x.completes is not None and ask is None):
        return
    if isinstance(x, View):
        rule = "accuracy is of predictions, or of binary(p, y)"
        way_out = "give the predictions, and ask=classwise, canonical, ... for the error"
        raise ValueError(f"{rule}; models[{name!r}] is a view: {way_out}")


def _refuse_unnamed(given: object, what: str, each: str) -> None:
    if not isinstance(given, Mapping) or not given:
        raise ValueError(
            f"{what} must be given by name, {{name: {each}}}, at least one; got {given!r}"
        )
