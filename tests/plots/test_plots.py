"""Pictures: they show the curve's own numbers, look as they did, and every program of the gallery runs."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.figure import Figure
from matplotlib.image import imread
from shared_claims import claims

from calibrant import (
    BBQ,
    Binned,
    Family,
    Isotonic,
    PiecewiseLinear,
    Platt,
    View,
    binary,
    curves,
    ece,
    from_logits,
    ks_error,
    plots,
)

mpl.use("Agg")
HERE = Path(__file__).parents[1]
GALLERY = HERE.parent / "docs" / "gallery"
needs_gallery = pytest.mark.skipif(not GALLERY.is_dir(), reason="the docs are not beside the tests")
PROGRAM = re.compile(r"```python\n(.*?)```\n\n!\[.*?\]\((.*?)\)", re.DOTALL)
PROGRAMS = PROGRAM.findall((GALLERY / "README.md").read_text()) if GALLERY.is_dir() else []
ODD = {
    "ten rows": binary(np.linspace(0.05, 0.95, 10), np.arange(10) % 3 == 0),
    "one row": binary([0.8], [1]),
    "one claim": binary([0.8] * 50, [1] * 30 + [0] * 20),
    "all happened": binary(np.linspace(0.05, 0.9, 40), np.ones(40)),
    "none happened": binary(np.linspace(0.05, 0.9, 40), np.zeros(40)),
    "certain": binary([0.0] * 5 + [1.0] * 5, [0, 0, 0, 0, 1, 1, 1, 1, 1, 0]),
    "only zeros": binary([0.0] * 5, [0, 0, 0, 0, 1]),
}
ODD_NAMES = ["$x_1$", "_hidden", "<b>a & b</b>", "\\frac{1}{2}", "a\nb", "x" * 90, "^_$%#"]


@pytest.fixture(autouse=True)
def no_figure_is_left_open() -> Iterator[None]:
    yield
    plt.close("all")


def three_classes(n: int = 400, names: list[str] | None = None) -> curves.Simplex:
    random = np.random.default_rng(0)
    logits = random.normal(0, 2, (n, 3))
    labels = (logits + random.gumbel(0, 2, (n, 3))).argmax(1)
    return curves.simplex(from_logits(logits, labels, classes=names))


def words(ax: Axes) -> str:
    """All that is written on the axes, below and beside them."""
    figure = ax.figure
    return "\n".join(text.get_text() for text in figure.findobj(mpl.text.Text))


def lay_out(ax: Axes) -> None:
    """Place everything as drawing would, which is where matplotlib warns or fails."""
    figure = ax.figure
    assert isinstance(figure, Figure)
    figure.draw_without_rendering()


def bars(ax: Axes) -> list[np.ndarray]:
    return [
        np.array(piece)
        for found in ax.collections
        if isinstance(found, LineCollection) and found.get_label() == "gap"
        for piece in found.get_segments()
    ]


# The five key diagrams: what they showed is kept as small pictures.

KEY: dict[str, Callable[[], Axes]] = {
    "reliability": lambda: plots.reliability(
        curves.reliability(claims(2000, slope=0.6), n_boot=50)
    ),
    "bins": lambda: plots.reliability(
        curves.reliability(claims(2000, slope=0.6), Binned(10), n_boot=50)
    ),
    "logit": lambda: plots.reliability(
        curves.reliability(claims(2000, slope=0.6), level=None), axes="logit"
    ),
    "tilted_roof": lambda: plots.tilted_roof(
        curves.tilted_roof(claims(2000, slope=0.6), level=None)
    ),
    "cumulative": lambda: plots.cumulative(curves.cumulative(claims(2000, slope=0.6)))[0],
}


def shown(ax: Axes, path: Path) -> np.ndarray:
    """The picture in grey, small and blurred: letters drawn by another library hardly matter, marks do."""
    ax.figure.savefig(path, dpi=50)  # type: ignore[union-attr]
    return imread(path)[:, :, :3].mean(2)


def blocks(grey: np.ndarray, side: int = 5) -> np.ndarray:
    height, width = (size // side * side for size in grey.shape)
    return grey[:height, :width].reshape(height // side, side, width // side, side).mean((1, 3))


def distance(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.sqrt(np.mean((blocks(one) - blocks(other)) ** 2)))


@pytest.mark.parametrize("name", KEY)
def test_key_diagrams_look_as_they_did(name: str, tmp_path: Path) -> None:
    now = shown(KEY[name](), tmp_path / "now.png")
    before = imread(HERE / "images" / f"{name}.png")[:, :, :3].mean(2)
    assert now.shape == before.shape
    assert distance(now, before) < 0.02


def test_the_comparison_sees_another_curve(tmp_path: Path) -> None:
    before = imread(HERE / "images" / "reliability.png")[:, :, :3].mean(2)
    other = plots.reliability(curves.reliability(claims(2000, slope=0.8), n_boot=50))
    assert distance(shown(other, tmp_path / "other.png"), before) > 0.02


@needs_gallery
@pytest.mark.parametrize(("program", "picture"), PROGRAMS, ids=[picture for _, picture in PROGRAMS])
def test_every_program_of_the_gallery_draws_its_picture(
    program: str, picture: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "images").mkdir()
    monkeypatch.chdir(tmp_path)
    exec(compile(program, picture, "exec"), {})
    assert len(program.strip().splitlines()) <= 10
    now, before = imread(tmp_path / picture), imread(GALLERY / picture)
    assert now.shape == before.shape
    assert distance(now[:, :, :3].mean(2), before[:, :, :3].mean(2)) < 0.02


@needs_gallery
def test_the_gallery_has_every_plot() -> None:
    drawn = {name for program, _ in PROGRAMS for name in re.findall(r"plots\.(\w+)\(", program)}
    assert drawn == {name for name in vars(plots) if callable(getattr(plots, name))}
    assert drawn <= set(vars(curves))


def test_gap_bars_stand_at_mean_claims_and_add_up_to_ece() -> None:
    view = claims(500, lift=0.7)
    curve = curves.reliability(view, Binned(8), level=None)
    found = bars(plots.reliability(curve))
    assert [piece[0, 0] for piece in found] == curve.p.tolist()
    lengths = [abs(piece[1, 1] - piece[0, 1]) for piece in found]
    assert np.average(lengths, weights=curve.count) == pytest.approx(ece(view, 8), abs=1e-12)


def test_the_titles_carry_the_numbers() -> None:
    view = claims(1000, lift=0.7)
    curve = curves.reliability(view, Binned(), level=None)
    assert f"Calibration error {100 * ece(view):.2f} points\nBinned(), 1,000 rows" in words(
        plots.reliability(curve)
    )
    assert f"KS error {100 * ks_error(view):.2f} points" in words(
        plots.cumulative(curves.cumulative(view))[0]
    )
    seen = curves.histogram(view)
    assert f"Claimed {100 * view.p.mean():.1f}% on average" in words(plots.histogram(seen))


@pytest.mark.parametrize("axes", ["chance", "logit"])
@pytest.mark.parametrize("family", [Isotonic(), Binned()], ids=repr)
@pytest.mark.parametrize("name", ODD)
def test_odd_views_are_drawn_without_a_warning(name: str, family: Family, axes: str) -> None:
    curve = curves.reliability(ODD[name], family, n_boot=4)
    ax = plots.reliability(curve, axes=axes)  # type: ignore[arg-type]
    lay_out(ax)
    low, high = ax.get_xlim()
    assert np.isfinite([low, high]).all()
    # Where points are drawn, all of them are within the frame.
    for marks in ax.collections:
        if isinstance(marks, PathCollection):
            x = np.asarray(marks.get_offsets())[:, 0]
            assert ((x >= low) & (x <= high)).all()


@pytest.mark.parametrize("name", ["one row", "one claim", "certain", "only zeros"])
def test_other_diagrams_of_odd_views(name: str) -> None:
    view: View = ODD[name]
    drawn = [
        plots.tilted_roof(curves.tilted_roof(view, n_boot=4)),
        plots.maps(curves.maps(view, [Isotonic(), BBQ(), Binned()]), axes="logit"),
        plots.cumulative(curves.cumulative(view))[0],
        plots.histogram(curves.histogram(view)),
        plots.smece(curves.smece(view)),
        *plots.before_after(curves.before_after({"a": view, "b": view})),
    ]
    for ax in drawn:
        lay_out(ax)


def test_one_percent_and_999_per_mille_are_labelled_in_logit_axes() -> None:
    random = np.random.default_rng(0)
    p = np.concatenate([10 ** -random.uniform(0.5, 4, 400), 1 - 10 ** -random.uniform(0.5, 4, 400)])
    ax = plots.reliability(
        curves.reliability(binary(p, random.random(800) < p), Platt(), level=None), axes="logit"
    )
    lay_out(ax)
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert {"1%", "50%", "99.9%"} <= set(labels)
    # Evenly by log odds: from 1% to 50% is as far as from 50% to 99%.
    at = ax.transData.transform([(0.01, 0.01), (0.5, 0.5), (0.99, 0.99)])
    assert at[1] - at[0] == pytest.approx(at[2] - at[1])


def test_given_axes_are_drawn_on_and_returned_and_settings_stay() -> None:
    before = dict(mpl.rcParams)
    figure, (left, right) = plt.subplots(1, 2)
    curve = curves.reliability(claims(100), Isotonic(), level=None)
    assert plots.reliability(curve, ax=left) is left
    assert plots.before_after({"only": curve}, panels=[right]) == [right]
    assert figure.axes == [left, right]
    assert len(plt.get_fignums()) == 1
    assert dict(mpl.rcParams) == before
    lay_out(left)


@pytest.mark.parametrize("name", ODD_NAMES)
def test_names_are_shown_as_they_are(name: str) -> None:
    view = replace(claims(60), event=f"the class is {name}")
    pred = from_logits(
        np.random.default_rng(0).normal(0, 1, (30, 3)), np.arange(30) % 3, classes=[name, "b", "c"]
    )
    curve = curves.reliability(view, Isotonic(), level=None)
    drawn = [
        plots.maps({name: curve}),
        *plots.before_after({name: curve}),
        plots.classwise(curves.classwise(pred))[0],
        plots.simplex(curves.simplex(pred))[0],
        plots.surface(curves.surface(pred), ax=plt.figure().add_subplot()),
        plots.ordering(curves.ordering({name: view, "b": view}, {name: ece})),
        plots.pareto(curves.pareto({name: view}, n_boot=100, called=name)),
        plots.reliability(curve, ax=plt.figure().add_subplot()),
    ]
    for ax in drawn:
        lay_out(ax)
        assert not any(
            text.get_parse_math()
            for text in ax.figure.findobj(mpl.text.Text)
            if "$" in text.get_text()
        )
        assert name.split()[0][:12] in words(ax)


def test_many_classes_are_said_to_be_some_of_all() -> None:
    random = np.random.default_rng(0)
    pred = from_logits(random.normal(0, 3, (50, 40)), random.integers(0, 40, 50))
    panels = plots.classwise(curves.classwise(pred))
    assert len(panels) == 12
    assert "the 12 worst of 40 classes" in words(panels[0])


@pytest.mark.parametrize(
    "family", [PiecewiseLinear(segments=2), BBQ(), Binned(4, slope=0)], ids=repr
)
def test_any_family_draws_its_map(family: Family) -> None:
    curve = curves.reliability(claims(200), family, level=None)
    ax = plots.reliability(curve)
    marks = [line.get_xydata() for line in ax.lines] + [
        np.asarray(dots.get_offsets()) for dots in ax.collections
    ]
    assert any(
        len(mark) == len(curve.p) and np.allclose(mark, np.stack([curve.p, curve.q], 1))
        for mark in marks
    )


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (
            lambda: plots.tilted_roof(curves.reliability(claims(9), Isotonic(), level=None)),
            "curves.tilted_roof",
        ),
        (
            lambda: plots.reliability(
                curves.reliability(claims(9), level=None),
                axes="odds",  # type: ignore[arg-type]
            ),
            "axes must be",
        ),
        (
            lambda: plots.simplex(three_classes(), panels=[plt.figure().add_subplot()]),
            "must be 2 axes",
        ),
    ],
)
def test_what_is_wrong_is_said(act: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        act()


def test_the_package_alone_loads_no_matplotlib() -> None:
    program = "import sys, calibrant; print('matplotlib' in sys.modules)"
    assert (
        "False"
        in subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        ).stdout
    )


if __name__ == "__main__":
    # Draws the key diagrams anew, once they are meant to look otherwise.
    for key, draw in KEY.items():
        shown(draw(), HERE / "images" / f"{key}.png")
