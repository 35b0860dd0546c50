"""Limits as people give them: options of the command, or lines of a file."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from .options import option

LIMITS_HELP: Final = "Limits in a file, a line each, as max-error = 0.02; options come first."
STRICT_HELP: Final = (
    "Fail wherever the interval passes a limit, not only where all of it lies beyond."
)
STRICT: Final = "strict"
SHARES: Final = ("error", "ece", "accuracy")
NONE: Final = "name a limit, as --max-error 0.02, or a file of limits with --limits"
NUMBER: Final = "{} must be a number above 0, got {!r}"
FRACTION: Final = "{} is a fraction, such as 0.02 for 2 points; got {:g}"
TIMES: Final = "{} is how many times too high or too low, at least 1; got {:g}"
UNKNOWN: Final = "there is no limit {!r}; {}the limits are {}, and strict is true or false"
LINES: Final = "a file of limits has lines such as max-error = 0.02 ({})"
ErrorLimit = Annotated[
    float | None, option("X", "Calibration error, as 0.02: of the report's first question.")
]
EceLimit = Annotated[float | None, option("X", "ECE of 15 bins, of the same question.")]
KsLimit = Annotated[float | None, option("X", "KS error, of the same question.")]
RatioLimit = Annotated[
    float | None, option("X", "By how many times claims are too high or too low.")
]
NllLimit = Annotated[float | None, option("X", "NLL in nats, of all classes.")]
BrierLimit = Annotated[float | None, option("X", "Brier score, of all classes.")]
AccuracyLimit = Annotated[float | None, option("X", "How often the top label is right, at least.")]
LimitFile = Annotated[Path | None, option("FILE", LIMITS_HELP)]
Strict = Annotated[bool, typer.Option("--strict", help=STRICT_HELP)]


@dataclass(frozen=True)
class LimitOptions:
    """What a model is held to."""

    max_error: ErrorLimit = None
    max_ece: EceLimit = None
    max_ks_error: KsLimit = None
    max_ratio: RatioLimit = None
    max_nll: NllLimit = None
    max_brier: BrierLimit = None
    min_accuracy: AccuracyLimit = None
    limits: LimitFile = None
    strict: Strict = False

    def read(self) -> tuple[dict[str, float], bool]:
        """Limits by the names of what is limited, and whether they are strict."""
        given = asdict(self)
        path, is_strict = given.pop("limits"), given.pop(STRICT)
        lines = {} if path is None else _lines(path, [_hyphened(name) for name in given])
        is_strict = lines.pop(STRICT, False) or is_strict
        named = {_hyphened(name): value for name, value in given.items() if value is not None}
        found = {name: _checked(f"--{name}", value) for name, value in named.items()}
        limits = lines | found
        if not limits:
            raise ValueError(NONE)
        return {name.partition("-")[2]: value for name, value in limits.items()}, is_strict


def _lines(path: Path, known: list[str]) -> dict[str, Any]:
    """What a file of limits says, which is TOML, each by its name with hyphens."""
    import tomllib

    from ..families.known import nearest

    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: {LINES.format(error)}") from error
    found: dict[str, Any] = {}
    for written, value in given.items():
        name = _hyphened(written)
        if name == STRICT and isinstance(value, bool):
            found[name] = value
        elif name in known:
            found[name] = _checked(f"{path}: {written}", value)
        else:
            near = nearest(written, known)
            listed = ", ".join(known)
            raise ValueError(f"{path}: {UNKNOWN.format(written, near, listed)}")
    return found


def _checked(name: str, value: object) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 < float(value) < float("inf"):  # type: ignore[arg-type]
        raise ValueError(NUMBER.format(name, value))
    number = float(value)  # type: ignore[arg-type]
    what = name.rpartition("-")[2].rpartition("_")[2]
    if what in SHARES and number > 1:
        raise ValueError(FRACTION.format(name, number))
    if what == "ratio" and number < 1:
        raise ValueError(TIMES.format(name, number))
    return number


def _hyphened(name: str) -> str:
    return name.replace("_", "-")
