"""Adamax and gradient descent: their steps against the recursions as the papers write them, and what they prove."""

from __future__ import annotations

import re
import warnings
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

from rocsvm import (
    Adamax,
    GradientDescent,
    KernelROCSVM,
    KernelROCSVMCV,
    LinearROCSVM,
    LinearROCSVMCV,
    NystroemFeatures,
)
from rocsvm.estimators._base import REMEDIES
from rocsvm.losses import LOSSES
from rocsvm.pairs import PAIRS
from rocsvm.solvers import SOLVERS, AbstractSolver, Solution, Status, Step
from tests.solvers.problems import ROUNDING, Problem, check_bounds, problems, simulate

Floats = NDArray[np.float64]

each_loss = pytest.mark.parametrize("loss", LOSSES)
each_pairs = pytest.mark.parametrize("n_pairs", [None, 600], ids=["all pairs", "drawn pairs"])
each_solver = pytest.mark.parametrize(
    "solver", [Adamax(), Adamax(norm="scalar"), GradientDescent()], ids=["coordinate", "scalar", "gd"]
)
each_endless = pytest.mark.parametrize(
    "solver",
    [Adamax(step_tol=None), Adamax(norm="scalar", step_tol=None), GradientDescent(step_tol=None)],
    ids=["coordinate", "scalar", "gd"],
)


# The recursions


def list_differences(problem: Problem) -> tuple[Floats, Floats]:
    """Return the difference of rows of each pair, and the share of each in the mean."""
    X = np.asarray(problem.X, dtype=np.float64)
    first, second, share = (np.array(column) for column in zip(*problem.list_pairs(), strict=True))
    return X[first] - X[second], share


def find_subgradient(problem: Problem, differences: Floats, share: Floats, beta: Floats) -> Floats:
    excess = 1.0 - differences @ beta
    pull = 2.0 * np.maximum(excess, 0.0) if problem.loss == "squared_hinge" else np.where(excess > 0.0, 1.0, 0.0)
    return problem.alpha * beta - differences.T @ (share * pull)


def recur_coordinate(
    problem: Problem, step: float = 0.002, beta1: float = 0.9, beta2: float = 0.999, n_steps: int = 50_000
) -> tuple[Floats, int]:
    """Return the weights and the number of steps of AdaMax, algorithm 2 of Kingma and Ba, section 7.1.

    ``m_t = beta1 m_(t-1) + (1 - beta1) g_t``; ``u_t = max(beta2 u_(t-1), |g_t|)`` in each coordinate;
    ``theta_t = theta_(t-1) - (alpha / (1 - beta1^t)) m_t / u_t``.
    """
    differences, share = list_differences(problem)
    theta, m, u = (np.zeros(differences.shape[1]) for _ in range(3))
    for t in range(1, n_steps + 1):
        g = find_subgradient(problem, differences, share, theta)
        m = beta1 * m + (1.0 - beta1) * g
        u = np.maximum(beta2 * u, np.abs(g))
        before, theta = theta, theta - step / (1.0 - beta1**t) * m / u
        if np.max(np.abs(theta - before)) < 1e-4:
            break
    return theta, t


def recur_scalar(
    problem: Problem, step: float = 0.002, beta1: float = 0.9, beta2: float = 0.999, n_steps: int = 50_000
) -> tuple[Floats, int]:
    """Return the same of the recursion in the reference's code: u is one number, ``max(beta2 u, max |g|)``."""
    differences, share = list_differences(problem)
    beta, m, u = np.zeros(differences.shape[1]), np.zeros(differences.shape[1]), 0.0
    for t in range(1, n_steps + 1):
        g = find_subgradient(problem, differences, share, beta)
        m = beta1 * m + (1.0 - beta1) * g
        u = max(beta2 * u, np.max(np.abs(g)))
        before, beta = beta, beta - step / (1.0 - beta1**t) * m / u
        if np.max(np.abs(beta - before)) < 1e-4:
            break
    return beta, t


def recur_gradient(problem: Problem, step: float = 0.01, n_steps: int = 50_000) -> tuple[Floats, int]:
    """Return the same of ``beta - step * gradient``."""
    differences, share = list_differences(problem)
    beta = np.zeros(differences.shape[1])
    n_taken, change = 0, np.inf
    while change >= 1e-4 and n_taken < n_steps:
        before, beta = beta, beta - step * find_subgradient(problem, differences, share, beta)
        n_taken, change = n_taken + 1, np.max(np.abs(beta - before))
    return beta, n_taken


