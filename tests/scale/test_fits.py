"""Fits pass by pass are those of all rows in memory."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from shared_parts import N, files, table

import calibrant
from calibrant import (
    Beta,
    Dirichlet,
    Isotonic,
    PiecewiseLinear,
    Platt,
    Quadratic,
    Smooth,
    Spline,
    Temperature,
    VectorScaling,
)
from calibrant.families.family import Family
from calibrant.families.maps import Map
from calibrant.inputs.predictions import Predictions
from calibrant.scale import fit

FRAME = table()
TABLES: dict[str, pl.DataFrame] = {
    "vectors": FRAME,
    "weights": FRAME.with_columns(weight=pl.col("id") % 3),
    "logits": FRAME.select(
        pl.exclude("^prob_.*$"),
        pl.col("^prob_.*$").log().name.map(lambda name: name.replace("prob_", "logit_")),
    ),
    "zeros": FRAME.with_columns(
        prob_cat=pl.col("prob_cat")
        + pl.when(pl.col("prob_emu") < 1e-3).then("prob_emu").otherwise(0),
        prob_emu=pl.when(pl.col("prob_emu") < 1e-3).then(0).otherwise("prob_emu"),
    ),
    "one chance": pl.DataFrame({"p": FRAME["prob_cat"], "outcome": FRAME["label"] == "cat"}),
    "shares": pl.DataFrame({"p": FRAME["prob_cat"], "outcome": FRAME["prob_cat"] ** 2}),
    "two classes": pl.DataFrame(
        {
            "prob_no": 1 - FRAME["prob_cat"].cast(pl.Float64),
            "prob_yes": FRAME["prob_cat"].cast(pl.Float64),
            "label": pl.Series(np.where(FRAME["label"] == "cat", "yes", "no")),
        }
    ),
}
VECTORS = ("vectors", "weights", "logits", "zeros", "two classes")
CHANCES = ("one chance", "shares", "two classes")


def both(family: Family, name: str, folder: Path) -> tuple[Map, Map, Any]:
    files(folder, TABLES[name])
    x = calibrant.read(folder)
    return fit(family, folder), family.fit(x), x


@pytest.mark.parametrize("name", [*VECTORS, "one chance", "shares"])
def test_the_temperature_is_that_of_all_rows(name: str, tmp_path: Path) -> None:
    mine, other, _ = both(Temperature(), name, tmp_path)
    assert mine.rule.temperature == pytest.approx(other.rule.temperature, rel=1e-9)
    assert mine.rule.certificate.slope <= mine.rule.certificate.tolerance
    assert mine.rule.certificate.tolerance == other.rule.certificate.tolerance
    assert (mine.total, mine.rounded) == (other.total, other.rounded)
    assert mine.floor == pytest.approx(other.floor, rel=1e-12)


@pytest.mark.parametrize("name", VECTORS)
def test_vector_scaling_is_that_of_all_rows(name: str, tmp_path: Path) -> None:
    mine, other, x = both(VectorScaling(), name, tmp_path)
    assert isinstance(x, Predictions)
    np.testing.assert_allclose(mine.apply(x).probs, other.apply(x).probs, atol=1e-6)
    nll = [calibrant.nll(each.apply(x)) for each in (mine, other)]
    assert nll[0] <= nll[1] + 2e-9  # what maps give is rounded to float32
    assert mine.rule.certificate.slope <= 1e-7


@pytest.mark.parametrize("name", CHANCES)
@pytest.mark.parametrize("family", [Platt(), Beta(), Quadratic()])
def test_logistic_maps_are_those_of_all_rows(family: Family, name: str, tmp_path: Path) -> None:
    mine, other, _ = both(family, name, tmp_path)
    at = np.linspace(0, 1, 101)
    np.testing.assert_allclose(mine(at), other(at), atol=1e-9)
    assert mine.rule.certificate.slope <= mine.rule.certificate.tolerance


@pytest.mark.parametrize("name", ["one chance", "two classes"])
@pytest.mark.parametrize("family", [Isotonic(), Smooth(), PiecewiseLinear(segments=3)])
def test_other_maps_of_one_chance_are_those_of_the_sketch(
    family: Family, name: str, tmp_path: Path
) -> None:
    mine, other, _ = both(family, name, tmp_path)
    at = np.linspace(0.01, 0.99, 99)
    assert np.abs(mine(at) - other(at)).mean() < 2e-3


@pytest.mark.parametrize("family", [Isotonic(), Platt(), Spline(), Dirichlet(off_diagonal=0.1)])
def test_of_many_classes_each_is_asked_or_a_sample_is_fitted(
    family: Family, tmp_path: Path
) -> None:
    mine, other, x = both(family, "vectors", tmp_path)
    gap = np.abs(mine.apply(x).probs - other.apply(x).probs)
    assert gap.mean() < 1e-3
    assert mine.total == N


def test_a_family_by_name_and_a_bad_part_left_out(tmp_path: Path) -> None:
    paths = files(tmp_path, FRAME)
    paths[2].write_bytes(b"PAR1 and no more PAR1")
    with pytest.raises(ValueError, match="part-2"):
        fit("temperature", paths)
    found = fit("temperature", paths, skip_bad=True)
    assert found.total == N - 1000
