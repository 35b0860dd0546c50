"""Each class against the rest: the diagrams of those that err most."""

from dataclasses import dataclass

import numpy as np

from ..families.defaults import BINNED_CURVE_FAMILY
from ..families.family import Family
from ..families.names import family_of
from ..fitting.types import Array
from ..inputs.predictions import Predictions
from ..inputs.questions import one_class
from ..measures.errors import calibration_error
from ..progress import progress
from .curve import Curve, reliability
from .drawn import Drawn


@dataclass(frozen=True, eq=False)
class Classwise(Drawn):
    """Diagrams of the classes that err most, the worst first.

    `error` is the mean over all `k` classes.
    """

    drawn_by = "classwise"

    curves: tuple[Curve, ...]
    names: tuple[str, ...]
    error: float
    k: int


def classwise(
    pred: Predictions,
    family: Family | str = BINNED_CURVE_FAMILY,
    *,
    most: int = 12,
    level: float | None = None,
) -> Classwise:
    """Reliability of each class against the rest, of the `most` classes with the largest error.

    >>> from calibrant import from_probs
    >>> probs, labels = [[0.7, 0.2, 0.1]] * 10, [0] * 7 + [1] * 3
    >>> classwise(from_probs(probs, labels, classes=["cat", "dog", "cow"]), most=2).names
    ('dog', 'cow')
    """
    _refuse_others(pred, most)
    family = family_of(family)
    errors = _class_errors(pred, family)
    # Ties keep the order of the classes; what differs by rounding alone is one.
    worst = np.argsort(-errors.round(12), kind="stable")[:most].tolist()
    curves = tuple(reliability(one_class(pred, k), family, level=level) for k in worst)
    names = tuple(str(pred.classes[k]) for k in worst)
    return Classwise(curves, names, float(errors.mean()), pred.k)


def _refuse_others(pred: object, most: object) -> None:
    if not isinstance(pred, Predictions):
        raise ValueError(
            f"classes are those of Predictions, got {type(pred).__name__}; "
            "use reliability for a view"
        )
    if not isinstance(most, int | np.integer) or most < 1:
        raise ValueError(f"most must be a whole number of classes, at least 1, got {most!r}")


def _class_errors(pred: Predictions, family: Family) -> Array:
    errors = np.empty(pred.k)
    with progress("asking each class", pred.k) as tick:
        for k in range(pred.k):
            errors[k] = calibration_error(one_class(pred, k), family)
            tick()
    return errors