def recur(solver: AbstractSolver, problem: Problem, **options: Any) -> tuple[Floats, int]:
    if isinstance(solver, GradientDescent):
        return recur_gradient(problem, **options)
    return recur_scalar(problem, **options) if solver.norm == "scalar" else recur_coordinate(problem, **options)


def check_iterates(solver: AbstractSolver, problem: Problem, **options: Any) -> Solution:
    """Assert that a solver takes the steps of the recursion, and return its solution."""
    solution = solver.solve(problem.bind())
    dense = problem._replace(X=problem.X.toarray() if sparse.issparse(problem.X) else problem.X)
    w, n_steps = recur(solver, dense, **options)
    assert solution.n_iter == n_steps
    np.testing.assert_allclose(solution.w, w, rtol=1e-9, atol=1e-9 * np.abs(w).max())
    assert solution.status in (Status.SHORT_STEP, Status.CONVERGED)
    assert solution.objective == pytest.approx(dense.define_value(w), rel=1e-9)
    return solution


@pytest.mark.parametrize(("n", "p", "weighted"), [(30, 1, False), (60, 2, True), (90, 5, False), (40, 20, True)])
@each_pairs
@each_loss
@each_solver
def test_steps_are_those_of_the_recursion_over_differences_of_rows(
    twin: ModuleType, solver: AbstractSolver, loss: str, n_pairs: int | None, n: int, p: int, weighted: bool
) -> None:
    weights = np.random.default_rng(1).uniform(0.1, 3.0, n) if weighted else None
    check_iterates(solver, simulate(n, p, loss=loss, alpha=1e-2, n_pairs=n_pairs, weights=weights))


@pytest.mark.parametrize("alpha", [1e-1, 1e-4])
@pytest.mark.parametrize("shift", [0.0, 5.0])
@each_solver
def test_steps_over_many_drawn_pairs_are_those_of_the_recursion(
    twin: ModuleType, solver: AbstractSolver, shift: float, alpha: float
) -> None:
    solution = check_iterates(solver, simulate(1000, 3, shift=shift, alpha=alpha, n_pairs=2000))
    # Adamax stops for being done, and not for having moved too little from the start.
    assert solution.n_iter > 30


@each_solver
def test_steps_of_another_length_and_memory_are_those_of_the_recursion(twin: ModuleType, solver: Any) -> None:
    problem = simulate(200, 3, n_pairs=400, alpha=1e-2)
    options = {"step": 0.02} if isinstance(solver, GradientDescent) else {"step": 0.004, "beta1": 0.5, "beta2": 0.998}
    check_iterates(clone(solver).set_params(**options), problem, **options)


def flip_sparse(X: Floats) -> Any:
    return sparse.csr_array(np.where(np.abs(X) > 0.8, X, 0.0))


FORMS = {
    "sparse": flip_sparse,
    "sparse by columns": lambda X: flip_sparse(X).tocsc(),
    "float32": lambda X: X.astype(np.float32),
    "by columns": np.asfortranarray,
    "part of an array": lambda X: np.hstack([X, X])[:, : X.shape[1]],
    "kernel features": lambda X: NystroemFeatures(n_landmarks=8, random_state=0).fit(X).transform(X),
}


@pytest.mark.parametrize("form", FORMS)
@each_pairs
@each_solver
def test_steps_on_features_of_any_form_are_those_of_the_recursion(
    twin: ModuleType, solver: AbstractSolver, n_pairs: int | None, form: str
) -> None:
    problem = simulate(90, 3, alpha=1e-2, n_pairs=n_pairs)
    check_iterates(solver, problem._replace(X=FORMS[form](problem.X), alpha=0.3))


@each_pairs
@each_solver
def test_an_offset_changes_no_step(twin: ModuleType, solver: AbstractSolver, n_pairs: int | None) -> None:
    problem = simulate(90, 3, alpha=1e-2, n_pairs=n_pairs)
    far = problem._replace(X=problem.X + 1e6)
    solution = solver.solve(far.bind())
    w, n_steps = recur(solver, far._replace(X=far.X - 1e6))
    assert solution.n_iter == n_steps
    np.testing.assert_allclose(solution.w, w, rtol=1e-9)


@each_solver
def test_a_feature_that_no_pair_differs_in_keeps_its_weight(twin: ModuleType, solver: AbstractSolver) -> None:
    problem = simulate(60, 2, n_pairs=100)
    level = problem._replace(X=np.column_stack([problem.X, np.full(60, 0.3)]))
    plain, other = solver.solve(problem.bind()), solver.solve(level.bind())
    assert other.w[2] == 0.0
    assert other.n_iter == plain.n_iter
    np.testing.assert_allclose(other.w[:2], plain.w, rtol=1e-12)


