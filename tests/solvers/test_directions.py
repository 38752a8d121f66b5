"""Newton directions against the dense Hessian by its definition, and what they do where it is singular."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from rocsvm.losses import LOSSES, Smoothing
from rocsvm.objective import Objective
from rocsvm.solvers import _direction
from rocsvm.solvers._direction import (
    MAX_FACTORED,
    ConjugateDirections,
    FactoredDirections,
    SampledDirections,
    ScaledFactor,
    SteadyDirections,
    choose_directions,
)
from tests import reference
from tests.solvers.problems import Problem, simulate

Floats = NDArray[np.float64]

WIDE = Smoothing(0.5, 0.3)
EVERYWHERE = [FactoredDirections, ConjugateDirections, SteadyDirections]


def define_hessian(problem: Problem, w: Floats, smoothing: Smoothing = WIDE) -> Floats:
    """Return the Hessian of the smoothed objective by its definition."""
    X = np.asarray(problem.X.toarray() if sparse.issparse(problem.X) else problem.X, dtype=np.float64)
    loss = reference.LOSSES[problem.loss](*smoothing)
    curvature = reference.curvature_matrix(loss, (X @ w).tolist(), problem.list_pairs())
    return X.T @ curvature @ X + problem.alpha * np.eye(X.shape[1])


@pytest.fixture(autouse=True)
def _no_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have curvature measured at the scores themselves, as in its definition."""
    monkeypatch.setattr(_direction, "ROUNDING", 0.0)


def draw_cases() -> list[Problem]:
    weights = np.random.default_rng(1).uniform(0.1, 3.0, 40)
    cases = [
        simulate(40, 4, loss=loss, alpha=alpha, n_pairs=n_pairs, weights=given)
        for loss in LOSSES
        for alpha in (1e-1, 1e-4)
        for n_pairs in (None, 80)
        for given in (None, weights)
    ]
    thin = cases[0]._replace(X=sparse.csr_array(np.where(np.abs(cases[0].X) > 0.7, cases[0].X, 0.0)))
    return [*cases, thin, thin._replace(X=thin.X.tocsc(), loss="squared_hinge"), thin._replace(n_pairs=90)]


@pytest.mark.parametrize("problem", draw_cases(), ids=lambda problem: f"{problem.loss}-{problem.alpha:g}")
@pytest.mark.parametrize("kind", EVERYWHERE)
def test_a_direction_is_minus_the_inverse_hessian_times_the_gradient(
    kind: type[FactoredDirections | ConjugateDirections | SteadyDirections], problem: Problem
) -> None:
    rng = np.random.default_rng(4)
    w, gradient = 0.3 * rng.standard_normal(4), rng.standard_normal(4)
    direction = kind(problem.bind()).find(problem.alpha, w, WIDE, gradient)
    hessian = define_hessian(problem, w)
    wanted = -np.linalg.solve(hessian, gradient)
    if kind is ConjugateDirections:  # stops at 3 % of the gradient
        assert np.linalg.norm(hessian @ direction + gradient) <= 0.03 * np.linalg.norm(gradient) * (1.0 + 1e-6)
        assert direction @ gradient < 0.0
    else:
        assert direction == pytest.approx(wanted, rel=1e-7, abs=1e-9 * np.abs(wanted).max())


@pytest.mark.parametrize("kind", EVERYWHERE)
def test_without_curvature_the_direction_leads_to_zero_weights(
    kind: type[FactoredDirections | ConjugateDirections | SteadyDirections],
) -> None:
    problem = simulate(20, 3, alpha=1e-2)
    w = np.full(3, 1e6)
    direction = kind(problem.bind()).find(problem.alpha, w, Smoothing(1e-3), problem.alpha * w)
    assert direction == pytest.approx(-w)


