"""Every default family of the library, named once."""

from collections.abc import Mapping

from ..inputs.predictions import Predictions
from ..inputs.views import Data
from .binary.bbq import BBQ
from .binary.binned import Binned, HistogramBinning
from .binary.isotonic import Isotonic
from .binary.logistic import Beta, Platt
from .binary.piecewise import PiecewiseLinear
from .binary.smooth import Smooth
from .binary.spline import Spline
from .binary.venn_abers import VennAbers
from .family import Family
from .multiclass.ensemble import EnsembleTemperature
from .multiclass.identity import Identity
from .multiclass.linear import VectorScaling
from .multiclass.one_vs_rest import OneVsRest
from .multiclass.order_preserving import OrderPreserving
from .multiclass.structured import StructuredMatrix
from .multiclass.temperature import Temperature

# What measures, diagrams and the pages of reports fit to the very rows that they look at.
ERROR_FAMILY = Smooth()
DECOMPOSITION_FAMILY = Isotonic()
CURVE_FAMILY = Smooth()
BINNED_CURVE_FAMILY = Binned()
CUMULATIVE_FAMILY = Spline()
EVALUATOR_FAMILIES: Mapping[str, Family] = {
    "Isotonic": Isotonic(),
    "PL3": PiecewiseLinear(space="logit"),
    "Smooth": Smooth(),
}

# What a report fits to other rows, to see what would mend these.
REPORT_FAMILIES: tuple[Family, ...] = (Temperature(), Smooth())


def fitted_family(x: Data) -> Family:
    """What `calibrant fit` fits where no family is named."""
    return Temperature() if isinstance(x, Predictions) else Smooth()


def classifier_family(pred: Predictions) -> Family:
    """What calibrates a classifier of scikit-learn."""
    if pred.k > 2:
        return Temperature()
    # Raw scores are log odds in name only: a line gives them whatever scale fits, and asks little
    # of few rows.
    return Smooth() if pred.kind == "probs" else Platt()


def selection_candidates(x: Data) -> tuple[Family, ...]:
    """What `select` chooses from, the simplest first: those that helped where simpler ones did not.

    That was on the models of docs/benchmarks/arena.md.
    """
    simple = (Identity(), Temperature())
    logistic = (Platt(), Beta())
    order_preserving = (
        EnsembleTemperature(),
        OrderPreserving(),
        OrderPreserving(kind="preserving"),
    )
    if not isinstance(x, Predictions):
        return (*simple, *logistic, Smooth())
    if x.k == 2:
        return (*simple, *logistic, *order_preserving, Smooth())
    return (*simple, *order_preserving, StructuredMatrix(), OneVsRest(Smooth()))


def compared_families(x: Data) -> tuple[Family, ...]:
    """What `calibrant compare` compares where nothing is named, the simplest first."""
    of_vectors = (EnsembleTemperature(), OrderPreserving(), VectorScaling(), StructuredMatrix())
    smooth = (Platt(), Beta(), Smooth(), Spline())
    stepwise = (Isotonic(), VennAbers(), BBQ(), HistogramBinning())
    if not isinstance(x, Predictions):
        return (Temperature(), *smooth, *stepwise)
    return (Temperature(), *of_vectors, *smooth, *stepwise)
