"""How a function becomes a command, and the page that `calibrant` alone shows."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_type_hints

import typer

import calibrant

from ..progress import quiet
from .help import HelpPage, examples

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
# What a command opens is closed when it ends.
OPENED: ContextVar[ExitStack] = ContextVar("OPENED")


@app.callback(
    invoke_without_command=True,
    epilog=examples(
        "demo",
        "report predictions.csv --html report.html",
        "fit validation.csv --select -o map.safetensors",
        "apply map.safetensors test.csv -o mended.csv",
    ),
)
def about(
    context: typer.Context,
    *,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """How far a classifier's probabilities can be trusted, where they lie, and how to mend them.

    A file of predictions has a column of labels, and one column a class (prob_cat, prob_dog, ...)
    or one column of lists (probs or logits). Or it has a column confidence and a column correct.
    Columns of other names are named with options: see calibrant report --help.
    """
    if context.invoked_subcommand is None:
        typer.echo(f"calibrant {calibrant.__version__}" if version else context.get_help())


def command(*shown: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a function a command, with examples to be shown.

    A parameter that is a group of options becomes those options. Each command has one called
    `output`, which may ask for quiet.
    """

    def register(act: Callable[..., None]) -> Callable[..., None]:
        own = signature(act, eval_str=True)
        groups = _groups(own)

        @wraps(act)
        def call(**given: Any) -> None:  # noqa: ANN401 - whatever the options hold
            for name, kind in groups.items():
                given[name] = kind(**{each.name: given.pop(each.name) for each in fields(kind)})
            with ExitStack() as opened:
                OPENED.set(opened)
                if given["output"].quiet:
                    opened.enter_context(quiet())
                act(**given)

        call.__signature__ = _with_options(own, groups)  # type: ignore[attr-defined]
        return app.command(cls=HelpPage, epilog=examples(*shown))(call)

    return register


def _groups(own: Signature) -> dict[str, Any]:
    """The parameters that are groups of options, and the class of each."""
    kinds = {name: each.annotation for name, each in own.parameters.items()}
    return {name: kind for name, kind in kinds.items() if is_dataclass(kind)}


def _with_options(own: Signature, groups: dict[str, Any]) -> Signature:
    parameters = [each for each in own.parameters.values() if each.name not in groups]
    for kind in groups.values():
        parameters += _options(kind)
    return own.replace(parameters=parameters)


def _options(kind: Any) -> Iterator[Parameter]:  # noqa: ANN401 - a dataclass
    hints = get_type_hints(kind, include_extras=True)
    for each in fields(kind):
        hint = hints[each.name]
        yield Parameter(each.name, Parameter.KEYWORD_ONLY, default=each.default, annotation=hint)
