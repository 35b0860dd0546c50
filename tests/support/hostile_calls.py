"""Calls of the public interface, found by itself, with rows and settings that nobody should give."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from inspect import Parameter, isfunction, signature
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import numpy as np
from hypothesis import strategies as st
from shared_families import FAMILIES
from shared_measures import public_functions

import calibrant as c
from calibrant import Canonical, Family, Predictions, View

# Files have a campaign of their own; these take minutes on ordinary rows.
LEFT_OUT = {"read", "write", "load", "report", "compare", "cross_validate", "select", "assess"}
LEFT_OUT |= {"choose_strength", "realistic", "training", "surface"}
COUNTS = {"n_boot": [100, 0], "n_draws": [100, -1], "seed": [0, 1], "folds": [2, 5, 1]}
CHANCES = {"level": [0.95, 0.5, 0.0, 1.0, -1.0], "accuracy": [0.95, 0.0, 2.0]}
NUMBERS = [0, 1, 2, 3, 7, 10**9, -1]
FLOATS = [0.0, 0.5, 1.0, 2.0, -1.0, 1e-300, 1e300, float("inf"), float("nan")]
# What is refused at once is rare, so that most calls get further.
CLAIMS = 4 * ["even", "rounded", "exact", "equal", "near", "float32", "float16"] + ["broken"]
SCORES = 4 * ["normal", "wide", "huge", "masked", "equal", "float32", "float16"] + ["broken"]
WEIGHTS = (
    9 * ["none"] + 3 * ["ones", "counts", "shares", "mixed", "huge", "tiny"] + ["zeros", "broken"]
)
LABELS = 4 * ["any", "one", "shares", "names", "right"] + ["broken"]


class Call(NamedTuple):
    """What is done, in words, and how."""

    name: str
    run: Callable[[], Any]


@st.composite
def calls(draw: st.DrawFn) -> Call:
    """A call of a public function, or a family fitted, applied and asked again."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if draw(st.booleans()):
        family = draw(st.sampled_from(FAMILIES))
        rows = rows_drawn(draw, random)
        return Call(f"{family}: {rows.name}", lambda: _fitted(family, rows.run()))
    name, function = draw(st.sampled_from(_functions()))
    made = {each: _argument(draw, random, each, hint) for each, hint in _asked(function).items()}
    words = ", ".join(f"{each}={one.name}" for each, one in made.items())

    def run() -> object:
        return function(**{each: one.run() for each, one in made.items()})

    return Call(f"{name}({words})", run)


def rows_drawn(draw: st.DrawFn, random: np.random.Generator) -> Call:
    """Predictions or a view, of ordinary or hostile rows."""
    kind = draw(st.sampled_from(["probs", "logits", "binary", "pair"]))
    n = draw(st.sampled_from([1, 2, 3, 8, 40]))
    k = 2 if kind == "pair" else draw(st.sampled_from([2, 3, 5]))
    style = draw(st.sampled_from(SCORES if kind == "logits" else CLAIMS))
    weighing = draw(st.sampled_from(WEIGHTS))
    labelling = draw(st.sampled_from(LABELS))
    weights = _weights(random, n, weighing)
    words = f"{kind} {n}x{k} {style} weights {weighing} labels {labelling}"
    if kind == "binary":
        p = _chances(random, n, 2, style)[:, 0]
        y = _outcomes(random, n, labelling)
        return Call(words, lambda: c.binary(p, y, weights=weights))
    names = [f"class {each}" for each in range(k)] if labelling == "names" else None
    labels = _labels(random, n, k, labelling)
    values = _logits(random, n, k, style) if kind == "logits" else _chances(random, n, k, style)
    make = c.from_logits if kind == "logits" else c.from_probs
    return Call(words, lambda: make(values, labels, weights=weights, classes=names))


def _fitted(family: Family, x: Predictions | View) -> object:
    fitted = family.fit(x)
    again = fitted.apply(x)
    return fitted, again, c.nll(again), fitted(x)


@cache
def _functions() -> list[tuple[str, Callable[..., Any]]]:
    found = public_functions()
    for room in (c.curves, c.decisions, c.shift):
        named = {f"{room.__name__}.{name}": getattr(room, name) for name in dir(room)}
        found |= {name: each for name, each in named.items() if isfunction(each)}
    return [(name, each) for name, each in found.items() if name.split(".")[-1] not in LEFT_OUT]


@cache
def _asked(function: Callable[..., Any]) -> dict[str, object]:
    hints = get_type_hints(function)
    settings = signature(function).parameters.values()
    known = [each for each in settings if each.kind is not Parameter.VAR_KEYWORD]
    return {each.name: hints[each.name] for each in known}


def _argument(draw: st.DrawFn, random: np.random.Generator, name: str, hint: object) -> Call:
    """A value that the annotation allows, reasonable or not."""
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    if Predictions in kinds or View in kinds or kinds[0] is Canonical or "Rows" in str(hint):
        return _asked_rows(draw, random, kinds)
    if name in COUNTS | CHANCES:
        return _told(draw(st.sampled_from((COUNTS | CHANCES)[name])))
    return _of_kind(draw, random, draw(st.sampled_from(kinds)))


