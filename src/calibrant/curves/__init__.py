"""The numbers of every diagram, without drawing: summaries, never all rows.

`calibrant.plots` draws each.
"""

from .claims import Histogram as Histogram
from .claims import histogram as histogram
from .classes import Classwise as Classwise
from .classes import classwise as classwise
from .cumulative import Cumulative as Cumulative
from .cumulative import cumulative as cumulative
from .curve import BinRanges as BinRanges
from .curve import Curve as Curve
from .curve import reliability as reliability
from .curve import tilted_roof as tilted_roof
from .decisions import Murphy as Murphy
from .decisions import NetBenefit as NetBenefit
from .decisions import RiskCoverage as RiskCoverage
from .decisions import murphy as murphy
from .decisions import net_benefit as net_benefit
from .decisions import risk_coverage as risk_coverage
from .drift import Drift as Drift
from .drift import drift as drift
from .models import Model as Model
from .models import Ordering as Ordering
from .models import Pareto as Pareto
from .models import before_after as before_after
from .models import maps as maps
from .models import ordering as ordering
from .models import pareto as pareto
from .simplex import Simplex as Simplex
from .simplex import Surface as Surface
from .simplex import simplex as simplex
from .simplex import surface as surface
from .smooth_ece import SmoothECE as SmoothECE
from .smooth_ece import smece as smece
from .training import Training as Training
from .training import training as training
