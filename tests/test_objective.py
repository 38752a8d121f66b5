"""The objective against finite differences and its definition; its dual bounds against a quadratic program."""

from __future__ import annotations

import math
from itertools import permutations
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import optimize, sparse

from rocsvm.features import wrap_matrix
from rocsvm.losses import LOSSES, Smoothing
from rocsvm.objective import DualPoint, Objective
from rocsvm.pairs import AllPairs, IncompletePairs
from tests import reference, strategies
from tests.optimum import minimise_over_pairs
from tests.strategies import Sample

ALPHA = 0.05
SCHEMES = {"all": AllPairs(), "incomplete": IncompletePairs(40)}

each_case = pytest.mark.parametrize(("name", "smoothing"), strategies.CASES)
each_loss = pytest.mark.parametrize("name", LOSSES)
each_scheme = pytest.mark.parametrize("scheme", SCHEMES)


class Problem:
    """Small data, their pairs as triples, and the objective over them."""

    def __init__(self, name: str, scheme: str, *, weighted: bool = True, seed: int = 0, form: Any = np.asarray) -> None:
        rng = np.random.default_rng(seed)
        n, d = 16, 3
        self.positive = np.arange(n) % 3 == 0
        self.X = rng.normal(size=(n, d)) + 0.5 * self.positive[:, None]
        self.weights = rng.uniform(0.5, 2.0, n) if weighted else None
        pairs = SCHEMES[scheme].bind(self.positive, self.weights, rng)
        self.objective = Objective(wrap_matrix(form(self.X)), pairs, LOSSES[name](), ALPHA)
        if scheme == "all":
            self.pairs = reference.list_pairs(self.positive.tolist(), self.weights)
        else:
            self.pairs = list(zip(pairs.first.tolist(), pairs.second.tolist(), pairs.weights.tolist(), strict=True))

    def define(self, w: np.ndarray, loss: reference.Loss) -> float:
        """Return the objective by its definition."""
        return reference.mean_loss(loss, self.X @ w, self.pairs) + 0.5 * ALPHA * float(w @ w)

    def point(self, w: np.ndarray, smoothing: Smoothing, rounding: float = 0.0) -> DualPoint:
        """Return the dual point that the sums at w give."""
        sums = self.objective.sum(self.objective.matrix.score(w), smoothing, rounding)
        linear = self.objective.loss.dual(sums.smoothed, sums.pull)
        return DualPoint(linear, -self.objective.matrix.gather(sums.slope), sums.slope)

    def gradient(self, w: np.ndarray, smoothing: Smoothing) -> np.ndarray:
        """Return the gradient as solvers make it."""
        return ALPHA * w - self.point(w, smoothing).pull


@each_case
@each_scheme
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_objective_equals_its_definition(
    twin: ModuleType, name: str, smoothing: Smoothing, scheme: str, form: Any
) -> None:
    problem, rng = Problem(name, scheme, form=form), np.random.default_rng(1)
    for scale in (0.0, 0.1, 1.0, 30.0):
        w = scale * rng.normal(size=3)
        scores = problem.objective.matrix.score(w)
        exact = problem.define(w, reference.LOSSES[name]())
        assert problem.objective.value(w, scores) == pytest.approx(exact, rel=1e-12)
        sums = problem.objective.sum(scores, smoothing, 0.0)
        assert sums.loss + problem.objective.penalise(w) == pytest.approx(exact, rel=1e-12)
        smoothed = problem.define(w, reference.LOSSES[name](*smoothing))
        assert sums.smoothed + problem.objective.penalise(w) == pytest.approx(smoothed, rel=1e-12)


@each_case
@each_scheme
def test_gradient_equals_finite_differences(twin: ModuleType, name: str, smoothing: Smoothing, scheme: str) -> None:
    problem, rng, step = Problem(name, scheme), np.random.default_rng(1), 1e-6
    for _ in range(5):
        w = rng.normal(size=3)
        loss = reference.LOSSES[name](*smoothing)
        ahead, behind = (
            np.array([problem.define(w + side * step * axis, loss) for axis in np.eye(3)]) for side in (1.0, -1.0)
        )
        np.testing.assert_allclose(problem.gradient(w, smoothing), (ahead - behind) / (2.0 * step), atol=1e-8)


