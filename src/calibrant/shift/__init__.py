"""Other populations: other shares of the classes, other rows, and no labels yet.

What each needs to be so is said in its docstring; no number here can tell whether it is.
"""

from ..families.multiclass.prior_shift import PriorShift as PriorShift
from .covariates import effective_rows as effective_rows
from .covariates import importance_weights as importance_weights
from .covariates import reweighted as reweighted
from .priors import PriorEstimate as PriorEstimate
from .priors import estimate_prior as estimate_prior
from .unlabelled import Unlabelled as Unlabelled
from .unlabelled import estimate_without_labels as estimate_without_labels
