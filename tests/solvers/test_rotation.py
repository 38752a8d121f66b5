"""The rotation onto the rows' span: nothing that matters is lost, and the solution is that of the whole."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from rocsvm.features import wrap_matrix
from rocsvm.losses import LOSSES
from rocsvm.solvers import Status, _newton, _rotation
from rocsvm.solvers._rotation import Rotation, can_rotate
from tests.solvers.problems import Problem, check_bounds, simulate

WIDE = [
    pytest.param(simulate(20, 50), id="dense"),
    pytest.param(simulate(20, 50)._replace(X=simulate(20, 50).X.astype(np.float32)), id="float32"),
    pytest.param(simulate(20, 50)._replace(X=simulate(20, 50).X + 1e4), id="offset"),
    pytest.param(simulate(20, 50)._replace(X=np.repeat(simulate(10, 50).X, 2, axis=0)), id="rows twice"),
    pytest.param(simulate(2, 3), id="two rows"),
]


@pytest.mark.parametrize("problem", WIDE)
def test_turned_rows_have_the_distances_of_the_rows(problem: Problem) -> None:
    turned = Rotation(wrap_matrix(problem.X)).matrix.array
    rows = np.asarray(problem.X, dtype=np.float64)
    assert turned.shape == (len(rows), len(rows))
    apart = [np.linalg.norm(some[:, None] - some, axis=2) for some in (turned, rows)]
    assert apart[0] == pytest.approx(apart[1], rel=1e-8, abs=1e-8 * apart[1].max())


@pytest.mark.parametrize("problem", WIDE)
def test_turned_weights_score_differences_alike(problem: Problem) -> None:
    rotation = Rotation(wrap_matrix(problem.X))
    w = np.random.default_rng(1).standard_normal(problem.X.shape[1])
    turned = rotation.matrix.score(rotation.turn(w))
    scores = np.asarray(problem.X - problem.X.mean(axis=0, dtype=np.float64)) @ w
    assert turned - turned[0] == pytest.approx(scores - scores[0], abs=1e-8 * np.abs(scores).max())


@pytest.mark.parametrize("problem", WIDE)
def test_turning_back_undoes_turning_within_the_span(problem: Problem) -> None:
    rotation = Rotation(wrap_matrix(problem.X))
    coordinates = np.random.default_rng(1).standard_normal(len(problem.X))
    w = rotation.turn_back(coordinates)
    assert rotation.turn(w) == pytest.approx(coordinates, abs=1e-12)
    assert np.linalg.norm(w) == pytest.approx(np.linalg.norm(coordinates))


def test_turning_leaves_out_what_no_row_sees() -> None:
    problem = simulate(10, 30)
    rotation = Rotation(wrap_matrix(problem.X))
    w = np.random.default_rng(1).standard_normal(30)
    seen = rotation.turn_back(rotation.turn(w))
    differences = problem.X - problem.X[0]
    assert differences @ seen == pytest.approx(differences @ w)
    assert np.linalg.norm(seen) < np.linalg.norm(w)


@pytest.mark.parametrize(
    ("shape", "wanted"),
    [((10, 11), True), ((10, 10), False), ((1500, 1501), True), ((1501, 2000), False), ((1000, 40_001), False)],
)
def test_rows_fewer_than_features_are_turned_where_they_fit(shape: tuple[int, int], wanted: bool) -> None:
    positive = np.arange(shape[0]) % 2 == 0
    assert can_rotate(Problem(sparse.csr_array(shape), positive).bind()) is wanted


@pytest.mark.parametrize("alpha", [1e1, 1e-2, 1e-5])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
def test_the_optimum_is_that_of_the_rows_not_turned(
    is_sparse: bool, loss: str, alpha: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = simulate(24, 60, loss=loss, alpha=alpha)
    if is_sparse:
        problem = problem._replace(X=sparse.csr_array(np.where(np.abs(problem.X) > 1.0, problem.X, 0.0)))
    turned = problem.solve(tol=1e-5)
    monkeypatch.setattr(_newton, "can_rotate", lambda objective: False)
    plain = problem.solve(tol=1e-5)
    assert turned.status is plain.status is Status.CONVERGED
    assert turned.objective == pytest.approx(plain.objective, rel=1e-5)
    assert turned.w == pytest.approx(plain.w, abs=0.01 * np.abs(plain.w).max())


@pytest.mark.parametrize("loss", LOSSES)
def test_turned_rows_have_the_optimum_within_the_bounds(loss: str) -> None:
    problem = simulate(15, 40, loss=loss, alpha=1e-3)
    solution, optimum = problem.solve(tol=1e-5), problem.minimise()
    check_bounds(solution, optimum)
    assert solution.objective == pytest.approx(problem.define_value(solution.w), rel=1e-8)


def test_a_warm_start_is_turned_too() -> None:
    problem = simulate(30, 80, alpha=1e-4)
    cold = problem.solve()
    warm = problem.solve(cold.w)
    assert warm.history[0].objective == pytest.approx(cold.objective, rel=1e-9)
    assert warm.objective == pytest.approx(cold.objective, rel=1e-3)


def test_rows_that_do_not_fit_are_solved_unturned(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = simulate(20, 50)
    wanted = problem.solve(tol=1e-5).objective
    monkeypatch.setattr(_rotation, "MAX_ENTRIES", 10)
    assert problem.solve(tol=1e-5).objective == pytest.approx(wanted, rel=1e-5)