# What is proved


def check_honest(solution: Solution, tol: float) -> None:
    """Assert that numbers are finite, that the status is what they say, and that the history leads there."""
    assert np.isfinite(solution.w).all()
    assert 0.0 <= solution.objective < np.inf
    assert 0.0 <= solution.dual_gap <= solution.objective * (1.0 + ROUNDING)
    assert (solution.relative_gap <= tol) == (solution.status is Status.CONVERGED)
    steps = [step.n_iter for step in solution.history]
    assert steps == sorted(steps)
    assert (steps[0], steps[-1]) == (0, solution.n_iter)
    assert np.isfinite([[step.objective, step.relative_gap] for step in solution.history]).all()
    assert solution.history[-1].objective == solution.objective


def check_dual(problem: Problem, solution: Solution) -> None:
    """Assert that the slopes told prove the bound told."""
    objective = problem.bind()
    pull = objective.recentre().matrix.gather(solution.dual_slope)
    bound = solution.dual_linear - float(pull @ pull) / (2.0 * objective.alpha)
    assert solution.objective - solution.dual_gap == pytest.approx(
        bound, rel=1e-9, abs=1e-9 * (1.0 + solution.objective)
    )


SOLVERS_TRIED = [
    Adamax(),
    Adamax(step_tol=None),
    Adamax(norm="scalar", step_tol=None),
    Adamax(step=0.5, beta1=0.0, beta2=0.0),
    GradientDescent(),
    GradientDescent(step_tol=None),
    GradientDescent(step=1.0, step_tol=None),
]


@settings(max_examples=100)
@given(
    problem=problems(),
    solver=st.sampled_from(SOLVERS_TRIED),
    tol=st.sampled_from([1e-1, 1e-3]),
    max_iter=st.sampled_from([1, 30, 1000]),
)
def test_the_optimum_lies_between_bound_and_objective(
    twin: ModuleType, problem: Problem, solver: AbstractSolver, tol: float, max_iter: int
) -> None:
    solution = solver.solve(problem.bind(), tol=tol, max_iter=max_iter)
    assert solution.n_iter <= max_iter
    check_honest(solution, tol)
    check_bounds(solution, problem.minimise())


@settings(max_examples=25)
@given(problem=problems(min_power=-3.0, scales=False), solver=st.sampled_from(SOLVERS_TRIED))
def test_the_slopes_told_prove_the_gap_told(twin: ModuleType, problem: Problem, solver: AbstractSolver) -> None:
    check_dual(problem, solver.solve(problem.bind(), max_iter=1000))


@pytest.mark.parametrize("alpha", [1.0, 1e-2, 1e-4])
@each_pairs
@each_loss
@each_endless
def test_the_certified_optimum_is_reached_given_steps_enough(
    solver: AbstractSolver, loss: str, n_pairs: int | None, alpha: float
) -> None:
    weights = np.random.default_rng(1).uniform(0.1, 3.0, 60)
    problem = simulate(60, 4, loss=loss, alpha=alpha, n_pairs=n_pairs, weights=weights)
    solution, optimum = solver.solve(problem.bind(), max_iter=50_000), problem.minimise()
    assert solution.status is Status.CONVERGED
    check_honest(solution, 1e-3)
    check_bounds(solution, optimum)
    assert solution.objective <= 1.001 * optimum.upper
    check_dual(problem, solution)


@pytest.mark.parametrize("pairs", PAIRS)
@each_loss
@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_reaches_the_optimum_of_every_loss_over_every_scheme_or_says_why_not(
    name: str, loss: str, pairs: str
) -> None:
    problem = simulate(60, 3, loss=loss, alpha=1e-2, n_pairs=None if pairs == "all" else 60)
    solver, optimum = SOLVERS[name](), problem.minimise()
    solution = solver.solve(problem.bind(), rng=np.random.default_rng(0))
    assert (solution.relative_gap <= 1e-3) == (solution.status is Status.CONVERGED)
    check_bounds(solution, optimum)
    if solution.status is not Status.CONVERGED:
        assert solution.status is Status.SHORT_STEP
        # So says the remedy.
        solution = solver.set_params(step_tol=None).solve(problem.bind())
    assert solution.status is Status.CONVERGED
    assert solution.objective <= 1.001 * optimum.upper


