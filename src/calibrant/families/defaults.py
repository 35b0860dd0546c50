"""Every default family of the library, named once.

Those of a signature are families; lists are of names, so that a measure loads no family it has no use for.
"""

from collections.abc import Mapping

from ..inputs.predictions import Predictions
from ..inputs.views import Data
from .binary.binned import Binned
from .binary.isotonic import Isotonic
from .binary.logistic import Platt
from .binary.piecewise import PiecewiseLinear
from .binary.smooth import Smooth
from .binary.spline import Spline
from .family import Family
from .multiclass.temperature import Temperature
from .names import family_of

# What measures, diagrams and the pages of reports fit to the very rows that they look at.
ERROR_FAMILY: Smooth = Smooth()
DECOMPOSITION_FAMILY: Isotonic = Isotonic()
CURVE_FAMILY: Smooth = Smooth()
BINNED_CURVE_FAMILY: Binned = Binned()
CUMULATIVE_FAMILY: Spline = Spline()
EVALUATOR_FAMILIES: Mapping[str, Family] = {
    "Isotonic": Isotonic(),
    "PL3": PiecewiseLinear(space="logit"),
    "Smooth": Smooth(),
}

# What a report fits to other rows, to see what would mend these.
REPORT_FAMILIES: tuple[Family, ...] = (Temperature(), Smooth())

# What `select` chooses from, and `calibrant compare` compares, where nothing is named: the simplest first.
SIMPLE = ("identity", "temperature")
LOGISTIC = ("platt", "beta")
ORDER_PRESERVING = (
    "ensemble-temperature",
    "order-preserving",
    "order-preserving(kind=preserving)",
)
LINEAR = ("vector-scaling", "structured-matrix")
BENT = ("chain(structured-matrix, order-preserving)", "one-vs-rest(smooth)")
COMPARED_OF_VECTORS = (
    "ensemble-temperature",
    "order-preserving",
    "vector-scaling",
    "structured-matrix",
)
COMPARED_OF_CHANCES = (
    *LOGISTIC,
    "smooth",
    "spline",
    "isotonic",
    "venn-abers",
    "bbq",
    "histogram-binning",
)


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
    """What `select` chooses from: those that helped where simpler ones did not.

    That was on the models of docs/benchmarks/arena.md.
    """
    if not isinstance(x, Predictions):
        # By evidence it holds itself near the claims: to choose among others too loses on the mean.
        return _families("smooth")
    # A chance of exactly 0 costs 36 nats or more once it is wrong, which held-out rows may not have seen.
    is_certain = x.kind == "probs" and x.values.min() <= 0
    simple = SIMPLE[1:] if is_certain else SIMPLE
    if x.k == 2:
        return _families(*simple, *LOGISTIC, *ORDER_PRESERVING, "smooth")
    return _families(*simple, *ORDER_PRESERVING, *LINEAR, *BENT)


def compared_families(x: Data) -> tuple[Family, ...]:
    """What `calibrant compare` compares where nothing is named."""
    of_vectors = COMPARED_OF_VECTORS if isinstance(x, Predictions) else ()
    return _families("temperature", *of_vectors, *COMPARED_OF_CHANCES)


def _families(*names: str) -> tuple[Family, ...]:
    return tuple(map(family_of, names))
