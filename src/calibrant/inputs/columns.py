"""Which column of a file is what: as the caller names it, or by its usual name. Names decide, never values."""

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .predictions import Kind

Names = str | Sequence[str]
Columns = dict[str, Callable[[], NDArray[Any]]]

# The likeliest name first; upper and lower case are one.
LABELS = [
    "label",
    "labels",
    "y",
    "y_true",
    "target",
    "targets",
    "class",
    "true_label",
    "true_labels",
    "true_class",
]
LABELS += ["truth", "gold", "ground_truth", "reference", "expected", "answer"]
CONFIDENCES = [
    "confidence",
    "conf",
    "confidences",
    "p",
    "prob",
    "probability",
    "score",
    "chance",
    "forecast",
]
CORRECTS = ["correct", "is_correct", "right", "correctness", "hit"]
EVENTS = ["outcome", "event", "happened"]
PREDICTED = [
    "pred",
    "preds",
    "prediction",
    "predicted",
    "predictions",
    "y_pred",
    "predicted_label",
    "pred_label",
]
WEIGHTS = ["weight", "weights", "count", "counts", "sample_weight", "sample_weights"]
VECTORS: dict[Kind, list[str]] = {
    "probs": ["probs", "probabilities", "probas", "proba", "y_prob", "y_proba", "y_probs"],
    "logits": ["logits", "logit", "y_logits"],
}
# Log-probabilities of choices serve as logits; beside a confidence they are more likely those of words.
LOG_PROBS = ["log_probs", "logprobs", "choice_logprobs", "log_likelihoods", "loglikelihoods"]
PREFIXES: dict[Kind, list[str]] = {
    "probs": ["prob_", "p_", "proba_", "probs_", "probability_", "probabilities_"],
    "logits": ["logit_", "logits_"],
}
OUTCOMES = {
    "true": 1.0,
    "yes": 1.0,
    "1": 1.0,
    "1.0": 1.0,
    "false": 0.0,
    "no": 0.0,
    "0": 0.0,
    "0.0": 0.0,
}


@dataclass(frozen=True)
class ColumnNames:
    """The columns as the caller names them; those left None are found by their usual names.

    `sign` goes before a name in what is said of it: the command has options where functions have arguments.
    """

    label: str | None = None
    probs: Names | None = None
    logits: Names | None = None
    confidence: str | None = None
    correct: str | None = None
    weight: str | None = None
    classes: str | Sequence[Hashable] | None = None
    sign: Literal["", "--"] = ""

    def __post_init__(self) -> None:
        for name in (field.name for field in fields(self) if field.name != "sign"):
            value = getattr(self, name)
            if isinstance(value, str) and not value.strip():
                called = self.called(name)
                raise ValueError(f"{called} is an empty name; name a column, or leave {called} out")

    def called(self, *names: str) -> str:
        """Arguments or options, in words: label; probs or logits; --probs, --logits or --confidence."""
        *first, last = (f"{self.sign}{name}" for name in names)
        return f"{', '.join(first)} or {last}" if first else last

    @property
    def names(self) -> Sequence[Hashable] | None:
        """The classes, from text such as a,b,c too."""
        return _parted(self.classes) if isinstance(self.classes, str) else self.classes


class Vectors(NamedTuple):
    """The kind of vectors in a file, their column or columns, and the class names that several columns carry."""

    kind: Kind
    columns: list[str]
    carried: list[str] | None


def find(columns: Iterable[str], wanted: str | None, usual: Iterable[str] = ()) -> str | None:
    """The column that was named, or else the first with a usual name, or else None."""
    names = list(columns)
    known = {name.lower(): name for name in reversed(names)} | {name: name for name in names}
    if wanted is None:
        return next((known[name] for name in usual if name in known), None)
    if (found := known.get(wanted, known.get(wanted.strip().lower()))) is None:
        near = get_close_matches(wanted, names, 1, 0.5)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise ValueError(f"there is no column {wanted!r}; {hint}the columns are {_listed(names)}")
    return found


def missing(columns: Iterable[str], what: str, options: str) -> ValueError:
    """What to say where a column that is needed has no usual name."""
    return ValueError(
        f"found no column of {what}: name it with {options}; the columns are {_listed(list(columns))}"
    )


def vectors(columns: Iterable[str], wanted: ColumnNames) -> Vectors | None:
    """The vectors that were named, or else those with usual names, or None where there is one chance a row.

    One chance a row is that of class 1 where the classes are named and nothing says which class was predicted.
    """
    names = list(columns)
    given: dict[Kind, Names | None] = {"probs": wanted.probs, "logits": wanted.logits}
    found = [_named(names, kind, each) for kind, each in given.items() if each is not None]
    if found and (wanted.confidence or wanted.correct):
        either, one = wanted.called("probs", "logits"), wanted.called("confidence")
        raise ValueError(f"name vectors with {either}, or one chance a row with {one}, not both")
    if not found and not wanted.confidence and not wanted.correct:
        found = usual_vectors(names, label=wanted.label)
    if len(found) > 1:
        called = wanted.called("probs", "logits")
        raise ValueError(f"there are both probs and logits: name the one to take with {called}")
    if (
        not found
        and wanted.names is not None
        and _told(names, wanted) is None
        and not find(names, None, PREDICTED)
    ):
        chance = find(names, wanted.confidence, CONFIDENCES)
        return None if chance is None else Vectors("probs", [chance], None)
    return found[0] if found else None


