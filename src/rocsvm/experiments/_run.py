"""Runs of cells: find the penalty, fit and score; what is written down is not run again."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterable, Sequence
from time import perf_counter
from typing import Any, NamedTuple

from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from rocsvm.datasets import DatasetError
from rocsvm.experiments._cells import BEYOND, BEYOND_REPEATS, Cell
from rocsvm.experiments._methods import EXACT, OURS, make_model, make_search
from rocsvm.experiments._problems import RealSets, draw_split
from rocsvm.experiments._results import Ledger, Result

# More rows than features are made of at once, and than curvature is measured on: what runs on more has run then.
WARM_UP_ROWS, WARM_UP_ROWS_EXACT = 12_000, 400


class Task(NamedTuple):
    """One repeat of a cell."""

    cell: Cell
    repeat: int


def list_tasks(cells: Sequence[Cell], repeats: dict[int, int]) -> list[Task]:
    """Return all repeats of all cells, so that every cell has its first repeat before any has its second."""
    wanted = {cell: repeats[cell.table] for cell in cells}
    wanted |= {cell: min(BEYOND_REPEATS, wanted[cell]) for cell in cells if cell.n_train == BEYOND}
    return [Task(cell, repeat) for repeat in range(max(wanted.values())) for cell in cells if repeat < wanted[cell]]


def find_open(tasks: Sequence[Task], ledger: Ledger[Result]) -> list[Task]:
    """Return the tasks without a result; one that failed is tried again."""
    done = {(result.cell, result.repeat) for result in ledger.read() if not result.fault}
    return [task for task in tasks if (task.cell.key, task.repeat) not in done]


def warm_up(tasks: Iterable[Task]) -> None:
    """Fit each method once, so that no seconds are those of compiling and importing."""
    rows: dict[tuple[str, str], int] = defaultdict(int)
    for cell, _ in tasks:
        most = WARM_UP_ROWS_EXACT if cell.method == EXACT else WARM_UP_ROWS
        rows[cell.kernel, cell.method] = max(rows[cell.kernel, cell.method], min(cell.n_train, most))
    for (kernel, method), n_train in rows.items():
        run_task(Task(Cell(0, kernel, kernel, n_train, method), 0), RealSets(), quick=True)


def run_task(task: Task, sets: RealSets, *, quick: bool = False) -> Result:
    """Return the result of one repeat of a cell."""
    cell, repeat = task
    try:
        split = draw_split(cell, repeat, sets)
    except DatasetError as error:
        return Result(cell.key, repeat, fault=str(error))
    with warnings.catch_warnings():
        # The paper's method stops where its steps are short or many, whatever the gap; the gap is in the result.
        warnings.simplefilter("ignore", ConvergenceWarning)
        begun = perf_counter()
        search = make_search(cell, repeat, quick=quick).fit(split.X, split.y)
        found = perf_counter()
        model = make_model(cell, search.alpha_, repeat).fit(split.X, split.y)
        done = perf_counter()
        gap = find_gap(cell, model, split.X, split.y)
    return Result(
        cell.key,
        repeat,
        seconds=done - found,
        search_seconds=found - begun,
        alpha=search.alpha_,
        auc=model.score(split.X_test, split.y_test),
        best=split.best,
        gap=gap,
        n_iter=int(model.n_iter_),
    )


def find_gap(cell: Cell, model: Any, X: Any, y: Any) -> float:
    """Return how far at most a model's objective is from the least value of its own, as a share of it.

    The dual points that Adamax passes prove little; those of Newton's method, on the same pairs and landmarks, more.
    """
    bound = model.objective_ - model.dual_gap_
    if cell.method not in (OURS, EXACT):
        twin = clone(model).set_params(solver="newton").fit(X, y)
        bound = max(bound, twin.objective_ - twin.dual_gap_)
    return float(1.0 - bound / model.objective_)


class Pace:
    """How long what is left will take, by what its like took before."""

    def __init__(self) -> None:
        self._seconds: dict[str, list[float]] = defaultdict(list)

    def add(self, kind: str, seconds: float) -> None:
        """Note how long one of a kind took."""
        self._seconds[kind].append(seconds)

    def estimate(self, kinds: Iterable[str]) -> float | None:
        """Return the seconds that these will take, or None if nothing is known; a new kind counts as the mean one."""
        means = {kind: sum(known) / len(known) for kind, known in self._seconds.items()}
        if not means:
            return None
        usual = sum(means.values()) / len(means)
        return sum(means.get(kind, usual) for kind in kinds)