@each_case
@each_scheme
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_curvature_equals_finite_differences_of_the_gradient(
    twin: ModuleType, name: str, smoothing: Smoothing, scheme: str, form: Any
) -> None:
    problem, rng, step = Problem(name, scheme, form=form), np.random.default_rng(1), 1e-6
    objective, matrix = problem.objective, problem.objective.matrix
    for _ in range(5):
        w = rng.normal(size=3)
        curvature = objective.curve(w, smoothing, 0.0)
        wanted = np.array(
            [
                problem.gradient(w + step * axis, smoothing) - problem.gradient(w - step * axis, smoothing)
                for axis in np.eye(3)
            ]
        ) / (2.0 * step)
        product = np.array([matrix.gather(curvature @ matrix.score(axis)) + ALPHA * axis for axis in np.eye(3)])
        np.testing.assert_allclose(product, wanted, atol=1e-8)
        np.testing.assert_allclose(curvature.gram(form(problem.X)) + ALPHA * np.eye(3), wanted, atol=1e-8)
        np.testing.assert_allclose(curvature.gram(matrix.open()) + ALPHA * np.eye(3), wanted, atol=1e-8)


def test_objective_at_another_alpha_differs_in_the_penalty_alone(twin: ModuleType) -> None:
    objective, w = Problem("hinge", "all").objective, np.array([1.0, -2.0, 0.5])
    scores = objective.matrix.score(w)
    other = objective.at(0.7)
    assert other.penalise(w) == pytest.approx(0.35 * 5.25)
    loss = objective.value(w, scores) - objective.penalise(w)
    assert other.value(w, scores) - other.penalise(w) == pytest.approx(loss)
    assert objective.alpha == ALPHA


@each_loss
@each_scheme
@pytest.mark.parametrize("importance", [None, np.arange(16.0)])
def test_sample_is_the_objective_over_the_rows_drawn(twin: ModuleType, name: str, scheme: str, importance: Any) -> None:
    problem, w = Problem(name, scheme), np.array([1.0, -2.0, 0.5])
    sampled = problem.objective.sample(10, np.random.default_rng(3), importance)
    rows, pairs = problem.objective.pairs.sample(10, np.random.default_rng(3), importance)
    assert (sampled.alpha, sampled.loss) == (ALPHA, problem.objective.loss)
    assert sampled.matrix.shape == (len(rows), 3)
    differences = sampled.matrix.score(w) - (problem.X @ w)[rows]
    np.testing.assert_allclose(differences, differences[0], rtol=1e-13, atol=1e-13)
    if scheme == "all":
        triples = reference.list_pairs(problem.positive[rows].tolist(), pairs.weights)
    else:
        triples = list(zip(pairs.first.tolist(), pairs.second.tolist(), pairs.weights.tolist(), strict=True))
    wanted = reference.mean_loss(reference.LOSSES[name](), (problem.X @ w)[rows], triples)
    value = sampled.value(w, sampled.matrix.score(w))
    assert value == pytest.approx(wanted + 0.5 * ALPHA * float(w @ w), rel=1e-12)


@each_scheme
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_weigh_their_squared_distance_in_deviations(scheme: str, weighted: bool, form: Any, dtype: Any) -> None:
    rng = np.random.default_rng(2)
    positive = np.arange(30) % 5 == 0
    # Columns of different scale and place; one that is the same in every row, one that is zero.
    X = rng.normal(size=(30, 5)) * [1.0, 1e-6, 1e6, 0.0, 0.0] + [10.0, 0.0, 1e6, 0.1, 0.0]
    X = X.astype(dtype)
    pairs = SCHEMES[scheme].bind(positive, rng.uniform(0.5, 2.0, 30) if weighted else None, rng)
    weighed = Objective(wrap_matrix(form(X)), pairs, LOSSES["hinge"](), ALPHA).weigh_rows()
    shares = pairs.share()
    wanted = np.zeros(30)
    for column in X.astype(np.float64).T[:3]:
        mean = math.fsum(shares * column)
        variance = math.fsum(shares * (column - mean) ** 2)
        wanted += (column - mean) ** 2 / variance
    np.testing.assert_allclose(weighed, wanted, rtol=1e-9, atol=1e-9)
    assert shares @ weighed == pytest.approx(3.0, rel=1e-9)


def pose(X: np.ndarray) -> Objective:
    pairs = AllPairs().bind(np.arange(len(X)) % 2 == 0, None, np.random.default_rng(0))
    return Objective(wrap_matrix(X), pairs, LOSSES["hinge"](), ALPHA)


def test_features_far_from_zero_are_recentred() -> None:
    X = np.random.default_rng(0).normal([0.0, 1e6, 1.0], size=(1000, 3))
    np.testing.assert_array_equal(pose(X).recentre().matrix.array, X - X.mean(axis=0))


@pytest.mark.parametrize("place", [0.1, -0.0123, 1e6 / 3.0])
def test_a_column_that_is_the_same_in_some_rows_is_no_reason_to_copy_all(place: float) -> None:
    X = np.random.default_rng(0).normal(size=(1000, 3))
    X[:, 1] = place
    X[1, 1] = 80.0 * place  # a row that is not looked at
    objective = pose(X)
    assert objective.recentre() is objective