def test_a_factor_serves_until_a_step_gains_too_little() -> None:
    problem = simulate(40, 3, loss="squared_hinge")
    here, there, gradient = np.zeros(3), np.array([2.0, -1.0, 0.5]), np.ones(3)
    directions = FactoredDirections(problem.bind())
    first = directions.find(problem.alpha, here, WIDE, gradient)
    directions.learn(gradient, gradient, gain=100.0, length=1.0)
    assert directions.find(problem.alpha, there, WIDE, gradient).tolist() == first.tolist()
    directions.learn(gradient, gradient, gain=2.0, length=1.0)
    wanted = -np.linalg.solve(define_hessian(problem, there), gradient)
    assert directions.find(problem.alpha, there, WIDE, gradient) == pytest.approx(wanted)


@pytest.mark.parametrize("changed", [(1e-1, WIDE), (1e-3, Smoothing(0.2))], ids=["alpha", "smoothing"])
def test_another_alpha_or_smoothing_forms_the_hessian_anew(changed: tuple[float, Smoothing]) -> None:
    problem = simulate(40, 3, alpha=changed[0])
    w, gradient = np.full(3, 0.2), np.ones(3)
    directions = FactoredDirections(problem.bind())
    directions.find(1e-3, w, WIDE, gradient)
    wanted = -np.linalg.solve(define_hessian(problem, w, changed[1]), gradient)
    assert directions.find(changed[0], w, changed[1], gradient) == pytest.approx(wanted)


# Hessians that cost much


@pytest.fixture
def _costly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_direction, "MANY_ENTRIES", 2)


@pytest.mark.usefixtures("_costly")
def test_a_hessian_that_costs_much_serves_under_another_alpha_and_smoothing() -> None:
    problem = simulate(40, 3)
    w, gradient = np.full(3, 0.2), np.ones(3)
    directions = FactoredDirections(problem.bind())
    directions.find(problem.alpha, np.zeros(3), WIDE, gradient, broad=True)
    assert directions.is_fresh
    known = define_hessian(problem, np.zeros(3)) - problem.alpha * np.eye(3)
    for alpha, smoothing in [(problem.alpha, Smoothing(0.2)), (1e-3, Smoothing(0.1)), (1e-3, Smoothing(0.1))]:
        wanted = -np.linalg.solve(known + alpha * np.eye(3), gradient)
        assert directions.find(alpha, w, smoothing, gradient, broad=True) == pytest.approx(wanted)
        assert not directions.is_fresh
        directions.learn(gradient, gradient, gain=30.0 ** (40.0 / 43.0) + 0.01, length=1.0)
    directions.learn(gradient, gradient, gain=30.0 ** (40.0 / 43.0) - 0.01, length=1.0)
    wanted = -np.linalg.solve(define_hessian(problem._replace(alpha=1e-3), w, Smoothing(0.1)), gradient)
    assert directions.find(1e-3, w, Smoothing(0.1), gradient, broad=True) == pytest.approx(wanted)
    assert directions.is_fresh


@pytest.mark.usefixtures("_costly")
@pytest.mark.parametrize("kind", [FactoredDirections, SteadyDirections])
def test_a_stale_hessian_is_formed_anew_on_demand_and_a_fresh_one_is_not(
    kind: type[FactoredDirections | SteadyDirections],
) -> None:
    problem, narrow = simulate(40, 3), Smoothing(0.1)
    w, gradient = np.full(3, 0.2), np.ones(3)
    directions = kind(problem.bind())
    directions.find(problem.alpha, np.zeros(3), WIDE, gradient, broad=True)
    assert not directions.renew()
    directions.find(problem.alpha, w, narrow, gradient, broad=True)
    assert directions.renew()
    wanted = -np.linalg.solve(define_hessian(problem, w, narrow), gradient)
    assert directions.find(problem.alpha, w, narrow, gradient, broad=True) == pytest.approx(wanted)


