from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from sklearn.base import clone

from rocsvm.datasets import DatasetError, make_roc_linear
from rocsvm.experiments import Cell, Ledger, Pace, RealSets, Result, Task, find_open, list_cells, list_tasks, run_task
from rocsvm.experiments import _problems as problems
from rocsvm.experiments import _run as run
from rocsvm.experiments._methods import make_model, make_search
from rocsvm.experiments._run import find_gap
from rocsvm.solvers import Adamax

METHODS = [
    Cell(1, "linear", "linear", 300, "paper, full"),
    Cell(1, "linear", "linear", 300, "paper, incomplete"),
    Cell(1, "linear", "linear", 300, "ours"),
    Cell(2, "radial", "radial", 300, "paper, no Nyström"),
    Cell(2, "radial", "radial", 300, "paper, Nyström"),
    Cell(2, "radial", "radial", 300, "ours"),
]


@pytest.mark.parametrize("cell", METHODS, ids=lambda cell: cell.key)
def test_a_task_finds_a_penalty_fits_and_scores(cell: Cell) -> None:
    result = run_task(Task(cell, 0), RealSets(), quick=True)
    assert (result.cell, result.repeat, result.fault) == (cell.key, 0, "")
    assert result.seconds > 0.0
    assert result.search_seconds > 0.0
    assert result.alpha > 0.0
    assert result.best - 0.05 < result.auc < result.best + 0.005
    assert result.gap >= 0.0


def test_a_task_gives_the_same_model_again() -> None:
    one, other = (run_task(Task(METHODS[1], 3), RealSets(), quick=True) for _ in range(2))
    assert (one.alpha, one.auc, one.n_iter) == (other.alpha, other.auc, other.n_iter)


def test_the_papers_method_is_its_solver_on_its_pairs_and_landmarks() -> None:
    for cell in METHODS:
        model = make_model(cell, 0.5, seed=1)
        is_ours = cell.method == "ours"
        assert model.alpha == 0.5
        assert model.solver == ("auto" if is_ours else Adamax())
        assert model.pairs == ("all" if is_ours or cell.method == "paper, full" else "incomplete")
        assert make_search(cell, seed=1).pairs == model.pairs
    assert make_model(METHODS[3], 0.5, seed=1).features == "exact"
    assert (make_model(METHODS[4], 0.5, seed=1).n_landmarks, make_model(METHODS[4], 0.5, 1).landmarks) == (
        300,
        "stratified",
    )
    assert (Adamax().step, Adamax().beta1, Adamax().beta2, Adamax().step_tol) == (0.002, 0.9, 0.999, 1e-4)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_gap_of_the_papers_method_is_proved_by_newtons() -> None:
    X, y = make_roc_linear(2_000, random_state=0)
    for cell in (METHODS[1], METHODS[4]):
        model = make_model(cell, 1e-4, seed=1).fit(X, y)
        twin = clone(model).set_params(solver="newton", tol=1e-5).fit(X, y)
        least = (model.objective_ - twin.objective_) / model.objective_
        assert max(least - 1e-5, 0.0) <= find_gap(cell, model, X, y) <= least + 2e-3
        assert find_gap(cell, model, X, y) <= model.dual_gap_ / model.objective_ + 1e-12


def test_the_width_of_the_search_is_that_of_the_model() -> None:
    X, y = make_roc_linear(300, random_state=0)
    searched, fitted = make_search(METHODS[5], 0, quick=True).fit(X, y), make_model(METHODS[5], 0.5, 0).fit(X, y)
    assert searched.gamma_ == pytest.approx(fitted.features_.kernel_.gamma)


def test_every_cell_has_its_first_repeat_before_any_has_its_second() -> None:
    tasks = list_tasks(list_cells(), {1: 50, 2: 50, 3: 30})
    repeats = [task.repeat for task in tasks]
    assert repeats == sorted(repeats)
    assert sum(task.cell.table == 3 for task in tasks) == 30 * len(list_cells((3,)))
    assert sum(task.cell.key == "1/linear/linear/5000/ours" for task in tasks) == 50


def test_a_million_rows_are_run_less_often() -> None:
    cells = [Cell(1, "linear", "linear", n_train, "ours") for n_train in (100_000, 1_000_000)]
    for asked, beyond in ((50, 5), (2, 2)):
        tasks = list_tasks(cells, {1: asked})
        assert [sum(task.cell == cell for task in tasks) for cell in cells] == [asked, beyond]


def test_what_is_done_is_not_open_and_what_failed_is(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "results.jsonl", Result)
    tasks = list_tasks(METHODS[:2], {1: 2})
    ledger.add(Result(METHODS[0].key, 0, auc=0.9))
    ledger.add(Result(METHODS[1].key, 0, fault="no network"))
    assert find_open(tasks, ledger) == tasks[1:]


def test_data_that_cannot_be_had_is_a_fault_and_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: Any) -> Any:
        raise DatasetError("no network")

    monkeypatch.setitem(problems.FETCHED, "skin", fail)
    result = run_task(Task(Cell(3, "skin", "linear", 4_200, "ours"), 1), RealSets())
    assert (result.repeat, result.fault) == (1, "no network")
    assert math.isnan(result.auc)


def test_each_method_is_warmed_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[Cell] = []
    monkeypatch.setattr(run, "run_task", lambda task, *_, **__: ran.append(task.cell))
    cells = list_cells()
    run.warm_up(list_tasks(cells, dict.fromkeys((1, 2, 3), 2)))
    kinds = {(cell.kernel, cell.method) for cell in cells}
    assert sorted((cell.kernel, cell.method) for cell in ran) == sorted(kinds)
    assert {cell.method: cell.n_train for cell in ran}["paper, no Nyström"] < 1_000
    assert max(cell.n_train for cell in ran) == 12_000
    assert not {cell.key for cell in ran} & {cell.key for cell in cells}
    run.warm_up([])
    assert len(ran) == len(kinds)


def test_the_time_left_is_that_of_the_like() -> None:
    pace = Pace()
    assert pace.estimate(["fast"]) is None
    for kind, seconds in (("fast", 1.0), ("fast", 3.0), ("slow", 10.0)):
        pace.add(kind, seconds)
    assert pace.estimate(["fast", "fast", "slow"]) == 14.0
    assert pace.estimate(["new"]) == 6.0
    assert pace.estimate([]) == 0.0
