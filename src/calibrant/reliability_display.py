"""A reliability diagram as scikit-learn's displays are: it holds numbers, then draws on given axes."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .classifier_claims import (
    Classifier,
    Table,
    claims_with_labels,
    classes_of_columns,
    predictions,
)
from .curves import Curve, reliability
from .families.defaults import CURVE_FAMILY
from .families.family import Family
from .inputs.predictions import Predictions
from .inputs.questions import one_class
from .reporting.first_question import first_view

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class ReliabilityDisplay:
    """A reliability diagram of the positive class of two, or else of the top label.

    `curve` holds its numbers; `plot` draws them, and then `ax_` and `figure_` are where.

    >>> display = ReliabilityDisplay.from_predictions([0, 1, 1, 0], [0.2, 0.8, 0.6, 0.4])
    >>> display.curve.event, display.curve.total
    ('the class is 1', 4.0)
    """

    ax_: "Axes"
    figure_: "Figure"

    def __init__(self, curve: Curve) -> None:
        self.curve = curve

    @classmethod
    def from_estimator(
        cls,
        estimator: Classifier,
        X: Table,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: Any = None,  # noqa: ANN401 - a class of whatever type
        family: Family | str = CURVE_FAMILY,
        level: float | None = 0.95,
        ax: "Axes | None" = None,
    ) -> Self:
        """What a fitted classifier claims of rows beside what they are, drawn; of `pos_label` if given."""
        w = None if sample_weight is None else np.asarray(sample_weight)
        pred = claims_with_labels(estimator, estimator.classes_, X, np.asarray(y), w)
        return cls._of(pred, pos_label, family, level).plot(ax=ax)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_prob: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: Any = None,  # noqa: ANN401 - a class of whatever type
        family: Family | str = CURVE_FAMILY,
        level: float | None = 0.95,
        ax: "Axes | None" = None,
    ) -> Self:
        """Chances, (n,) of the positive class or (n, k) of all, beside the true classes, drawn.

        The positive class of two is `pos_label`, or else the second in order.
        """
        p = np.asarray(y_prob)
        labels = np.asarray(y_true)
        classes = classes_of_columns(labels, p.shape[1] if p.ndim == 2 else 2)
        if p.ndim == 1 and pos_label is not None:
            # The chances are of that class, wherever it stands in order.
            classes = np.array(sorted(classes.tolist(), key=pos_label.__eq__))
        pred = predictions(p, "probs", classes, labels, sample_weight)
        return cls._of(pred, pos_label, family, level).plot(ax=ax)

    def plot(self, *, ax: "Axes | None" = None) -> Self:
        """Draw the numbers, on the axes given or on new ones."""
        # Matplotlib is slow to import, and numbers need none.
        from .plots import reliability as draw

        self.ax_ = draw(self.curve, ax=ax)
        self.figure_ = self.ax_.figure  # type: ignore[assignment]
        return self

    @classmethod
    def _of(
        cls,
        pred: Predictions,
        pos_label: Any,  # noqa: ANN401 - a class of whatever type
        family: Family | str,
        level: float | None,
    ) -> Self:
        view = first_view(pred) if pos_label is None else one_class(pred, pos_label)
        return cls(reliability(view, family, level=level))
