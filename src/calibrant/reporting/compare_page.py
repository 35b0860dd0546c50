"""Families or models side by side, as one html page."""

from typing import TYPE_CHECKING

from ..inference.comparison import Differences
from .evidence import Evidence
from .html import filled

if TYPE_CHECKING:
    from ..contenders import Contender
    from .ranking import Ranking


def compare_page(
    found: "Ranking",
    filed: Evidence,
    *,
    measure: str | None = None,
    differences: Differences | None = None,
) -> str:
    """The whole page as text; `differences` are those of a measure between models."""
    most = max(row.nll for row in found.rows)
    least = min(row.nll for row in found.rows)

    def share(row: "Contender") -> float:
        """How far a row's NLL lies from the least to the most."""
        return 0.0 if most <= least else 100 * (row.nll - least) / (most - least)

    of_families = found.fitted_on is not None
    return filled(
        "compare.html.j2",
        found=found,
        filed=filed,
        what="Families of maps compared" if of_families else "Models compared",
        share=share,
        measure=measure,
        differences=differences,
    )
