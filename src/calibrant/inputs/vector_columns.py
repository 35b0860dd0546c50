"""Which columns hold the vectors of a file, as probabilities or as logits."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .class_names import PREFIXES
from .column_names import (
    CONFIDENCES,
    CORRECTS,
    EVENTS,
    LABELS,
    LOG_PROBS,
    PREDICTED,
    VECTORS,
    ColumnNames,
    Names,
    comma_separated,
    find,
)
from .predictions import Kind


class VectorColumns(NamedTuple):
    """The column of vectors or those of one class each, and the class names that these carry."""

    kind: Kind
    columns: list[str]
    carried: list[str] | None


def vector_columns(columns: Iterable[str], wanted: ColumnNames) -> VectorColumns | None:
    """The vectors that were named, or else with usual names; None where a row has one chance."""
    names = list(columns)
    has_one_chance = bool(wanted.confidence or wanted.correct)
    found = _named_vectors(names, wanted)
    either = wanted.called("probs", "logits")
    if found and has_one_chance:
        one = wanted.called("confidence")
        raise ValueError(f"name vectors with {either}, or one chance a row with {one}, not both")
    if not found and not has_one_chance:
        found = usual_vector_columns(names, label=_label_column(names, wanted))
    if len(found) > 1:
        raise ValueError(f"there are both probs and logits: name the one to take with {either}")
    return found[0] if found else _chance_of_class_1(names, wanted)


def usual_vector_columns(names: Sequence[str], *, label: str | None = None) -> list[VectorColumns]:
    """The vectors with usual names, of either kind."""
    # Many a column begins with p_, so prefixes come last of all.
    has_pair = _has_confidence_and_outcome(names, label)
    found = []
    for kind in VECTORS:
        one = find(names, None, VECTORS[kind])
        if one is not None:
            found.append(VectorColumns(kind, [one], None))
        elif not has_pair:
            found += _usual_prefix(names, kind)
    log_probs = find(names, None, LOG_PROBS)
    if not found and not has_pair and log_probs is not None:
        return [VectorColumns("logits", [log_probs], None)]
    return found


def told_outcome(columns: Iterable[str], wanted: ColumnNames) -> str | None:
    """The column that says whether each claim was right, unless a label was named instead."""
    if wanted.label and not wanted.correct:
        return None
    return find(columns, wanted.correct, CORRECTS)


def _label_column(names: Sequence[str], wanted: ColumnNames) -> str | None:
    """The label that was named, unless it is the prefix of columns of shares."""
    if wanted.label is None:
        return None
    begin_so = [name for name in names if name.lower().startswith(wanted.label.lower())]
    return None if len(begin_so) > 1 and wanted.label not in names else wanted.label


def _named_vectors(names: list[str], wanted: ColumnNames) -> list[VectorColumns]:
    found = []
    if wanted.probs is not None:
        found.append(_named(names, "probs", wanted.probs))
    if wanted.logits is not None:
        found.append(_named(names, "logits", wanted.logits))
    return found


def _named(columns: list[str], kind: Kind, wanted: Names) -> VectorColumns:
    if isinstance(wanted, str):
        lowered = [name.lower() for name in columns]
        is_column = wanted.lower() in lowered
        prefixed = _prefixed(columns, kind, wanted)
        if not is_column and len(prefixed.columns) > 1:
            return prefixed
        wanted = [wanted] if is_column else comma_separated(wanted)
    found = [find(columns, each) for each in wanted]
    names = [name for name in found if name is not None]
    carried = names if len(names) > 1 else None
    return VectorColumns(kind, names, carried)


def _chance_of_class_1(names: Sequence[str], wanted: ColumnNames) -> VectorColumns | None:
    """One chance a row, where classes are named and nothing says which of them was predicted."""
    if wanted.class_names is None or told_outcome(names, wanted) is not None:
        return None
    if find(names, None, PREDICTED):
        return None
    chance = find(names, wanted.confidence, CONFIDENCES)
    if chance is None:
        return None
    return VectorColumns("probs", [chance], None)


def _has_confidence_and_outcome(names: Sequence[str], label: str | None) -> bool:
    truth = find(names, label, LABELS)
    confidence = find(names, None, CONFIDENCES)
    correct = find(names, None, CORRECTS)
    event = find(names, None, EVENTS)
    has_outcome = truth is None or correct is not None or event is not None
    return confidence is not None and has_outcome


def _usual_prefix(names: Sequence[str], kind: Kind) -> list[VectorColumns]:
    for prefix in PREFIXES[kind]:
        prefixed = _prefixed(names, kind, prefix)
        if len(prefixed.columns) > 1:
            return [prefixed]
    return []


def _prefixed(columns: Iterable[str], kind: Kind, prefix: str) -> VectorColumns:
    names = [name for name in columns if name.lower().startswith(prefix.lower())]
    carried = [name[len(prefix) :] for name in names]
    return VectorColumns(kind, names, carried)
