"""The path of solutions along the penalty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocsvm.estimators._base import warn_of_gaps
from rocsvm.estimators._grid import check_grid, find_largest_alpha, space_alphas
from rocsvm.estimators._linear import LinearROCSVM
from rocsvm.features import wrap_matrix
from rocsvm.inspection import auc
from rocsvm.losses import AbstractLoss
from rocsvm.threads import use_one_thread

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ROCSVMPath:
    """Solutions along the penalty, the largest alpha first.

    Attributes
    ----------
    alphas : array of shape (n_alphas,)
        Penalties.
    coefs : array of shape (n_alphas, n_features)
        Weights.
    objectives : array of shape (n_alphas,)
        Objectives reached.
    dual_gaps : array of shape (n_alphas,)
        Proved bounds on how far they are above the minimum.
    aucs : array of shape (n_alphas,)
        Areas under the ROC curve on the rows fitted to.
    feature_names : array of shape (n_features,) or None
        Names of the columns, where X had some.
    """

    alphas: Floats
    coefs: Floats
    objectives: Floats
    dual_gaps: Floats
    aucs: Floats
    feature_names: NDArray[Any] | None = None


def rocsvm_path(
    X: Any,
    y: ArrayLike,
    alphas: int | ArrayLike = 20,
    *,
    sample_weight: ArrayLike | None = None,
    loss: str | AbstractLoss = "hinge",
    pairs: Any = "all",
    solver: Any = "auto",
    tol: float = 1e-3,
    max_iter: int | None = None,
    random_state: Any = None,
) -> ROCSVMPath:
    """Fit the linear ROC-SVM at each alpha, from the largest down, each from the one before.

    Parameters
    ----------
    X : array, sparse array or data frame of shape (n_samples, n_features)
        Rows.
    y : array of shape (n_samples,)
        Two labels of any kind; the larger is positive.
    alphas : int or list of float, default=20
        Penalties; a number of them is spread geometrically over six decades, down from the largest that matters.
    sample_weight : array of shape (n_samples,), optional
        Weights of the rows.
    loss, pairs, solver, tol, max_iter, random_state
        As in `LinearROCSVM`.

    Returns
    -------
    ROCSVMPath
        Weights, objective, gap and AUC at each alpha.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> path = rocsvm_path(*load_breast_cancer(return_X_y=True), alphas=[1.0, 0.1], random_state=0)
    >>> path.coefs.shape, bool(path.objectives[0] > path.objectives[1])
    ((2, 30), True)
    """
    grid = check_grid("alphas", alphas, "20")
    model = LinearROCSVM(
        loss=loss,
        pairs=pairs,
        solver=solver,
        operating_point=None,
        tol=tol,
        max_iter=max_iter,
        random_state=random_state,
    )
    settings = model._check_settings(1.0, None)
    rows = model._check_rows(X, y, sample_weight)
    matrix = wrap_matrix(rows.X)
    found = space_alphas(find_largest_alpha(matrix, rows), grid) if isinstance(grid, int) else grid
    with use_one_thread():
        solutions = list(settings.follow(settings.pose(matrix, rows), found, exact=True))
    path = ROCSVMPath(
        found,
        np.array([solution.w for solution in solutions]),
        np.array([solution.objective for solution in solutions]),
        np.array([solution.dual_gap for solution in solutions]),
        np.array([auc(rows.positive, matrix.score(solution.w), rows.weights) for solution in solutions]),
        getattr(model, "feature_names_in_", None),
    )
    warn_of_gaps(np.array([solution.relative_gap for solution in solutions]), tol, "dual_gaps")
    return path
