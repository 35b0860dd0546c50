"""Pictures of curves on matplotlib axes, those given or new ones.

All numbers come from `calibrant.curves`.
"""

from .decisions import murphy as murphy
from .decisions import net_benefit as net_benefit
from .decisions import risk_coverage as risk_coverage
from .diagrams import before_after as before_after
from .diagrams import classwise as classwise
from .diagrams import maps as maps
from .diagrams import reliability as reliability
from .diagrams import smece as smece
from .diagrams import tilted_roof as tilted_roof
from .drift import drift as drift
from .graphs import cumulative as cumulative
from .graphs import histogram as histogram
from .graphs import ordering as ordering
from .graphs import pareto as pareto
from .simplex import simplex as simplex
from .simplex import surface as surface
from .style import STYLE as STYLE
from .training import training as training
