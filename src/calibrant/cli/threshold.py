"""calibrant threshold: from which confidence on to answer, so that answers are right so often."""

from typing import Annotated, Any, Final

import typer

from .commands import command
from .inputs import InputOptions
from .options import File, option
from .outputs import OutputOptions

ACCURACY_HELP: Final = "How often what is answered must be right, as 0.95."
LEVEL_HELP: Final = "The confidence with which this holds of rows to come."
FOUND: Final = (
    "Answer from {threshold:.6g} on: with confidence {level:g}, at least {accuracy:g} of such answers are "
    "right. Of these rows that answers {coverage:.1%}, of which {observed:.1%} are right; of all, {all:.1%} are."
)
Accuracy = Annotated[float, option("X", ACCURACY_HELP)]
Level = Annotated[float, option("X", LEVEL_HELP)]


@command(
    "threshold answers.jsonl --accuracy 0.95",
    "threshold test.csv --accuracy 0.9 --level 0.99",
)
def threshold(
    file: File,
    *,
    accuracy: Accuracy = 0.95,
    level: Level = 0.95,
    inputs: InputOptions,
    output: OutputOptions,
) -> None:
    """Say from which confidence on to answer.

    From there on answers are right as often as asked, of rows to come too. It is of confidences, or
    of predictions of the top label's. Exit code 1 if no threshold keeps that; then the best
    attainable is told. Of several splits it takes val: these rows should be new to the model.
    """
    from ..decisions import accuracy_at, coverage_at, threshold_for
    from ..decisions.guarantees import Unreachable

    x = inputs.read(file, "val").x
    found: dict[str, Any] = {"accuracy": accuracy, "level": level}
    try:
        cut = threshold_for(x, accuracy, level=level)
    except Unreachable as error:
        words = str(error)[0].upper() + str(error)[1:]
        output.tell({**found, "threshold": None, "best": error.best}, f"{words}.")
        raise typer.Exit(1) from None
    share = coverage_at(x, cut)
    found |= {"threshold": cut, "best": accuracy, "coverage": share}
    found |= {"observed": accuracy_at(x, share), "all": accuracy_at(x, 1)}
    output.tell(found, FOUND.format(**found))
