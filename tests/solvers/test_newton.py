"""Newton's method: its certificate against an independent quadratic program, and data on which solvers break."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from rocsvm import LinearROCSVM
from rocsvm.losses import LOSSES
from rocsvm.solvers import SOLVERS, Newton, Solution, Status, Step, _direction
from tests.solvers.problems import Problem, check_bounds, check_honest, problems, simulate

each_loss = pytest.mark.parametrize("loss", LOSSES)
ALPHAS = [1e2, 1.0, 1e-2, 1e-4, 1e-6, 1e-8]


def test_the_registry_finds_newton() -> None:
    assert SOLVERS["newton"] is Newton


def test_a_grid_search_reaches_the_arguments_of_a_solver() -> None:
    problem = simulate(60, 2)
    model = LinearROCSVM(solver=Newton(), random_state=0)
    assert model.get_params()["solver__sample_size"] == Newton().sample_size
    search = GridSearchCV(model, {"solver__sample_size": [32, 64]}, cv=2).fit(problem.X, problem.positive)
    assert search.best_estimator_.solver.sample_size in (32, 64)
    assert clone(Newton(sample_size=7)).sample_size == 7


@pytest.mark.parametrize("given_size", [0, -3, 1.5, None, True, "all"])
def test_a_sample_size_that_counts_nothing_is_refused(given_size: object) -> None:
    with pytest.raises(ValueError, match=r"sample_size=.* is not a whole number from 1 up; write"):
        Newton(sample_size=given_size).solve(simulate(20, 2).bind())  # type: ignore[arg-type]


# The certificate


@settings(max_examples=150)
@given(problem=problems(), tol=st.sampled_from([1e-3, 1e-5]))
def test_the_optimum_lies_between_bound_and_objective(twin: ModuleType, problem: Problem, tol: float) -> None:
    solution = problem.solve(tol=tol)
    check_honest(solution, tol)
    check_bounds(solution, problem.minimise())


@settings(max_examples=100)
@given(problem=problems(min_power=-3.0, scales=False), tol=st.sampled_from([1e-3, 1e-5]))
def test_rows_of_unit_scale_reach_the_tolerance(twin: ModuleType, problem: Problem, tol: float) -> None:
    solution, optimum = problem.solve(tol=tol), problem.minimise()
    assert solution.status is Status.CONVERGED
    check_honest(solution, tol)
    check_bounds(solution, optimum)
    assert solution.objective * (1.0 - tol) <= optimum.upper * (1.0 + 1e-8)


@given(problem=problems(min_power=-5.0))
def test_the_objective_told_is_its_definition_at_the_weights_told(problem: Problem) -> None:
    solution = problem.solve()
    assert solution.objective == pytest.approx(problem.define_value(solution.w), rel=1e-5)


@pytest.mark.parametrize("n_pairs", [None, 1, 400])
@pytest.mark.parametrize("alpha", ALPHAS)
@each_loss
def test_every_alpha_reaches_a_small_tolerance(loss: str, alpha: float, n_pairs: int | None) -> None:
    problem = simulate(60, 4, loss=loss, alpha=alpha, n_pairs=n_pairs)
    solution = problem.solve(tol=1e-5)
    assert solution.status is Status.CONVERGED
    check_bounds(solution, problem.minimise())


def test_the_best_weights_found_are_returned_where_steps_run_out() -> None:
    problem = simulate(300, 5)
    solution = problem.solve(max_iter=4)
    assert solution.objective == pytest.approx(problem.bind().value(solution.w, problem.X @ solution.w), rel=1e-14)
    assert solution.objective <= 1.0


# Data on which solvers break


def separate(problem: Problem) -> Problem:
    X = problem.X.copy()
    X[:, 0] = np.where(problem.positive, 1.0, -1.0) * (0.2 + np.abs(X[:, 0]))
    return problem._replace(X=X)


def spread(problem: Problem) -> Problem:
    return problem._replace(X=problem.X * 10.0 ** np.linspace(-3, 3, problem.X.shape[1]))


def round_off(problem: Problem) -> Problem:
    return problem._replace(X=(problem.X > 0.8).astype(np.float64))


def level(problem: Problem) -> Problem:
    return problem._replace(X=np.ones_like(problem.X))


def leave_one(problem: Problem) -> Problem:
    positive = np.zeros_like(problem.positive)
    positive[7] = True
    return problem._replace(positive=positive)


def swap(problem: Problem) -> Problem:
    return problem._replace(positive=~problem.positive)


def widen(problem: Problem) -> Problem:
    noise = np.random.default_rng(1).standard_normal((len(problem.X), 2 * len(problem.X)))
    return problem._replace(X=np.hstack([problem.X, noise]))


def narrow(problem: Problem) -> Problem:
    return problem._replace(X=np.ascontiguousarray(problem.X[:, :1]))


def add_constants(problem: Problem) -> Problem:
    n = len(problem.X)
    return problem._replace(X=np.column_stack([np.ones(n), problem.X, np.full(n, -7.0), np.zeros(n)]))


def double(problem: Problem) -> Problem:
    return problem._replace(X=np.hstack([problem.X, problem.X, problem.X[:, ::-1]]))


def offset(problem: Problem) -> Problem:
    return problem._replace(X=problem.X + 1e6)


def halve_precision(problem: Problem) -> Problem:
    return problem._replace(X=problem.X.astype(np.float32))


def compress(problem: Problem) -> Problem:
    return problem._replace(X=sparse.csr_array(np.where(np.abs(problem.X) > 0.8, problem.X, 0.0)))


TWISTS: list[Callable[[Problem], Problem]] = [
    separate,
    spread,
    round_off,
    level,
    leave_one,
    lambda problem: swap(leave_one(problem)),
    widen,
    narrow,
    add_constants,
    double,
    offset,
    halve_precision,
    compress,
    lambda problem: offset(separate(problem)),
    lambda problem: spread(separate(problem)),
    lambda problem: leave_one(round_off(problem)),
]
TWIST_NAMES = [
    "separable",
    "scales",
    "binary",
    "rows all equal",
    "one positive",
    "one negative",
    "more features than rows",
    "one feature",
    "constant columns",
    "duplicate columns",
    "huge offset",
    "float32",
    "sparse",
    "separable with an offset",
    "separable of many scales",
    "binary with one positive",
]


@pytest.mark.parametrize("alpha", ALPHAS)
@each_loss
@pytest.mark.parametrize("twist", TWISTS, ids=TWIST_NAMES)
def test_awkward_rows_converge_at_every_alpha(twist: Callable[[Problem], Problem], loss: str, alpha: float) -> None:
    problem = twist(simulate(80, 5, loss=loss, alpha=alpha))
    solution = problem.solve()
    assert solution.status is Status.CONVERGED
    check_honest(solution, 1e-3)


@pytest.mark.parametrize("alpha", [1e-2, 1e-6])
@each_loss
@pytest.mark.parametrize("twist", TWISTS, ids=TWIST_NAMES)
def test_awkward_rows_have_the_optimum_within_the_bounds(
    twist: Callable[[Problem], Problem], loss: str, alpha: float
) -> None:
    problem = twist(simulate(24, 5, loss=loss, alpha=alpha))
    dense = problem._replace(X=problem.X.toarray() if sparse.issparse(problem.X) else problem.X)
    check_bounds(problem.solve(), dense.minimise())


@pytest.mark.parametrize("alpha", [1e-1, 1e-3, 1e-6, 1e-8])
@each_loss
@pytest.mark.parametrize("twist", TWISTS, ids=TWIST_NAMES)
def test_awkward_rows_converge_where_hessians_serve_on(
    twist: Callable[[Problem], Problem], loss: str, alpha: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_direction, "MANY_ENTRIES", 0)
    monkeypatch.setattr(_direction, "MANY_TIMES", 4)
    solution = twist(simulate(80, 5, loss=loss, alpha=alpha)).solve()
    assert solution.status is Status.CONVERGED
    check_honest(solution, 1e-3)


@pytest.mark.parametrize("alpha", [1e-4, 1e-6, 1e-8])
@pytest.mark.parametrize("n_pos", [3, 8, 30])
def test_rare_positives_among_many_features_converge(n_pos: int, alpha: float) -> None:
    # Some of these were left at gaps of 1e-2 by smoothings too narrow to begin with.
    for seed in range(2):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(1000, 100))
        scores = X @ rng.normal(size=100) + 5.0 * rng.normal(size=1000)
        model = LinearROCSVM(alpha, random_state=0).fit(X, scores > np.sort(scores)[-n_pos - 1])
        assert model.dual_gap_ <= 1e-3 * model.objective_


def test_rows_all_equal_have_no_weights() -> None:
    solution = level(simulate(30, 3)).solve()
    assert np.abs(solution.w).max() < 1e-6
    assert solution.objective == pytest.approx(1.0)


def test_an_offset_changes_neither_weights_nor_objective() -> None:
    problem = simulate(200, 4, alpha=1e-5)
    plain, moved = problem.solve(tol=1e-5), offset(problem).solve(tol=1e-5)
    assert moved.objective == pytest.approx(plain.objective, rel=1e-5)


@pytest.mark.parametrize("seed", range(20))
@each_loss
@pytest.mark.parametrize("is_binary", [False, True], ids=["normal", "binary"])
def test_few_separable_rows_do_not_go_to_and_fro_between_two_sets_of_pairs(
    is_binary: bool, loss: str, seed: int
) -> None:
    problem = simulate(7 + seed, 8 + 4 * seed, seed=seed, loss=loss, alpha=3e-6)
    problem = round_off(problem) if is_binary else problem
    solution = problem.solve()
    assert solution.status is Status.CONVERGED
    check_bounds(solution, problem.minimise())


@each_loss
def test_classes_a_million_apart_are_solved_as_far_as_floating_point_goes(loss: str) -> None:
    # At the optimum of the squared hinge, about 1e-21, margins fall short of one by less than its last digit.
    problem = separate(offset(simulate(80, 5, loss=loss, alpha=1e-8)))
    solution = problem.solve()
    check_honest(solution, 1e-3)
    assert solution.relative_gap < 0.1


@pytest.mark.parametrize("w0", [None, np.full(3, 1e-170)], ids=["cold", "warm"])
@pytest.mark.parametrize("n", [40, 8000])
def test_features_whose_squares_overflow_are_refused(n: int, w0: np.ndarray | None) -> None:
    problem = simulate(n, 3)
    for scale in (1e80, 1e160, 1e300):
        with pytest.raises(ValueError, match=r"products of them overflow. Scale the features"):
            problem._replace(X=scale * problem.X).solve(w0)


@pytest.mark.parametrize("scale", [1e-300, 1e-60, 1e60])
def test_features_of_any_other_scale_are_not(scale: float) -> None:
    problem = simulate(40, 3)
    check_honest(problem._replace(X=scale * problem.X).solve(), 1e-3)


def test_a_gap_that_cannot_be_closed_ends_in_a_stall_that_tells_it() -> None:
    solution = simulate(50, 3).solve(tol=1e-300)
    assert solution.status is Status.STALLED
    check_honest(solution, 1e-300)
    assert solution.relative_gap < 1e-8


# Large data, which start from a sample


def check_started_on_a_sample(solution: Solution, problem: Problem) -> None:
    assert solution.history[0].size < solution.history[-1].size == len(problem.X)


@pytest.mark.parametrize("alpha", [1e-1, 1e-3, 1e-5, 1e-7])
@each_loss
def test_large_data_converge_from_a_sample(loss: str, alpha: float) -> None:
    problem = simulate(40_000, 4, loss=loss, alpha=alpha)
    solution = problem.solve()
    assert solution.status is Status.CONVERGED
    check_honest(solution, 1e-3)
    check_started_on_a_sample(solution, problem)


@pytest.mark.parametrize("alpha", [1e-1, 1e-3, 1e-5, 1e-7])
@each_loss
def test_large_separable_data_converge_from_a_sample(loss: str, alpha: float) -> None:
    problem = separate(simulate(40_000, 4, loss=loss, alpha=alpha))
    solution = problem.solve()
    assert solution.status is Status.CONVERGED
    check_honest(solution, 1e-3)
    check_started_on_a_sample(solution, problem)


@pytest.mark.parametrize("alpha", [1e-1, 1e-3, 1e-5, 1e-7])
@each_loss
def test_five_positive_rows_of_fifty_thousand_converge(loss: str, alpha: float) -> None:
    problem = simulate(50_000, 8, share=1e-4, loss=loss, alpha=alpha)
    assert problem.positive.sum() == 5
    solution = problem.solve()
    assert solution.status is Status.CONVERGED
    check_honest(solution, 1e-3)


@pytest.mark.parametrize("alpha", [1e-5, 1e-7])
@each_loss
def test_heavy_tails_of_many_scales_converge_from_a_sample(loss: str, alpha: float) -> None:
    problem = simulate(40_000, 10, share=0.1, loss=loss, alpha=alpha)
    rng = np.random.default_rng(1)
    tails = rng.standard_t(2, problem.X.shape)
    tails[problem.positive] += 0.5
    problem = problem._replace(X=tails * 10.0 ** rng.uniform(-3, 3, 10))
    solution = problem.solve()
    assert solution.status is Status.CONVERGED
    check_honest(solution, 1e-3)
    check_started_on_a_sample(solution, problem)


@pytest.mark.slow
@pytest.mark.parametrize("alpha", ALPHAS)
@each_loss
@pytest.mark.parametrize("twist", TWISTS[:6] + TWISTS[7:], ids=TWIST_NAMES[:6] + TWIST_NAMES[7:])
def test_large_awkward_rows_converge_or_say_not(twist: Callable[[Problem], Problem], loss: str, alpha: float) -> None:
    problem = twist(simulate(40_000, 5, loss=loss, alpha=alpha))
    solution = problem.solve()
    check_honest(solution, 1e-3)
    assert solution.status is not Status.OUT_OF_STEPS


def test_a_sample_leads_to_the_optimum_of_a_direct_descent() -> None:
    problem = simulate(20_000, 3, alpha=1e-4)
    rng = np.random.default_rng(0)
    sampled = Newton(sample_size=512).solve(problem.bind(), tol=1e-5, rng=rng)
    direct = Newton(sample_size=10**6).solve(problem.bind(), tol=1e-5, rng=rng)
    assert sampled.history[0].size < direct.history[-1].size
    assert sampled.objective == pytest.approx(direct.objective, rel=1e-5)


def test_sampled_pairs_lead_to_the_optimum_of_a_direct_descent() -> None:
    problem = simulate(3000, 3, alpha=1e-3, n_pairs=60_000)
    rng = np.random.default_rng(0)
    sampled = Newton(sample_size=512).solve(problem.bind(), tol=1e-4, rng=rng)
    direct = Newton(sample_size=10**6).solve(problem.bind(), tol=1e-4, rng=rng)
    assert sampled.objective == pytest.approx(direct.objective, rel=1e-4)


# Many features


@pytest.mark.parametrize("alpha", [1e-1, pytest.param(1e-3, marks=pytest.mark.slow)])
@each_loss
@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
def test_conjugate_gradients_converge_on_more_than_1500_features(is_sparse: bool, loss: str, alpha: float) -> None:
    problem = simulate(1800, 1600, shift=6.0, loss=loss, alpha=alpha)
    X = np.where(np.abs(problem.X) > 2.0, problem.X, 0.0)
    problem = problem._replace(X=sparse.csr_array(X) if is_sparse else X)
    solution = problem.solve()
    assert solution.status is Status.CONVERGED
    check_honest(solution, 1e-3)


@pytest.mark.parametrize("alpha", [1e-2, 1e-5])
@each_loss
def test_conjugate_gradients_reach_the_optimum_of_a_factored_hessian(
    loss: str, alpha: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = simulate(300, 8, loss=loss, alpha=alpha)
    factored = problem.solve(tol=1e-4)
    monkeypatch.setattr(_direction, "MAX_FACTORED", 0)
    conjugate = problem.solve(tol=1e-4)
    assert conjugate.status is Status.CONVERGED
    assert conjugate.objective == pytest.approx(factored.objective, rel=1e-4)


# Starts


@each_loss
@pytest.mark.parametrize("n", [300, 40_000])
def test_a_start_at_the_solution_takes_fewer_steps(n: int, loss: str) -> None:
    problem = simulate(n, 5, loss=loss, alpha=1e-4)
    cold = problem.solve()
    warm = problem.solve(cold.w)
    assert warm.n_iter < cold.n_iter
    assert warm.status is Status.CONVERGED
    assert warm.objective == pytest.approx(cold.objective, rel=1e-3)


@each_loss
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("shape", [(200, 5), (40_000, 5), (30, 60)], ids=str)
def test_a_terrible_start_ends_at_the_optimum(shape: tuple[int, int], scale: float, loss: str) -> None:
    problem = simulate(*shape, loss=loss, alpha=1e-3)
    w0 = scale * np.random.default_rng(5).standard_normal(shape[1])
    solution = problem.solve(w0)
    assert solution.status is Status.CONVERGED
    assert solution.objective == pytest.approx(problem.solve().objective, rel=1e-3)


def test_the_start_handed_in_is_left_alone() -> None:
    w0 = np.ones(4)
    simulate(100, 4).solve(w0)
    assert w0.tolist() == [1.0] * 4


# Steps


@pytest.mark.parametrize("max_iter", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("shape", [(400, 6), (20_000, 6), (20, 30)], ids=str)
def test_steps_end_at_max_iter(shape: tuple[int, int], max_iter: int) -> None:
    problem = simulate(*shape, alpha=1e-7)
    solution = problem.solve(max_iter=max_iter)
    assert solution.status is Status.OUT_OF_STEPS
    assert solution.n_iter == max_iter
    check_honest(solution, 1e-3)


def test_a_stall_takes_no_more_steps_than_allowed() -> None:
    problem = simulate(50, 3)
    needed = problem.solve(tol=1e-300).n_iter
    for max_iter in (needed // 2, needed - 1, needed):
        solution = problem.solve(tol=1e-300, max_iter=max_iter)
        assert solution.n_iter <= max_iter
        check_honest(solution, 1e-300)


@pytest.mark.parametrize("shape", [(400, 6), (40_000, 6), (20, 30)], ids=str)
def test_each_step_is_told_once_as_it_is_kept(shape: tuple[int, int]) -> None:
    told: list[Step] = []
    problem = simulate(*shape, alpha=1e-5)
    solution = problem.solve(on_step=told.append)
    assert told == solution.history
    assert [step.n_iter for step in told] == list(range(1, solution.n_iter + 1))
    assert told[-1].objective == pytest.approx(solution.objective, rel=1e-3)
    assert told[-1].relative_gap == pytest.approx(solution.relative_gap, rel=1e-9)
    assert told[-1].alpha == problem.alpha
    assert told[-1].size == shape[0]


@each_loss
def test_objective_and_gap_fall_from_step_to_step(loss: str) -> None:
    history = simulate(400, 6, loss=loss, alpha=1e-5).solve(tol=1e-5).history
    assert all(0.0 <= step.relative_gap <= 1.0 for step in history)
    for before, after in pairwise(history):
        assert after.alpha <= before.alpha
        if after.alpha == before.alpha:
            assert after.objective <= before.objective * (1.0 + 1e-4)
            assert after.relative_gap <= before.relative_gap * (1.0 + 1e-4)


# Symmetries


@pytest.mark.parametrize("shape", [(400, 6), (40_000, 6), (20, 30)], ids=str)
def test_the_same_seed_gives_the_same_solution_to_the_bit(shape: tuple[int, int]) -> None:
    problem = simulate(*shape, alpha=1e-4)
    first, second = problem.solve(), problem.solve()
    assert first.w.tobytes() == second.w.tobytes()
    assert first.history == second.history


@each_loss
@pytest.mark.parametrize("n", [400, 40_000])
def test_rows_in_another_order_have_the_same_objective(n: int, loss: str) -> None:
    problem = simulate(n, 4, loss=loss, alpha=1e-4)
    order = np.random.default_rng(3).permutation(n)
    moved = problem._replace(X=problem.X[order], positive=problem.positive[order])
    assert moved.solve().objective == pytest.approx(problem.solve().objective, rel=1e-3)


@each_loss
def test_swapping_classes_and_negating_rows_keeps_the_weights(loss: str) -> None:
    problem = simulate(300, 4, loss=loss)
    swapped = problem._replace(X=-problem.X, positive=~problem.positive)
    assert swapped.solve(tol=1e-7).w == pytest.approx(problem.solve(tol=1e-7).w, rel=1e-2, abs=1e-3)


def test_whole_weights_count_rows() -> None:
    problem = simulate(100, 3, alpha=1e-3)
    counts = np.random.default_rng(2).integers(1, 5, 100)
    weighted = problem._replace(weights=counts.astype(np.float64)).solve(tol=1e-6)
    repeated = problem._replace(X=np.repeat(problem.X, counts, axis=0), positive=np.repeat(problem.positive, counts))
    assert weighted.objective == pytest.approx(repeated.solve(tol=1e-6).objective, rel=1e-6)
