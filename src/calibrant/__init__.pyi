"""The public names of calibrant and where each lives."""

from . import samples as samples
from . import simulate as simulate
from .chances.bbq import BBQ as BBQ
from .chances.binned import Binned as Binned
from .chances.binned import HistogramBinning as HistogramBinning
from .chances.isotonic import Isotonic as Isotonic
from .chances.logistic import Beta as Beta
from .chances.logistic import Platt as Platt
from .chances.logistic import Quadratic as Quadratic
from .chances.scaling_binning import ScalingBinning as ScalingBinning
from .chances.smooth import Smooth as Smooth
from .chances.spline import Spline as Spline
from .chances.venn_abers import VennAbers as VennAbers
from .cumulative import ks_error as ks_error
from .families import ChanceMap as ChanceMap
from .families import Family as Family
from .families import Map as Map
from .families import VectorMap as VectorMap
from .families import cross_fit as cross_fit
from .files import read as read
from .files import write as write
from .measures import calibration_error as calibration_error
from .measures import classwise_ece as classwise_ece
from .measures import cv_ece as cv_ece
from .measures import ece as ece
from .measures import mce as mce
from .measures import sweep_ece as sweep_ece
from .predictions import Predictions as Predictions
from .predictions import from_logits as from_logits
from .predictions import from_probs as from_probs
from .reporting.summary import Report as Report
from .reporting.summary import report as report
from .scores import Decomposition as Decomposition
from .scores import accuracy as accuracy
from .scores import brier as brier
from .scores import decompose as decompose
from .scores import nll as nll
from .scores import observed_expected as observed_expected
from .scores import slope_intercept as slope_intercept
from .scores import top_label_brier as top_label_brier
from .store import load as load
from .vectors.one_vs_rest import OneVsRest as OneVsRest
from .vectors.temperature import Temperature as Temperature
from .views import Canonical as Canonical
from .views import View as View
from .views import binary as binary
from .views import canonical as canonical
from .views import classwise as classwise
from .views import multilabel as multilabel
from .views import one_class as one_class
from .views import top_label as top_label
from .views import top_r as top_r
from .views import within_top_r as within_top_r

__version__: str
__all__: list[str]
