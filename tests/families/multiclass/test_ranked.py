"""Ranked against its definition row by row, the published figure, order that cannot change, laws and extremes."""

from pathlib import Path

import numpy as np
import pytest
from shared_data import needs_real, real

from calibrant import (
    BBQ,
    Isotonic,
    Platt,
    Predictions,
    Ranked,
    Smooth,
    Spline,
    accuracy,
    from_logits,
    from_probs,
    ks_error,
    load,
    top_label,
    top_r,
)

FAMILIES = [Isotonic(), Platt(), Smooth(), Spline(), BBQ()]


def _sharp(seed: int, n: int = 300, k: int = 5) -> Predictions:
    random = np.random.default_rng(seed)
    z = random.normal(0, 3, (n, k)).round(1)
    return from_logits(z, (z / 4 + random.gumbel(size=z.shape)).argmax(1))


def _order(x: np.ndarray) -> np.ndarray:
    return np.argsort(-x, axis=1, kind="stable")


@needs_real
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_the_published_spline(kind: type) -> None:
    fit_on, test = (real("nncal_resnet110_c10", split) for split in ("val", "test"))
    assert isinstance(fit_on, Predictions)
    assert isinstance(test, Predictions)
    fit_on, test = (from_logits(pred.scores.astype(kind), pred.labels) for pred in (fit_on, test))
    mended = Ranked(Spline()).fit(fit_on).apply(test)
    assert 100 * ks_error(mended) == pytest.approx(0.652, abs=5e-4)
    assert 100 * accuracy(mended) == pytest.approx(93.56, abs=1e-9)
    np.testing.assert_array_equal(mended.probs.argmax(1), test.probs.argmax(1))
    two = Ranked(Spline(), ranks=2).fit(fit_on).apply(test)
    assert 100 * ks_error(two) == pytest.approx(0.652, abs=5e-4)
    assert 100 * ks_error(top_r(two, 2)) < 0.35


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_without_order_against_a_loop_over_rows(family: Isotonic, ranks: int) -> None:
    fit_on, test = _sharp(0), _sharp(1, 40)
    rules = [family.fit(top_r(fit_on, r)) for r in range(1, ranks + 1)]
    claimed = np.stack([rule(top_r(test, r)) for r, rule in enumerate(rules, 1)], axis=1).clip(0, 1)
    expected = np.empty((test.n, test.k))
    for row, (p, q) in enumerate(zip(test.probs, claimed, strict=True)):
        if q.sum() > 1:
            q[1:] *= (1 - q[0]) / q[1:].sum()
        order = [
            column
            for _, column in sorted((-z, column) for column, z in enumerate(test.scores[row]))
        ]
        first, others = order[:ranks], order[ranks:]
        expected[row, first] = q
        expected[row, others] = (1 - q.sum()) * p[others] / p[others].sum()
    found = Ranked(family, ranks=ranks, keep_order=False).fit(fit_on)(test)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_order_is_kept_and_the_top_chance_too(family: Isotonic, ranks: int) -> None:
    fit_on, test = _sharp(2), _sharp(3)
    mended = Ranked(family, ranks=ranks).fit(fit_on).apply(test)
    order = _order(test.scores)
    assert (np.diff(np.take_along_axis(mended.probs, order, 1), axis=1) <= 0).all()
    np.testing.assert_array_equal(mended.probs.argmax(1), test.scores.argmax(1))
    np.testing.assert_allclose(mended.probs.sum(1), 1, atol=1e-12)
    top = family.fit(top_r(fit_on, 1))(top_r(test, 1))
    np.testing.assert_allclose(top_label(mended).p, np.maximum(top, 1 / test.k), atol=1e-12)


def test_a_class_that_would_overtake_stops_at_the_top_chance_and_the_others_share_the_rest() -> (
    None
):
    fit_on = from_probs([[0.5, 0.45, 0.04, 0.01]] * 10, [0] * 4 + [1] * 6)
    q = Ranked(Isotonic()).fit(fit_on)(fit_on)[0]
    np.testing.assert_allclose(q, [0.4, 0.4, 0.16, 0.04], atol=1e-12)
    assert q[0] > q[1]
    loose = Ranked(Isotonic(), keep_order=False).fit(fit_on)(fit_on)[0]
    np.testing.assert_allclose(loose, [0.4, 0.54, 0.048, 0.012], atol=1e-12)


