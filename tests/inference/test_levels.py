"""The level of a measure: what it shows of right claims, beside what it shows of these."""

import numpy as np
import pytest

from calibrant import (
    Predictions,
    binary,
    brier,
    canonical,
    ece,
    from_logits,
    from_probs,
    kde_error,
    null_level,
    top_label,
    vector_error,
)


def _pred(n: int = 300, k: int = 10, sharpness: float = 1.0) -> Predictions:
    random = np.random.default_rng(0)
    z = random.normal(0, 1.5, (n, k))
    return from_logits(sharpness * z, (z + random.gumbel(size=z.shape)).argmax(1))


def test_the_level_of_a_mean_is_known() -> None:
    # The Brier score of right claims is the mean of p (1 - p), here 0.25 * 0.75.
    view = binary([0.25] * 400, [0] * 400)
    mean, high = null_level(brier, view, n_draws=400)
    error = np.sqrt(0.1875 * 0.25) / np.sqrt(400)
    assert mean == pytest.approx(0.1875, abs=4 * error / np.sqrt(400))
    assert high == pytest.approx(0.1875 + 1.645 * error, abs=error / 2)


def test_of_many_classes_a_kernel_shows_much_where_there_is_nothing() -> None:
    right, wrong = canonical(_pred()), canonical(_pred(sharpness=2.0))

    def error(x: object) -> float:
        return kde_error(x, bandwidth=0.01)  # type: ignore[arg-type]

    level = null_level(error, right, n_draws=10)
    assert level.mean > 0.1
    assert error(right) < 1.2 * level.high
    assert error(wrong) > 1.2 * null_level(error, wrong, n_draws=10).high


def test_a_cross_fitted_error_has_no_level() -> None:
    pred = _pred(k=3)

    def error(x: Predictions) -> float:
        return vector_error(x, family="temperature")

    assert abs(null_level(error, pred, n_draws=20).mean) < 0.02


def test_it_is_of_the_same_rows_whatever_their_order_and_outcomes() -> None:
    view = top_label(_pred())
    mixed = view[np.random.default_rng(0).permutation(view.n)]
    # The log odds are sorted as they are, so that the same claims have the same draws.
    assert null_level(ece, view) == pytest.approx(null_level(ece, mixed))
    assert null_level(ece, view, seed=1) != null_level(ece, view)


def test_certain_claims_leave_nothing_to_draw() -> None:
    level = null_level(ece, from_probs([0.0, 1.0] * 5, [0] * 10))
    assert level == (0, 0)


@pytest.mark.parametrize("n_draws", [0, -1, 2.5])
def test_draws_are_counted(n_draws: int) -> None:
    with pytest.raises(ValueError, match="n_draws must be a whole number, at least 1"):
        null_level(ece, top_label(_pred(20)), n_draws=n_draws)