@each_solver
def test_steps_that_run_out_are_told(solver: AbstractSolver) -> None:
    solution = solver.solve(simulate(60, 2).bind(), max_iter=7)
    assert (solution.status, solution.n_iter) == (Status.OUT_OF_STEPS, 7)
    check_honest(solution, 1e-3)


@each_solver
def test_a_last_step_too_short_is_told(solver: AbstractSolver) -> None:
    solution = solver.solve(simulate(60, 2).bind(), tol=1e-6)
    assert solution.status is Status.SHORT_STEP
    check_honest(solution, 1e-6)


def test_a_smaller_step_comes_nearer() -> None:
    problem = simulate(60, 2, alpha=1e-2, n_pairs=60)
    gaps = [
        Adamax(step=step, step_tol=None).solve(problem.bind(), tol=1e-12, max_iter=20_000).relative_gap
        for step in (0.2, 0.002)
    ]
    assert gaps[1] < 0.1 * gaps[0]


# Beyond floating point


@each_pairs
@each_loss
@pytest.mark.parametrize("step", [1e10, 1e100, 1e300])
@pytest.mark.parametrize("make", [Adamax, GradientDescent])
@pytest.mark.parametrize("step_tol", [None, 1e-4])
def test_steps_far_too_long_end_in_finite_weights(
    twin: ModuleType, make: Any, step: float, step_tol: float | None, loss: str, n_pairs: int | None
) -> None:
    problem = simulate(40, 3, loss=loss, n_pairs=n_pairs, alpha=1.0)
    solution = make(step=step, step_tol=step_tol).solve(problem.bind(), max_iter=2000)
    check_honest(solution, 1e-3)
    # From 1e10 Adamax comes back.
    assert step == 1e10 or solution.status is Status.DIVERGED


@each_pairs
def test_steps_too_long_that_end_above_zero_weights_are_told(twin: ModuleType, n_pairs: int | None) -> None:
    problem = simulate(40, 3, n_pairs=n_pairs)
    solution = GradientDescent(step=100.0).solve(problem.bind(), max_iter=500)
    assert solution.objective > 1.0
    assert solution.status is Status.OVERSHOT
    check_honest(solution, 1e-3)


@each_pairs
def test_gradient_descent_on_features_far_too_large_for_its_step_diverges(
    twin: ModuleType, n_pairs: int | None
) -> None:
    problem = simulate(40, 3, loss="squared_hinge", n_pairs=n_pairs)
    solution = GradientDescent().solve(problem._replace(X=1e3 * problem.X).bind(), max_iter=2000)
    assert solution.status is Status.DIVERGED
    check_honest(solution, 1e-3)


@each_pairs
@each_loss
@pytest.mark.parametrize("scale", [1e-300, 1e-60, 1e10, 1e60])
@each_solver
def test_features_of_any_scale_have_honest_ends(
    twin: ModuleType, solver: AbstractSolver, scale: float, loss: str, n_pairs: int | None
) -> None:
    problem = simulate(40, 3, loss=loss, n_pairs=n_pairs)
    check_honest(solver.solve(problem._replace(X=scale * problem.X).bind(), max_iter=300), 1e-3)


@pytest.mark.parametrize("w0", [None, np.full(3, 1e-170)], ids=["cold", "warm"])
@each_pairs
@each_solver
def test_features_whose_squares_overflow_are_refused(
    solver: AbstractSolver, n_pairs: int | None, w0: Floats | None
) -> None:
    problem = simulate(40, 3, n_pairs=n_pairs)
    for scale in (1e80, 1e160, 1e300):
        with pytest.raises(ValueError, match=r"products of them overflow. Scale the features"):
            solver.solve(problem._replace(X=scale * problem.X).bind(), w0)


# Starts and reports


@each_pairs
@each_endless
def test_a_start_near_the_optimum_takes_fewer_steps(solver: AbstractSolver, n_pairs: int | None) -> None:
    problem = simulate(200, 3, alpha=1e-2, n_pairs=n_pairs)
    cold = solver.solve(problem.bind(), tol=1e-2)
    start = 1.01 * cold.w
    warm = solver.solve(problem.bind(), start, tol=1e-2)
    assert warm.status is Status.CONVERGED
    assert warm.n_iter < 0.7 * cold.n_iter
    np.testing.assert_array_equal(start, 1.01 * cold.w)


