"""Rankings: their order, their words, and what is minded or refused."""

import numpy as np
import pytest
from shared_claims import claims

from calibrant import (
    Identity,
    Isotonic,
    Platt,
    Predictions,
    Selection,
    Temperature,
    VectorScaling,
    accuracy,
    compare,
    cross_validate,
    from_logits,
    from_probs,
    nll,
)
from calibrant.contenders import Candidate
from calibrant.reporting.ranking import NO_FAMILY, rank_families, rank_models, reason
from calibrant.reporting.recalibration import SAME_ROWS


def _sharp(seed: int, n: int = 400, sharpness: float = 2.0) -> Predictions:
    random = np.random.default_rng(seed)
    z = random.normal(0, 2, (n, 3))
    return from_logits(sharpness * z, (z + random.gumbel(size=z.shape)).argmax(1))


def test_families_are_ranked_by_nll_and_the_claims_as_they_are_among_them() -> None:
    fit_on, test = _sharp(0), _sharp(1)
    families = {"isotonic": Isotonic(), "platt": Platt(), "temperature": Temperature()}
    found = rank_families(fit_on, test, families)
    losses = {row.name: row.nll for row in compare(fit_on, test, families).rows}
    assert {row.name: row.nll for row in found.rows} == losses
    assert [row.name for row in found.rows] == sorted(losses, key=losses.__getitem__)
    best = found.rows[0].name
    assert found.words.startswith(
        f"{best} lowers the NLL most, by {losses['as they are'] - losses[best]:.4f}: "
    )
    assert found.to_dict()["best"] == best
    assert found.to_dict()["rows"][0]["apply_seconds"] >= 0
    assert (found.warnings, found.failures) == ((), ())


def test_where_the_digits_shown_are_the_same_the_order_given_stays() -> None:
    fit_on, test = _sharp(0), _sharp(1)
    found = rank_families(
        fit_on, test, {"first": Temperature(), "second": Temperature(), "third": Identity()}
    )
    assert [row.name for row in found.rows] == ["first", "second", "as they are", "third"]


def test_what_no_family_mends_is_left() -> None:
    found = rank_families(_sharp(0), _sharp(1), {"identity": Identity()})
    assert found.words == NO_FAMILY


@pytest.mark.parametrize("x", [_sharp(0), claims(200)], ids=["vectors", "one chance"])
def test_the_rows_fitted_on_are_minded_as_test_rows(x: Predictions) -> None:
    assert rank_families(x, x, {"temperature": Temperature()}).warnings == (SAME_ROWS,)
    assert rank_families(x[:100], x, {"temperature": Temperature()}).warnings == ()


def test_families_that_fail_are_told_and_if_all_do_refused() -> None:
    fit_on, test = claims(200), claims(300)
    found = rank_families(fit_on, test, {"platt": Platt(), "vector": VectorScaling()})
    assert [name for name, _ in found.failures] == ["vector"]
    with pytest.raises(
        ValueError, match=r"no family could be compared; vector: .* maps whole vectors"
    ):
        rank_families(fit_on, test, {"vector": VectorScaling()})
    probs = from_probs(_sharp(0).probs, _sharp(0).labels)
    for other in (claims(200), probs, from_logits([[0.0, 1.0]], [1])):
        with pytest.raises(ValueError, match="must come from one model and be alike"):
            rank_families(other, _sharp(1), {"platt": Platt()})


def test_models_are_ranked_by_nll_and_the_most_accurate_is_named_too() -> None:
    tame, sharp = _sharp(0, sharpness=1.0), _sharp(0, sharpness=3.0)
    z = sharp.scores.copy()
    z[np.arange(40), sharp.labels[:40]] += 100
    found = rank_models(
        [("sharp", sharp), ("tame", tame), ("right", from_logits(4 * z, sharp.labels))]
    )
    assert [row.name for row in found.rows] == ["tame", "sharp", "right"]
    assert [row.nll for row in found.rows[:2]] == [nll(tame), nll(sharp)]
    share = accuracy(from_logits(z, sharp.labels))
    gap = nll(sharp) - nll(tame)
    assert (
        found.words
        == f"tame has the least NLL, {gap:.4f} below sharp. right is right most often, {share:.2%} of the time."
    )
    assert (found.warnings, found.fitted_on) == ((), None)
    assert "fit_seconds" not in found.to_dict()["rows"][0]
    twice = rank_models([("one", tame), ("other", tame)])
    assert twice.words == "one has the least NLL, as low as that of other."


def test_models_on_other_rows_are_minded_whatever_the_order_of_classes() -> None:
    probs, labels = _sharp(0).probs, np.array(["a", "b", "c"])[_sharp(0).labels]
    model = from_probs(probs, labels, classes=["a", "b", "c"])
    turned = from_probs(probs[:, ::-1], labels, classes=["c", "b", "a"])
    assert rank_models([("one", model), ("other", turned)]).warnings == ()
    moved = from_probs(probs, labels[::-1], classes=["a", "b", "c"])
    (warning,) = rank_models([("one", model), ("other", turned), ("moved", moved)]).warnings
    assert warning.startswith("moved has other labels than one")
    # Whether a model was right is its own affair, so that of claims only the count is held against it.
    assert rank_models([("one", claims(50)), ("other", claims(50, seed=1))]).warnings == ()
    assert len(rank_models([("one", claims(50)), ("other", claims(60))]).warnings) == 1


def test_models_of_other_classes_are_refused() -> None:
    for other, rows in (
        (claims(400), "one chance each"),
        (from_logits([[0.0, 1.0]], [1]), "2 classes"),
    ):
        with pytest.raises(ValueError, match=f"a has rows of 3 classes, b of {rows}"):
            rank_models([("a", _sharp(0)), ("b", other)])


def test_the_reason_names_the_best_and_what_stays() -> None:
    x = _sharp(0)
    found = cross_validate(x, {"identity": Identity(), "temperature": Temperature()})
    assert reason(found) == (
        "Chose temperature: its held-out NLL is the least, and none simpler is within a standard error of it."
    )
    assert reason(cross_validate(x, {"temperature": Temperature()}, score="brier")) == (
        "Chose temperature: its held-out Brier score is the least."
    )
    rows = (
        Candidate("identity", 0.51, 0.1, 0.01, 0.02),
        Candidate("temperature", 0.5, 0.1, 0.0, 0.0),
    )
    assert reason(Selection(Identity(), "identity", "nll", rows, ())) == (
        "Chose identity: the simplest whose held-out NLL is within a standard error of the best, temperature. "
        "The probabilities stay as they are."
    )
