"""Small inputs whose answer is known, put to every library that has the call."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from inputs import binary_chances
from numpy.typing import NDArray

from . import optima, references
from .data import vectors
from .match import Library, play

Array = NDArray[Any]
Data = SimpleNamespace
OURS = "calibrant"


class Case(NamedTuple):
    """A call on some inputs, what to make of the answers, and what that must be."""

    title: str
    call: str
    data: Callable[[], list[Data]]
    value: Callable[[list[Array]], float]
    right: Callable[[list[Data]], float]
    equal: float
    shown: str = "{:.4f}"


def tried(name: str, libraries: list[Library], path: Path) -> dict[str, Any]:
    """What everybody said."""
    case = CASES[name]
    data = case.data()
    right = case.right(data)
    said = _answers(case, libraries, data, path)
    words = {library: _words(case, answer) for library, answer in said.items()}
    good = [
        library
        for library, answer in said.items()
        if not isinstance(answer, str) and abs(answer - right) <= case.equal
    ]
    return {
        "title": case.title,
        "right": case.shown.format(right),
        "ours": words[OURS],
        "wrong": {key: word for key, word in words.items() if key not in [*good, OURS]},
        "good": [library for library in good if library != OURS],
        "is_right": OURS in good,
    }


def _answers(
    case: Case, libraries: list[Library], data: list[Data], path: Path
) -> dict[str, float | str]:
    found: dict[str, list[Array]] = {}
    failed: dict[str, str] = {}
    for given in data:
        np.savez(path, **vars(given))
        for side in play(libraries, case.call, path, is_timed=False):
            found.setdefault(side.library.name, []).append(side.answer)
            if side.failed:
                failed[side.library.name] = side.failed
    return {name: failed.get(name) or float(case.value(answers)) for name, answers in found.items()}


def _words(case: Case, answer: float | str) -> str:
    return f"“{answer}”" if isinstance(answer, str) else case.shown.format(answer)


def _first(answers: list[Array]) -> float:
    return float(answers[0])


def _apart(answers: list[Array]) -> float:
    """How far the second answer is from the first."""
    return float(np.abs(answers[0] - answers[1]).max())


def _not_finite(answers: list[Array]) -> float:
    return float((~np.isfinite(answers[0])).sum())


def _nothing(_: list[Data]) -> float:
    return 0.0


def _all_at(claim: float) -> list[Data]:
    """A hundred rows of one claim, half of them events."""
    return [Data(p=np.full(100, claim), y=np.arange(100) % 2)]


def _edges(kind: type) -> list[Data]:
    """Every edge of 15 bins claimed by 1000 rows, too high by .06 and too low by .06 in turn."""
    claims = np.arange(1, 15) / 15
    counts = np.round(1000 * (claims + 0.06 * (-1.0) ** np.arange(14))).astype(int)
    y = np.concatenate([np.arange(1000) < count for count in counts]).astype(int)
    said: Array = np.repeat(claims, 1000).astype(kind)
    return [Data(p=said, y=y, gap=np.abs(counts / 1000 - claims).mean())]


def _plain() -> list[Data]:
    p, y = binary_chances(20_000)
    return [Data(p=p, y=y)]


def _tied(n: int = 2000) -> list[Data]:
    """Claims of one digit, in an order by outcomes and in the opposite one."""
    p, y = binary_chances(n)
    p = np.clip(np.round(p, 1), 0.05, 0.95)
    probs = np.stack([1 - p, p], axis=1)
    order = np.argsort(y, kind="stable")
    rows = [order, order[::-1]]
    return [
        Data(p=p[at], y=y[at], probs=probs[at], labels=y[at], back=np.argsort(at)) for at in rows
    ]


def _orders(answers: list[Array]) -> float:
    first, second = answers
    return float(np.abs(first - (second if first.ndim == 0 else second[::-1])).max())


def _weighted() -> list[Data]:
    """Rows with weights 1 to 3, and the same rows as often as their weight says."""
    p, y = binary_chances(3000)
    w = 1 + np.arange(3000) % 3 * (y + 1) // 2
    again = np.repeat(np.arange(3000), w)
    at = np.linspace(0.05, 0.95, 19)
    return [Data(p=p, y=y, w=w.astype(float), at=at),
            Data(p=p[again], y=y[again], w=np.ones(len(again)), at=at)]  # fmt: skip


def _rounded() -> list[Data]:
    """A twentieth of the claims said as exactly 0 or 1, some of them wrongly."""
    p, y = binary_chances(4000)
    p[p < 0.03] = 0.0
    p[p > 0.97] = 1.0
    return [Data(p=p, y=y)]


def _above_one() -> list[Data]:
    """Chances whose float32 sum is 1 but for rounding: one entry is 1 + 1.2e-7."""
    data = vectors(2000, 5)
    data.probs[0] = [np.nextafter(np.float32(1), np.float32(2)), 0, 0, 0, 0]
    return [data]


def _small_logits() -> list[Data]:
    """Logits that happen to lie within 0 and 1."""
    data = vectors(2000, 5)
    data.logits = (data.logits - data.logits.min()) / np.ptp(data.logits)
    e = np.exp(data.logits.astype(np.float64))
    data.probs = e / e.sum(1, keepdims=True)
    return [data]


def _saturated() -> list[Data]:
    """Logits so large that chances in float32 are exact 0 and 1."""
    data = vectors(5000, 10)
    data.logits = data.logits * np.float32(20)
    e = np.exp(data.logits - data.logits.max(1, keepdims=True))
    data.probs = e / e.sum(1, keepdims=True)
    return [data]


def _masked() -> list[Data]:
    """The last class, which never occurs, masked by -1e9 in half of the rows."""
    data = vectors(4000, 4)
    mask = np.where(np.arange(4000) % 2, -1e9, -2.0).astype(np.float32)
    data.logits = np.column_stack([data.logits, mask])
    data.probs = np.exp(data.logits) / np.exp(data.logits).sum(1, keepdims=True)
    return [data]


def _sparse() -> list[Data]:
    """A row for each of 15 bins."""
    return [Data(p=np.arange(15) / 15 + 0.03, y=np.arange(15) % 2)]


def _loss(data: list[Data]) -> Callable[[list[Array]], float]:
    rows, labels = np.arange(len(data[0].labels)), data[0].labels

    def loss(answers: list[Array]) -> float:
        right = answers[0][rows, labels].astype(np.float64)
        return float(-np.log(np.maximum(right, 1e-300)).mean())

    return loss


def _losing(
    title: str, call: str, data: Callable[[], list[Data]], least: Callable[[Data], float]
) -> Case:
    return Case(title, call, data, _loss(data()), lambda given: least(given[0]), 1e-4)


CASES = {
    "zero": Case("ECE of claims of exactly 0, half of them events", "ece",
                 lambda: _all_at(0.0), _first, lambda _: 0.5, 1e-6),
    "one": Case("ECE of claims of exactly 1, half of them events", "ece",
                lambda: _all_at(1.0), _first, lambda _: 0.5, 1e-6),
    "edges64": Case("ECE of claims on the edges of 15 bins, float64: either neighbour will do, one for all", "ece",
                    lambda: _edges(np.float64), _first, lambda d: float(d[0].gap), 1e-4),
    "edges32": Case("the same claims in float32", "ece",
                    lambda: _edges(np.float32), _first, lambda d: float(d[0].gap), 1e-4),
    "bins": Case("ECE of 20,000 plain claims, 15 bins asked", "ece",
                 _plain, _first, lambda d: references.ece(d[0]), 1e-5),
    "above_one": Case("top-label ECE where rounding has left one chance at 1 + 1.2e-7", "top_ece",
                      _above_one, _first, lambda d: references.top_ece(d[0]), 1e-5),
    "small_logits": Case("top-label ECE of logits that lie within 0 and 1", "logit_ece",
                         _small_logits, _first, lambda d: references.top_ece(d[0]), 1e-5),
    "ties": Case("adaptive ECE of tied claims: what another order of rows changes", "adaptive",
                 _tied, _apart, _nothing, 1e-6),
    "isotonic_ties": Case("isotonic map of tied claims: what another order of rows changes", "isotonic",
                          _tied, _orders, _nothing, 1e-6),
    "histogram_ties": Case("histogram binning: what another order of rows changes", "histogram",
                           _tied, _orders, _nothing, 1e-6),
    "beta_weights": Case("beta map: weights of 1 to 3 beside the rows so often", "weighted_beta",
                         _weighted, _apart, _nothing, 1e-5),
    "isotonic_weights": Case("isotonic map: weights of 1 to 3 beside the rows so often", "weighted_isotonic",
                             _weighted, _apart, _nothing, 1e-9),
    "beta_rounded": Case("beta map where claims are exactly 0 and 1: values that are not finite", "beta",
                         _rounded, _not_finite, _nothing, 0, "{:.0f}"),
    "one_row": Case("debiased error of 15 bins with a row each: values that are not finite", "debiased",
                    _sparse, _not_finite, _nothing, 0, "{:.0f}"),
    "saturated": _losing("NLL after temperature, logits of which float32 chances are exact 0 and 1", "temperature",
                         _saturated, optima.temperature),
    "masked": _losing("NLL after vector scaling, a class masked by -1e9 in half of the rows", "vector",
                      _masked, lambda d: optima.vector(Data(logits=d.logits[:, :4], labels=d.labels))),
}  # fmt: skip
