"""What comparing and choosing families finds: their scores, and the tables these are printed as."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .families.family import Family
from .inputs.predictions import Predictions
from .inputs.views import Data
from .measures.errors import classwise_ece, ece
from .measures.ks import ks_error
from .measures.scores import Score, accuracy, brier, nll

Failures = tuple[tuple[str, str], ...]

MOST_CELLS = 20_000_000  # beyond it the class-wise error would take longer than all the rest
COMPARISON_TITLES = (
    "",
    "NLL",
    "Brier",
    "accuracy %",
    "ECE %",
    "KS %",
    "class-wise ECE %",
    "fit s",
    "apply s",
)


@dataclass(frozen=True)
class Contender:
    """Scores of one family on the test rows.

    The class-wise error is only of whole vectors that are not too many.
    """

    name: str
    nll: float
    brier: float
    accuracy: float
    ece: float
    ks_error: float
    classwise_ece: float | None
    fit_seconds: float
    apply_seconds: float


@dataclass(frozen=True)
class Comparison:
    """What `compare` found: a row for the claims as they are, one for each family.

    `failures` are the names of families that could not be fitted, and why.
    """

    rows: tuple[Contender, ...]
    failures: Failures

    def to_dict(self) -> dict[str, Any]:
        """The comparison as json holds it; errors are fractions, not percents."""
        return asdict(self)

    def __str__(self) -> str:
        cells = [_contender_cells(row) for row in self.rows]
        return table(COMPARISON_TITLES, cells, self.failures)


@dataclass(frozen=True)
class Candidate:
    """Mean held-out score of one family and its standard error.

    `behind` is how far the best is ahead of it, paired row by row; `share` is its part of what is
    chosen, where families were weighed.
    """

    name: str
    score: float
    error: float
    behind: float
    behind_error: float
    share: float | None = None

    def mark(self, chosen: str) -> str:
        """What a table says beside it."""
        if self.name == chosen:
            return "chosen"
        return f"{self.share:.0%}" if self.share else ""


@dataclass(frozen=True)
class Selection:
    """What `cross_validate` found: the family chosen, and every family's held-out score.

    `failures` are the names of families that could not be fitted, and why.
    """

    chosen: Family
    name: str
    score: Score
    rows: tuple[Candidate, ...]
    failures: Failures

    def __str__(self) -> str:
        titles = ("", f"held-out {self.score}", "s.e.", "behind the best", "s.e.", "")
        cells = [_candidate_cells(row, self.name) for row in self.rows]
        return table(titles, cells, self.failures)


def contender(
    name: str, x: Data, fit_seconds: float = 0.0, apply_seconds: float = 0.0
) -> Contender:
    """What the claims of `x` score as they are."""
    by_class = None
    if isinstance(x, Predictions) and x.n * x.k <= MOST_CELLS:
        by_class = classwise_ece(x)
    return Contender(
        name=name,
        nll=nll(x),
        brier=brier(x),
        accuracy=accuracy(x),
        ece=ece(x),
        ks_error=ks_error(x),
        classwise_ece=by_class,
        fit_seconds=fit_seconds,
        apply_seconds=apply_seconds,
    )


def _contender_cells(row: Contender) -> tuple[str, ...]:
    shares = (row.accuracy, row.ece, row.ks_error, row.classwise_ece)
    return (
        row.name,
        f"{row.nll:.4f}",
        f"{row.brier:.4f}",
        *map(_percent, shares),
        f"{row.fit_seconds:.2f}",
        f"{row.apply_seconds:.2f}",
    )


def _candidate_cells(row: Candidate, chosen: str) -> tuple[str, ...]:
    numbers = (row.score, row.error, row.behind, row.behind_error)
    return (row.name, *(f"{number:.5f}" for number in numbers), row.mark(chosen))


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.2f}"


def table(
    titles: Sequence[str],
    cells: Iterable[Sequence[str]],
    failures: Iterable[tuple[str, str]] = (),
) -> str:
    """Rows below their titles, names on the left and numbers on the right, then what failed."""
    rows = [titles, *cells]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for name, *numbers in rows:
        aligned = map(str.rjust, numbers, widths[1:])
        lines.append("  ".join([name.ljust(widths[0]), *aligned]).rstrip())
    for name, why in failures:
        lines.append(f"{name} failed: {why}")
    return "\n".join(lines)
