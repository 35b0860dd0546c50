"""Mending: what maps fitted on other rows would do, which is best, and the command that makes it."""

from typing import Any

import pytest
from shared_claims import claims

import calibrant
from calibrant import (
    Binned,
    Isotonic,
    MatrixScaling,
    OneVsRest,
    OrderPreserving,
    Predictions,
    Temperature,
    samples,
)
from calibrant.choosing import AS_THEY_ARE
from calibrant.reporting.recalibration import mend


@pytest.fixture(scope="module")
def sample() -> tuple[Predictions, Predictions]:
    return samples.load("c10-resnet18")


def test_families_are_scored_in_the_order_given_and_by_their_names(
    sample: tuple[Predictions, Predictions],
) -> None:
    fit_on, pred = sample
    found = mend(pred, fit_on, [Temperature(), OrderPreserving(kind="diagonal")])
    assert [each.name for each in found.standings] == [
        AS_THEY_ARE,
        "Temperature",
        repr(OrderPreserving(kind="diagonal")),
    ]
    assert list(found.maps) == [each.name for each in found.standings[1:]]
    for each in found.standings[1:]:
        mended = found.maps[each.name].apply(pred)
        assert (each.nll, each.brier, each.accuracy) == pytest.approx(
            (calibrant.nll(mended), calibrant.brier(mended), calibrant.accuracy(mended))
        )
    assert found.best == min(found.standings, key=lambda each: each.nll).name


def test_the_command_makes_the_best_map(sample: tuple[Predictions, Predictions]) -> None:
    fit_on, pred = sample
    plain = mend(pred, fit_on, {"T": Temperature()})
    assert (plain.best, plain.command) == (
        "T",
        "calibrant fit --family temperature FILE -o map.safetensors",
    )
    assert (
        plain.advice
        == "T lowers the NLL most: `calibrant fit --family temperature`, then `calibrant apply`."
    )
    wrapped = mend(pred, fit_on, [OneVsRest(Isotonic())])
    assert wrapped.command is None or "--family isotonic" in wrapped.command
    kind = mend(pred, fit_on, [OrderPreserving()])
    assert kind.command == "calibrant fit --family order-preserving FILE -o map.safetensors"
    with_settings = mend(pred, fit_on, [OrderPreserving(kind="diagonal")])
    assert with_settings.command == f"map = {OrderPreserving(kind='diagonal')!r}.fit(fit_on)"
    assert str(with_settings.advice).endswith("then `map.apply(pred)`.")


def test_where_no_map_helps_nothing_is_recommended() -> None:
    found = mend(claims(3000), claims(30, lift=-3, seed=5))
    assert (found.best, found.command) == (None, None)
    assert str(found.advice).startswith("Neither map lowers the NLL")
    alone = mend(claims(3000), claims(30, lift=-3, seed=5), [Temperature()])
    assert str(alone.advice).startswith("No map lowers the NLL")


def test_a_family_that_cannot_be_fitted_is_told_of_and_kills_nothing() -> None:
    found = mend(
        claims(300, lift=1), claims(300, lift=1, seed=1), [MatrixScaling(), Binned(slope=0)]
    )
    assert [each.name for each in found.standings] == [AS_THEY_ARE, repr(Binned(slope=0))]
    assert len(found.notes) == 1
    assert "maps whole vectors" in found.notes[0]
    none = mend(claims(300), claims(300, seed=1), [MatrixScaling()])
    assert (none.maps, none.best) == ({}, None)
    assert str(none.advice).startswith("No map could be fitted")


@pytest.mark.parametrize("families", [[], {}, "temperature", [Temperature], 3], ids=str)
def test_what_is_no_family_is_refused(families: Any) -> None:  # noqa: ANN401 - anything a caller might give
    with pytest.raises(ValueError, match=r"families"):
        mend(claims(30), claims(30, seed=1), families)