@each_pairs
@each_solver
def test_a_start_beyond_floating_point_is_none(solver: AbstractSolver, n_pairs: int | None) -> None:
    problem = simulate(60, 3, n_pairs=n_pairs)
    cold = solver.solve(problem.bind())
    for far in (1e200, np.inf, np.nan):
        np.testing.assert_array_equal(solver.solve(problem.bind(), np.full(3, far)).w, cold.w)


@each_pairs
@each_solver
def test_a_path_of_penalties_starts_each_from_the_one_before(solver: AbstractSolver, n_pairs: int | None) -> None:
    objective, alphas = simulate(100, 3, n_pairs=n_pairs).bind(), [1.0, 0.1, 0.01]
    last = None
    for alpha, solution in zip(alphas, solver.follow(objective, alphas), strict=True):
        wanted = solver.solve(objective.at(alpha), last)
        np.testing.assert_array_equal(solution.w, wanted.w)
        last = wanted.w


@each_pairs
@each_solver
def test_each_measure_of_the_gap_is_told_as_it_happens(solver: AbstractSolver, n_pairs: int | None) -> None:
    told: list[Step] = []
    problem = simulate(100, 3, alpha=1e-2, n_pairs=n_pairs)
    solution = solver.solve(problem.bind(), on_step=told.append)
    assert told == solution.history
    assert len(told) > 5
    assert {(step.size, step.alpha) for step in told} == {(problem.bind().pairs.size, 1e-2)}
    assert told[0].objective == pytest.approx(1.0)
    assert told[-1].relative_gap < told[0].relative_gap
    check_honest(solution, 1e-3)


def test_nothing_is_drawn() -> None:
    rng = np.random.default_rng(0)
    Adamax().solve(simulate(60, 2, n_pairs=60).bind(), rng=rng)
    assert rng.random() == np.random.default_rng(0).random()


# Arguments

NO_POSITIVE = "is not a positive number; write, for example"
NO_SHARE = "is not from 0 to below 1; write, for example"
NO_NUMBER = "is not a number; write, for example"
ARGUMENTS: list[tuple[type, str, Any, str]] = [
    *(
        (make, name, value, f"{name}=.* {NO_POSITIVE}, {name}=")
        for make in (Adamax, GradientDescent)
        for name in ("step", "step_tol")
        for value in (0, 0.0, -1.0, np.nan, np.inf, "0.002", True)
    ),
    *((make, "step", None, f"step=None {NO_POSITIVE}") for make in (Adamax, GradientDescent)),
    *((Adamax, name, value, f"{name}=.* {NO_SHARE}") for name in ("beta1", "beta2") for value in (1, 1.0, -0.1, 2)),
    *((Adamax, "norm", value, "names no norm; write 'coordinate' or 'scalar'") for value in ("max", None, 2)),
]


@pytest.mark.parametrize(("make", "name", "value", "match"), ARGUMENTS)
def test_an_argument_that_cannot_be_is_refused(make: Any, name: str, value: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        make(**{name: value}).solve(simulate(20, 2).bind())


@pytest.mark.parametrize("value", [np.nan, np.inf, "0.9", None, True])
@pytest.mark.parametrize("name", ["beta1", "beta2"])
def test_what_is_no_share_is_refused(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"{name}=.*; write, for example, {name}=0\.9"):
        Adamax(**{name: value}).solve(simulate(20, 2).bind())


def test_the_registry_finds_both() -> None:
    assert (SOLVERS["adamax"], SOLVERS["gd"]) == (Adamax, GradientDescent)


def test_the_defaults_are_those_of_the_papers_authors() -> None:
    assert Adamax().get_params() == {
        "step": 0.002,
        "beta1": 0.9,
        "beta2": 0.999,
        "norm": "coordinate",
        "step_tol": 1e-4,
    }
    never = simulate(20, 1, alpha=1e-2, n_pairs=9)
    solution = Adamax(step_tol=1e-300).solve(never.bind(), tol=1e-300)
    assert (solution.status, solution.n_iter) == (Status.OUT_OF_STEPS, 50_000)


# Through the estimators


@pytest.mark.parametrize("pairs", ["all", "incomplete", 3.0])
@pytest.mark.parametrize(("given_solver", "solver"), [("adamax", Adamax()), ("gd", GradientDescent())])
def test_a_linear_model_has_the_weights_of_the_recursion(given_solver: str, solver: Any, pairs: Any) -> None:
    problem = simulate(80, 3)
    model = LinearROCSVM(alpha=1e-2, pairs=pairs, solver=given_solver, tol=0.5, random_state=0)
    model.fit(problem.X, problem.positive)
    drawn = {"all": None, "incomplete": 80, 3.0: 240}[pairs]
    w, n_steps = recur(solver, problem._replace(alpha=1e-2, n_pairs=drawn))
    assert model.n_iter_ == n_steps
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-9)


