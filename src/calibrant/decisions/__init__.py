"""From chances to decisions: thresholds, costs, abstention with a guarantee, tables by grade.

Two mistakes are a yes where the event does not happen, a false positive, and a no where it does, a
false negative. Yes is said where a claim is at or above the threshold.
"""

from ..inference.hosmer_lemeshow import hosmer_lemeshow as hosmer_lemeshow
from .abstention import accuracy_at as accuracy_at
from .abstention import aurc as aurc
from .abstention import auroc as auroc
from .abstention import coverage_at as coverage_at
from .costs import best_threshold as best_threshold
from .costs import expected_cost as expected_cost
from .costs import net_benefit as net_benefit
from .grades import Grade as Grade
from .grades import grades as grades
from .guarantees import threshold_for as threshold_for
