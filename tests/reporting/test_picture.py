"""The picture of a map: its lines are what the map gives, and it is drawn in every format."""

from typing import Any

import numpy as np
import pytest

from calibrant import (
    Isotonic,
    OneVsRest,
    Platt,
    Smooth,
    Temperature,
    VectorScaling,
    VennAbers,
    binary,
    from_probs,
)
from calibrant.inputs.predictions import Predictions
from calibrant.reporting.picture import MOST_LINES, draw, map_lines, picture

RNG = np.random.default_rng(0)
VIEW = binary(p := RNG.uniform(size=200), RNG.uniform(size=200) < p**2)


def predictions(k: int) -> Predictions:
    probs = RNG.dirichlet(np.ones(k), 100)
    return from_probs(probs, RNG.integers(0, k, 100), classes=[f"${i}<b>" for i in range(k)])


@pytest.mark.parametrize("family", [Platt(), Isotonic(), Smooth(), VennAbers()])
def test_one_chance_is_one_line_with_its_band(family: Any) -> None:  # noqa: ANN401 - any family of one chance
    fitted = family.fit(VIEW)
    found = map_lines(fitted)
    assert np.allclose(found.q, [np.clip(fitted(found.p), 0, 1)])
    assert (found.band is not None) == isinstance(family, Smooth | VennAbers)
    if found.band is not None:
        _, low, high = found.band
        assert (low <= found.q[0] + 1e-9).all()
        assert (found.q[0] <= high + 1e-9).all()


def test_classes_have_a_line_each_and_one_can_be_asked_for() -> None:
    fitted = OneVsRest(Platt()).fit(predictions(3))
    found, one = map_lines(fitted), map_lines(fitted, "$1<b>")
    assert found.names == ("$0<b>", "$1<b>", "$2<b>")
    assert np.array_equal(one.q, found.q[1:2])
    many = map_lines(OneVsRest(Platt()).fit(predictions(60)))
    assert len(many.q) == MOST_LINES
    assert (many.names[0], many.names[-1]) == ("$0<b>", "$59<b>")


def test_whole_vectors_are_asked_with_the_rest_shared_evenly() -> None:
    pred = predictions(3)
    same = map_lines(Temperature().fit(pred))
    assert same.q.shape == (1, len(same.p))
    fitted = VectorScaling().fit(pred)
    found = map_lines(fitted)
    vectors = np.stack([(1 - found.p) / 2, found.p, (1 - found.p) / 2], axis=1)
    expected = fitted.apply(
        from_probs(vectors, ["$0<b>"] * len(found.p), classes=pred.classes)
    ).probs[:, 1]
    assert np.allclose(found.q[1], expected)


@pytest.mark.parametrize(
    ("suffix", "begins"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")]
)
def test_every_format_is_drawn_and_names_are_no_formulas(suffix: str, begins: bytes) -> None:
    for fitted in (
        OneVsRest(Platt()).fit(predictions(3)),
        OneVsRest(Platt()).fit(predictions(9)),
        Smooth().fit(VIEW),
    ):
        assert picture(fitted, suffix).startswith(begins)


def test_axes_that_are_given_are_drawn_on() -> None:
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots()
    assert draw(map_lines(OneVsRest(Platt()).fit(predictions(3))), "a title", ax=ax) is ax
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["$0<b>", "$1<b>", "$2<b>"]
    plt.close(figure)


def test_only_a_map_is_drawn() -> None:
    other: Any = "a map"
    with pytest.raises(ValueError, match="only a fitted map can be drawn, got str"):
        map_lines(other)
