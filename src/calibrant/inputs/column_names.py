"""Which column is what: as the caller names it, or by its usual name, and never by its values."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Literal

from .predictions import Kind

Names = str | Sequence[str]

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
    "truth",
    "gold",
    "ground_truth",
    "reference",
    "expected",
    "answer",
]
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
    "answer_confidence",
]
CORRECTS = ["correct", "is_correct", "right", "correctness", "hit", "answer_right"]
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
# Those of choices serve as logits; beside a confidence they are likelier those of words.
LOG_PROBS = ["log_probs", "logprobs", "choice_logprobs", "log_likelihoods", "loglikelihoods"]
SHARES = "share_"  # of a class in the row's label, a column each


@dataclass(frozen=True)
class ColumnNames:
    """The columns as the caller names them; those left None are found by their usual names.

    `sign` goes before a name in what is said of it: the command has options where functions have
    arguments.
    """

    label: str | None = None
    probs: Names | None = None
    logits: Names | None = None
    confidence: str | None = None
    correct: str | None = None
    weight: str | None = None
    classes: str | Sequence[Hashable] | None = None
    event: str | None = None  # what a confidence is of, in words
    sign: Literal["", "--"] = ""

    def __post_init__(self) -> None:
        for name, value in self.given_as_text().items():
            if not value.strip():
                option = self.called(name)
                raise ValueError(f"{option} is an empty name; name a column, or leave {option} out")

    def given_as_text(self) -> dict[str, str]:
        """What was given as one text, by the name of its argument."""
        given = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, str) and field.name != "sign":
                given[field.name] = value
        return given

    def called(self, *names: str) -> str:
        """Arguments or options in words, as probs or logits; --probs, --logits or --confidence."""
        *first, last = [f"{self.sign}{name}" for name in names]
        if not first:
            return last
        listed = ", ".join(first)
        return f"{listed} or {last}"

    @property
    def class_names(self) -> Sequence[Hashable] | None:
        """The classes, from text such as a,b,c too."""
        if isinstance(self.classes, str):
            return comma_separated(self.classes)
        return self.classes


def find(columns: Iterable[str], wanted: str | None, usual: Iterable[str] = ()) -> str | None:
    """The column that was named, or else the first with a usual name, or else None."""
    names = list(columns)
    known = {name.lower(): name for name in reversed(names)}
    known |= {name: name for name in names}
    candidates = usual if wanted is None else (wanted, wanted.strip().lower())
    for name in candidates:
        if name in known:
            return known[name]
    if wanted is None:
        return None
    raise _no_column(wanted, names)


def missing(columns: Iterable[str], what: str, options: str) -> ValueError:
    """What to say where a column that is needed has no usual name."""
    listed = _listed(list(columns))
    return ValueError(
        f"found no column of {what}: name it with {options}; the columns are {listed}"
    )


def comma_separated(text: str) -> list[str]:
    """The names in a text such as a, b, c."""
    return [name.strip() for name in text.split(",")]


def _no_column(wanted: str, names: Sequence[str]) -> ValueError:
    near = get_close_matches(wanted, names, 1, 0.5)
    hint = ""
    if near:
        hint = f"did you mean {near[0]!r}? "
    return ValueError(f"there is no column {wanted!r}; {hint}the columns are {_listed(names)}")


def _listed(names: Sequence[str]) -> str:
    listed = ", ".join(names[:12])
    beyond = len(names) - 12
    if beyond > 0:
        listed += f" and {beyond} more"
    return listed
