"""Reliability diagrams show their curve, whatever the claims."""

from collections.abc import Callable

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection
from shared_claims import claims
from shared_pictures import lay_out, words
from shared_views import ODD_VIEWS

from calibrant import (
    BBQ,
    Binned,
    Family,
    Isotonic,
    PiecewiseLinear,
    curves,
    ece,
    from_logits,
    plots,
)
from calibrant.families.binary.piecewise import Space
from calibrant.fitting.types import Array


def _gap_bars(ax: Axes) -> list[Array]:
    """The ends of each bar, two points."""
    pieces: list[Array] = []
    for found in ax.collections:
        if isinstance(found, LineCollection) and found.get_label() == "gap":
            pieces += [np.array(piece) for piece in found.get_segments()]
    return pieces


def test_gap_bars_stand_at_mean_claims_and_add_up_to_ece() -> None:
    view = claims(500, lift=0.7)
    curve = curves.reliability(view, Binned(8), level=None)
    bars = _gap_bars(plots.reliability(curve))
    assert [bar[0, 0] for bar in bars] == curve.p.tolist()
    lengths = [abs(bar[1, 1] - bar[0, 1]) for bar in bars]
    assert np.average(lengths, weights=curve.count) == pytest.approx(ece(view, 8), abs=1e-12)


@pytest.mark.parametrize("axes", ["chance", "logit"])
@pytest.mark.parametrize("family", [Isotonic(), Binned()], ids=repr)
@pytest.mark.parametrize("name", ODD_VIEWS)
def test_odd_views_are_drawn_without_a_warning(name: str, family: Family, axes: Space) -> None:
    curve = curves.reliability(ODD_VIEWS[name], family, n_boot=4)
    ax = plots.reliability(curve, axes=axes)
    lay_out(ax)
    low, high = ax.get_xlim()
    assert np.isfinite([low, high]).all()
    # Where points are drawn, all of them are within the frame.
    for marks in ax.collections:
        if isinstance(marks, PathCollection):
            x = np.asarray(marks.get_offsets())[:, 0]
            assert ((x >= low) & (x <= high)).all()


@pytest.mark.parametrize("name", ODD_VIEWS)
def test_other_diagrams_of_odd_views(name: str) -> None:
    view = ODD_VIEWS[name]
    lay_out(plots.tilted_roof(curves.tilted_roof(view, n_boot=4)))
    lay_out(plots.maps(curves.maps(view, [Isotonic(), BBQ(), Binned()]), axes="logit"))
    lay_out(plots.smece(curves.smece(view)))
    for ax in plots.before_after(curves.before_after({"a": view, "b": view})):
        lay_out(ax)


@pytest.mark.parametrize(
    "family", [PiecewiseLinear(segments=2), BBQ(), Binned(4, slope=0)], ids=repr
)
def test_any_family_draws_its_map(family: Family) -> None:
    curve = curves.reliability(claims(200), family, level=None)
    ax = plots.reliability(curve)
    marks = [np.asarray(line.get_xydata()) for line in ax.lines]
    marks += [np.asarray(dots.get_offsets()) for dots in ax.collections]
    expected = np.stack([curve.p, curve.q], axis=1)
    same_size = [mark for mark in marks if mark.shape == expected.shape]
    assert any(np.allclose(mark, expected) for mark in same_size)


def test_many_classes_are_said_to_be_some_of_all() -> None:
    random = np.random.default_rng(0)
    pred = from_logits(random.normal(0, 3, (50, 40)), random.integers(0, 40, 50))
    panels = plots.classwise(curves.classwise(pred))
    assert len(panels) == 12
    assert "the 12 worst of 40 classes" in words(panels[0])


LINE = curves.reliability(claims(9), Isotonic(), level=None)


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda: plots.tilted_roof(LINE), "curves.tilted_roof"),
        (lambda: plots.reliability(LINE, axes="odds"), "axes must be"),  # type: ignore[arg-type]
        (lambda: plots.maps({}), "there is no curve to draw"),
    ],
)
def test_what_is_wrong_is_said(act: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        act()


@pytest.mark.parametrize(
    "name", ["reliability", "tilted_roof", "smece", "histogram", "cumulative", "classwise"]
)
def test_of_predictions_a_picture_makes_its_own_curve(name: str) -> None:
    random = np.random.default_rng(5)
    z = random.normal(0, 2, (200, 3))
    pred = from_logits(z, (z + random.gumbel(size=z.shape)).argmax(1))
    draw: Callable[..., Axes | list[Axes]] = getattr(plots, name)
    made = getattr(curves, name)

    def said_by(found: Axes | list[Axes]) -> list[str]:
        each = found if isinstance(found, list) else [found]
        return [words(ax) for ax in each]

    assert said_by(draw(pred)) == said_by(draw(made(pred)))
    if name != "classwise":
        view = claims(200)
        assert said_by(draw(view)) == said_by(draw(made(view)))
