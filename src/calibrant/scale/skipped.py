"""Parts of a table that could not be read: counted, and the first few with the reason."""

from dataclasses import dataclass

MOST_REASONS = 10


@dataclass(frozen=True)
class Skipped:
    """How many parts were left out, their rows as far as these are known, and why.

    >>> Skipped() + Skipped.part("day 2: its footer is damaged", 0)
    Skipped(parts=1, rows=0, reasons=('day 2: its footer is damaged',))
    """

    parts: int = 0
    rows: int = 0
    reasons: tuple[str, ...] = ()

    @classmethod
    def part(cls, reason: str, rows: int) -> "Skipped":
        """One part."""
        return cls(1, rows, (reason,))

    def __add__(self, other: "Skipped") -> "Skipped":
        reasons = sorted({*self.reasons, *other.reasons})
        return Skipped(
            self.parts + other.parts,
            self.rows + other.rows,
            tuple(reasons[:MOST_REASONS]),
        )

    @property
    def words(self) -> str:
        """The same as a sentence."""
        parts = "1 part" if self.parts == 1 else f"{self.parts:,} parts"
        first = self.reasons[0] if self.reasons else ""
        return f"{parts} with {self.rows:,} known rows could not be read and were left out: {first}"
