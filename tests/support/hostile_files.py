"""Files that are damaged, forged or swollen: of predictions, of maps, of sketches and monitors."""

import json
import zipfile
from collections.abc import Callable
from functools import cache
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from hostile_calls import Call
from hypothesis import strategies as st
from shared_families import CHANCE_FAMILIES, VECTOR_FAMILIES

import calibrant as c
from calibrant import Predictions, View
from calibrant.deploy.store import _sealed
from calibrant.inputs.writing import WRITERS
from calibrant.monitoring import Monitor
from calibrant.scale import Sketch

RANDOM = np.random.default_rng(0)
N = 12
LABELS = np.arange(N) % 3
PRED = c.from_probs(RANDOM.dirichlet([1, 1, 1], N), LABELS, classes=["a", "b", "c"])
VIEW = c.binary(PRED.probs[:, 0], LABELS == 0)
# What may stand where a number or a name is meant.
WORDS = [
    "",
    "nan",
    "inf",
    "-1",
    "1e400",
    "=1+1",
    "ä\u202e",
    "[0.2, 0.8]",
    "99%",
    "2020-01-01",
    "null",
]
JSONS: list[object] = [
    None,
    True,
    -1,
    0,
    5,
    2**70,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "x",
    [],
    {},
    [[[[]]]],
]
ARRAYS = [
    np.zeros(0),
    np.array(0.5),
    np.full((N, 3), np.nan),
    np.full((N, 3), 1 / 3, np.float16),
    np.zeros((N, 3), complex),
    np.full(N, b"a"),
    np.full(N, "\U0010ffff"),
    np.full(N, np.datetime64("2020-01-01")),
    np.zeros((N, 3, 2)),
    np.full((N, 3), -1e9),
    np.arange(N),
    np.full(N, 2.5),
]
NAMES = ["probs", "labels", "logits", "weights", "classes", "confidence", "correct", "split"]


@st.composite
def file_calls(draw: st.DrawFn, folder: Path) -> Call:
    """A hostile file, read or loaded, and what it holds used."""
    kind = draw(st.sampled_from([_damaged, _forged, _archive, _table]))
    name, content = kind(draw)()
    path = folder / f"case{name}"

    def run() -> object:
        path.write_bytes(content)
        return _used(path, content)

    return Call(f"{name} {content[:3000]!r}", run)


def _used(path: Path, content: bytes) -> object:
    """What a file holds, put to use."""
    if path.suffix == ".sketch":
        return Sketch.from_bytes(content).view().p
    if path.suffix == ".monitor":
        return Monitor.from_bytes(content).alarm
    if path.suffix == ".safetensors":
        fitted: Any = c.load(path)
        x = VIEW if isinstance(fitted, c.ChanceMap) else PRED
        x = (
            c.from_logits(PRED.log_probs, LABELS, classes=PRED.classes)
            if _takes_logits(fitted)
            else x
        )
        return fitted.apply(x), list(fitted.rule.facts())
    x = c.read(path)
    return x, c.ece(x)


def _takes_logits(fitted: Any) -> bool:  # noqa: ANN401 - a map of either kind
    return isinstance(fitted, c.VectorMap) and fitted.kind == "logits"


@cache
def good_files() -> dict[str, bytes]:
    """A good file of each kind, by a name with its suffix."""
    with TemporaryDirectory() as folder:
        for suffix in WRITERS:
            c.write(Path(folder) / f"pred{suffix}", PRED)
            c.write(Path(folder) / f"view{suffix}", VIEW)
        found = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
        for at, family in enumerate([*CHANCE_FAMILIES, *VECTOR_FAMILIES]):
            x: View | Predictions = VIEW if family in CHANCE_FAMILIES else PRED
            path = Path(folder) / f"{at}.safetensors"
            family.fit(x).save(path)
            found[path.name] = path.read_bytes()
    found["a.sketch"] = Sketch().update(PRED).to_bytes()
    monitor = Monitor()
    monitor.update(VIEW)
    found["a.monitor"] = monitor.to_bytes()
    return found


def _damaged(draw: st.DrawFn) -> Callable[[], tuple[str, bytes]]:
    """Bytes changed, cut, doubled, or of another kind than the suffix says."""
    name = draw(st.sampled_from(sorted(good_files())))
    other = draw(st.sampled_from(sorted(good_files())))
    at = draw(st.floats(0, 1))
    how = draw(st.sampled_from(["flip", "cut", "double", "insert", "swap", "zeros"]))
    byte = draw(st.integers(0, 255))

    def made() -> tuple[str, bytes]:
        content = good_files()[name]
        place = int(at * (len(content) - 1))
        after = content[place + 1 :]
        changed = {
            "flip": content[:place] + bytes([byte]) + after,
            "cut": content[:place],
            "double": content[:place] + content[place:] * 2,
            "insert": content[:place] + bytes([byte] * 40) + after,
            "swap": good_files()[other],
            "zeros": content[:place] + bytes(len(after)),
        }
        return Path(name).suffix if not name.endswith(".gz") else name[4:], changed[how]

    return made


