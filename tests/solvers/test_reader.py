"""What first-order steps read: few pairs near the kink in place of all, and the same account of what was read."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from rocsvm.solvers import Adamax, GradientDescent, Solution, Status, _first_order, _reader
from rocsvm.solvers._reader import AbstractReader, FullReader, HingeReader, Stretch, choose_reader, look
from tests.solvers.problems import Problem, simulate

Floats = NDArray[np.float64]

each_solver = pytest.mark.parametrize(
    "solver",
    [Adamax(step_tol=None), Adamax(norm="scalar", step_tol=None), GradientDescent(step=0.1, step_tol=None)],
    ids=["coordinate", "scalar", "gd"],
)


def choose(problem: Problem) -> AbstractReader:
    objective = problem.bind()
    w = np.zeros(problem.X.shape[1])
    return choose_reader(objective, w, look(objective, w)[1])


def test_only_the_hinge_over_drawn_pairs_of_dense_rows_is_read_in_part() -> None:
    drawn = simulate(30, 2, n_pairs=40)
    assert isinstance(choose(drawn), HingeReader)
    for other in (
        drawn._replace(n_pairs=None),
        drawn._replace(loss="squared_hinge"),
        drawn._replace(X=sparse.csr_array(drawn.X)),
    ):
        assert isinstance(choose(other), FullReader)


def solve_reading_all(solver: Any, problem: Problem, monkeypatch: pytest.MonkeyPatch, **options: Any) -> Solution:
    with monkeypatch.context() as patch:
        patch.setattr(_first_order, "choose_reader", lambda objective, w, point: FullReader(objective))
        return solver.solve(problem.bind(), **options)


@pytest.mark.parametrize("alpha", [1e-1, 1e-3, 1e-6])
@pytest.mark.parametrize("most", [None, 20], ids=["", "few kept"])
@each_solver
def test_steps_are_those_that_read_all_pairs_each_time(
    twin: ModuleType, solver: Any, most: int | None, alpha: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    if most is not None:
        monkeypatch.setattr(_reader, "FEW_ENTRIES", most)
    problem = simulate(60, 3, shift=2.0, alpha=alpha, n_pairs=240)
    few = solver.solve(problem.bind(), tol=1e-9, max_iter=700)
    every = solve_reading_all(solver, problem, monkeypatch, tol=1e-9, max_iter=700)
    assert few.n_iter == every.n_iter == 700
    assert few.status is every.status is Status.OUT_OF_STEPS
    np.testing.assert_allclose(few.w, every.w, rtol=1e-9, atol=1e-11)
    assert few.objective == pytest.approx(every.objective, rel=1e-9)


def slope_rows(problem: Problem, w: Floats) -> tuple[Floats, float]:
    """Return minus the pull of each row over the pairs below the kink, and the share of these, by their definition."""
    slope, linear = np.zeros(len(problem.X)), 0.0
    for i, j, share in problem.list_pairs():
        if (problem.X[i] - problem.X[j]) @ w < 1.0:
            slope[i] -= share
            slope[j] += share
            linear += share
    return slope, linear


@pytest.mark.parametrize("make", [HingeReader, FullReader])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_account_kept_is_the_sum_over_all_steps(twin: ModuleType, make: type, weighted: bool) -> None:
    weights = np.random.default_rng(2).uniform(0.1, 3.0, 40) if weighted else None
    problem = simulate(40, 2, shift=2.0, n_pairs=120, weights=weights)
    objective, w = problem.bind(), np.zeros(2)
    point = look(objective, w)[1]
    reader = (
        HingeReader(objective.matrix, objective.pairs, objective.alpha, w, point)
        if make is HingeReader
        else FullReader(objective)
    )
    total, n_steps = np.zeros(40), 0
    rng = np.random.default_rng(0)
    while n_steps < 150:
        reading = reader.read(w)
        slope, linear = slope_rows(problem, w)
        assert reading.value == pytest.approx(problem.define_value(w), rel=1e-12)
        assert reading.linear == pytest.approx(linear, rel=1e-12, abs=1e-12)
        np.testing.assert_allclose(reading.pull, -slope @ problem.X, rtol=1e-9, atol=1e-12)
        # Walk at random within the radius, as steps do: the pairs near are turned by hand.
        start, active, held, pull = w.copy(), reading.active.copy(), np.zeros(len(reading.active)), reading.pull.copy()
        taken, linear = 0, reading.linear
        while taken < reading.max_steps:
            below = reading.differences @ w < 1.0
            turned = reading.shares * (below.astype(float) - active)
            active, pull, linear = below, pull + turned @ reading.differences, linear + turned.sum()
            held += active
            total += slope_rows(problem, w)[0]
            taken += 1
            w = w + 0.03 * (rng.standard_normal(2) + 0.1)
            if np.linalg.norm(w - start) > reading.radius:
                break
        reader.learn(reading, Stretch(taken, float(np.linalg.norm(w - start)), active, held, linear, pull))
        n_steps += taken
        np.testing.assert_allclose(reader.sum_slopes(), total, atol=1e-10)


def test_no_pair_but_those_near_crosses_the_kink_within_the_radius(twin: ModuleType) -> None:
    problem = simulate(50, 3, shift=2.0, n_pairs=300)
    objective, rng = problem.bind(), np.random.default_rng(0)
    w = rng.standard_normal(3)
    reader = HingeReader(objective.matrix, objective.pairs, objective.alpha, w, look(objective, w)[1])
    reader._radius = 0.1
    reading = reader.read(w)
    assert 0 < len(reading.places) < 300
    differences = problem.X[objective.pairs.first] - problem.X[objective.pairs.second]
    far = np.setdiff1d(np.arange(300), reading.places)
    for _ in range(200):
        way = rng.standard_normal(3)
        moved = w + 0.1 * way / np.linalg.norm(way)
        np.testing.assert_array_equal(differences[far] @ moved < 1.0, differences[far] @ w < 1.0)
    np.testing.assert_array_equal(reading.differences, differences[reading.places])


def test_most_steps_read_few_pairs() -> None:
    problem = simulate(5000, 2, n_pairs=5000)
    objective = problem.bind()
    read = 0

    class CountingReader(HingeReader):
        def read(self, w: Floats) -> Any:
            nonlocal read
            read += objective.pairs.size
            return super().read(w)

        def learn(self, reading: Any, stretch: Stretch) -> None:
            nonlocal read
            read += stretch.n_steps * len(reading.places)
            super().learn(reading, stretch)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_reader, "HingeReader", CountingReader)
        solution = Adamax().solve(objective)
    assert solution.n_iter > 500
    assert read < 0.25 * solution.n_iter * objective.pairs.size


@each_solver
def test_pairs_tied_at_the_kink_are_not_looked_for_for_ever(
    twin: ModuleType, solver: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of one column of zeros and ones, all pairs that differ reach a margin of one together, and none may be kept.
    monkeypatch.setattr(_reader, "FEW_ENTRIES", 1)
    positive = np.arange(60) % 2 == 0
    problem = Problem((positive ^ (np.arange(60) % 5 == 0))[:, None].astype(float), positive, alpha=1e-3, n_pairs=1000)
    few = solver.solve(problem.bind(), np.ones(1), tol=1e-9, max_iter=300)
    every = solve_reading_all(solver, problem, monkeypatch, w0=np.ones(1), tol=1e-9, max_iter=300)
    np.testing.assert_allclose(few.w, every.w, rtol=1e-9)


def test_beyond_floating_point_nothing_is_read(twin: ModuleType) -> None:
    for problem in (simulate(30, 2, n_pairs=50), simulate(30, 2)):
        reader = choose(problem)
        assert reader.read(np.ones(2)) is not None
        for far in (1e200, 1e308, np.inf, np.nan):
            assert reader.read(np.full(2, far)) is None
