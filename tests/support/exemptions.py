"""What is exempt from a law, and why: the one list of exceptions that the laws have."""

import calibrant as c
from calibrant import Family

FLAT = "flat bins cannot say p itself: their error goes to the mean distance within a bin"
BY_FOLDS = "chooses by cross-validation, whose folds know rows and not weights"
UNCLIPPED = "measures unclipped: only what is applied is a chance"
OF_FOLDS = "is the mean of the folds' maps, and the rows of a fold do not hold to the row"
ONE_ROW = "estimates noise, to which a fractional outcome is one row with the residual y - p"
A_HUNDRED = "takes long, so a hundred classes must do: benchmarks/many_classes.py has a thousand"

# Families that laws of any rows cannot be tried on.
UNTRIED: dict[type[Family], str] = {
    c.ByGroup: "needs the group of each row: tests/groups",
    c.PriorShift: "refuses rows that lack a class, and changes claims that hold: tests/shift",
}
# By the law; a class stands for all of its settings.
EXEMPT_FAMILIES: dict[str, dict[Family | type[Family], str]] = {
    "a_weight_is_a_count": {
        c.Binned(edges="mass", rule="cv"): BY_FOLDS,
        c.Spline("cv"): BY_FOLDS,
        c.PiecewiseLinear(): BY_FOLDS,
        c.PiecewiseLinear(space="logit"): BY_FOLDS,
        c.PiecewisePolynomial(): BY_FOLDS,
        c.MatrixScaling(off_diagonal="cv", intercept="cv"): BY_FOLDS,
        c.Dirichlet(): BY_FOLDS,
        c.Blend((c.Platt(), c.Isotonic())): BY_FOLDS,
        c.Blend((c.Temperature(), c.OneVsRest(c.Isotonic()))): BY_FOLDS,
    },
    "a_share_is_two_rows": {
        c.Binned(edges="mass", rule="cv"): BY_FOLDS,
        c.Spline("cv"): BY_FOLDS,
        c.PiecewiseLinear(): BY_FOLDS,
        c.PiecewiseLinear(space="logit"): BY_FOLDS,
        c.PiecewisePolynomial(): BY_FOLDS,
        c.MatrixScaling(off_diagonal="cv", intercept="cv"): BY_FOLDS,
        c.Dirichlet(): BY_FOLDS,
        c.Blend((c.Platt(), c.Isotonic())): BY_FOLDS,
        c.Blend((c.Temperature(), c.OneVsRest(c.Isotonic()))): BY_FOLDS,
    },
    "q_is_a_chance": {
        c.Binned(): UNCLIPPED,
        c.Binned(5, edges="mass"): UNCLIPPED,
        c.Binned(edges="mass", rule="sweep"): UNCLIPPED,
        c.Binned(edges="mass", rule="cv"): UNCLIPPED,
    },
    "the_wrong_rows_are_refused": {
        c.Blend((c.Platt(), c.Isotonic())): "its families become one-vs-rest by themselves",
        c.Blend((c.Platt(), c.Isotonic()), shares=(0.25, 0.75)): (
            "its families become one-vs-rest by themselves"
        ),
    },
    "a_calibrated_error_goes_to_zero": {
        c.Binned(4, slope=0): FLAT,
        c.HistogramBinning: FLAT,
        c.ScalingBinning: FLAT,
        c.BBQ: FLAT,
        c.Dirichlet(l2=0.01): "its ridge does not grow weaker with rows",
        c.Blend((c.Temperature(), c.OneVsRest(c.Isotonic()))): (
            "of few rows the temperature alone is left, which errs little already"
        ),
        c.StructuredMatrix: "of few rows little but the temperature is left, which errs little",
        c.Chain((c.StructuredMatrix(), c.OrderPreserving())): "of few rows likewise",
    },
    "the_identity_is_a_fixed_point": {
        c.Binned(4, slope=0): FLAT,
        c.HistogramBinning: FLAT,
        c.ScalingBinning: FLAT,
        c.BBQ: FLAT,
        c.Kernel: "means over neighbours draw the claims at either end inwards",
        c.Platt(): "its targets are drawn in from 0 and 1",
        c.Blend((c.Platt(), c.Isotonic())): "holds Platt",
        c.Blend((c.Platt(), c.Isotonic()), shares=(0.25, 0.75)): "holds Platt",
        c.VennAbers: "adds the row in question to those it is fitted on",
        c.Spline("cv"): OF_FOLDS,
        c.Spline(curve="outcomes"): "its chances are level at either end",
        c.PiecewiseLinear(): OF_FOLDS,
        c.PiecewiseLinear(space="logit"): OF_FOLDS,
        c.MatrixScaling(off_diagonal="cv", intercept="cv"): OF_FOLDS,
        c.Dirichlet(): OF_FOLDS,
        c.Dirichlet(l2=0.01): "its ridge draws every entry to 0",
        c.StructuredMatrix: "mixes in a little of the uniform vector",
        c.Chain((c.StructuredMatrix(), c.OrderPreserving())): "begins with StructuredMatrix",
    },
    "a_thousand_classes": {
        c.MatrixScaling(off_diagonal=1.0, intercept=1.0): A_HUNDRED,
        c.MatrixScaling(off_diagonal="cv", intercept="cv"): A_HUNDRED,
        c.Dirichlet: A_HUNDRED,
        c.OneVsRest(c.Smooth()): A_HUNDRED,
        c.Blend: A_HUNDRED,
    },
}
# By the name of a measure, for all of its settings, or with the settings that are exempt.
EXEMPT_MEASURES: dict[str, dict[str, str]] = {
    "a_weight_is_a_count": {
        "cv_ece": BY_FOLDS,
        "variational_error": BY_FOLDS,
        "vector_error": BY_FOLDS,
    },
    "a_share_is_two_rows": {
        "ece(debias=True)": ONE_ROW,
        "ece(norm=2, debias=True)": ONE_ROW,
        "skce()": ONE_ROW,
        "skce(estimator='block', block=4)": ONE_ROW,
        "cv_ece": BY_FOLDS,
        "variational_error": BY_FOLDS,
        "vector_error": BY_FOLDS,
    },
    "float_types_agree": {
        "nll": "clips given probabilities at their type's eps, as log_loss does",
        "decompose(score='log')": "has the claims' nll, which clips at their type's eps",
        "skce(estimator='block', block=4)": "deals rows out by claim, which rounding may reorder",
    },
    "predictions_ask_the_top_label": {
        "accuracy": "is of a view the share on the right side of one half",
        "brier": "is of the whole vector",
        "entropy": "is of the whole vector",
        "nll": "is of the whole vector",
    },
    "it_goes_to_its_right_value": {
        "accuracy": "is how good claims are, not only how right",
        "brier": "is how good claims are, not only how right",
        "nll": "is how good claims are, not only how right",
        "entropy": "is how far claims are from certain, not how right",
        "kde_sharpness": "is how far apart claims are, not how right",
        "smoothed": "is a diagram, whose error is smece",
    },
}
# A measure that is not here answers whatever rows it is given.
MAY_REFUSE: dict[str, str] = {
    "slope_intercept": "no line fits one outcome, one claim, or outcomes that a threshold parts",
    "observed_expected": "where every chance claimed is 0, nothing is expected",
    "kde_decompose": "pairs of neighbours need three rows",
    "kde_sharpness": "pairs of neighbours need three rows",
    "simplex_error": "triangles are of three classes",
    "variational_error": "cross-fitting needs two rows",
    "vector_error": "cross-fitting needs two rows",
}
# Public functions that are no measure and no view of predictions, by name or by room.
EXEMPT_FUNCTIONS: dict[str, str] = {
    "binary": "is given arrays: every law of one chance begins with it",
    "multilabel": "is given arrays: `binary` for each label",
    "from_logits": "makes the rows that laws are tried on",
    "from_probs": "makes the rows that laws are tried on",
    "read": "makes rows of files: tests/inputs",
    "stated_confidences": "reads texts: tests/inputs/test_stated.py",
    "write": "makes files of rows: tests/inputs",
    "calibrant.choosing": "compares families, to each of which the laws hold",
    "calibrant.deploy": "loads the maps that the laws of families save",
    "calibrant.families.folds": "fits the families, to each of which the laws hold, fold by fold",
    "calibrant.inference": "resamples and draws, with a seed: tests/inference",
    "calibrant.training": "compares runs of a training, with a seed: tests/training",
    "calibrant.reporting": "puts together what measures and families say: tests/reporting",
}


def family_exemptions(family: Family) -> dict[str, str]:
    """The laws that a family is exempt from, with its settings or with any, and why."""
    found = {}
    for law, exempt in EXEMPT_FAMILIES.items():
        for key in (family, type(family)):
            if key in exempt:
                found[law] = exempt[key]
    return found


def is_exempt_function(name: str, module: str) -> bool:
    """Whether a public function, or the room it lives in, is exempt from all laws."""
    rooms = [key for key in EXEMPT_FUNCTIONS if key.startswith("calibrant.")]
    return name in EXEMPT_FUNCTIONS or any(module.startswith(room) for room in rooms)