def _forged(draw: st.DrawFn) -> Callable[[], tuple[str, bytes]]:
    """A map with a field, or an array, of another value, sealed again."""
    maps = sorted(name for name in good_files() if name.endswith(".safetensors"))
    name = draw(st.sampled_from(maps))
    at = draw(st.integers(0, 200))
    value = draw(st.sampled_from(JSONS))
    array = draw(st.sampled_from(["keep", "zeros", "cut", "nan", "inf", "negative", "integers"]))

    def made() -> tuple[str, bytes]:
        return ".safetensors", _with_map(good_files()[name], at, value, array)

    return made


def _with_map(content: bytes, at: int, value: object, array: str) -> bytes:
    from safetensors.numpy import load, save

    length = int.from_bytes(content[:8], "little")
    words = json.loads(content[8 : 8 + length])["__metadata__"] | {"sha256": "0" * 64}
    tensors = load(content)
    if array == "keep":
        told = json.loads(words["map"])
        places = list(_places(told))
        holder, key = places[at % len(places)]
        holder[key] = value
        words["map"] = json.dumps(told)
    else:
        names = sorted(tensors)
        if names:
            name = names[at % len(names)]
            tensors[name] = np.ascontiguousarray(_changed(tensors[name], array))
    return _sealed(save(tensors, words))


def _changed(x: np.ndarray, how: str) -> np.ndarray:
    made: dict[str, Callable[[], np.ndarray]] = {
        "zeros": lambda: x * 0,
        "cut": lambda: x[:-1] if x.ndim else x,
        "nan": lambda: x * np.nan,
        "inf": lambda: x + np.inf,
        "negative": lambda: -x,
        "integers": lambda: x.astype(np.int64),
    }
    return made[how]()


def _places(words: Any) -> list[tuple[Any, Any]]:  # noqa: ANN401 - what json holds
    """Where a value stands within lists and objects."""
    pairs = words.items() if isinstance(words, dict) else enumerate(words)
    found = []
    for key, value in pairs:
        found.append((words, key))
        if isinstance(value, dict | list):
            found += _places(value)
    return found


def _archive(draw: st.DrawFn) -> Callable[[], tuple[str, bytes]]:
    """Arrays of any kind, or none, under the usual names."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    arrays = {name: draw(st.integers(0, len(ARRAYS))) for name in names}
    suffix = draw(st.sampled_from([".npy", ".npy", ".npy", ""]))

    def made() -> tuple[str, bytes]:
        buffer = BytesIO()
        with zipfile.ZipFile(buffer, "w") as packed:
            packed.writestr("probs.npy", _npy(PRED.probs))
            packed.writestr("labels.npy", _npy(LABELS))
            for name, at in arrays.items():
                content = _npy(ARRAYS[at]) if at < len(ARRAYS) else b"no array"
                packed.writestr(
                    f"{'x_' if name in ('probs', 'labels') else ''}{name}{suffix}", content
                )
        return ".npz", buffer.getvalue()

    return made


def _npy(x: np.ndarray) -> bytes:
    buffer = BytesIO()
    np.save(buffer, x, allow_pickle=False)
    return buffer.getvalue()


def _table(draw: st.DrawFn) -> Callable[[], tuple[str, bytes]]:
    """A table of text with a cell, a name or a line that should not be there."""
    suffix = draw(st.sampled_from([".csv", ".tsv", ".jsonl", ".json"]))
    kind = draw(st.sampled_from(["pred", "view"]))
    row = draw(st.integers(0, N))
    column = draw(st.integers(0, 4))
    word = draw(st.sampled_from(WORDS))
    extra = draw(st.sampled_from(["", "", "\n", "\x00", '"', "a,b,c,d,e,f,g\n", "\ufeff"]))

    def made() -> tuple[str, bytes]:
        text = good_files()[f"{kind}{suffix}"].decode()
        lines = text.splitlines(keepends=True)
        at = min(row, len(lines) - 1)
        sign = {".csv": ",", ".tsv": "\t"}.get(suffix, ":")
        cells = lines[at].split(sign)
        cells[min(column, len(cells) - 1)] = word
        lines[at] = sign.join(cells)
        return suffix, ("".join(lines) + extra).encode()

    return made
