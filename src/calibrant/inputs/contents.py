"""What a file holds, beside its predictions."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..fitting.types import Values
from .column_names import find
from .columns import Columns
from .predictions import Predictions
from .views import Data

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Contents:
    """What a file holds: predictions or claims, whether outcomes are known, the table they are of.

    `claimed` are the columns of what was claimed, `columns` all of them, `used` those whose values
    were read. `lacking` are the columns for whose sake rows were left out, and how many each.
    """

    x: Data
    has_outcomes: bool
    table: "pl.DataFrame | None"
    claimed: list[str]
    columns: Columns
    path: Path
    used: list[str] = field(default_factory=list)
    lacking: dict[str, int] = field(default_factory=dict)

    @property
    def skipped(self) -> int:
        """How many rows were left out, as they lack a value."""
        return sum(self.lacking.values())

    @property
    def has_chance_columns(self) -> bool:
        """Whether the table has a column of probabilities for each class."""
        if self.table is None or not isinstance(self.x, Predictions):
            return False
        return self.x.kind == "probs" and len(self.claimed) == self.x.k

    def column(self, name: str) -> Values:
        """A column by name, the rows that have no value left as they are."""
        try:
            named = find(self.columns, name) or name
        except ValueError as error:
            raise ValueError(f"{self.path}: {error}") from error
        if self.table is None:
            return self.columns[named]()
        from .table_columns import column

        return column(self.table, named)