def usual_vectors(names: Sequence[str], *, label: str | None = None) -> list[Vectors]:
    """The vectors with usual names, of either kind; many a column begins with p_, so prefixes come last of all."""
    chance, truth = find(names, None, CONFIDENCES), find(names, label, LABELS)
    paired = chance is not None and (
        truth is None or find(names, None, [*CORRECTS, *EVENTS]) is not None
    )
    found = []
    for kind in VECTORS:
        several = [] if paired else [_prefixed(names, kind, prefix) for prefix in PREFIXES[kind]]
        one = find(names, None, VECTORS[kind])
        either = several if one is None else [Vectors(kind, [one], None)]
        found += [each for each in either if one is not None or len(each.columns) > 1][:1]
    if not found and not paired and (one := find(names, None, LOG_PROBS)) is not None:
        return [Vectors("logits", [one], None)]
    return found


def outcome(columns: Columns, wanted: ColumnNames, *, required: bool) -> NDArray[Any] | None:
    """Whether each claim was right: as told, as predicted and true labels agree, or as a label of 0 and 1 says."""
    told, predicted, truth = (
        _told(columns, wanted),
        find(columns, None, PREDICTED),
        find(columns, wanted.label, LABELS),
    )
    if told is None and predicted is not None and truth is not None and truth.lower() not in EVENTS:
        return _agreement(columns, predicted, truth, wanted.called("correct"))
    name = told or find(columns, wanted.label, [*EVENTS, *LABELS])
    if name is None:
        if required:
            raise missing(
                columns, "whether each claim was right", wanted.called("correct", "label")
            )
        return None
    array = columns[name]()
    said = (
        []
        if array.dtype.kind in "biuf"
        else [OUTCOMES.get(str(each).strip().lower()) for each in array.tolist()]
    )
    if None in said:
        row = said.index(None)
        raise ValueError(
            f"column {name!r} must hold 0 and 1, true and false or yes and no (row {row} is {str(array[row])[:40]!r}); "
            f"if it names classes, name both with {wanted.called('classes')}, last the one whose chance is claimed"
        )
    return np.array(said, np.float64) if said else array


def match_labels(labels: NDArray[Any], names: list[str]) -> tuple[NDArray[Any], Sequence[Hashable]]:
    """Labels, and class names from a header, made to match_labels where the labels were read as numbers or as true and false.

    >>> match_labels(np.array([True, False]), ["TRUE", "FALSE"])[0].tolist()
    ['TRUE', 'FALSE']
    >>> match_labels(np.array([1, 10]), ["01", "10"])[0].tolist()
    ['01', '10']
    """
    if labels.dtype.kind not in "biuf":
        return labels, names
    if not all(re.fullmatch(r"-?\d+(\.\d*)?", name) for name in names):
        by_text, said = (
            {name.lower(): name for name in names},
            [str(label).lower() for label in labels.tolist()],
        )
        return (
            np.array([by_text[each] for each in said]) if set(said) <= set(by_text) else labels
        ), names
    values = [float(name) if "." in name else int(name) for name in names]
    if [str(value) for value in values] == names and all(
        isinstance(value, int) for value in values
    ):
        return labels, values
    by_value = dict(zip(values, names, strict=True))
    if len(by_value) < len(names):
        twins = next(
            name for value, name in zip(values, names, strict=True) if by_value[value] != name
        )
        raise ValueError(
            f"classes must differ as numbers where labels are numbers: {twins!r} is one twice; rename it"
        )
    return np.array([by_value.get(label, str(label)) for label in labels.tolist()]), names


def numbers(columns: Columns, name: str) -> NDArray[Any]:
    """A column of numbers, or of lists of them; text such as [0.2, 0.8] or [0.2 0.8] is taken for a list."""
    array = columns[name]()
    if array.dtype.kind in "biuf":
        return array
    rows = []
    for row, text in enumerate(array.tolist()):
        try:
            inside = re.fullmatch(r"\s*\[(.*)\]\s*", text, re.DOTALL)
            parts = inside and (inside[1].split(",") if "," in inside[1] else inside[1].split())
            rows.append(np.asarray(text if parts is None else parts, np.float64))
        except (ValueError, TypeError) as error:
            raise ValueError(
                f"column {name!r} must hold numbers (row {row} is {str(text)[:40]!r})"
            ) from error
        if rows[row].shape != rows[0].shape:
            raise ValueError(
                f"column {name!r} must have as many numbers in every row "
                f"(row 0 has {rows[0].size}, row {row} has {rows[row].size})"
            )
    return np.stack(rows)


def _told(columns: Iterable[str], wanted: ColumnNames) -> str | None:
    return None if wanted.label and not wanted.correct else find(columns, wanted.correct, CORRECTS)


def _agreement(columns: Columns, predicted: str, truth: str, option: str) -> NDArray[Any]:
    pair = columns[predicted](), columns[truth]()
    if all(each.dtype.kind in "biuf" for each in pair):
        return np.equal(*pair)
    same = np.equal(*(each.astype(np.str_) for each in pair))
    # Numbers beside text that never agree are no labels: more likely they say whether the prediction was right.
    if pair[0].dtype.kind != pair[1].dtype.kind and not same.any():
        raise ValueError(
            f"columns {predicted!r} and {truth!r} never agree; say which tells the outcome with {option}"
        )
    return same


def _named(columns: list[str], kind: Kind, wanted: Names) -> Vectors:
    if isinstance(wanted, str):
        known = {name.lower() for name in columns}
        if (
            wanted.lower() not in known
            and len((found := _prefixed(columns, kind, wanted)).columns) > 1
        ):
            return found
        wanted = [wanted] if wanted.lower() in known else _parted(wanted)
    names = [name for each in wanted if (name := find(columns, each)) is not None]
    return Vectors(kind, names, names if len(names) > 1 else None)


def _prefixed(columns: Iterable[str], kind: Kind, prefix: str) -> Vectors:
    names = [name for name in columns if name.lower().startswith(prefix.lower())]
    return Vectors(kind, names, [name[len(prefix) :] for name in names])


def _parted(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
