"""Families and measures are called by names that can be typed."""

import pytest

import calibrant
from calibrant.cli.names import (
    MEASURES,
    OF_CHANCES,
    OF_VECTORS,
    families,
    family,
    measure,
    named_families,
)


def test_every_public_family_without_arguments_has_a_name() -> None:
    assert {
        "temperature",
        "isotonic",
        "binned",
        "histogram-binning",
        *OF_VECTORS,
        *OF_CHANCES,
    } <= set(families())
    assert "one-vs-rest" not in families()
    for kind in families().values():
        assert isinstance(kind(), calibrant.Family)


def test_names_forgive_case_and_underscores() -> None:
    assert family("Histogram_Binning") == calibrant.HistogramBinning()
    assert list(named_families("Platt, temperature")) == ["platt", "temperature"]
    assert measure("KS_error") is calibrant.ks_error


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_is_a_number_of_predictions(name: str) -> None:
    pred = calibrant.from_probs([[0.7, 0.2, 0.1], [0.2, 0.5, 0.3]], [0, 2])
    assert isinstance(measure(name)(pred), float)


def test_a_wrong_name_is_answered_with_the_likely_one() -> None:
    with pytest.raises(
        ValueError, match=r"no family 'isotonc'; did you mean isotonic\? the families are bbq, "
    ):
        family("isotonc")
    with pytest.raises(
        ValueError, match=r"no measure 'ecee'; did you mean ece\? the measures are nll, "
    ):
        measure("ecee")
    with pytest.raises(ValueError, match=r"no family ''; the families are"):
        named_families("")
