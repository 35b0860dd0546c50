"""Every measure, score and view function, found by itself among the public names."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property
from inspect import Parameter, isfunction, signature
from typing import Any, get_args, get_type_hints

import numpy as np
from exemptions import EXEMPT_MEASURES, MAY_REFUSE
from shared_rows import SIX_VECTORS

import calibrant as c
from calibrant import Canonical, Predictions, View, canonical
from calibrant.fitting.types import Array

Function = Callable[..., Any]

# Settings that change a measure's path, beside its defaults.
SETTINGS: dict[Function, list[dict[str, object]]] = {
    c.ece: [
        {"edges": "mass"},
        {"norm": 2},
        {"debias": True},
        {"norm": 2, "debias": True},
    ],
    c.kde_error: [{"bandwidth": 0.01, "norm": 2}, {"bandwidth": "outcomes"}],
    c.smece: [{"width": 0.1}],
    c.skce: [{"estimator": "biased"}, {"estimator": "block", "block": 4}],
    c.calibration_error: [{"norm": 2}, {"norm": "max"}, {"family": c.Temperature()}],
    c.decompose: [{"score": "log"}],
}
# What the first number of a measure is for claims that are right, if not 0.
RIGHT_VALUES: dict[Function, float] = {c.observed_expected: 1.0, c.slope_intercept: 1.0}
VIEW_KINDS = (View, Canonical, tuple[View, ...])


@dataclass(frozen=True, eq=False)
class Measure:
    """A measure with its settings, as a function from rows to the numbers that it tells."""

    function: Function
    settings: dict[str, object] = field(default_factory=dict)

    def __call__(self, x: object) -> Array:
        """The numbers; none where a measure that may refuse does so."""
        try:
            found = self.function(x, **self.settings)
        except ValueError:
            if self.function.__name__ in MAY_REFUSE:
                return np.empty(0)
            raise
        return np.hstack(found if isinstance(found, tuple) else [found])

    def takes(self, kind: object) -> bool:
        """Whether its first argument may be of a kind."""
        return kind in kinds_taken(self.function)

    @cached_property
    def takes_whole_vectors(self) -> bool:
        """Whether it measures the canonical question: a family of one chance does not."""
        if not self.takes(Canonical):
            return False
        try:
            self(canonical(SIX_VECTORS))
        except ValueError as refusal:
            if "OneVsRest" in str(refusal):
                return False
            raise
        return True

    def is_exempt_from(self, law: str) -> bool:
        """Whether a law does not hold for it, with its settings or with any."""
        exempt = EXEMPT_MEASURES.get(law, {})
        return self.function.__name__ in exempt or repr(self) in exempt

    def __repr__(self) -> str:
        settings = [f"{name}={value!r}" for name, value in self.settings.items()]
        return f"{self.function.__name__}({', '.join(settings)})"


def public_functions() -> dict[str, Function]:
    """Every public function by its name."""
    public = {name: getattr(c, name) for name in c.__all__}
    return {name: thing for name, thing in public.items() if isfunction(thing)}


def is_measure(function: Function) -> bool:
    """Whatever lives among the measures is one."""
    return function.__module__.startswith("calibrant.measures.")


def is_view_function(function: Function) -> bool:
    """What makes a view of predictions, or several."""
    asks = Predictions in kinds_taken(function)
    return asks and get_type_hints(function)["return"] in VIEW_KINDS


@cache
def kinds_taken(function: Function) -> tuple[object, ...]:
    """What the first argument of a function may be."""
    first = next(iter(signature(function).parameters))
    hint = get_type_hints(function)[first]
    return get_args(hint) or (hint,)


def asked_of(function: Function, pred: Predictions) -> list[View | Canonical]:
    """The views that a view function makes; a rank or a class that it needs is 2."""
    _, *others = signature(function).parameters.values()
    needed = [each for each in others if each.default is Parameter.empty]
    found = function(pred, *[2 for _ in needed])
    return list(found) if isinstance(found, tuple) else [found]


def _tried(function: Function) -> list[Measure]:
    settings = SETTINGS.get(function, [])
    return [Measure(function), *(Measure(function, each) for each in settings)]


MEASURES = [
    measure
    for function in public_functions().values()
    if is_measure(function)
    for measure in _tried(function)
]
VIEW_FUNCTIONS = [
    function for function in public_functions().values() if is_view_function(function)
]
