"""Landmarks doubled until the model is proved near the best of the whole kernel."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from rocsvm.estimators._base import Rows, Settings
from rocsvm.features import NystroemFeatures, extend_features, wrap_matrix
from rocsvm.full_kernel import prove
from rocsvm.landmarks import Candidates
from rocsvm.landmarks._distinct import draw_distinct
from rocsvm.objective import Objective
from rocsvm.solvers import Solution
from rocsvm.validation import warn_user

# Landmarks at the start, and those beyond which a step of the solver takes too long.
FIRST, MOST = 50, 3200
# The share of the tolerance that the solver may use up: the rest is left to the landmarks.
SOLVER_SHARE = 0.3


class Growth(NamedTuple):
    """The last objective, its solution, and how near that is to the best of the whole kernel."""

    objective: Objective
    solution: Solution
    kernel_gap: float


def count_distinct(X: Any, most: int) -> int:
    """Return how many rows are distinct, or ``most`` if they are more."""
    return len(draw_distinct(X, most, np.random.default_rng(0)))


def grow(
    features: NystroemFeatures,
    rows: Rows,
    Z: NDArray[np.floating[Any]],
    objective: Objective,
    settings: Settings,
    kernel_tol: float,
) -> Growth:
    """Return the solution on as many landmarks as it takes; the features are extended, and what is known is kept.

    Features of before are the first of those after, so that the solution of before is the start of the next.
    """
    candidates = Candidates(rows.X, features.kernel_, rows.positive, rows.weights)
    careful = settings._replace(tol=min(settings.tol, SOLVER_SHARE * kernel_tol))
    start = None
    while True:
        solution = careful.solve(objective, start)
        gap = prove(features, rows.X, objective, solution).relative_gap
        n_landmarks, n_features = features.landmarks_.shape[0], Z.shape[1]
        if gap <= kernel_tol:
            return Growth(objective, solution, gap)
        if 2 * n_landmarks > MOST:
            break
        Z = extend_features(features, rows.X, Z, candidates, n_landmarks, settings.rng)
        if Z.shape[1] == n_features:
            break
        start = np.append(solution.w, np.zeros(Z.shape[1] - n_features))
        objective = replace(objective, matrix=wrap_matrix(Z))
    warn_user(
        f"n_landmarks='auto' stopped at {n_landmarks} landmarks and a relative distance of {gap:.1e} from the best of "
        f"the whole kernel, above kernel_tol={kernel_tol:g}. Raise alpha or kernel_tol, lower gamma, or write "
        "n_landmarks=... for as many as you want.",
        ConvergenceWarning,
    )
    return Growth(objective, solution, gap)