@pytest.mark.usefixtures("_costly")
@pytest.mark.parametrize(
    ("n_rows", "loss", "broad"), [(23, "hinge", True), (40, "squared_hinge", True), (40, "hinge", False)]
)
def test_few_rows_smooth_losses_and_large_penalties_have_their_hessian_formed_each_time(
    n_rows: int, loss: str, broad: bool
) -> None:
    problem = simulate(n_rows, 3, loss=loss)
    directions = FactoredDirections(problem.bind())
    directions.find(problem.alpha, np.zeros(3), WIDE, np.ones(3), broad=broad)
    wanted = -np.linalg.solve(define_hessian(problem._replace(alpha=1e-3), np.ones(3), Smoothing(0.1)), np.ones(3))
    assert directions.find(1e-3, np.ones(3), Smoothing(0.1), np.ones(3), broad=broad) == pytest.approx(wanted)
    assert not directions.renew()


@pytest.mark.usefixtures("_costly")
def test_what_a_stale_hessian_gains_says_nothing_of_the_sample() -> None:
    problem = simulate(400, 3)
    directions = SampledDirections(problem.bind(), 60, np.random.default_rng(0))
    first = directions.sample
    directions.find(problem.alpha, np.zeros(3), WIDE, np.ones(3), broad=True)
    directions.find(problem.alpha, np.zeros(3), Smoothing(0.1), np.ones(3), broad=True)
    directions.learn(np.ones(3), np.ones(3), gain=1.0, length=1.0)
    assert directions.sample is first
    directions.find(problem.alpha, np.zeros(3), Smoothing(0.1), np.ones(3), broad=True)
    directions.learn(np.ones(3), np.ones(3), gain=1.0, length=1.0)
    assert directions.sample is not first


def test_entries_of_sparse_rows_are_those_that_are_written() -> None:
    assert _direction.count_entries(sparse.csr_array(np.eye(4))) == 1.0
    assert _direction.count_entries(np.eye(4)) == 4.0


# Pairs beyond the smoothing


def test_after_a_step_cut_short_a_share_of_the_wider_hessian_is_added() -> None:
    problem, narrow = simulate(40, 3), Smoothing(0.1)
    rng = np.random.default_rng(4)
    w, gradient = 0.3 * rng.standard_normal(3), rng.standard_normal(3)
    plain, wide = (define_hessian(problem, w, one) for one in (narrow, WIDE))
    added = wide - problem.alpha * np.eye(3)
    directions = FactoredDirections(problem.bind())
    directions.find(problem.alpha, w, WIDE, gradient)
    for length, share in [(1.0, 0.0), (0.1, 0.1), (0.1, 1.0), (0.1, 1.0), (0.9, 1.0 / 3.0)]:
        directions.learn(gradient, gradient, gain=1.0, length=length)
        wanted = -np.linalg.solve(plain + share * added, gradient)
        assert directions.find(problem.alpha, w, narrow, gradient, broad=True) == pytest.approx(wanted)
    for _ in range(4):
        directions.learn(gradient, gradient, gain=1.0, length=0.9)
    wanted = -np.linalg.solve(plain, gradient)
    assert directions.find(problem.alpha, w, narrow, gradient, broad=True) == pytest.approx(wanted)


def test_a_smoothing_too_narrow_that_was_given_up_leaves_the_wider_hessian() -> None:
    problem = simulate(40, 3)
    w, gradient = np.full(3, 0.2), np.ones(3)
    middle, narrow = Smoothing(0.2), Smoothing(0.05)
    directions = FactoredDirections(problem.bind())
    for smoothing in (WIDE, narrow):
        directions.find(problem.alpha, w, smoothing, gradient)
    directions.learn(gradient, gradient, gain=1.0, length=0.1)
    added = define_hessian(problem, w) - problem.alpha * np.eye(3)
    wanted = -np.linalg.solve(define_hessian(problem, w, middle) + 0.1 * added, gradient)
    assert directions.find(problem.alpha, w, middle, gradient, broad=True) == pytest.approx(wanted)


def test_no_wider_hessian_is_added_where_pairs_beyond_are_not_heeded_or_the_smoothing_has_grown() -> None:
    problem, narrow = simulate(40, 3), Smoothing(0.1)
    w, gradient = np.full(3, 0.2), np.ones(3)
    for first, last, broad in [(WIDE, narrow, False), (narrow, WIDE, True), (WIDE, WIDE, True)]:
        directions = FactoredDirections(problem.bind())
        directions.find(problem.alpha, w, first, gradient)
        directions.learn(gradient, gradient, gain=1.0, length=0.1)
        wanted = -np.linalg.solve(define_hessian(problem, w, last), gradient)
        assert directions.find(problem.alpha, w, last, gradient, broad=broad) == pytest.approx(wanted)


