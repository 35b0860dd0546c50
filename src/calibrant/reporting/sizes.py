"""How large what a verdict is on is, in numbers."""

from dataclasses import dataclass

from ..inference.examination import Examination


@dataclass(frozen=True)
class Sizes:
    """Mean claim and outcome, the mean and the widest error; errors are fractions.

    `claimed_limit` and `widest_limit` are what right claims stay below, 19 times in 20: of the gap
    between claim and outcome, and of the widest gap of their running sums.
    """

    claimed: float
    happened: float
    claimed_limit: float
    error: float
    widest: float
    widest_limit: float


def sizes_of(found: Examination) -> Sizes:
    """The sizes of what was found."""
    return Sizes(
        claimed=found.whole.claimed,
        happened=found.whole.happened,
        claimed_limit=found.mean_limit,
        error=found.error,
        widest=found.widest,
        widest_limit=found.limit,
    )
