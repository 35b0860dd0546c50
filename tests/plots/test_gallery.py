"""Pictures look as they did, and every program of the gallery draws its own."""

import re
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib.axes import Axes
from shared_claims import claims
from shared_pictures import distance, in_grey, saved

from calibrant import Binned, View, curves, plots

HERE = Path(__file__).parents[1]
IMAGES = HERE / "images"
GALLERY = HERE.parent / "docs" / "gallery"
PROGRAM = re.compile(r"```python\n(.*?)```\n\n!\[.*?\]\((.*?)\)", re.DOTALL)
PROGRAMS = PROGRAM.findall((GALLERY / "README.md").read_text()) if GALLERY.is_dir() else []
# matplotlib 3.11 measures letters anew, which moves all else: the pictures kept were drawn with it.
IS_COMPARED = mpl.__version_info__ >= (3, 11)
compared = pytest.mark.skipif(not IS_COMPARED, reason="the pictures kept are of matplotlib 3.11")
needs_gallery = pytest.mark.skipif(not GALLERY.is_dir(), reason="the docs are not beside the tests")


def _view() -> View:
    return claims(2000, slope=0.6)


def _line() -> Axes:
    return plots.reliability(curves.reliability(_view(), n_boot=50))


def _bins() -> Axes:
    return plots.reliability(curves.reliability(_view(), Binned(10), n_boot=50))


def _by_log_odds() -> Axes:
    return plots.reliability(curves.reliability(_view(), level=None), axes="logit")


def _roof() -> Axes:
    return plots.tilted_roof(curves.tilted_roof(_view(), level=None))


def _sums() -> Axes:
    return plots.cumulative(curves.cumulative(_view()))[0]


# The five key diagrams: what they showed is kept as small pictures.
KEY: dict[str, Callable[[], Axes]] = {
    "reliability": _line,
    "bins": _bins,
    "logit": _by_log_odds,
    "tilted_roof": _roof,
    "cumulative": _sums,
}


@compared
@pytest.mark.parametrize("name", KEY)
def test_key_diagrams_look_as_they_did(name: str, tmp_path: Path) -> None:
    now = saved(KEY[name](), tmp_path / "now.png")
    before = in_grey(IMAGES / f"{name}.png")
    assert now.shape == before.shape
    assert distance(now, before) < 0.02


@compared
def test_the_comparison_sees_another_curve(tmp_path: Path) -> None:
    curve = curves.reliability(claims(2000, slope=0.8), n_boot=50)
    other = saved(plots.reliability(curve), tmp_path / "other.png")
    assert distance(other, in_grey(IMAGES / "reliability.png")) > 0.02


@needs_gallery
@pytest.mark.parametrize(("program", "picture"), PROGRAMS, ids=[picture for _, picture in PROGRAMS])
def test_every_program_of_the_gallery_draws_its_picture(
    program: str, picture: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "sklearn" in program:
        pytest.importorskip("sklearn", reason="scikit-learn is an extra")
    (tmp_path / "images").mkdir()
    monkeypatch.chdir(tmp_path)
    exec(compile(program, picture, "exec"), {})
    assert len(program.strip().splitlines()) <= 10
    now = in_grey(tmp_path / picture)
    if IS_COMPARED:
        before = in_grey(GALLERY / picture)
        assert now.shape == before.shape
        assert distance(now, before) < 0.02


@needs_gallery
def test_the_gallery_has_every_plot() -> None:
    every_program = "\n".join(program for program, _ in PROGRAMS)
    drawn = set(re.findall(r"plots\.(\w+)\(", every_program))
    assert drawn == {name for name in vars(plots) if callable(getattr(plots, name))}
    assert drawn <= set(vars(curves))


if __name__ == "__main__":
    # Draws the key diagrams anew, once they are meant to look otherwise.
    for key, draw in KEY.items():
        saved(draw(), IMAGES / f"{key}.png")
