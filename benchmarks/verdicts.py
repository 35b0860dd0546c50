"""What reports say in words, beside what is true or what a held-out map gains; writes docs/benchmarks/verdicts.md."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from models import REAL, ZOO, halves
from pages import head, publish
from scipy.special import entr, xlogy
from studies import Records, gather, is_quick, parts_of
from unseen_tasks import UNSEEN, UNSEEN_MAPS, Known, UnseenTask

from calibrant import Predictions, Smooth, View, binary, from_logits, from_probs
from calibrant.fitting.types import Array
from calibrant.inference.examination import examine
from calibrant.inputs.views import Data
from calibrant.reporting.findings import CALM, HINT, LEVEL, Finding, finding_of
from calibrant.reporting.first_question import first_view
from calibrant.reporting.recalibration import Recalibration, recalibrate
from calibrant.reporting.verdict import Verdict, judge

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "verdicts.md"
SIZES = (1000, 10_000)
SEED = 4_000
RIGHT = "right"
DRAWS = 40
MANY_CLASSES = 20  # beyond so many a map class by class takes long
FILES = {path.stem: path for path in (*ZOO, *REAL)}
MIRRORED = {"too high": "too low", "too low": "too high"}
HIGH = ("too high", "overconfident")
LOW = ("too low", "underconfident")

Job = tuple[str, ...]


def found(job: Job) -> Records:
    """The records of one job: a task of known truth, a file, or draws of right claims."""
    kind, *names = job
    if kind == "known":
        return list(_known(*names))
    if kind == "file":
        return list(_of_file(*names))
    return list(_right(*names))


def _known(claims: str, curve: str) -> Iterator[dict[str, Any]]:
    """Verdicts on claims whose truth is known, and what a map of as many other rows gains on them."""
    task = UnseenTask(UNSEEN[claims], UNSEEN_MAPS[curve])
    truth = _truth(task.known())
    for n in SIZES:
        view = task.sample(n, SEED)
        mended = recalibrate(view, task.sample(n, SEED + 1), [Smooth()])
        pred = _of_two_classes(view)
        said = judge(first_view(pred), has_classes=False)
        yield {
            "claims": claims,
            "map": curve,
            "n": n,
            **truth,
            **_said(said, mended),
            "against": _is_against(said.finding, truth["gap"], truth["tilt"]),
            "flips": _flips(pred, said.finding),
        }


def _of_two_classes(view: View) -> Predictions:
    """Claims and outcomes as predictions of two classes, the event the second."""
    pair = np.stack([1 - view.p, view.p], axis=1)
    return from_probs(pair, view.y.astype(int), classes=["no", "yes"])


def _flips(pred: Predictions, finding: Finding) -> bool:
    """Whether other words are found where classes come in the other order under other names."""
    other = judge(first_view(_mirrored(pred)), has_classes=pred.k != 2).finding
    expected = finding if pred.k > 2 else MIRRORED.get(finding, finding)
    return other != expected


def _truth(known: Known) -> dict[str, float]:
    """Gap and error in points, how they lean along the scale, and nats that the truth would gain."""
    p = known.p.astype(np.float64)
    off = p - known.truth
    ranks = p.argsort().argsort() / len(p)
    with np.errstate(divide="ignore"):
        lost = -(xlogy(known.truth, p) + xlogy(1 - known.truth, 1 - p))
    gain = lost - entr(known.truth) - entr(1 - known.truth)
    return {
        "gap": 100 * float(off.mean()),
        "error": 100 * float(np.abs(off).mean()),
        "tilt": float(np.cov(off, ranks)[0, 1]),
        "truth gains": float(gain.mean()),
    }


def _said(said: Verdict, mended: Recalibration) -> dict[str, Any]:
    return {
        "finding": said.finding,
        "tone": said.tone,
        "gain": mended.gain,
        "error of gain": mended.gain_error,
        "gains": mended.is_clear,
    }


def _is_against(finding: str, gap: float, tilt: float) -> bool:
    """Whether the words say the opposite of the truth."""
    return (
        (finding in HIGH and gap < 0)
        or (finding in LOW and gap > 0)
        or (finding == "too extreme" and tilt < 0)
        or (finding == "too timid" and tilt > 0)
    )


def _of_file(name: str) -> Iterator[dict[str, Any]]:
    """Verdicts on each half of a file, alone and with maps of the other half; in the mirror too."""
    for way, (fit_on, test) in enumerate(halves(FILES[name])):
        families = ["temperature"] if test.k > MANY_CLASSES else None
        mended = recalibrate(test, fit_on, families)
        view = first_view(test)
        said = judge(view, has_classes=test.k != 2)
        beside = judge(view, has_classes=test.k != 2, mended=mended)
        yield {
            "file": name,
            "way": way,
            "k": test.k,
            "claimed": 100 * float(view.p.mean()),
            "happened": 100 * float(view.y.mean()),
            **_said(said, mended),
            "beside": beside.finding,
            "beside tone": beside.tone,
            "flips": _flips(test, said.finding),
        }


def _mirrored(pred: Predictions) -> Predictions:
    """Classes in the other order, under other names."""
    make = from_logits if pred.kind == "logits" else from_probs
    names = [f"{'zyx'[place % 3]}{place}" for place in range(pred.k)]
    return make(pred.values[:, ::-1], pred.k - 1 - pred.labels, classes=names)


def _right(name: str, size: str) -> Iterator[dict[str, Any]]:
    """Verdicts on claims that are right: their outcomes are drawn from themselves."""
    n = int(size)
    random = np.random.default_rng([SEED, n])
    for _ in range(DRAWS):
        p = _claims(name, n, random)
        found = examine(binary(p, random.random(n) < p))
        finding = finding_of(found, has_gain=False)
        yield {"right": name, "n": n, "finding": finding, "p": found.p_value}


def _claims(name: str, n: int, random: np.random.Generator) -> Array:
    if name in UNSEEN:
        claims = UNSEEN[name]
        return claims.show(claims.draw(random, n))
    test: Data = next(halves(FILES[name]))[1]
    p = first_view(test).p.astype(np.float64)
    return random.choice(p, n)


def _true_table(known: pl.DataFrame) -> list[str]:
    lines = head(
        "claims", "map", "gap", "error", "truth gains", *[f"words, n = {n:,}" for n in SIZES]
    )
    for record in known.filter(pl.col("n") == SIZES[0]).iter_rows(named=True):
        same = known.filter(
            (pl.col("claims") == record["claims"]) & (pl.col("map") == record["map"])
        )
        words = [_words(each) for each in same.iter_rows(named=True)]
        numbers = [f"{record[each]:.2f}" for each in ("gap", "error")]
        cells = [record["claims"], record["map"], *numbers, f"{record['truth gains']:.4f}", *words]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _words(record: dict[str, Any]) -> str:
    marks = [" (green)"] if record["tone"] == "good" else []
    marks += [" **(a map gains)**"] if record["tone"] == "good" and record["gains"] else []
    marks += [" **(against the truth)**"] if record["against"] else []
    return record["finding"] + "".join(marks)


def _file_table(files: pl.DataFrame) -> list[str]:
    lines = head(
        "file", "k", "claimed %", "happened %", "words", "with maps of the other half", "gain, nats"
    )
    for record in files.iter_rows(named=True):
        gain = (
            "none"
            if not record["gain"]
            else f"{record['gain']:.4f} ± {record['error of gain']:.4f}"
        )
        mark = " (green)" if record["tone"] == "good" else ""
        cells = [
            record["file"],
            str(record["k"]),
            f"{record['claimed']:.2f}",
            f"{record['happened']:.2f}",
            record["finding"] + mark,
            record["beside"] + (" (green)" if record["beside tone"] == "good" else ""),
            gain,
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _right_table(right: pl.DataFrame) -> list[str]:
    lines = head("claims", "n", "called wrong %", "small error %", "no error seen %", "too few %")
    groups = right.group_by("right", "n", maintain_order=True)
    for (name, n), rows in groups:
        bad = _share(_is_red(rows))
        others = [
            _share(rows["finding"] == each)
            for each in ("small error", "no error seen", "too few rows")
        ]
        shares = " | ".join(f"{100 * share:.0f}" for share in (bad, *others))
        lines.append(f"| {name!s} | {n!s} | {shares} |")
    return lines


def _is_red(rows: pl.DataFrame) -> pl.Series:
    """Which findings say that claims are wrong."""
    return ~rows["finding"].is_in(CALM)


def _share(is_so: pl.Series) -> float:
    return float(is_so.to_numpy().mean())


def _rate(is_so: pl.Series) -> str:
    """A rate in percent with its standard error."""
    share = _share(is_so)
    error = np.sqrt(share * (1 - share) / len(is_so))
    return f"{int(is_so.sum())} of {len(is_so):,}, {100 * share:.1f} ± {100 * error:.1f}%"


def page(table: pl.DataFrame) -> list[str]:
    """What was found, as a page."""
    known = table.filter(pl.col("map").is_not_null())
    files = table.filter(pl.col("file").is_not_null())
    right = table.filter(pl.col("right").is_not_null())
    green = known.filter(pl.col("tone") == "good")
    wrong = known.filter(pl.col("map") != RIGHT)
    return [
        "# Do verdicts say what is true?",
        "",
        f"{len(known)} samples of claims whose truth is known, {len(files)} halves of {files['file'].n_unique()} files "
        f"of real predictions, and {len(right):,} samples of right claims. A verdict is red where the evidence has "
        f"p ≤ {LEVEL} and the error matters, green where p > {HINT} and no error that matters is hidden. Both "
        "levels were chosen after a look at the samples of right claims; no other threshold was changed after a look "
        "at these.",
        "",
        "| | |",
        "|---|---|",
        f"| right claims called wrong | {_rate(_is_red(right))} |",
        f"| the same at n = {SIZES[0]:,}, where every error that is seen matters | "
        f"{_rate(_is_red(right.filter(pl.col('n') == SIZES[0])))} |",
        f"| right claims with p ≤ {LEVEL}, of the exact test | {_rate(right['p'] <= LEVEL)} |",
        f"| known truths: words against the truth | {_rate(known['against'])} |",
        f"| known truths: green, though a map of other rows gains more than two standard errors | "
        f"{_rate((known['tone'] == 'good') & known['gains'])} |",
        f"| of {len(green)} green ones, those that are right claims | {_rate(green['map'] == RIGHT)} |",
        f"| wrong claims called wrong, n = {SIZES[1]:,} | "
        f"{_rate(wrong.filter(pl.col('n') == SIZES[1])['tone'] == 'bad')} |",
        f"| files: green, though a map of the other half gains more than two standard errors | "
        f"{_rate((files['tone'] == 'good') & files['gains'])} |",
        f"| known truths: flips where classes come in the other order under other names | "
        f"{_rate(known['flips'])} |",
        f"| files: flips, likewise | {_rate(files['flips'])} |",
        "",
        "## Known truth against words",
        "",
        "Gap (claimed less true) and error in points, of all claims; nats that the truth would gain. \"green\" is the "
        "verdict with a tick.",
        "",
        *_true_table(known),
        "",
        "## Real files",
        "",
        "Halves, both ways; the first question of a report: the positive class of two, else the top label. The gain "
        "is that of the better of Temperature and Smooth, fitted on the other half; of more than "
        f"{MANY_CLASSES} classes, of Temperature.",
        "",
        *_file_table(files),
        "",
        "## Right claims",
        "",
        f"{DRAWS} samples a row: claims of each kind, outcomes drawn from them. Claims of exactly 0, of which the "
        "random forest makes many, never come true here; the test reads them as rounded, and so finds a small error.",
        "",
        *_right_table(right),
    ]  # fmt: skip


def main() -> None:
    """Run the study and write the page, whole or not at all."""
    quick = is_quick(__doc__)
    tasks: list[Job] = [("known", *pair) for pair in product(UNSEEN, UNSEEN_MAPS)]
    files: list[Job] = [("file", name) for name in FILES]
    sources = [*UNSEEN, *FILES]
    draws: list[Job] = [("right", name, str(n)) for name, n in product(sources, SIZES)]
    jobs = [*tasks[:2], *files[:1], *draws[:2]] if quick else [*tasks, *files, *draws]
    parts = None if quick else parts_of(PAGE)
    publish(PAGE, page(gather(found, jobs, "verdicts", parts)), parts, "scipy", "polars")


if __name__ == "__main__":
    main()
