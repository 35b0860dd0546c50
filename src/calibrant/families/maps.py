"""Fitted maps: what a family gives, to be called, applied, saved and deployed."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from ..fitting.logspace import TINY
from ..fitting.types import Array
from ..inputs.checks import checked_chances, floats
from ..inputs.predictions import Kind, Predictions, from_logits, from_probs
from ..inputs.questions import binary, one_class
from ..inputs.views import Canonical, View
from .inverse import inverse
from .operations import GivenClaims
from .rules import ChanceRule, LogitRule, VectorRule

if TYPE_CHECKING:
    from .family import Family


@dataclass(frozen=True, eq=False)
class Map(ABC):
    """A fitted map from claimed to calibrated chances: call it on a view, or `apply` it."""

    family: "Family"
    rule: Any  # the family's own rule, whose numbers may be looked at
    total: float  # how many observations it was fitted on
    _: KW_ONLY
    floor: float = TINY  # what a claim of exactly 0, or exactly 1 less a claim, is read as
    rounded: float = 0.0  # how many observations it was fitted on claimed 0 or 1 exactly

    @abstractmethod
    def __call__(self, x: Any) -> Array:  # noqa: ANN401 - a view like the one it was fitted on
        """Calibrated chances for a view's claims, or for an array of them."""

    @abstractmethod
    def apply(self, x: Any) -> Any:  # noqa: ANN401 - predictions to predictions, a view to a view
        """Predictions with every vector calibrated, or a view with its claims calibrated."""

    @property
    def single_maps(self) -> tuple["Map", ...]:
        """The maps that it is made of, of which each maps all rows it is given: itself."""
        return (self,)

    # Rooms above are loaded when they are asked for: they need extras, and fitting needs none.

    def save(self, path: str | PathLike[str]) -> None:
        """Write the map to one safetensors file, whole or not at all."""
        from ..deploy.store import save

        save(self, path)

    def to_onnx(
        self,
        path: str | PathLike[str],
        *,
        dtype: Literal["float32", "float64"] = "float32",
    ) -> None:
        """Write the map as an ONNX model, whole or not at all; needs the extra `onnx`.

        Numbers of type `dtype` go in and come out.
        """
        from ..deploy.onnx import export

        export(self, path, dtype=dtype)

    def to_sql(
        self,
        columns: str | Sequence[str],
        *,
        table: str | None = None,
        keep: Sequence[str] = (),
        dialect: Literal["standard", "spark"] = "standard",
    ) -> str:
        """The map as SQL: an expression of a column of chances, or a SELECT list of k columns.

        Columns hold what the map was fitted on, logits or probabilities. With `table` it is a whole
        query, which also has the columns to `keep` and works out once what classes share; Spark
        takes it in a `dialect` of its own.
        """
        from ..deploy.sql import to_sql

        return to_sql(self, columns, table=table, keep=keep, dialect=dialect)


@dataclass(frozen=True, eq=False)
class ChanceMap(Map):
    """A fitted map of one chance; `event` and `completes` say what it was fitted on."""

    rule: ChanceRule
    event: str
    completes: Literal[0, 1] | None
    classes: tuple[object, ...] | None

    def __call__(self, x: View | ArrayLike) -> Array:
        """Calibrated chances for a view's claims, or for an array of chances."""
        if isinstance(x, Predictions | Canonical):
            raise ValueError(
                f"this map is of one chance (that {self.event}); "
                "use map.apply(pred) or ask a view first"
            )
        if isinstance(x, View):
            claims = x.with_floor(self.floor)
            return self.rule(claims)
        p = floats(x, "p")
        no_outcomes = np.zeros(p.size, np.bool_)
        q = self(binary(p.ravel(), no_outcomes))
        return q.reshape(p.shape)

    def inverse(self, q: ArrayLike) -> Array:
        """The least claims that the map sends to these chances or more: where to cut raw claims.

        Only a map that never falls has one.

        >>> from calibrant import Platt, binary
        >>> fitted = Platt().fit(binary([0.2] * 5 + [0.9] * 5, [1, 0, 0, 0, 0, 1, 1, 1, 1, 0]))
        >>> fitted(fitted.inverse([0.5, 0.6])).round(6).tolist()
        [0.5, 0.6]
        """

        def of_log_odds(z: Array) -> Array:
            return np.clip(self.rule(GivenClaims(expit(z), lambda: z)), 0, 1)

        wanted = floats(q, "q")
        claims = inverse(of_log_odds, checked_chances(wanted.ravel(), "q"))
        return claims.reshape(wanted.shape)

    def apply(self, x: Predictions | View) -> Any:  # noqa: ANN401 - of the kind of x
        """A view with its claims calibrated, or predictions of two classes with both chances so."""
        if isinstance(x, View):
            return self._calibrated_view(x)
        if not isinstance(x, Predictions):
            raise ValueError(
                f"a map is applied to Predictions or a View, got {type(x).__name__}; "
                "map(p) maps an array of chances"
            )
        if x.answers is not None:
            return x.answers.mended(self)
        return self._calibrated_pair(x)

    def _calibrated_view(self, view: View) -> View:
        if self.rule.changes_nothing:
            return view
        q = self(view).astype(np.float64)
        # What a map gives is scored in log space: it is not clipped as given chances are.
        return replace(view, p=np.clip(q, 0, 1), exact_log_odds=None, reading=None, clip=TINY)

    def _calibrated_pair(self, pred: Predictions) -> Predictions:
        if self.completes is None or pred.k != 2:
            raise ValueError(
                f"apply needs a map of whole vectors: this one was fitted on whether {self.event} "
                f"and the predictions have {pred.k} classes; fit on Predictions, "
                f"or use OneVsRest({self.family!r})"
            )
        if self.classes is not None:
            check_classes(self.classes, pred)
        claims = with_labels(pred).with_floor(self.floor)
        view = one_class(claims, self.completes)
        q = np.clip(self(view), 0, 1)
        rest = 1 - q
        pair = (rest, q) if self.completes else (q, rest)
        return calibrated(pred, np.stack(pair, axis=1), "probs")


