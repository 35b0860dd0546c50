"""Piecewise linear maps against the published procedure, a dense search and the laws of every family."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize
from scipy.special import expit

from calibrant import Platt, binary, calibration_error, cross_fit, from_probs, simulate
from calibrant.families.binary.piecewise import Loss, PiecewiseLinear, Space
from calibrant.families.folds import held_out

SPACES: list[Space] = ["chance", "logit"]
KINDS: list[tuple[Space, Loss]] = [(space, loss) for space in SPACES for loss in ("log", "squared")]
FIXED = [PiecewiseLinear(space=space, segments=3, loss=loss) for space, loss in KINDS]
FAMILIES = [PiecewiseLinear(), PiecewiseLinear(space="logit"), PiecewiseLinear(segments=1), *FIXED]
N = 24
claims = arrays(
    float,
    N,
    elements=st.sampled_from([0.0, 1e-30, 0.1, 0.2, 1 / 3, 0.5, 0.6, 0.75, 0.9, 1 - 1e-9, 1.0]),
)
outcomes = arrays(bool, N)
each_kind = pytest.mark.parametrize(("space", "loss"), KINDS)
each_family = pytest.mark.parametrize("family", FAMILIES, ids=repr)


def _mean_loss(q: np.ndarray, y: np.ndarray, loss: Loss) -> float:
    return float((-np.log(np.where(y, q, 1 - q)) if loss == "log" else (q - y) ** 2).mean())


def _published(p: np.ndarray, y: np.ndarray, space: Space, loss: Loss, segments: int) -> np.ndarray:
    """Least training loss of the authors' procedure on each data set, a row: Adam in batches until it idles.

    Widths are a softmax and, in chance space, heights a sigmoid; it starts from even ranks on the identity.
    """
    random = np.random.default_rng(0)
    sets, n = p.shape
    edges = np.quantile(p, np.linspace(0, 1, segments + 1), axis=1).T
    edges[:, 0], edges[:, -1] = 0, 1
    state = np.log(np.diff(edges)), np.clip(_logit(edges), -7, 7)
    first, second = ([np.zeros_like(part) for part in state] for _ in range(2))
    least, best, idle = (np.full(sets, np.inf), np.full(sets, np.inf), np.zeros(sets))
    step = 0
    for _ in range(1500):
        running = np.zeros(sets)
        for rows in np.array_split(random.permutation(n), n // min(n // 4, 512)):
            value, gradient = _loss_and_gradient(p[:, rows], y[:, rows], space, loss, *state)
            running += value * len(rows)
            step += 1
            first = [0.9 * m + 0.1 * g for m, g in zip(first, gradient, strict=True)]
            second = [0.999 * v + 0.001 * g**2 for v, g in zip(second, gradient, strict=True)]
            moves = [
                0.01 * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-7)
                for m, v in zip(first, second, strict=True)
            ]
            state = state[0] - moves[0], state[1] - moves[1]
        # A set that idles would have stopped, so what it finds later does not count.
        value = _loss_and_gradient(p, y, space, loss, *state)[0]
        least = np.where(idle < 20, np.minimum(least, value), least)
        idle = np.where((running < best) & (idle < 20), 0, idle + 1)
        best = np.minimum(best, running)
        if (idle >= 20).all():
            break
    return least


def _loss_and_gradient(
    p: np.ndarray, y: np.ndarray, space: Space, loss: Loss, widths: np.ndarray, heights: np.ndarray
) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    share = np.exp(widths) / np.exp(widths).sum(1, keepdims=True)
    inner = np.cumsum(share, axis=1)[:, :-1]
    knots = np.concatenate([np.zeros_like(share[:, :1]), inner, np.ones_like(share[:, :1])], axis=1)
    chance = space == "chance"
    x, at, level = (p, knots, expit(heights)) if chance else (_logit(p), _logit(knots), heights)
    k = (x[:, :, None] >= at[:, None, 1:-1]).sum(2)
    left, right, low, high = (
        np.take_along_axis(of, k + i, 1) for of in (at, level) for i in (0, 1)
    )
    far = (x - left) / (right - left)
    f = low + (high - low) * far
    q = np.clip(f if chance else expit(f), 1e-9, 1 - 1e-9)
    spread = q * (1 - q)
    if loss == "log":
        value, slope = -np.log(np.where(y, q, 1 - q)).mean(1), (q - y) / spread
    else:
        value, slope = ((q - y) ** 2).mean(1), 2 * (q - y)
    slope = (slope if chance else slope * spread) / p.shape[1]
    of_heights, of_knots = np.zeros(knots.shape), np.zeros(knots.shape)
    steep = (high - low) / (right - left)
    rows = np.arange(len(p))[:, None]
    for place, part in ((k, 1 - far), (k + 1, far)):
        np.add.at(of_heights, (rows, place), slope * part)
        np.add.at(of_knots, (rows, place), -slope * part * steep)
    of_inner = of_knots[:, 1:-1] if chance else of_knots[:, 1:-1] / (inner * (1 - inner))
    of_share = np.append(
        np.cumsum(of_inner[:, ::-1], axis=1)[:, ::-1], np.zeros_like(share[:, :1]), axis=1
    )
    of_widths = share * (of_share - (share * of_share).sum(1, keepdims=True))
    return value, (of_widths, of_heights * level * (1 - level) if chance else of_heights)


def _logit(p: np.ndarray) -> np.ndarray:
    c = np.clip(p, 1e-6, 1 - 1e-6)
    return np.log(c) - np.log(1 - c)


@pytest.mark.parametrize(
    ("space", "loss", "segments"),
    [("chance", "log", 5), ("chance", "squared", 3), ("logit", "log", 2), ("logit", "squared", 4)],
)
def test_no_higher_loss_than_the_published_procedure(
    space: Space, loss: Loss, segments: int
) -> None:
    views = [
        simulate.task(shape, 0.08).sample(400, seed=1).view
        for shape in ("square", "beta1", "stairs")
    ]
    family = PiecewiseLinear(space=space, segments=segments, loss=loss)
    ours = np.array([_mean_loss(family.fit(view)(view), view.y, loss) for view in views])
    p, y = np.stack([view.p for view in views]), np.stack([view.y for view in views])
    assert (ours <= _published(p, y, space, loss, segments) + 1e-6).all()


@each_kind
def test_the_published_procedure_follows_its_gradient(space: Space, loss: Loss) -> None:
    view = simulate.task("stairs", 0.08).sample(50, seed=0).view
    random = np.random.default_rng(0)
    widths, heights = random.normal(0, 0.3, (1, 3)), random.normal(0, 1, (1, 4))

    def flat(v: np.ndarray) -> float:
        return float(
            _loss_and_gradient(view.p[None], view.y[None], space, loss, v[None, :3], v[None, 3:])[
                0
            ][0]
        )

    at = np.concatenate([widths[0], heights[0]])
    numeric = [(flat(at + e) - flat(at - e)) / 2e-6 for e in 1e-6 * np.eye(7)]
    exact = _loss_and_gradient(view.p[None], view.y[None], space, loss, widths, heights)[1]
    np.testing.assert_allclose(np.concatenate([part[0] for part in exact]), numeric, atol=1e-7)


@each_kind
def test_one_segment_is_the_best_straight_line(space: Space, loss: Loss) -> None:
    view = simulate.task("beta2", 0.05).sample(200, seed=3).view
    z = view.p if space == "chance" else view.log_odds

    def q(ends: np.ndarray) -> np.ndarray:
        line = ends[0] * (1 - z) + ends[1] * z if space == "chance" else ends[0] + ends[1] * z
        return line if space == "chance" else expit(line)

    bounds = [(1e-9, 1 - 1e-9)] * 2 if space == "chance" else [(-5, 5)] * 2
    best = minimize(
        lambda ends: _mean_loss(q(ends), view.y, loss),
        [0.1, 0.9],
        bounds=bounds,
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-10},
    )
    found = PiecewiseLinear(space=space, segments=1, loss=loss).fit(view)(view)
    np.testing.assert_allclose(found, q(best.x), atol=1e-3)
    assert _mean_loss(found, view.y, loss) <= best.fun + 1e-7


@each_kind
def test_two_segments_reach_the_best_of_all_knots(space: Space, loss: Loss) -> None:
    # A true kink, so that the dip of the loss is deep.
    random = np.random.default_rng(4)
    z = np.sort(random.uniform(-3, 3, 1500))
    truth = (
        0.2 + 0.6 * np.maximum(0, expit(z) - 0.5)
        if space == "chance"
        else expit(np.minimum(z, 0.4 * z))
    )
    view = binary(expit(z), random.random(1500) < truth)
    x, ends = (view.p, (0, 1)) if space == "chance" else (z, (-30, 30))

    def least(knot: float) -> float:
        hats = np.stack([np.interp(x, (ends[0], knot, ends[1]), hat) for hat in np.eye(3)], 1)
        at = np.array((ends[0], knot, ends[1]), float)

        def mean_loss(h: np.ndarray) -> float:
            f = hats @ h
            return _mean_loss(
                np.clip(f if space == "chance" else expit(f), 1e-9, 1 - 1e-9), view.y, loss
            )

        return float(
            minimize(
                mean_loss, np.clip(at, 0.1, 0.9) if space == "chance" else at, method="Powell"
            ).fun
        )

    found = _mean_loss(
        PiecewiseLinear(space=space, segments=2, loss=loss).fit(view)(view), view.y, loss
    )
    assert found <= min(least(knot) for knot in np.quantile(x, np.linspace(0.1, 0.9, 9))) + 1e-5


@each_kind
def test_more_segments_fit_better(space: Space, loss: Loss) -> None:
    view = simulate.task("stairs", 0.1).sample(2000, seed=1).view
    fits = [
        PiecewiseLinear(space=space, segments=segments, loss=loss).fit(view)(view)
        for segments in (1, 2, 3, 5)
    ]
    found = [_mean_loss(q, view.y, loss) for q in fits]
    assert (np.diff(found) < 0).all()
    assert np.abs(fits[3] - simulate.task("stairs", 0.1).sample(2000, seed=1).truth).mean() < 0.04


@pytest.mark.parametrize("space", SPACES)
def test_folds_choose_the_segments_and_are_averaged(space: Space) -> None:
    # Outcomes as near to a kinked truth as whole rows can be, so that every fold sees one clear dip of the loss.
    p = np.repeat(np.linspace(0.02, 0.98, 40), 12)
    y = np.tile(np.arange(12), 40) < np.round(12 * np.interp(p, [0, 0.5, 1], [0.1, 0.9, 0.2]))
    view = binary(p, y)
    chosen = PiecewiseLinear(space=space, loss="squared").fit(view)
    errors, maps = [], []
    for segments in (1, 2, 3):
        family = PiecewiseLinear(space=space, segments=segments, loss="squared")
        each = [
            (family.fit(view[fitted]), view[held]) for fitted, held in held_out(view, 10, seed=0)
        ]
        errors.append(
            np.mean([_mean_loss(fitted(held), held.y, "squared") for fitted, held in each])
        )
        maps.append(np.mean([fitted(view) for fitted, _ in each], axis=0))
    best = int(np.argmax(np.array(errors) <= 1.001 * min(errors)))
    assert best > 0
    assert chosen.rule.knots.shape == (10, best + 2)
    np.testing.assert_allclose(chosen(view), maps[best], atol=0.01)


def test_a_line_of_log_odds_is_a_logistic_regression() -> None:
    view = simulate.task("square", 0.05).sample(5000, seed=0).view
    line = PiecewiseLinear(space="logit", segments=1).fit(view)(view)
    np.testing.assert_allclose(line, Platt().fit(view)(view), atol=2e-3)


@each_family
@given(p=claims, y=outcomes, seed=st.integers(0, 2**32 - 1))
@settings(max_examples=4)
def test_laws_of_order_range_and_equal_claims(
    family: PiecewiseLinear, p: np.ndarray, y: np.ndarray, seed: int
) -> None:
    order = np.random.default_rng(seed).permutation(N)
    q = family.fit(binary(p, y))(p)
    np.testing.assert_allclose(family.fit(binary(p[order], y[order]))(p), q, rtol=1e-9, atol=1e-9)
    assert ((q >= 0) & (q <= 1)).all()
    assert all(np.ptp(q[p == claim]) == 0 for claim in np.unique(p))


@pytest.mark.parametrize("family", FIXED, ids=repr)
@given(p=claims, y=outcomes, w=arrays(np.int64, N, elements=st.integers(0, 3)))
@settings(max_examples=4)
def test_a_weight_is_a_count(
    family: PiecewiseLinear, p: np.ndarray, y: np.ndarray, w: np.ndarray
) -> None:
    w[0] = 2
    repeated = family.fit(binary(np.repeat(p, w), np.repeat(y, w)))
    np.testing.assert_allclose(
        family.fit(binary(p, y, weights=w))(p), repeated(p), rtol=1e-6, atol=1e-6
    )


@each_family
@given(p=arrays(np.float32, N, elements=st.floats(0, 1, width=32)), y=outcomes)
@settings(max_examples=4)
def test_float32_and_float64_agree(family: PiecewiseLinear, p: np.ndarray, y: np.ndarray) -> None:
    double = p.astype(float)
    np.testing.assert_allclose(
        family.fit(binary(p, y))(p), family.fit(binary(double, y))(double), rtol=1e-5, atol=1e-5
    )


@each_family
@pytest.mark.parametrize(
    ("p", "y"),
    [
        ([0.3], [1]),
        ([0.3] * 5, [1, 0, 0, 0, 0]),
        ([0.1, 0.4, 0.8], [0] * 3),
        ([0, 1, 0, 1], [0, 1, 1, 0]),
        ([0.0] * 3 + [1.0] * 4, [1] * 3 + [0] * 4),
        ([0.2, 0.9], [0, 1]),
        (np.linspace(0.01, 0.99, 250), np.linspace(0.01, 0.99, 250) > 0.5),
    ],
    ids=[
        "one row",
        "one claim",
        "one outcome",
        "exact 0 and 1",
        "certain and wrong",
        "two rows",
        "separable",
    ],
)
def test_extremes(family: PiecewiseLinear, p: list[float], y: list[int]) -> None:
    fitted = family.fit(binary(p, y))
    q = fitted([0, 1e-300, 0.3, 0.5, 1 - 1e-16, 1])
    assert np.isfinite(q).all()
    assert np.isfinite(calibration_error(binary(p, y), family))
    if len(set(np.ravel(p))) == 1 and len(p) > 1 and family.segments != "cv":
        np.testing.assert_allclose(fitted(p), np.mean(y), atol=1e-3)


def test_rows_without_weight_have_no_say() -> None:
    view = simulate.task("sqrt", 0.08).sample(240, seed=5).view
    w = np.append(np.ones(240), np.zeros(30))
    silent = binary(
        np.append(view.p, np.full(30, 0.123)), np.append(view.y, np.ones(30, bool)), weights=w
    )
    family = PiecewiseLinear()
    np.testing.assert_allclose(family.fit(silent)(view), family.fit(view)(view), atol=1e-12)
    assert np.isfinite(cross_fit(family, silent, folds=2)).all()


def test_predictions_of_more_classes_are_taken_one_by_one() -> None:
    random = np.random.default_rng(2)
    probs = random.dirichlet([1, 1, 1], 300)
    pred = from_probs(probs, random.integers(0, 3, 300))
    mended = PiecewiseLinear(segments=2).fit(pred).apply(pred)
    np.testing.assert_allclose(mended.probs.sum(1), 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"segments": 0}, "segments must be at least 1, or 'cv'; got 0"),
        ({"space": "odds"}, "space must be 'chance' or 'logit', got 'odds'"),
        ({"loss": "brier"}, "loss must be 'log' or 'squared', got 'brier'"),
    ],
)
def test_other_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PiecewiseLinear(**options)  # type: ignore[arg-type]
