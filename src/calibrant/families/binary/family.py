"""Families for one chance, and what they become where there are several classes."""

from abc import abstractmethod

from ...inputs.predictions import Predictions
from ...inputs.questions import one_class
from ...inputs.views import View
from ..family import Family, Question, VectorFamily
from ..maps import Map
from ..multiclass.one_vs_rest import OneVsRest
from ..rules import ChanceRule


class ChanceFamily(Family):
    """A family for one chance: of two classes it takes class 1, of more `of_many_classes`.

    A subclass is a frozen dataclass of hyperparameters, whose `chance_rule` chooses a `ChanceRule`.
    A view has claims `p` and their `log_odds`, outcomes `y`, weights `w` or None and their `total`.
    Its `pool` and `odds_pool` have equal claims as one, in ascending order::

        @dataclass(frozen=True)
        class Sharing(ChanceFamily):
            def chance_rule(self, view: View) -> Shared:
                p, w, happened = view.pool
                return Shared(float(happened.sum() / (w @ p)))
    """

    def fit(self, x: Question, *apart: object) -> Map:
        """Choose the map that fits a view, class 1 of two, or whole vectors of more."""
        if apart or not isinstance(x, Predictions) or x.answers is not None:
            return super().fit(x, *apart)
        if x.k == 2:
            return super().fit(one_class(x, 1))
        return self.of_many_classes().fit(x)

    def of_many_classes(self) -> VectorFamily:
        """What it becomes where there are more than two classes: one-vs-rest, unless overridden."""
        return OneVsRest(self)

    @abstractmethod
    def chance_rule(self, view: View) -> ChanceRule:
        """Choose the rule for one chance."""
