"""Logs of lm-evaluation-harness: the log-likelihoods of a question's choices."""

import polars as pl

RESPONSES = "filtered_resps"


def choices_as_logits(frame: pl.DataFrame) -> pl.DataFrame:
    """A log with the log-likelihoods of its choices as logits; any other table as it is.

    A row holds [[-0.7, true], [-2.1, false]] and the place of the right choice, either as text.
    Where the number of choices varies, or the right one has no place, the chance of the likeliest
    is a confidence, and `acc` its outcome.
    """
    if frame.schema.get(RESPONSES) != pl.List(pl.List(pl.String)):
        return frame
    likelihoods = _likelihoods(frame[RESPONSES])
    if not _are_choices(likelihoods):
        return frame
    rest = frame.drop(RESPONSES)
    target = _target(rest)
    has_one_length = likelihoods.list.len().n_unique() == 1
    if has_one_length and not target.null_count():
        return rest.with_columns(target, likelihoods.alias("logits"))
    if "acc" not in rest.columns:
        return frame
    confidence = _top_chance(likelihoods).alias("confidence")
    correct = rest["acc"].alias("correct")
    return rest.with_columns(confidence, correct)


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


def _target(frame: pl.DataFrame) -> pl.Series:
    """The place of the right choice, null where it has none."""
    if "target" not in frame.columns:
        return pl.Series("target", [None])
    return frame["target"].cast(pl.Int64, strict=False)


def _top_chance(likelihoods: pl.Series) -> pl.Series:
    below_top = pl.element() - pl.element().max()
    relative = likelihoods.list.eval(below_top)
    odds = relative.list.eval(pl.element().exp())
    return 1 / odds.list.sum()
