"""Which column of a file is what: as the caller names it, or by its usual name. Names decide, never values."""

import json
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .predictions import Kind

Names = str | Sequence[str]
Columns = dict[str, Callable[[], NDArray[Any]]]

# The likeliest name first; upper and lower case are one.
LABELS = ["label", "labels", "y", "y_true", "target", "targets", "class", "true_label", "true_labels", "true_class"]
LABELS += ["truth", "gold", "ground_truth"]
CONFIDENCES = ["confidence", "conf", "confidences", "p", "prob", "probability", "score", "chance", "forecast"]
CORRECTS = ["correct", "is_correct", "right", "correctness", "hit"]
OUTCOMES = ["outcome", "event", "happened", *LABELS]
PREDICTED = ["pred", "preds", "prediction", "predicted", "predictions", "y_pred", "predicted_label", "pred_label"]
WEIGHTS = ["weight", "weights", "count", "counts", "sample_weight", "sample_weights"]
SPLITS = ["test", "val", "valid", "validation", "dev", "cal", "calib", "calibration", "fit", "train", "eval"]
VECTORS: dict[Kind, list[str]] = {
    "probs": ["probs", "probabilities", "probas", "proba", "y_prob", "y_proba", "y_probs"],
    "logits": ["logits", "logit", "y_logits"],
}
PREFIXES: dict[Kind, list[str]] = {
    "probs": ["prob_", "p_", "proba_", "probs_", "probability_", "probabilities_"],
    "logits": ["logit_", "logits_"],
}


def find(columns: Columns, wanted: str | None, usual: Iterable[str] = ()) -> str | None:
    """The column that was named, or else the first with a usual name, or else None."""
    if wanted is None:
        lower = {name.lower(): name for name in reversed(columns)}
        return next((lower[name] for name in usual if name in lower), None)
    if wanted not in columns:
        near = get_close_matches(wanted, columns, 1, 0.5)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise ValueError(f"there is no column {wanted!r}; {hint}the columns are {_listed(columns)}")
    return wanted


def needed(columns: Columns, wanted: str | None, usual: Iterable[str], what: str, option: str) -> str:
    """As `find`, but a column that is not there is refused."""
    found = find(columns, wanted, usual)
    if found is None:
        raise ValueError(f"found no column of {what}: name it with {option}; the columns are {_listed(columns)}")
    return found


def vectors(columns: Columns, given: dict[Kind, Names | None]) -> tuple[Kind, list[str], list[str] | None] | None:
    """The kind of vectors in the file, their column or columns, and the class names that several columns carry."""
    found = {kind: _named(columns, wanted) for kind, wanted in given.items() if wanted is not None}
    if not found:
        usual = {kind: _usual(columns, kind) for kind in VECTORS}
        found = {kind: each for kind, each in usual.items() if each is not None}
    if len(found) > 1:
        raise ValueError("there are both probs and logits: name the one to take with probs or logits")
    return next(((kind, *each) for kind, each in found.items()), None)


def claims(
    columns: Columns, confidence: str | None, correct: str | None, label: str | None
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Confidences, and whether each was right: as told, as predicted and true labels agree, or as a 0/1 label says."""
    what = "probabilities, logits or confidences"
    p = numbers(columns, needed(columns, confidence, CONFIDENCES, what, "probs, logits or confidence"))
    told, predicted, truth = (
        find(columns, correct, CORRECTS),
        find(columns, None, PREDICTED),
        find(columns, label, LABELS),
    )
    if told is None and predicted is not None and truth is not None:
        pair = columns[predicted](), columns[truth]()
        alike = all(each.dtype.kind in "biuf" for each in pair)
        return p, np.equal(*(each if alike else each.astype(np.str_) for each in pair))
    return p, numbers(columns, told or needed(columns, label, OUTCOMES, "whether each claim was right", "correct"))


def meet(labels: NDArray[Any], names: list[str]) -> tuple[NDArray[Any], Sequence[Hashable]]:
    """Labels, and class names from a header, made to meet where the labels were read as numbers or as true and false.

    >>> meet(np.array([True, False]), ["TRUE", "FALSE"])[0].tolist()
    ['TRUE', 'FALSE']
    """
    if labels.dtype.kind not in "biuf":
        return labels, names
    if all(re.fullmatch(r"-?\d+(\.0*)?", name) for name in names):
        return labels, [int(float(name)) for name in names]
    known, said = {name.lower(): name for name in names}, [str(label).lower() for label in labels.tolist()]
    return (np.array([known[each] for each in said]) if set(said) <= set(known) else labels), names


def numbers(columns: Columns, name: str) -> NDArray[Any]:
    """A column of numbers, or of lists of them; text such as [0.2, 0.8], as a .csv has it, is taken for a list."""
    array = columns[name]()
    if array.dtype.kind in "biuf":
        return array
    rows = []
    for row, text in enumerate(array.tolist()):
        try:
            rows.append(np.asarray(json.loads(text) if text.lstrip().startswith("[") else text, np.float64))
        except (ValueError, TypeError, AttributeError) as error:
            raise ValueError(f"column {name!r} must hold numbers (row {row} is {str(text)[:40]!r})") from error
        if rows[row].shape != rows[0].shape:
            raise ValueError(
                f"column {name!r} must have as many numbers in every row "
                f"(row 0 has {rows[0].size}, row {row} has {rows[row].size})"
            )
    return np.stack(rows)


def _usual(columns: Columns, kind: Kind) -> tuple[list[str], list[str] | None] | None:
    one = find(columns, None, VECTORS[kind])
    several = (_prefixed(columns, prefix) for prefix in PREFIXES[kind])
    return ([one], None) if one is not None else next((each for each in several if len(each[0]) > 1), None)


def _named(columns: Columns, wanted: Names) -> tuple[list[str], list[str] | None]:
    if isinstance(wanted, str):
        if wanted not in columns and len((found := _prefixed(columns, wanted))[0]) > 1:
            return found
        wanted = [wanted] if wanted in columns else [name.strip() for name in wanted.split(",")]
    names = [name for name in wanted if find(columns, name)]
    return names, names if len(names) > 1 else None


def _prefixed(columns: Columns, prefix: str) -> tuple[list[str], list[str]]:
    names = [name for name in columns if name.lower().startswith(prefix.lower())]
    return names, [name[len(prefix) :] for name in names]


def _listed(columns: Columns) -> str:
    names = list(columns)
    return ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