# Memory of steps


def test_a_step_that_fell_short_is_remembered_until_one_does_not() -> None:
    problem = simulate(40, 3)
    w, gradient = np.zeros(3), np.array([1.0, 2.0, -1.0])
    step, change = np.array([1.0, 0.5, 0.0]), np.array([3.0, 0.0, 1.0])
    directions = SteadyDirections(problem.bind())
    plain = directions.find(problem.alpha, w, WIDE, gradient)
    directions.learn(step, change, gain=100.0, length=0.1)
    assert directions.find(problem.alpha, w, WIDE, -change) == pytest.approx(step)
    directions.learn(step, change, gain=100.0, length=1.0)
    assert directions.find(problem.alpha, w, WIDE, gradient) == pytest.approx(plain)


def test_a_restart_forgets_the_steps() -> None:
    problem = simulate(40, 3)
    gradient, step = np.array([1.0, 2.0, -1.0]), np.array([1.0, 0.5, 0.0])
    for directions in (
        SteadyDirections(problem.bind()),
        SampledDirections(problem.bind(), 40, np.random.default_rng(0)),
    ):
        plain = directions.find(problem.alpha, np.zeros(3), WIDE, gradient)
        directions.learn(step, 2.0 * step, gain=100.0, length=0.1)
        directions.restart()
        assert directions.find(problem.alpha, np.zeros(3), WIDE, gradient) == pytest.approx(plain)


def test_a_step_along_which_the_gradient_does_not_rise_is_not_remembered() -> None:
    problem = simulate(40, 3)
    gradient, step = np.array([1.0, 2.0, -1.0]), np.array([1.0, 0.5, 0.0])
    directions = SteadyDirections(problem.bind())
    plain = directions.find(problem.alpha, np.zeros(3), WIDE, gradient)
    for change in (-step, np.zeros(3), np.array([0.0, 0.0, 1.0])):
        directions.learn(step, change, gain=1.0, length=0.1)
    assert directions.find(problem.alpha, np.zeros(3), WIDE, gradient) == pytest.approx(plain)


# Samples


def test_a_sample_of_all_rows_has_the_direction_of_the_whole() -> None:
    problem = simulate(60, 4)
    w, gradient = np.full(4, 0.1), np.arange(1.0, 5.0)
    directions = SampledDirections(problem.bind(), 60, np.random.default_rng(0))
    wanted = -np.linalg.solve(define_hessian(problem, w), gradient)
    assert directions.find(problem.alpha, w, WIDE, gradient) == pytest.approx(wanted)


def test_a_sample_has_nearly_the_direction_of_the_whole() -> None:
    problem = simulate(20_000, 4)
    w, gradient = np.full(4, 0.1), np.arange(1.0, 5.0)
    wanted = FactoredDirections(problem.bind()).find(problem.alpha, w, WIDE, gradient)
    directions = SampledDirections(problem.bind(), 2000, np.random.default_rng(0))
    found = directions.find(problem.alpha, w, WIDE, gradient)
    assert np.linalg.norm(found - wanted) < 0.2 * np.linalg.norm(wanted)


def test_a_direction_agrees_with_the_last_step() -> None:
    problem = simulate(60, 3)
    step, change = np.array([1.0, 0.5, 0.0]), np.array([3.0, 0.0, 1.0])
    directions = SampledDirections(problem.bind(), 30, np.random.default_rng(0))
    directions.learn(step, change, gain=100.0, length=1.0)
    assert directions.find(problem.alpha, np.zeros(3), WIDE, change) == pytest.approx(-step)


