"""Bytes give the same sketch back, and what was changed is refused."""

import json

import numpy as np
import pytest

from calibrant import binary, from_probs
from calibrant.scale import Sketch
from calibrant.scale.packing import packed


def sketches() -> list[Sketch]:
    rng = np.random.default_rng(0)
    p = rng.dirichlet([1, 1, 1], 300)
    y = rng.integers(0, 3, 300)
    return [
        Sketch(),
        Sketch(sample=20).update(from_probs(p, y, classes=["a", "b", "c"])),
        Sketch(views=("top_label",)).update(from_probs(p, p, weights=rng.random(300))),
        Sketch(sample=0).update(binary(p[:, 0], y == 0)),
        Sketch().update(binary([0.0, 1.0], [0, 1])),
    ]


@pytest.mark.parametrize("sketch", sketches())
def test_bytes_give_the_same_back(sketch: Sketch) -> None:
    content = sketch.to_bytes()
    again = Sketch.from_bytes(content)
    assert again.to_bytes() == content
    assert repr(again) == repr(sketch)
    if sketch.n:
        mine, other = again.view(), sketch.view()
        assert np.array_equal(mine.p, other.p)
        assert np.array_equal(mine.log_odds, other.log_odds)
        assert mine.floor == other.floor
        assert again.merge(sketch).n == 2 * sketch.n


def test_every_byte_counts() -> None:
    content = sketches()[1].to_bytes()
    for place in np.random.default_rng(1).integers(0, len(content), 60):
        changed = bytearray(content)
        changed[place] ^= 1
        with pytest.raises(ValueError, match="sketch"):
            Sketch.from_bytes(bytes(changed))
    for other in (b"", b"hello", content[:-1], content[: len(content) // 2]):
        with pytest.raises(ValueError, match="not a sketch that calibrant wrote"):
            Sketch.from_bytes(other)


def test_other_formats_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calibrant.scale.packing.FORMAT", 2)
    content = packed(Sketch())
    monkeypatch.undo()
    with pytest.raises(ValueError, match=r"format 2 .* reads format 1"):
        Sketch.from_bytes(content)


def test_sealed_nonsense_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def nonsense(words: object) -> str:
        assert isinstance(words, dict)
        return _dumps(words | {"views": 7})

    _dumps = json.dumps
    monkeypatch.setattr("calibrant.scale.packing.json.dumps", nonsense)
    content = packed(Sketch())
    monkeypatch.undo()
    with pytest.raises(ValueError, match="not a sketch that calibrant wrote"):
        Sketch.from_bytes(content)