def define_lean(loss: reference.Loss, pairs: list[reference.Pair], scores: np.ndarray, otherwise: float):
    """Return the mean pull of pairs on the slope, half at most, and their share of all pairs."""
    start, stop = loss.kinks
    near = [(weight, scores[i] - scores[j]) for i, j, weight in pairs]
    near = [(weight, margin) for weight, margin in near if start <= margin < stop]
    share = math.fsum(weight for weight, _ in near)
    if not near:
        return otherwise, 1.0
    return min(0.5, -math.fsum(weight * loss.derivative(margin) for weight, margin in near) / share), share


@pytest.mark.parametrize("smoothing", [smoothing for smoothing in strategies.SMOOTHINGS if smoothing.width])
@given(sample=strategies.lattice_samples())
def test_lean_is_the_mean_pull_on_the_slope(twin: ModuleType, smoothing: Smoothing, sample: Sample) -> None:
    loss = LOSSES["hinge"]()
    pairs = AllPairs().bind(sample.positive, sample.weights, np.random.default_rng(0))
    objective = Objective(wrap_matrix(np.zeros((len(sample.scores), 1))), pairs, loss, ALPHA)
    pull = pairs.sum(loss, sample.scores, smoothing=smoothing).pull
    lean = objective.find_lean(sample.scores, smoothing, pull, 0.0)
    own = reference.LOSSES["hinge"](*smoothing)
    triples = reference.list_pairs(sample.positive.tolist(), sample.weights)
    wanted, share = define_lean(own, triples, sample.scores, smoothing.lean)
    assert 0.0 <= lean <= 0.5
    # The pull of the pairs on the slope is what is left of all pulls: they lose digits where they are few.
    assert lean == pytest.approx(wanted, rel=1e-12, abs=1e-14 / share)


def test_lean_of_drawn_pairs_is_their_mean_pull_on_the_slope(twin: ModuleType) -> None:
    problem, rng, smoothing = Problem("hinge", "incomplete"), np.random.default_rng(1), Smoothing(0.5, 0.25)
    for _ in range(20):
        scores = rng.normal(size=16)
        pull = problem.objective.sum(scores, smoothing, 0.0).pull
        lean = problem.objective.find_lean(scores, smoothing, pull, 0.0)
        wanted, _ = define_lean(reference.LOSSES["hinge"](*smoothing), problem.pairs, scores, smoothing.lean)
        assert lean == pytest.approx(wanted, rel=1e-12)


def test_lean_stays_where_no_pair_is_on_the_slope(twin: ModuleType) -> None:
    objective, smoothing = Problem("hinge", "all").objective, Smoothing(0.5, 0.125)
    for scores in (np.zeros(16), 9.0 * Problem("hinge", "all").positive):
        pull = objective.sum(scores, smoothing, 0.0).pull
        assert objective.find_lean(scores, smoothing, pull, 0.0) == 0.125


@each_scheme
def test_a_smooth_loss_keeps_its_lean(twin: ModuleType, scheme: str) -> None:
    objective, smoothing = Problem("squared_hinge", scheme).objective, Smoothing(0.5, 0.125)
    scores = np.linspace(-1.0, 1.0, 16)
    assert objective.find_lean(scores, smoothing, objective.sum(scores, smoothing, 0.0).pull, 0.0) == 0.125


numbers = st.floats(-3, 3).map(lambda number: round(number, 6))


def pull_at(linear: float, pull: np.ndarray) -> DualPoint:
    """Return the dual point of this pull on features that are the identity."""
    return DualPoint(linear, pull, -pull)


dual_points = st.builds(
    lambda linear, pull, scale: pull_at(linear, scale * np.array(pull)),
    numbers,
    st.lists(numbers, min_size=2, max_size=2),
    st.sampled_from([1.0, 1.0, 1e-3, 1e-6, 1e3]),
)
ORIGIN = pull_at(0.0, np.zeros(2))


