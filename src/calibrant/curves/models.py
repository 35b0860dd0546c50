"""Several models, or several families, in one diagram: before and after, accuracy against error, and order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..families.binary.binned import Binned
from ..families.binary.isotonic import Isotonic
from ..families.binary.piecewise import PiecewiseLinear
from ..families.binary.smooth import Smooth
from ..families.family import Family
from ..fitting.types import Array
from ..inference.intervals import Interval, interval
from ..inference.inversion import Measure
from ..inputs.predictions import Predictions
from ..inputs.questions import Asked
from ..inputs.views import View
from ..measures.errors import calibration_error, ece, sweep_ece
from ..measures.ks import ks_error
from ..measures.scores import accuracy
from .curve import Curve, in_short, reliability

EVALUATORS: Mapping[str, Measure] = {
    "ECE, 15 bins": ece,
    "ECE, bins by sweep": sweep_ece,
    "KS": ks_error,
    "Isotonic": lambda x: calibration_error(x, Isotonic()),
    "PL3": lambda x: calibration_error(x, PiecewiseLinear(space="logit")),
    "Smooth": lambda x: calibration_error(x, Smooth()),
}


@dataclass(frozen=True)
class Model:
    """A model's accuracy and error with their intervals; `best` if no other is better in one and as good in both."""

    name: str
    accuracy: Interval
    error: Interval
    best: bool


@dataclass(frozen=True)
class Pareto:
    """Models by accuracy and error; `measure` is the error's name, `level` the confidence of the intervals."""

    models: tuple[Model, ...]
    measure: str
    level: float


@dataclass(frozen=True, eq=False)
class Ordering:
    """The error that each evaluator finds in each model, (evaluators, models)."""

    models: tuple[str, ...]
    evaluators: tuple[str, ...]
    values: Array

    @property
    def order(self) -> list[list[int]]:
        """By each evaluator, the models from the least error to the largest; ties in the order given."""
        return np.argsort(self.values, axis=1, kind="stable").tolist()


def before_after(
    models: Mapping[str, Predictions | View],
    family: Family = Binned(),  # noqa: B008 - families are frozen
    *,
    level: float | None = None,
) -> dict[str, Curve]:
    """One reliability diagram each, to be seen side by side: `{"as they are": test, "Temperature": mended}`."""
    _refuse_unnamed(models, "models", "predictions")
    return {name: reliability(x, family, level=level) for name, x in models.items()}


def maps(
    x: Predictions | View, families: Mapping[str, Family] | Sequence[Family]
) -> dict[str, Curve]:
    """The maps of several families fitted to the same rows, without bands, by name.

    >>> from calibrant import Isotonic, Platt, binary
    >>> list(maps(binary([0.2, 0.4, 0.6, 0.8], [0, 1, 0, 1]), [Isotonic(), Platt()]))
    ['Isotonic()', 'Platt()']
    """
    if not isinstance(families, Mapping):
        families = {in_short(family): family for family in families}
    _refuse_unnamed(families, "families", "a family")
    return {name: reliability(x, family, level=None) for name, family in families.items()}


def pareto(
    models: Mapping[str, Predictions | View],
    measure: Measure = ks_error,
    *,
    called: str = "calibration error",
    level: float = 0.95,
    n_boot: int = 1000,
    seed: int = 0,
) -> Pareto:
    """Accuracy and error of several models, each with its interval, and which of them no other one beats.

    `called` names the measure in the picture.
    """
    _refuse_unnamed(models, "models", "predictions")
    found = {
        name: [
            interval(each, x, level=level, n_boot=n_boot, seed=seed) for each in (accuracy, measure)
        ]
        for name, x in models.items()
    }
    rows = []
    for name, (right, error) in found.items():
        others = [(-a.estimate, e.estimate) for other, (a, e) in found.items() if other != name]
        own = (-right.estimate, error.estimate)
        beaten = any(other[0] <= own[0] and other[1] <= own[1] and other != own for other in others)
        rows.append(Model(name, right, error, not beaten))
    return Pareto(tuple(rows), called, level)


def ordering(
    models: Mapping[str, Asked], evaluators: Mapping[str, Measure] = EVALUATORS
) -> Ordering:
    """How several evaluators order models by calibration (paper 004, fig. F8).

    >>> from calibrant import binary, ece
    >>> right, wrong = binary([0.5] * 10, [1, 0] * 5), binary([0.9] * 10, [1, 0] * 5)
    >>> ordering({"wrong": wrong, "right": right}, {"ECE": ece}).order
    [[1, 0]]
    """
    _refuse_unnamed(models, "models", "predictions")
    _refuse_unnamed(evaluators, "evaluators", "a measure")
    values = [[float(measure(x)) for x in models.values()] for measure in evaluators.values()]
    return Ordering(tuple(models), tuple(evaluators), np.array(values))


def _refuse_unnamed(given: object, what: str, each: str) -> None:
    if not isinstance(given, Mapping) or not given:
        raise ValueError(
            f"{what} must be given by name, {{name: {each}}}, at least one; got {given!r}"
        )
