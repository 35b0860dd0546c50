"""What CalArena prints for ResNet-110 on CIFAR-10 (probkit/CalArena, results/cv-multiclass, 2026), beside ours."""

from pages import head

import calibrant as c
from calibrant.choosing import Chosen

# Log loss and Brier score on the test rows.
PRINTED: dict[str, tuple[str, str]] = {
    "structured matrix (SMS)": ("0.20312", "0.09740"),
    "structured vector (SVS)": ("0.20660", "0.09745"),
    "vector (VS)": ("0.20785", "0.09800"),
    "ensemble temperature (ETS)": ("0.20893", "0.09759"),
    "temperature (TS)": ("0.20926", "0.09785"),
    "Dirichlet": ("0.20935", "0.10065"),
    "Venn-Abers": ("0.21196", "0.09834"),
    "matrix (MS)": ("0.21215", "0.10144"),
    "LightGBM": ("0.21242", "0.09957"),
    "Spline of log odds, one-vs-rest": ("0.21608", "0.09770"),
    "CatBoost": ("0.21784", "0.10118"),
    "BBQ": ("0.32694", ""),
    "isotonic": ("0.32740", "0.09855"),
    "as it is": ("0.35827", "0.11019"),
}
OURS: dict[str, c.Family] = {
    "structured matrix (SMS)": c.StructuredMatrix(),
    "structured vector (SVS)": c.StructuredVector(),
    "vector (VS)": c.VectorScaling(),
    "ensemble temperature (ETS)": c.EnsembleTemperature(loss="squared"),
    "temperature (TS)": c.Temperature(),
    "Dirichlet": c.Dirichlet(),
    "Venn-Abers": c.OneVsRest(c.VennAbers()),
    "matrix (MS)": c.MatrixScaling(),
    "BBQ": c.OneVsRest(c.BBQ()),
    "isotonic": c.OneVsRest(c.Isotonic()),
    "as it is": c.Identity(),
}
# Ours that it has not.
UNPRINTED: dict[str, c.Family] = {
    "order-preserving": c.OrderPreserving(kind="preserving"),
    "structured matrix, then order-preserving": c.Chain(
        (c.StructuredMatrix(), c.OrderPreserving())
    ),
    "`select`": Chosen(),
}


def against_calarena(fit_on: c.Predictions, test: c.Predictions) -> list[str]:
    """A line a method: `=` where every printed digit agrees, else ours `≠` theirs."""
    fit_on, test = (c.from_probs(part.probs, part.labels) for part in (fit_on, test))
    lines = []
    for name, printed in PRINTED.items():
        cells = list(printed)
        if name in OURS:
            mended = OURS[name].fit(fit_on).apply(test)
            cells = _beside(mended, printed)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    for name, family in UNPRINTED.items():
        mended = family.fit(fit_on).apply(test)
        lines.append(f"| {name} | {' | '.join(_beside(mended, ('', '')))} |")
    return [*head("", "log loss", "Brier score"), *lines]


def _beside(mended: c.Predictions, printed: tuple[str, str]) -> list[str]:
    cells = []
    for found, theirs in zip((c.nll(mended), c.brier(mended)), printed, strict=True):
        ours = f"{found:.5f}"
        same = f"= {theirs}" if ours == theirs else f"{ours} ≠ {theirs}"
        cells.append(same if theirs else ours)
    return cells
