"""One style: words as they are, axes as given, settings untouched."""

import subprocess
import sys
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from shared_claims import claims
from shared_pictures import lay_out, words

from calibrant import Binned, Isotonic, Platt, binary, curves, ece, from_logits, plots

ODD_NAMES = ["$x_1$", "_hidden", "<b>a & b</b>", "\\frac{1}{2}", "a\nb", "x" * 90, "^_$%#"]


def test_the_title_carries_the_error_and_how_it_was_found() -> None:
    view = claims(1000, lift=0.7)
    told = words(plots.reliability(curves.reliability(view, Binned(), level=None)))
    assert f"Calibration error {100 * ece(view):.2f} points\nBinned(), 1,000 rows" in told


def test_one_percent_and_999_per_mille_are_labelled_in_logit_axes() -> None:
    random = np.random.default_rng(0)
    low, high = (10 ** -random.uniform(0.5, 4, 400) for _ in range(2))
    p = np.concatenate([low, 1 - high])
    curve = curves.reliability(binary(p, random.random(800) < p), Platt(), level=None)
    ax = plots.reliability(curve, axes="logit")
    lay_out(ax)
    labels = {label.get_text() for label in ax.get_yticklabels()}
    assert {"1%", "50%", "99.9%"} <= labels
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


def _every_plot_with(name: str) -> list[Axes]:
    view = replace(claims(60), event=f"the class is {name}")
    logits = np.random.default_rng(0).normal(0, 1, (30, 3))
    pred = from_logits(logits, np.arange(30) % 3, classes=[name, "b", "c"])
    curve = curves.reliability(view, Isotonic(), level=None)
    return [
        plots.maps({name: curve}),
        *plots.before_after({name: curve}),
        plots.classwise(curves.classwise(pred))[0],
        plots.simplex(curves.simplex(pred))[0],
        plots.surface(curves.surface(pred), ax=plt.figure().add_subplot()),
        plots.ordering(curves.ordering({name: view, "b": view}, {name: ece})),
        plots.pareto(curves.pareto({name: view}, n_boot=100, called=name)),
        plots.reliability(curve, ax=plt.figure().add_subplot()),
    ]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_names_are_shown_as_they_are(name: str) -> None:
    for ax in _every_plot_with(name):
        lay_out(ax)
        for text in ax.figure.findobj(mpl.text.Text):
            assert "$" not in text.get_text() or not text.get_parse_math()
        assert name.split()[0][:12] in words(ax)


def test_the_package_alone_loads_no_matplotlib() -> None:
    call = [sys.executable, "-c", "import sys, calibrant; print('matplotlib' in sys.modules)"]
    found = subprocess.run(call, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
