"""The numbers of the reliability diagrams of a page, no more of them for more rows."""

from dataclasses import asdict, dataclass
from typing import Any

Numbers = tuple[float, ...]
BandEnds = tuple[Numbers, Numbers]


@dataclass(frozen=True)
class Bars:
    """A histogram of claims: the log odds each bar goes from and to, its rows and their means."""

    low: Numbers
    high: Numbers
    rows: Numbers
    claimed: Numbers
    happened: Numbers


@dataclass(frozen=True)
class PageCurve:
    """A curve from claims to calibrated chances, in log odds, and its mean gap to the claims.

    `rows` are those nearest to each point, or in its bin where points are bins. A band of None was
    not worked out.
    """

    p: Numbers
    q: Numbers
    rows: Numbers
    is_binned: bool
    confidence: BandEnds | None
    consistency: BandEnds | None
    error: float


@dataclass(frozen=True)
class Picture:
    """One question to one set of probabilities: histograms along both axes, a curve a family."""

    rows: float
    claimed: float
    happened: float
    chance: Bars
    odds: Bars
    curves: tuple[PageCurve | None, ...]


@dataclass(frozen=True)
class ViewChoice:
    """A view as it is chosen on the page: its name, that of its group, and the event in words."""

    name: str
    group: str
    event: str


@dataclass(frozen=True)
class FamilyChoice:
    """A family as it is chosen on the page: its name, and what its curve is in words."""

    name: str
    words: str


@dataclass(frozen=True)
class Diagrams:
    """Pictures by whose claims they show, as they are first, and by question."""

    claims: tuple[str, ...]
    views: tuple[ViewChoice, ...]
    families: tuple[FamilyChoice, ...]
    pictures: tuple[tuple[Picture, ...], ...]

    def to_dict(self) -> dict[str, Any]:
        """The same as json holds it."""
        return asdict(self)
