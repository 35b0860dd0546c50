"""The bytes of a sketch: filled cells in a safetensors file, words in its header, and a seal."""

import hashlib
import json
from dataclasses import asdict
from typing import Any

import numpy as np

from .. import __version__
from ..fitting.types import Values
from .asking import SCORES
from .grid import Grid
from .reservoir import Drawn
from .rounding import Rounding
from .shape import Shape
from .sketch import Sketch
from .skipped import Skipped
from .tally import Tally

FORMAT = 1
_UNSEALED = "0" * 64
_WRONG = (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError)
_DAMAGED = "these bytes are not a sketch that calibrant wrote, or they were damaged"
Tensors = dict[str, Values]


def packed(sketch: Sketch) -> bytes:
    """All of a sketch; cells without rows take no room."""
    from safetensors.numpy import save

    totals = sketch.totals
    tensors: Tensors = {"occurred": totals.occurred}
    words = {
        "sha256": _UNSEALED,
        "format": FORMAT,
        "version": __version__,
        "views": totals.questions,
        "most": totals.reservoir.most,
        "seed": totals.reservoir.seed,
        "n": totals.n,
        "weight": totals.weight,
        "scores": totals.scores,
        "squares": totals.squares,
        "rounding": totals.rounding.to_dict(),
        "skipped": asdict(sketch.skipped),
        "shape": None if totals.shape is None else asdict(totals.shape),
        "tallies": {name: [*tally.grid, tally.parts] for name, tally in totals.tallies.items()},
    }
    for name, tally in totals.tallies.items():
        filled = np.flatnonzero(tally.sums[0, :-1])
        tensors[f"{name}.cells"] = filled
        tensors[f"{name}.sums"] = np.ascontiguousarray(tally.sums[:, filled])
    drawn = totals.reservoir.drawn()
    if drawn is not None:
        fields = drawn._asdict().items()
        tensors |= {f"drawn.{name}": np.ascontiguousarray(each) for name, each in fields}
    content = save(tensors, {"sketch": json.dumps(words)})
    digest = hashlib.sha256(content).hexdigest()
    return content.replace(_UNSEALED.encode(), digest.encode(), 1)


def unpacked(content: bytes) -> Sketch:
    """The sketch in bytes that `packed` made; others are refused, and nothing in them is run."""
    words = _words(content)
    if words.get("format") != FORMAT:
        raise ValueError(
            f"this sketch has format {words.get('format')!r} of calibrant {words.get('version')}, "
            f"and calibrant {__version__} reads format {FORMAT}: make it again, or upgrade"
        )
    try:
        return _restored(words, content)
    except _WRONG as error:
        raise ValueError(f"{_DAMAGED} ({error})") from error


def _words(content: bytes) -> dict[str, Any]:
    """What the header says, once the seal has been found whole."""
    try:
        length = int.from_bytes(content[:8], "little")
        header = json.loads(content[8 : 8 + length])["__metadata__"]
        words: dict[str, Any] = json.loads(header["sketch"])
        seal = words["sha256"].encode()
    except _WRONG as error:
        raise ValueError(_DAMAGED) from error
    unsealed = content.replace(seal, _UNSEALED.encode(), 1)
    if hashlib.sha256(unsealed).hexdigest().encode() != seal:
        raise ValueError(f"{_DAMAGED}: the sha256 differs")
    return words


def _restored(words: dict[str, Any], content: bytes) -> Sketch:
    from safetensors.numpy import load

    tensors = load(content)
    sketch = Sketch(views=words["views"], sample=words["most"], seed=words["seed"])
    left_out = words["skipped"]
    sketch.skipped = Skipped(left_out["parts"], left_out["rows"], tuple(left_out["reasons"]))
    if words["shape"] is None:
        return sketch
    shape = words["shape"]
    totals = sketch.totals
    totals.shape = Shape(**shape | {"classes": tuple(shape["classes"])})
    totals.n = int(words["n"])
    totals.weight = float(words["weight"])
    totals.scores = {score: float(words["scores"][score]) for score in SCORES}
    totals.squares = {score: float(words["squares"][score]) for score in SCORES}
    totals.rounding = Rounding.from_dict(words["rounding"])
    totals.occurred = tensors["occurred"]
    for name, (*grid, parts) in words["tallies"].items():
        tally = Tally.empty(Grid(*grid), parts)
        sums = tensors[f"{name}.sums"]
        tally.counted = tally.counted.astype(sums.dtype)
        tally.counted[:, tensors[f"{name}.cells"]] = sums
        totals.tallies[name] = tally
    if "drawn.hash" in tensors:
        drawn = Drawn(*(tensors[f"drawn.{name}"] for name in Drawn._fields))
        totals.reservoir.restore(drawn)
    return sketch
