"""What estimators with a family share: its fields are parameters, as searches want them."""

from dataclasses import fields, replace
from typing import Any, Self

from .choosing import usual_or_chosen
from .classifier_claims import Labels, Table
from .families.defaults import classifier_family
from .families.family import Family
from .families.maps import Map
from .families.names import family_of
from .inputs.predictions import Predictions

PREFIX = "family__"


class WithFamily:
    """A mixin of estimators with a frozen family, whose fields are parameters: `family__n_bins`."""

    family: Family | str | None
    classes_: Labels
    predict_proba: Any

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002 - scikit-learn's signature
        """Parameters by name; with `deep`, those of the estimator and the family as well."""
        params: dict[str, Any] = super().get_params(deep)  # type: ignore[misc]
        if deep:
            params |= family_parameters(_unnamed(self.family), PREFIX)
        return params

    def set_params(self, **params: object) -> Self:
        """Set parameters by name; one of the family's makes a new family, as it is frozen."""
        of_family = [name for name in params if name.startswith(PREFIX)]
        values = {name: params.pop(name) for name in of_family}
        super().set_params(**params)  # type: ignore[misc]
        # Sorted, so that a family within is set before its own fields.
        for name in sorted(of_family):
            field = name.removeprefix(PREFIX)
            self.family = with_parameter(_unnamed(self.family), field, values[name])
        return self

    def predict(self, X: Table) -> Labels:
        """The most probable class after calibration."""
        q = self.predict_proba(X)
        return self.classes_[q.argmax(1)]

    def _map(self, pred: Predictions) -> Map:
        family = self.family
        if family is None:
            family = usual_or_chosen(pred, classifier_family(pred))
        return family_of(family).fit(pred)


def _unnamed(family: Family | str | None) -> object:
    """The family itself where its name is given, as its fields are parameters too."""
    if not isinstance(family, str):
        return family
    try:
        return family_of(family)
    except ValueError:
        return family  # refused when it is fitted, as scikit-learn wants it


def family_parameters(family: object, prefix: str = "") -> dict[str, object]:
    """Fields of a family, and of the families within it, by the names that a search gives them.

    >>> from calibrant import HistogramBinning, OneVsRest
    >>> family_parameters(OneVsRest(HistogramBinning(7)))["family__n_bins"]
    7
    """
    found: dict[str, object] = {}
    if not isinstance(family, Family):
        return found
    for field in fields(family):  # type: ignore[arg-type]
        value = getattr(family, field.name)
        found[prefix + field.name] = value
        found |= family_parameters(value, f"{prefix}{field.name}__")
    return found


def with_parameter(family: Any, name: str, value: object) -> Family:  # noqa: ANN401 - a family, None or a mistake
    """The family with another field: `n_bins`, or `family__n_bins` of the family within.

    >>> from calibrant import HistogramBinning, OneVsRest
    >>> with_parameter(OneVsRest(HistogramBinning()), "family__n_bins", 7)
    OneVsRest(family=HistogramBinning(n_bins=7, edges='mass'))
    """
    known = list(family_parameters(family))
    own, _, within = name.partition("__")
    if own not in known:
        raise ValueError(
            f"Invalid parameter {own!r} for family {family!r}. Valid parameters are: {known}"
        )
    if within:
        value = with_parameter(getattr(family, own), within, value)
    return replace(family, **{own: value})
