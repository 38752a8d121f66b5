"""The ways to train: the paper's, and ours."""

from __future__ import annotations

from typing import Any

from rocsvm.estimators import KernelROCSVM, KernelROCSVMCV, LinearROCSVM, LinearROCSVMCV
from rocsvm.experiments._cells import Cell
from rocsvm.solvers import Adamax

N_LANDMARKS = 300
# Grid and folds of the search for the penalty, and of that of a quick run.
SEARCH, QUICK_SEARCH = {"alphas": 10, "cv": 5}, {"alphas": 5, "cv": 3}
# Where the paper's objective is minimised as far as a search needs it. To the end takes ten times as long (radial,
# accelerometer: 163 s of 4,200 rows), all of it at penalties that lose, and the choice is the same.
ROUGHLY = {"tol": 1e-2, "max_iter": 20}
OURS, EXACT = "ours", "paper, no Nyström"
# As published by Kingma and Ba, each coordinate by a norm of its own; step and decay as in the authors' code.
ADAMAX = Adamax(step=0.002, beta1=0.9, beta2=0.999, norm="coordinate", step_tol=1e-4)


def make_search(cell: Cell, seed: int, *, quick: bool = False) -> Any:
    """Return the search for the penalty of a cell.

    It minimises the objective of the cell's own method, over the pairs of that method, and so does it by Newton's
    method in every case: which penalty an objective wants does not depend on the way to its minimum.
    """
    common: dict[str, Any] = {"pairs": choose_pairs(cell), "random_state": seed}
    common |= QUICK_SEARCH if quick else SEARCH
    if cell.method != OURS:
        common |= ROUGHLY
    if cell.kernel == "linear":
        return LinearROCSVMCV(**common)
    landmarks = "kmeans" if cell.method == OURS else "stratified"
    return KernelROCSVMCV(gammas=1, n_landmarks=N_LANDMARKS, landmarks=landmarks, **common)


def make_model(cell: Cell, alpha: float, seed: int) -> Any:
    """Return the model of a cell, not fitted yet."""
    common: dict[str, Any] = {"alpha": alpha, "pairs": choose_pairs(cell), "random_state": seed}
    if cell.method != OURS:
        common["solver"] = ADAMAX
    if cell.kernel == "linear":
        return LinearROCSVM(**common)
    if cell.method == EXACT:
        return KernelROCSVM(features="exact", **common)
    landmarks = "kmeans" if cell.method == OURS else "stratified"
    return KernelROCSVM(n_landmarks=N_LANDMARKS, landmarks=landmarks, **common)


def choose_pairs(cell: Cell) -> str:
    """Return the pairs that the method's mean runs over."""
    return "all" if cell.method in (OURS, "paper, full") else "incomplete"
