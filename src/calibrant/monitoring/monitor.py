"""Monitor: an alarm when claims no longer hold, false with a chance of at most alpha, ever."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy.special import expit, logit

from ..families.defaults import CURVE_FAMILY
from ..families.family import Family
from ..families.maps import ChanceMap, Map, VectorMap
from ..families.names import family_of
from ..fitting.types import Array
from ..fitting.weights import some
from ..inputs.checks import MAKE_THEM, check_argument
from ..inputs.predictions import Predictions
from ..inputs.questions import top_label
from ..inputs.views import View
from .bets import Bets
from .cells import bounded, centres, read_claims, tally
from .history import History

if TYPE_CHECKING:
    from collections.abc import Iterator

# Bets are fitted again once rows are more by a 32nd, after 50 rows at least and 500 at most.
_SHARE, _LEAST, _MOST = 32, 50, 500


@dataclass(kw_only=True, eq=False)
class Monitor:
    """Watches a stream: `update(view)` with what was claimed and what happened, then ask `alarm`.

    With a `map` it watches claims that the map has calibrated. However often it is asked, and
    however long the stream, right claims raise an alarm with a chance of at most `alpha`. The
    evidence is the gain in likelihood of maps that are fitted on earlier rows alone; it does not
    depend on how rows are dealt into batches. Memory is bounded.

    >>> from calibrant import binary
    >>> random = np.random.default_rng(0)
    >>> p = random.random(3000)
    >>> monitor = Monitor()
    >>> monitor.update(binary(p, random.random(3000) < p))
    >>> monitor.alarm
    False
    >>> monitor.update(binary(p, random.random(3000) < p**2))
    >>> monitor.alarm, 2500 < monitor.onset < 3500
    (True, True)
    """

    map: Map | None = None
    alpha: float = 0.05
    n: int = field(default=0, init=False)
    total: float = field(default=0.0, init=False)
    highest: float = field(default=0.0, init=False)
    alarm_at: int | None = field(default=None, init=False)
    event: str | None = field(default=None, init=False)
    _bets: Bets = field(default_factory=Bets, init=False, repr=False)
    _history: History = field(default_factory=History, init=False, repr=False)
    _until: float = field(default=float(_LEAST), init=False, repr=False)
    _nearest: float = field(default=np.inf, init=False, repr=False)

    def __post_init__(self) -> None:
        check_argument("map", self.map, Map | None)
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha must be a chance between 0 and 1, got {self.alpha}")
        self._bets.begin(0)
        self._odds: Array = self._odds_of_cells()

    def update(self, x: View | Predictions) -> None:
        """Rows in the order in which they came; of predictions whether the top label is right."""
        claimed, view = self._asked(x)
        self.event = view.event
        z = self._log_odds(view)
        raw = z if claimed is view else claimed.log_odds
        for rows in self._pieces(view):
            y = view.y[rows]
            w = some(view.w, rows)
            wealth = self._bets.play(z[rows], y, w)
            self._look(wealth)
            weights = np.ones(len(y)) if w is None else w
            self._history.add(tally(raw[rows], y, weights))
            self.n += len(y)
            self.total += float(weights.sum())
            if self.total >= self._until:
                self._learn()

    @property
    def alarm(self) -> bool:
        """Whether the evidence was ever so strong that right claims reach it with chance alpha."""
        return bool(self.highest >= -np.log(self.alpha))

    @property
    def evidence(self) -> float:
        """The log of the e-value: how much likelier outcomes are under maps of their past."""
        return self._bets.log_wealth

    @property
    def p_value(self) -> float:
        """One that holds at any time: right claims bring it below a level with that chance."""
        return float(min(1.0, np.exp(-self.highest)))

    @property
    def onset(self) -> int | None:
        """Since which row claims have been wrong, by likelihood; None before an alarm."""
        return self._history.onset(self._odds) if self.alarm else None

    def shares(self) -> tuple[float, float]:
        """What was claimed on average since the onset, or of all rows, and how often it happened."""
        rows, events = self._history.since(self.onset or 0)
        total = rows.sum()
        if not total:
            return float("nan"), float("nan")
        return float(rows @ expit(self._odds) / total), float(events.sum() / total)

    def refit(self, family: Family | str = CURVE_FAMILY) -> Map:
        """A family fitted on the rows since the onset, or on all; their claims are kept in cells.

        Of predictions or a map of whole vectors, it is a map of what was watched.
        """
        family = family_of(family)
        if not self.n:
            raise ValueError("there is nothing to fit on yet: update the monitor with rows first")
        rows, events = self._history.since(self.onset or 0)
        kept = np.flatnonzero(rows > 0)
        share = np.clip(events[kept] / rows[kept], 0, 1)
        event = self.event or View.event
        return family.fit(View(expit(centres()[kept]), share, rows[kept], event, completes=1))

    def merge(self, other: "Monitor") -> "Monitor":
        """One monitor of two parallel streams: their evidence adds up, and so do their pasts.

        Whether there is an alarm is asked of both together.
        """
        check_argument("other", other, Monitor)
        if (self.map is None) != (other.map is None) or self.alpha != other.alpha:
            raise ValueError("monitors that are merged must have the same map and the same alpha")
        both = Monitor(map=self.map, alpha=self.alpha)
        both.n = self.n + other.n
        both.total = self.total + other.total
        both.event = self.event or other.event
        both._bets = self._bets.merged(other._bets)
        both._history = self._history.merged(other._history)
        both._nearest = min(self._nearest, other._nearest)
        both._until = both.total + _next_step(both.total)
        both._look(np.array([both.evidence]))
        return both

    def to_bytes(self) -> bytes:
        """All of its state but the map, which is saved by itself."""
        from .packing import packed

        return packed(self)

    @classmethod
    def from_bytes(cls, content: bytes, *, map: Map | None = None) -> Self:
        """The monitor that `to_bytes` wrote, to go on with the same map."""
        from .packing import unpacked

        return unpacked(cls, content, map)

    def __str__(self) -> str:
        from .words import told

        return told(self)

    def _asked(self, x: View | Predictions) -> tuple[View, View]:
        """The claims as they came, and as they are watched."""
        if not isinstance(x, View | Predictions):
            raise ValueError(
                f"a monitor watches a View or Predictions, not {type(x).__name__}: {MAKE_THEM}"
            )
        if isinstance(self.map, VectorMap):
            if isinstance(x, View):
                raise ValueError(
                    "this map is of whole vectors: update the monitor with Predictions"
                )
            x = self.map.apply(x)
        view = top_label(x) if isinstance(x, Predictions) else x
        return view, self.map.apply(view) if isinstance(self.map, ChanceMap) else view

    def _log_odds(self, view: View) -> Array:
        if view.exact_log_odds is not None and view.clip == 0:
            return bounded(view.log_odds)
        z, self._nearest = read_claims(view.p, self._nearest, self.n)
        return bounded(z)

    def _odds_of_cells(self) -> Array:
        if not isinstance(self.map, ChanceMap):
            return centres()
        q = self.map(expit(centres()))
        least = np.finfo(np.float64).eps
        return logit(np.clip(q, least, 1 - least))

    def _pieces(self, view: View) -> "Iterator[slice]":
        """Rows up to where bets are fitted again."""
        weights = np.ones(view.n) if view.w is None else view.w
        before = self.total + np.cumsum(weights) - weights
        start = 0
        while start < view.n:
            stop = max(start + 1, int(np.searchsorted(before, self._until)))
            yield slice(start, stop)
            start = stop

    def _look(self, wealth: Array) -> None:
        """Keep the highest wealth, and the row at which it first was an alarm."""
        limit = -np.log(self.alpha)
        best = float(wealth.max())
        if self.alarm_at is None and best >= limit:
            self.alarm_at = self.n + int((wealth >= limit).argmax()) + 1
        self.highest = max(self.highest, best)

    def _learn(self) -> None:
        self._bets.learn(self._history.close(), self._odds)
        self._bets.begin(self.total)
        self._until = self.total + _next_step(self.total)


def _next_step(rows: float) -> float:
    return float(np.clip(rows / _SHARE, _LEAST, _MOST))
