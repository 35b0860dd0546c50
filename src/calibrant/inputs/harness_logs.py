"""Logs of lm-evaluation-harness: the log-likelihoods of a question's choices."""

import json
from typing import Any

import polars as pl

RESPONSES = "filtered_resps"


def readable_lines(content: bytes) -> bytes | None:
    """The lines of a log as polars can read them; None of what is no log of the harness.

    Metrics of a sample may pair the right choice with a list, [2, [-0.7, -2.1]]: that becomes text.
    """
    if f'"{RESPONSES}"'.encode() not in content.partition(b"\n")[0]:
        return None
    lines = [json.loads(line) for line in content.splitlines() if line.strip()]
    if not all(isinstance(line, dict) for line in lines):
        return None
    rows = [{name: _of_one_kind(value) for name, value in line.items()} for line in lines]
    return "\n".join(map(json.dumps, rows)).encode()


def _of_one_kind(value: Any) -> Any:  # noqa: ANN401 - of json
    """A value, as text where it is a list of lists and others."""
    if not isinstance(value, list):
        return value
    kinds = {isinstance(each, list) for each in value}
    return json.dumps(value) if len(kinds) > 1 else value


def choices_as_logits(frame: pl.DataFrame) -> pl.DataFrame:
    """A log with the log-likelihoods of its choices as logits; any other table as it is.

    A row holds [[-0.7, true], [-2.1, false]] and the place of the right choice, either as text, or a
    list of the places of all that are right. Where the number of choices varies, the right one has
    no place or there are several, the chance of the likeliest is a confidence; its outcome is `acc`
    or, where there is none, whether the likeliest is right.
    """
    if frame.schema.get(RESPONSES) != pl.List(pl.List(pl.String)):
        return frame
    likelihoods = _likelihoods(frame[RESPONSES])
    if not _are_choices(likelihoods):
        return frame
    rest = frame.drop(RESPONSES)
    targets = _targets(frame)
    target = targets.list.first().alias("target")
    has_one_length = likelihoods.list.len().n_unique() == 1
    has_one_target = (targets.list.len() == 1).all() and not target.null_count()
    if has_one_length and has_one_target:
        return rest.with_columns(target, likelihoods.alias("logits"))
    if "acc" in rest.columns:
        correct = rest["acc"]
    elif targets.list.eval(pl.element().is_null()).list.any().any():
        return frame
    else:
        top = likelihoods.list.arg_max().cast(pl.Int64)
        correct = pl.DataFrame([targets, top.alias("top")]).select(
            pl.col("target").list.contains(pl.col("top"))
        )["target"]
    confidence = _top_chance(likelihoods).alias("answer_confidence")
    return rest.with_columns(confidence, correct.alias("answer_right"))


def _likelihoods(responses: pl.Series) -> pl.Series:
    """The log-likelihoods, a list a row, null where a response has none."""
    likelihood = pl.element().list.first()
    number = likelihood.cast(pl.Float64, strict=False)
    return responses.list.eval(number)


def _are_choices(likelihoods: pl.Series) -> bool:
    lengths = likelihoods.list.len()
    if lengths.null_count() or (lengths < 2).any():
        return False
    return not likelihoods.explode().null_count()


def _targets(frame: pl.DataFrame) -> pl.Series:
    """The places of the right choices, a list a row; null where one has no place."""
    places = pl.List(pl.Int64)
    if "target" not in frame.columns:
        return pl.Series("target", [[None]] * frame.height, places)
    target = frame["target"]
    if isinstance(target.dtype, pl.List):
        return target.cast(places, strict=False)
    listed = target.cast(pl.String).str.strip_chars("[] ").str.split(",")
    stripped = listed.list.eval(pl.element().str.strip_chars(" '\""))
    return stripped.cast(places, strict=False)


def _top_chance(likelihoods: pl.Series) -> pl.Series:
    below_top = pl.element() - pl.element().max()
    relative = likelihoods.list.eval(below_top)
    odds = relative.list.eval(pl.element().exp())
    return 1 / odds.list.sum()
