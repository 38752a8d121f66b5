"""Rows to fit, and how far two models of one problem may lie apart."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocsvm import LinearROCSVM

Floats = NDArray[np.float64]


class Data(NamedTuple):
    """Rows and their labels, 0 and 1."""

    X: Floats
    y: NDArray[np.int64]


def draw_data(n_rows: int = 120, n_features: int = 3, *, seed: int = 0) -> Data:
    """Return two classes that overlap, a third of the rows positive."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    score = X @ np.linspace(1.0, -0.5, n_features) + rng.normal(size=n_rows)
    return Data(X, (score > np.quantile(score, 2.0 / 3.0)).astype(np.int64))


def exact(**parameters: object) -> LinearROCSVM:
    """Return a model that is solved as far as a comparison of weights needs."""
    return LinearROCSVM(**({"alpha": 0.01, "tol": 1e-9, "random_state": 0} | parameters))


def assert_same_model(model: LinearROCSVM, other: LinearROCSVM, *, rounding: float = 1e-9) -> None:
    """Compare two solutions of one problem.

    It is strongly convex: either one lies within ``sqrt(2 * gap / alpha)`` of the optimum. A threshold moves with
    the scores of the rows that it lies between, and these with the weights.
    """
    reach = sum(float(np.sqrt(2.0 * each.dual_gap_ / each.alpha)) for each in (model, other)) + rounding
    assert np.linalg.norm(model.coef_ - other.coef_) <= reach
    assert abs(model.objective_ - other.objective_) <= model.dual_gap_ + other.dual_gap_ + rounding
    assert abs(model.intercept_[0] - other.intercept_[0]) <= 10.0 * reach
    assert np.array_equal(model.classes_, other.classes_)