def _of_kind(draw: st.DrawFn, random: np.random.Generator, kind: Any) -> Call:  # noqa: ANN401
    origin = get_origin(kind)
    if origin is Literal:
        return _told(draw(st.sampled_from([*get_args(kind), "nonsense"])))
    if kind in (bool, int, float):
        known: dict[object, list[Any]] = {bool: [False, True], int: NUMBERS, float: FLOATS}
        return _told(draw(st.sampled_from(known[kind])))
    if kind is NoneType:
        return _told(None)
    if isinstance(kind, type) and issubclass(kind, Family):
        return _told(draw(st.sampled_from([each for each in FAMILIES if isinstance(each, kind)])))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        one = rows_drawn(draw, random)
        if Family in get_args(kind):
            return _told({"a": draw(st.sampled_from(FAMILIES))})
        if "Callable" in str(kind):
            return _told({"a": c.ece, "b": c.brier})
        return Call(f"{{a: {one.name}}}", lambda: {"a": one.run(), "b": one.run()})
    if isinstance(origin, type) and issubclass(origin, Callable):  # type: ignore[arg-type]
        return _told(draw(st.sampled_from([c.ece, c.ks_error, c.brier])))
    if kind is str:
        return _told(draw(st.sampled_from(["isotonic", "select", "spline(knots=9)", "nonsense("])))
    if isinstance(origin, type) and issubclass(origin, Sequence) and Family in get_args(kind):
        return _told([draw(st.sampled_from(FAMILIES))])
    return _told(_chances(random, draw(st.sampled_from([1, 3, 8])), 2, "even")[:, 0])


def _asked_rows(draw: st.DrawFn, random: np.random.Generator, kinds: Sequence[object]) -> Call:
    rows = rows_drawn(draw, random)
    ask = draw(st.sampled_from(["as it is", "top", "canonical", "classwise", "as it is"]))

    def run() -> object:
        x = rows.run()
        if isinstance(x, View):
            return (x, x) if ask == "classwise" and "Sequence" in str(kinds) else x
        asked = {"top": c.top_label, "canonical": c.canonical, "classwise": c.classwise}
        if ask == "classwise" and "Sequence" not in str(kinds):
            return x
        return asked[ask](x) if ask in asked else x

    return Call(f"{ask} {rows.name}", run)


def _told(value: object) -> Call:
    return Call(repr(value)[:60], lambda: value)


def _chances(random: np.random.Generator, n: int, k: int, style: str) -> np.ndarray:
    p = random.dirichlet(np.full(k, 0.5), n)
    if style == "rounded":
        p[:, 1:] = np.floor(10 * p[:, 1:]) / 10
        p[:, 0] = 1 - p[:, 1:].sum(1)
    elif style == "exact":
        p = np.eye(k)[random.integers(0, k, n)]
    elif style == "equal":
        p = np.full((n, k), 1 / k)
    elif style == "near":
        p = np.full((n, k), 10.0 ** -float(random.integers(1, 320)))
        p[:, 0] = 1 - p[:, 1:].sum(1)
    elif style.startswith("float"):
        p = p.astype(style)
    elif style == "broken":
        p[random.integers(n)] = random.choice([np.nan, np.inf, -1, 2, 50, 0])
    return p


def _logits(random: np.random.Generator, n: int, k: int, style: str) -> np.ndarray:
    z = random.normal(0, 3, (n, k))
    if style == "wide":
        return z * 3000
    if style == "huge":
        return z * 10.0 ** random.choice([5, 9, 30, 99, 150, 307])
    if style == "masked":
        z[random.random((n, k)) < 0.3] = random.choice([-1e9, -3.4e38, -1e4, -1e300])
    elif style == "equal":
        z[:] = z[0, 0]
    elif style.startswith("float"):
        z = z.astype(style)
    elif style == "broken":
        z[random.integers(n)] = random.choice([np.nan, np.inf, -np.inf])
    return z


def _weights(random: np.random.Generator, n: int, style: str) -> np.ndarray | None:
    made = {
        "none": None,
        "ones": np.ones(n),
        "counts": random.integers(0, 4, n),
        "shares": random.random(n),
        "zeros": np.zeros(n),
        "huge": 10.0 ** random.choice([3, 6, 9, 12, 15, 18, 300]) * random.random(n),
        "tiny": 10.0 ** -random.choice([3, 6, 9, 12, 300, 320]) * random.random(n),
        "mixed": 10.0 ** random.integers(-12, 12, n),
        "broken": random.choice([np.nan, np.inf, -1.0]) * np.ones(n),
    }
    return made[style]


def _labels(random: np.random.Generator, n: int, k: int, style: str) -> Any:  # noqa: ANN401
    made = {
        "any": random.integers(0, k, n),
        "one": np.full(n, random.integers(k)),
        "shares": random.dirichlet(np.ones(k), n),
        "names": [f"class {each}" for each in random.integers(0, k, n)],
        "right": np.arange(n) % k,
        "broken": random.choice([np.nan, -1, k, 0.5]) * np.ones(n),
    }
    return made[style]


def _outcomes(random: np.random.Generator, n: int, style: str) -> np.ndarray:
    made = {
        "any": random.random(n) < 0.5,
        "one": np.full(n, random.random() < 0.5),
        "shares": random.random(n),
        "names": random.integers(0, 2, n).astype(str),
        "right": np.arange(n) % 2,
        "broken": np.full(n, random.choice([np.nan, 2, -1])),
    }
    return made[style]
