"""Paths of solutions: each alpha is solved to its own gap, wherever the walk came from."""

from __future__ import annotations

import numpy as np
import pytest

from rocsvm.features import wrap_matrix
from rocsvm.losses import LOSSES
from rocsvm.objective import Objective
from rocsvm.pairs import PAIRS
from rocsvm.solvers import Newton, Status
from rocsvm.solvers._base import AbstractSolver

DOWN = np.geomspace(1e-1, 1e-6, 8)


def pose(n_rows=400, n_features=6, loss="hinge", pairs="all", seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    positive = X[:, 0] + rng.normal(size=n_rows) > 1.0
    return Objective(wrap_matrix(X), PAIRS[pairs]().bind(positive, None, rng), LOSSES[loss](), 1.0)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("pairs", PAIRS)
@pytest.mark.parametrize("alphas", [DOWN, DOWN[::-1], [1e-3, 1e-3, 10.0, 1e-4]], ids=["down", "up", "any"])
def test_each_alpha_is_solved(loss, pairs, alphas):
    objective = pose(loss=loss, pairs=pairs)
    solutions = list(Newton().follow(objective, alphas, tol=1e-4, rng=np.random.default_rng(0)))
    assert len(solutions) == len(alphas)
    for alpha, solution in zip(alphas, solutions, strict=True):
        alone = Newton().solve(objective.at(alpha), tol=1e-4, rng=np.random.default_rng(0))
        assert solution.status is Status.CONVERGED
        assert solution.relative_gap <= 1e-4
        # A trillionth for rounding.
        assert solution.objective - solution.dual_gap <= alone.objective * (1.0 + 1e-12)
        assert alone.objective - alone.dual_gap <= solution.objective * (1.0 + 1e-12)


@pytest.mark.parametrize("n_features", [6, 500], ids=["tall", "wide"])
def test_rounded_values_are_near_the_exact_ones(n_features):
    objective = pose(n_features=n_features)
    exact, rounded = (
        list(Newton().follow(objective, DOWN, rng=np.random.default_rng(0), exact=e)) for e in (True, False)
    )
    for alpha, one, other in zip(DOWN, exact, rounded, strict=True):
        at = objective.at(alpha)
        assert other.objective == pytest.approx(at.value(other.w, at.matrix.score(other.w)), rel=1e-3)
        assert abs(one.objective - other.objective) <= 2e-3 * one.objective


def test_steps_are_counted_and_limited_at_each_alpha():
    told = []
    solutions = list(Newton().follow(pose(), DOWN, on_step=told.append, rng=np.random.default_rng(0)))
    assert sum(solution.n_iter for solution in solutions) == len(told)
    assert all(solution.history[-1].alpha == alpha for alpha, solution in zip(DOWN, solutions, strict=True))
    short = list(Newton().follow(pose(), DOWN, tol=1e-9, max_iter=3, rng=np.random.default_rng(0)))
    assert all(solution.n_iter <= 3 for solution in short)
    assert short[0].status is Status.OUT_OF_STEPS


def test_a_solver_without_a_way_of_its_own_starts_each_alpha_from_the_last():
    starts = []

    class Recorder(Newton):
        follow = AbstractSolver.follow

        def solve(self, objective, w0=None, **options):
            starts.append(w0)
            return super().solve(objective, w0, **options)

    solutions = list(Recorder().follow(pose(), DOWN, rng=np.random.default_rng(0)))
    assert starts[0] is None
    assert all(np.array_equal(start, last.w) for start, last in zip(starts[1:], solutions, strict=False))