def test_a_top_label_never_right_gets_its_even_share() -> None:
    fit_on = from_probs([[0.3, 0.5, 0.2]] * 10, [0] * 10)
    q = Ranked(Isotonic()).fit(fit_on)(fit_on)[0]
    np.testing.assert_allclose(q, 1 / 3, atol=1e-12)
    assert q.argmax() == 1


def test_ranks_that_do_not_fit_beside_the_top_are_scaled() -> None:
    fit_on = from_probs(
        [[0.4, 0.3, 0.2, 0.1]] * 10 + [[0.5, 0.25, 0.15, 0.1]] * 10, [0] * 5 + [1] * 5 + [0] * 10
    )
    # The first claims 0.4 and 0.3 and finds both one half; those of the other rows stay beside a top chance of one.
    q = Ranked(Isotonic(), ranks=2).fit(fit_on)(fit_on)
    np.testing.assert_allclose(q[0], [0.5, 0.5, 0, 0], atol=1e-12)
    np.testing.assert_allclose(q[-1], [1, 0, 0, 0], atol=1e-12)


@pytest.mark.parametrize("k", [2, 5, 1000])
def test_laws_of_weights_order_and_float_type(k: int) -> None:
    pred = _sharp(4, 200, k)
    random = np.random.default_rng(0)
    w, order = random.integers(0, 3, pred.n), random.permutation(pred.n)
    fit = Ranked(Smooth(), ranks=min(2, k - 1)).fit
    q = fit(pred)(pred)
    np.testing.assert_allclose(fit(pred[order])(pred), q, atol=1e-9)
    np.testing.assert_allclose(fit(pred)(pred[order]), q[order], atol=1e-12)
    weighted = fit(from_logits(pred.scores, pred.labels, weights=w))
    np.testing.assert_allclose(
        weighted(pred), fit(pred[np.repeat(np.arange(pred.n), w)])(pred), atol=1e-6
    )
    narrow, wide = (
        from_logits(pred.scores.astype(np.float32).astype(x), pred.labels)
        for x in (np.float32, float)
    )
    np.testing.assert_allclose(fit(narrow)(narrow), fit(wide)(wide), atol=1e-5)
    np.testing.assert_allclose(q.sum(1), 1, atol=1e-12)


@pytest.mark.parametrize("keep_order", [True, False])
@pytest.mark.parametrize(
    "pred",
    [
        from_logits([[1e4, -1e4, 0.0]] * 3, [0, 1, 0]),
        from_probs([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [0, 2]),
        from_logits([[0.3, 0.1]], [1]),
        from_logits([[0.0, 0.0, 0.0]] * 4, [0, 1, 1, 1]),
        from_logits([[2.0, 0.0], [0.0, 1.0], [3.0, 0.0]], [0, 0, 0]),
    ],
    ids=["extreme", "exact 0 and 1", "one row", "all equal", "one class"],
)
def test_extremes(pred: Predictions, *, keep_order: bool) -> None:
    for family in FAMILIES:
        for ranks in range(1, pred.k):
            q = Ranked(family, ranks=ranks, keep_order=keep_order).fit(pred)(pred)
            assert (q >= 0).all()
            np.testing.assert_allclose(q.sum(1), 1, atol=1e-9)
            if keep_order:
                np.testing.assert_array_equal(q.argmax(1), pred.values.argmax(1))


def test_saved_and_loaded(tmp_path: Path) -> None:
    pred = _sharp(5)
    fitted = Ranked(Spline(), ranks=2).fit(pred)
    fitted.save(tmp_path / "map.safetensors")
    loaded = load(tmp_path / "map.safetensors")
    assert loaded.family == fitted.family
    np.testing.assert_array_equal(loaded(pred), fitted(pred))


def test_ranks_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 1, got 0"):
        Ranked(Isotonic(), ranks=0)
    with pytest.raises(ValueError, match="at most 4"):
        Ranked(Isotonic(), ranks=5).fit(_sharp(0))
    with pytest.raises(ValueError, match="fit it on Predictions"):
        Ranked(Isotonic()).fit(top_label(_sharp(0)))
