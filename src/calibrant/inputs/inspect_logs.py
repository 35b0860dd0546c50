"""Logs of Inspect, an evaluator of language models: a row for each sample, with what it was sure of."""

import json
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from typing import Any, Final
from zipfile import BadZipFile, ZipFile

import polars as pl

from .stated import stated_confidences
from .unpacking import check_depth, check_unpacked

CONFIDENCE, RIGHT = "answer_confidence", "answer_right"
GRADES: Final[dict[str, float]] = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NO_SAMPLES = (
    "this log of Inspect holds no samples: it was written without, or broke off before one"
)


def is_inspect_log(found: object) -> bool:
    """Whether a .json is a log: it says how it was run, and may have samples."""
    return isinstance(found, Mapping) and "eval" in found and "version" in found


def log_table(found: Mapping[str, Any]) -> pl.DataFrame:
    """The samples of a log that was written as .json."""
    return samples_table(found.get("samples") or [])


def archive_table(content: bytes) -> pl.DataFrame:
    """The samples of a log that was written as .eval, which is an archive of them."""
    try:
        with ZipFile(BytesIO(content)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
            check_unpacked(unpacked, len(content))
            names = [name for name in archive.namelist() if name.startswith("samples/")]
            samples = [_sample(archive.read(name)) for name in names]
    except (BadZipFile, NotImplementedError, KeyError) as error:
        raise OSError(f"no archive of Inspect: {error}") from error
    samples.sort(key=lambda each: (str(each.get("id")), each.get("epoch", 0)))
    return samples_table(samples)


def _sample(content: bytes) -> Any:  # noqa: ANN401 - of json
    check_depth(content)
    return json.loads(content)


def samples_table(samples: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """A row a sample: whether the answer is right, and how sure it was of it.

    Where every sample has as many choices, and the log-probabilities of their letters, these are
    logits and the target is the place of the right one. Otherwise a confidence is what metadata
    call so, or what the completion states.
    """
    if not samples:
        raise ValueError(_NO_SAMPLES)
    rows = [_row(sample) for sample in samples]
    frame = pl.DataFrame(rows, infer_schema_length=None, strict=False)
    logits = [_letter_logits(sample) for sample in samples]
    places = [_place(sample) for sample in samples]
    lengths = {None if each is None else len(each) for each in logits}
    if len(lengths) == 1 and None not in lengths and None not in places:
        frame = frame.drop(CONFIDENCE, RIGHT)
        return frame.with_columns(
            pl.Series("target", places, pl.Int64), pl.Series("logits", logits, pl.List(pl.Float64))
        )
    return frame


def _row(sample: Mapping[str, Any]) -> dict[str, Any]:
    scores = sample.get("scores") or {}
    score: Mapping[str, Any] = next(iter(scores.values()), {})
    output = sample.get("output") or {}
    completion = output.get("completion") or ""
    row = {
        "id": str(sample.get("id")),
        "epoch": sample.get("epoch", 1),
        "target": _text(sample.get("target")),
        "answer": score.get("answer"),
        "completion": completion,
        CONFIDENCE: _confidence(sample, score, completion),
        RIGHT: _grade(score.get("value")),
    }
    return row | {f"score_{name}": _grade(each.get("value")) for name, each in scores.items()}


def _confidence(
    sample: Mapping[str, Any], score: Mapping[str, Any], completion: str
) -> float | None:
    """What metadata call confidence, or what the completion states."""
    for metadata in (score.get("metadata"), sample.get("metadata")):
        told = (metadata or {}).get("confidence")
        if isinstance(told, int | float) and not isinstance(told, bool):
            return float(told)
    [stated] = stated_confidences([completion]).tolist()
    return None if stated != stated else stated


def _grade(value: object) -> float | None:
    """How right an answer is: a grade's letter, a truth, or a number as it is."""
    if isinstance(value, str):
        return GRADES.get(value)
    if isinstance(value, bool | int | float):
        return float(value)
    return None


def _place(sample: Mapping[str, Any]) -> int | None:
    """The place of the right choice by its letter."""
    target = _text(sample.get("target")).strip().upper()
    return _LETTERS.index(target) if len(target) == 1 and target in _LETTERS else None


def _letter_logits(sample: Mapping[str, Any]) -> list[float] | None:
    """The log-probability of each choice's letter, where the answer was given.

    A letter that is not among the likeliest tokens is given the least likely one's.
    """
    choices = sample.get("choices") or []
    letters = _LETTERS[: len(choices)]
    for token in _tokens(sample):
        likeliest = {}
        for each in [*(token.get("top_logprobs") or []), token]:
            likeliest[str(each.get("token")).strip().upper()] = float(each["logprob"])
        if len(letters) > 1 and str(token.get("token")).strip().upper() in letters:
            least = min(likeliest.values())
            return [likeliest.get(letter, least) for letter in letters]
    return None


def _tokens(sample: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The tokens of the first completion, from the last backwards: the answer comes last."""
    completions = (sample.get("output") or {}).get("choices") or [{}]
    logprobs = completions[0].get("logprobs") or {}
    yield from reversed(logprobs.get("content") or [])


def _text(target: object) -> str:
    return target if isinstance(target, str) else json.dumps(target)