@given(own=dual_points, other=dual_points, alpha=st.sampled_from([1e-6, 1e-2, 1.0, 100.0]))
@example(own=ORIGIN, other=ORIGIN, alpha=1.0)
@example(own=pull_at(1.0, np.array([1.0, 0.0])), other=pull_at(1.0, np.array([-1.0, 0.0])), alpha=1.0)
@example(own=pull_at(1.0, np.array([1.0, 0.0])), other=pull_at(1.0, np.array([1.0, 0.0])), alpha=1.0)
@example(own=pull_at(1.0, np.array([2.0, 0.0])), other=pull_at(0.9, np.array([1.0, 1e-9])), alpha=1.0)
@example(own=pull_at(1.0, np.array([3.0, 0.0])), other=pull_at(1.0, np.array([0.0, 3.0])), alpha=1.0)
def test_mix_is_the_best_mixture(own: DualPoint, other: DualPoint, alpha: float) -> None:
    mixed = own.mix(other, alpha)
    s, t = np.meshgrid(np.linspace(0.0, 1.0, 41), np.linspace(0.0, 1.0, 41))
    s, t = s[s + t <= 1.0][:, None], t[s + t <= 1.0][:, None]
    pulls = s * own.pull + t * other.pull
    values = (s * own.linear + t * other.linear)[:, 0] - np.sum(pulls**2, axis=1) / (2.0 * alpha)
    # It is formed by solving two by two: digits are lost in the terms, not in their small difference.
    bend = max(own.pull @ own.pull, other.pull @ other.pull) / alpha
    noise = 1e-9 * max(abs(own.linear), abs(other.linear)) + 1e-12 * min(bend, 1e6)
    assert mixed.value(alpha) >= values.max() - noise
    assert mixed.value(alpha) >= max(own.value(alpha), other.value(alpha), 0.0)
    assert np.array_equal(mixed.slope, -mixed.pull)
    # A mixture: nonnegative shares of both, and of zero, that sum to one.
    scale = 1.0 + max(np.abs(own.pull).max(), np.abs(other.pull).max())
    corners = np.array([[point.linear, *(point.pull / scale), 1.0] for point in (own, other, ORIGIN)]).T
    assert optimize.nnls(corners, np.array([mixed.linear, *(mixed.pull / scale), 1.0]))[1] < 1e-9


@given(own=dual_points, other=dual_points, alpha=st.sampled_from([1e-2, 1.0, 100.0]))
def test_no_way_leads_up_from_the_best_mixture(own: DualPoint, other: DualPoint, alpha: float) -> None:
    mixed = own.mix(other, alpha)
    for corner in (own, other, ORIGIN):
        step = corner.pull - mixed.pull
        rise = corner.linear - mixed.linear - float(mixed.pull @ step) / alpha
        # The concave bound gains at most this much on the way there.
        bend = float(step @ step) / alpha
        gain = 0.0 if rise <= 0.0 else rise - 0.5 * bend if rise >= bend else 0.5 * rise**2 / bend
        assert gain <= 1e-9 * (1.0 + abs(mixed.value(alpha)))


@each_loss
@each_scheme
@pytest.mark.parametrize("seed", range(3))
def test_mixed_bounds_never_exceed_the_minimum(twin: ModuleType, name: str, scheme: str, seed: int) -> None:
    problem, rng = Problem(name, scheme, seed=seed), np.random.default_rng(seed)
    optimum = minimise_over_pairs(name, problem.X, problem.pairs, ALPHA)
    assert optimum.upper - optimum.lower <= 1e-6 * optimum.upper
    best = DualPoint(0.0, np.zeros(3), np.zeros(len(problem.X)))
    for k in range(60):
        w = optimum.w + 10.0 ** rng.uniform(-3.0, 1.0) * rng.normal(size=3)
        smoothing = Smoothing(10.0 ** rng.uniform(-3.0, 0.0), rng.uniform(0.0, 0.5))
        point = problem.point(w, smoothing, rounding=(0.0, 0.125 * smoothing.width, 0.5)[k % 3])
        mixed = best.mix(point, ALPHA)
        assert mixed.value(ALPHA) >= max(best.value(ALPHA), point.value(ALPHA), 0.0)
        assert point.value(ALPHA) <= optimum.upper * (1.0 + 1e-12)
        best = mixed
        assert -problem.objective.matrix.gather(best.slope) == pytest.approx(best.pull, abs=1e-12)
    assert best.value(ALPHA) <= optimum.upper * (1.0 + 1e-12)
    # They come near, too: a bound that is never above the minimum could also be nothing.
    assert best.value(ALPHA) >= 0.9 * optimum.lower
    finest = problem.point(optimum.w, Smoothing(1e-6))
    if problem.objective.loss.is_smooth:
        assert finest.value(ALPHA) == pytest.approx(optimum.lower, rel=1e-6)


@given(seed=st.integers(0, 10_000), size=st.sampled_from([1.0, 1e4, 1e8, 1e200]))
def test_a_mixture_is_no_worse_than_either_point_however_large(seed: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    pull = rng.normal(size=3)
    points = [
        DualPoint(rng.random(), scale * pull + 1e-3 * rng.normal(size=3), np.zeros(1))
        for scale in (size, -size * rng.choice([1e-3, 1.0, 1.0 + 1e-9]), 1e-4)
    ]
    with np.errstate(over="ignore"):
        for first, second in permutations(points, 2):
            values = [one.value(1e-3) for one in (first, second)]
            assert first.mix(second, 1e-3).value(1e-3) >= max(values)
