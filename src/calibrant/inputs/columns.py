"""What the columns of a file hold: numbers, outcomes, and labels that match the class names."""

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial

import numpy as np

from ..fitting.types import Values
from .class_names import numbered
from .column_names import EVENTS, LABELS, PREDICTED, ColumnNames, find, missing
from .gaps import complete, refuse_missing_words
from .stated import stated_confidences
from .vector_columns import told_outcome

Arrays = dict[str, Values]
# The columns of a file by name, each an array once it is asked for.
Columns = dict[str, Callable[[], Values]]

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


def noting(columns: Columns, used: list[str]) -> Columns:
    """The same columns, each of which adds its name to `used` when its values are asked for."""

    def read(name: str) -> Values:
        if name not in used:
            used.append(name)
        return columns[name]()

    return {name: partial(read, name) for name in columns}


def numbers(columns: Columns, name: str) -> Values:
    """A column of numbers, or of lists of them, also as text: 90%, [0.2, 0.8] or [0.2 0.8]."""
    array = complete(name, columns[name]())
    if _has_numbers(array):
        return array
    texts = array.tolist()
    rows: list[Values] = []
    for row, text in enumerate(texts):
        try:
            found = _parsed(text)
        except (ValueError, TypeError) as error:
            refuse_missing_words(name, texts)
            shown = repr(str(text)[:40])
            raise ValueError(f"column {name!r} must hold numbers (row {row} is {shown})") from error
        rows.append(found)
        if found.shape != rows[0].shape:
            raise ValueError(
                f"column {name!r} must have as many numbers in every row "
                f"(row 0 has {rows[0].size}, row {row} has {found.size})"
            )
    return np.stack(rows)


def confidences(columns: Columns, name: str) -> Values:
    """A column of chances; or of texts that state one, as those of language models do."""
    array = columns[name]()
    if _has_numbers(array) or not any(" " in str(text).strip() for text in array.tolist()):
        return numbers(columns, name)
    return complete(name, stated_confidences(array.tolist()))


def outcome(columns: Columns, wanted: ColumnNames, *, required: bool) -> Values | None:
    """Whether each claim was right: as told, as predicted and true labels agree, or by 0 and 1."""
    names = outcome_columns(columns, wanted)
    if len(names) == 2:
        predicted, truth = names
        return _agreement(columns, predicted, truth, wanted.called("correct"))
    if names:
        (name,) = names
        return _zeros_and_ones(columns[name](), name, wanted.called("classes"))
    if required:
        options = wanted.called("correct", "label")
        raise missing(columns, "whether each claim was right", options)
    return None


def outcome_columns(columns: Iterable[str], wanted: ColumnNames) -> list[str]:
    """The column that says whether each claim was right, those of predicted and true labels, or none."""
    names = list(columns)
    told = told_outcome(names, wanted)
    pair = _predicted_and_true(names, wanted)
    if told is None and pair is not None:
        return list(pair)
    name = told or find(names, wanted.label, [*EVENTS, *LABELS])
    return [] if name is None else [name]


def match_labels(labels: Values, names: list[str]) -> tuple[Values, Sequence[Hashable]]:
    """Labels and class names from a header, made alike where labels were read as numbers or truths.

    >>> match_labels(np.array([True, False]), ["TRUE", "FALSE"])[0].tolist()
    ['TRUE', 'FALSE']
    >>> match_labels(np.array([1, 10]), ["01", "10"])[0].tolist()
    ['01', '10']
    """
    if not _has_numbers(labels):
        return labels, names
    if labels.ndim == 2:
        return labels, numbered(names)
    if not all(re.fullmatch(r"-?\d+(\.\d*)?", name) for name in names):
        return _matched_by_text(labels, names), names
    values = [_number(name) for name in names]
    is_written_so = [str(value) for value in values] == names
    if is_written_so and all(isinstance(value, int) for value in values):
        return labels, values
    return _matched_by_value(labels, names, values), names


def _matched_by_text(labels: Values, names: list[str]) -> Values:
    by_text = {name.lower(): name for name in names}
    said = [str(label).lower() for label in labels.tolist()]
    is_known = set(said) <= set(by_text)
    if not is_known:
        return labels
    return np.array([by_text[each] for each in said])


def _matched_by_value(labels: Values, names: list[str], values: list[float]) -> Values:
    pairs = list(zip(values, names, strict=True))
    by_value = dict(pairs)
    if len(by_value) < len(names):
        twin = next(name for value, name in pairs if by_value[value] != name)
        raise ValueError(
            "classes must differ as numbers where labels are numbers: "
            f"{twin!r} is one twice; rename it"
        )
    return np.array([by_value.get(label, str(label)) for label in labels.tolist()])


def _has_numbers(array: Values) -> bool:
    return array.dtype.kind in "biuf"


def _number(text: str) -> float:
    """A number, a whole one as such."""
    return float(text) if "." in text else int(text)


def _parsed(text: str) -> Values:
    """A number, or a list of them in brackets."""
    brackets = re.fullmatch(r"\s*\[(.*)\]\s*", text, re.DOTALL)
    if brackets is None and text.rstrip().endswith("%"):
        return np.asarray(text.rstrip().removesuffix("%"), np.float64) / 100
    if brackets is None:
        return np.asarray(text, np.float64)
    inside = brackets[1]
    separator = "," if "," in inside else None
    return np.asarray(inside.split(separator), np.float64)


def _zeros_and_ones(array: Values, name: str, option: str) -> Values:
    if _has_numbers(array):
        return complete(name, array)
    said = [_truth(each) for each in array.tolist()]
    if None in said:
        refuse_missing_words(name, array.tolist())
        row = said.index(None)
        shown = repr(str(array[row])[:40])
        raise ValueError(
            f"column {name!r} must hold 0 and 1, true and false or yes and no "
            f"(row {row} is {shown}); "
            f"if it names classes, name both with {option}, "
            "last the one whose chance is claimed"
        )
    return np.array(said, np.float64)


def _truth(value: object) -> float | None:
    word = str(value).strip().lower()
    return OUTCOMES.get(word)


def _predicted_and_true(columns: Sequence[str], wanted: ColumnNames) -> tuple[str, str] | None:
    predicted = find(columns, None, PREDICTED)
    truth = find(columns, wanted.label, LABELS)
    if predicted is None or truth is None:
        return None
    is_event = truth.lower() in EVENTS
    return None if is_event else (predicted, truth)


def _agreement(columns: Columns, predicted: str, truth: str, option: str) -> Values:
    claimed = columns[predicted]()
    actual = columns[truth]()
    if _has_numbers(claimed) and _has_numbers(actual):
        return np.equal(claimed, actual)
    is_same = np.equal(claimed.astype(np.str_), actual.astype(np.str_))
    is_mixed = claimed.dtype.kind != actual.dtype.kind
    # Numbers beside text that never agree are no labels: likelier they say whether it was right.
    if is_mixed and not is_same.any():
        raise ValueError(
            f"columns {predicted!r} and {truth!r} never agree; "
            f"say which tells the outcome with {option}"
        )
    return is_same