@pytest.mark.parametrize("solver", ["adamax", "gd", Adamax(norm="scalar"), GradientDescent(step=0.1)])
@pytest.mark.parametrize("pairs", ["all", "incomplete"])
@each_loss
def test_models_rank_about_as_well_as_newtons(loss: str, pairs: str, solver: Any) -> None:
    problem = simulate(300, 3)
    for make in (LinearROCSVM, KernelROCSVM):
        options: dict[str, Any] = {"alpha": 1e-2, "loss": loss, "pairs": pairs, "random_state": 0}
        if make is KernelROCSVM:
            options["n_landmarks"] = 20
        ours = make(**options).fit(problem.X, problem.positive)
        theirs = make(**options, solver=solver, tol=0.9, max_iter=3000).fit(problem.X, problem.positive)
        best = ours.objective_ - ours.dual_gap_
        assert best * (1.0 - 1e-9) <= theirs.objective_ <= 1.1 * ours.objective_
        assert theirs.objective_ - theirs.dual_gap_ <= ours.objective_
        assert abs(theirs.score(problem.X, problem.positive) - ours.score(problem.X, problem.positive)) < 0.02


def test_a_grid_search_reaches_the_arguments_of_a_solver() -> None:
    problem = simulate(60, 2)
    model = LinearROCSVM(solver=Adamax(), tol=0.9, random_state=0)
    assert model.get_params()["solver__step"] == 0.002
    grid = {"solver__step": [0.002, 0.02], "solver__norm": ["coordinate", "scalar"]}
    search = GridSearchCV(model, grid, cv=2).fit(problem.X, problem.positive)
    assert search.best_estimator_.solver.step in grid["solver__step"]
    assert model.solver.step == 0.002
    assert clone(GradientDescent(step=7.0)).step == 7.0


@pytest.mark.parametrize("solver", ["adamax", "gd"])
def test_searches_take_either_solver(solver: Any) -> None:
    problem = simulate(80, 2)
    options: dict[str, Any] = {"cv": 2, "solver": solver, "tol": 0.9, "max_iter": 300, "random_state": 0}
    linear = LinearROCSVMCV(alphas=[1e-1, 1e-2], **options)
    kernel = KernelROCSVMCV(alphas=[1e-1, 1e-2], gammas=[0.5], n_landmarks=10, **options)
    for search in (linear, kernel):
        assert search.fit(problem.X, problem.positive).best_score_ > 0.5


def test_a_warm_start_goes_on_from_the_last_fit() -> None:
    problem = simulate(80, 2)
    model = LinearROCSVM(alpha=0.1, solver=Adamax(step_tol=None), warm_start=True, random_state=0)
    first = model.fit(problem.X, problem.positive).n_iter_
    assert model.fit(problem.X, problem.positive).n_iter_ < first


def hear(model: Any) -> str:
    """Return the one warning of a fit."""
    problem = simulate(80, 2)
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(problem.X, problem.positive)
    (message,) = (str(warning.message) for warning in caught)
    return message


def make_kernel(**options: Any) -> KernelROCSVM:
    return KernelROCSVM(n_landmarks=10, **options)


@pytest.mark.parametrize("make", [LinearROCSVM, make_kernel])
def test_a_fit_that_stopped_short_says_why_and_what_to_do(make: Any) -> None:
    short = hear(make(alpha=1e-2, solver="adamax", tol=1e-6))
    assert re.search(
        r"gap of .*, above tol=1e-06: the last step moved no weight by step_tol\. Lower the solver's", short
    )
    assert "step_tol=None" in short
    assert "floating point" not in short
    out = hear(make(solver="gd", tol=1e-6, max_iter=5))
    assert re.search(r"max_iter steps were taken\. Raise max_iter, or accept the gap by a larger tol\.", out)
    diverged = hear(make(solver=GradientDescent(step=1e200), loss="squared_hinge"))
    assert re.search(r"the steps led beyond floating point\. Shorten the solver's step", diverged)


def test_a_fit_that_heeds_the_warning_is_told_nothing() -> None:
    problem = simulate(80, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LinearROCSVM(alpha=1e-2, solver=Adamax(step_tol=None)).fit(problem.X, problem.positive)


def test_every_status_short_of_the_tolerance_has_a_remedy() -> None:
    assert set(REMEDIES) == set(Status) - {Status.CONVERGED}