@dataclass(frozen=True, eq=False)
class VectorMap(Map):
    """A fitted map of whole vectors; `kind` and `classes` say what it was fitted on."""

    rule: VectorRule
    kind: Kind
    classes: tuple[object, ...]

    def __call__(self, x: Canonical | Predictions | ArrayLike) -> Array:
        """Calibrated chances, (n, k), of vectors of the kind that the map was fitted on."""
        return self.rule(self._canonical(x))

    def apply(self, x: Predictions) -> Predictions:
        """Predictions with every vector calibrated, as logits where the family works on logits."""
        if isinstance(x, Predictions) and x.answers is not None:
            mended: Predictions = x.answers.mended(self)
            return mended
        pred = self._predictions(x)
        view = self._canonical(pred)
        if self.rule.changes_nothing:
            return pred
        if isinstance(self.rule, LogitRule):
            logits = self.rule.calibrated_logits(view)
            return calibrated(pred, logits, "logits")
        return calibrated(pred, self.rule(view), "probs")

    def _canonical(self, x: Canonical | Predictions | ArrayLike) -> Canonical:
        """The vectors to calibrate, if they are what the map was fitted on."""
        pred = self._predictions(x)
        if pred.kind != self.kind:
            raise ValueError(
                f"this map was fitted on {self.kind} and the predictions are {pred.kind}: "
                f"give {self.kind}, from_{self.kind}"
            )
        check_classes(self.classes, pred)
        return Canonical(with_labels(pred).with_floor(self.floor))

    def _predictions(self, x: Canonical | Predictions | ArrayLike) -> Predictions:
        if isinstance(x, Predictions):
            return x
        if isinstance(x, Canonical):
            return x.pred
        if isinstance(x, View):
            raise ValueError(
                f"{self.family!r} was fitted on whole vectors and a view has one chance a row; "
                "use canonical(pred)"
            )
        k = len(self.classes)
        values = floats(x, self.kind)
        if values.ndim == 1 and k > 2:
            raise ValueError(
                f"this map is of {k} classes and takes {self.kind} of shape (n, {k}), got shape "
                f"{values.shape}; of one row alone give [x]"
            )
        make = from_logits if self.kind == "logits" else from_probs
        return make(values, classes=self.classes)


def check_classes(fitted: tuple[object, ...], pred: Predictions) -> None:
    """A map of some classes says nothing of others, nor of the same in another order.

    Classes without names are those of the map, by their places.
    """
    places = range(len(fitted))
    is_named = pred.classes != tuple(places) or not set(fitted).isdisjoint(places)
    if pred.classes != fitted and is_named:
        some = fitted[:3]
        others = pred.classes[:3]
        raise ValueError(
            f"this map was fitted on {len(fitted)} classes {some}... and the predictions have "
            f"{pred.k} classes {others}...; they must be the same in the same order"
        )


def calibrated(pred: Predictions, values: Array, kind: Kind) -> Predictions:
    """Predictions with other values, and all else as it was."""
    # What a map gives is scored in log space: it is not clipped as given probabilities are.
    labels = pred.known_labels
    return Predictions(values, labels, pred.weights, pred.classes, kind, clip=TINY)


def with_labels(pred: Predictions) -> Predictions:
    """Predictions to be asked for claims alone: a map looks at no label, so any will do."""
    if pred.known_labels is not None:
        return pred
    return replace(pred, known_labels=np.zeros(pred.n, np.intp))