@pytest.mark.parametrize("n_pairs", [None, 4000])
def test_a_sample_grows_where_its_steps_fall_short(n_pairs: int | None) -> None:
    problem = simulate(4000, 3, n_pairs=n_pairs)
    directions = SampledDirections(problem.bind(), 200, np.random.default_rng(0))
    sizes, step = [directions.sample.pairs.size], np.ones(3)
    for _ in range(20):
        directions.learn(step, step, gain=1.0, length=1.0)
        sizes.append(directions.sample.pairs.size)
    assert sizes[0] == 200
    assert 100 < sizes[1] < 300  # drawn anew with the rows far out preferred, about as many
    assert sizes[-1] == directions.sample.pairs.size == 4000
    wanted = FactoredDirections(problem.bind()).find(problem.alpha, np.zeros(3), WIDE, step)
    directions.restart()
    assert directions.find(problem.alpha, np.zeros(3), WIDE, step) == pytest.approx(wanted)


def test_a_sample_whose_steps_gain_stays() -> None:
    directions = SampledDirections(simulate(4000, 3).bind(), 200, np.random.default_rng(0))
    first = directions.sample
    for _ in range(20):
        directions.learn(np.ones(3), np.ones(3), gain=50.0, length=1.0)
    assert directions.sample is first


def test_a_sample_too_large_for_a_dense_copy_uses_conjugate_gradients(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_direction, "MAX_DENSE_ENTRIES", 1000)
    problem = simulate(4000, 3)
    directions = SampledDirections(problem.bind(), 2000, np.random.default_rng(0))
    w, gradient = np.full(3, 0.1), np.array([1.0, -2.0, 0.5])
    for _ in range(5):
        directions.learn(gradient, gradient, gain=1.0, length=1.0)
    directions.restart()
    assert isinstance(directions._directions, ConjugateDirections)
    residual = hessian_product(problem.bind(), w, directions.find(problem.alpha, w, WIDE, gradient)) + gradient
    assert np.linalg.norm(residual) <= 0.031 * np.linalg.norm(gradient)


def hessian_product(objective: Objective, w: Floats, v: Floats) -> Floats:
    curvature = objective.curve(w, WIDE, 0.0)
    return objective.matrix.gather(curvature @ objective.matrix.score(v)) + objective.alpha * v


# Many features


@pytest.mark.parametrize(("p", "kind"), [(MAX_FACTORED, FactoredDirections), (MAX_FACTORED + 1, ConjugateDirections)])
def test_the_number_of_features_chooses(p: int, kind: type) -> None:
    thin = sparse.csr_array((np.ones(4), (np.arange(4), np.arange(4))), shape=(4, p))
    objective = Problem(thin, np.array([True, False, True, False])).bind()
    assert isinstance(choose_directions(objective), kind)


# The factor


def test_a_factor_solves_a_system_whose_scales_differ() -> None:
    rng = np.random.default_rng(0)
    half, scale = rng.standard_normal((9, 6)), 10.0 ** np.linspace(-8, 8, 6)
    matrix, wanted = (half.T @ half) * scale[:, None] * scale, rng.standard_normal(6) / scale
    assert ScaledFactor(matrix).solve(matrix @ wanted) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("rank", [0, 1, 3])
def test_a_singular_matrix_still_gives_a_descent(rank: int) -> None:
    rng = np.random.default_rng(rank)
    half = rng.standard_normal((rank, 5))
    matrix, right = half.T @ half, rng.standard_normal(5)
    if rank:
        right = matrix @ right
        solution = ScaledFactor(matrix).solve(right)
        assert matrix @ solution == pytest.approx(right, rel=1e-5)
    else:
        # With a diagonal of zeros, the least that floating point knows stands in.
        solution = ScaledFactor(matrix + 1e-300 * np.eye(5)).solve(1e-300 * right)
        assert solution == pytest.approx(right)
    assert solution @ right > 0.0


def test_a_matrix_that_rounding_made_indefinite_still_gives_a_descent() -> None:
    matrix = np.ones((4, 4)) - 1e-13 * np.eye(4)
    right = np.array([1.0, -2.0, 3.0, 0.5])
    assert ScaledFactor(matrix).solve(right) @ right > 0.0
