"""The grids that a search runs over, given or found from the data."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocsvm.estimators._base import Rows
from rocsvm.features import AbstractMatrix
from rocsvm.validation import LEAST_ALPHA

Floats = NDArray[np.float64]

# The least alpha of a grid, as a share of the largest.
SPAN = 1e-6
# The factor from one gamma of a grid to the next.
GAMMA_STEP = 4.0


def check_grid(name: str, given: Any, example: str) -> int | Floats:
    """Return how many values to find, or the values themselves, each once, the largest first."""
    if isinstance(given, Integral) and not isinstance(given, bool):
        if given < 1:
            raise ValueError(f"{name}={given} leaves nothing to choose from; write how many to try, such as {example}.")
        return int(given)
    if isinstance(given, str | Real) or not isinstance(given, Iterable) or getattr(given, "ndim", 1) == 0:
        raise ValueError(f"{name}={given!r} is no grid; write how many to try, such as {example}, or a list of them.")
    values = list(given)
    if not values:
        raise ValueError(
            f"{name} is empty and leaves nothing to choose from; write how many to try, such as {example}."
        )
    for value in values:
        if isinstance(value, bool) or not isinstance(value, Real) or not 0.0 < float(value) < np.inf:
            raise ValueError(f"{name} holds {value!r}, which is not a positive number; leave it out.")
        if name == "alphas" and float(value) < LEAST_ALPHA:
            raise ValueError(
                f"alphas holds {value!r}, so small that double precision proves nothing under it; write "
                f"{LEAST_ALPHA:g} or more."
            )
    return np.unique(np.array(values, dtype=np.float64))[::-1]


def space_alphas(largest: float, n_alphas: int) -> Floats:
    """Return so many alphas from the largest that matters geometrically down."""
    return np.asarray(largest * np.geomspace(1.0, SPAN, n_alphas))


def space_gammas(middle: float, n_gammas: int) -> Floats:
    """Return so many gammas about the middle one, the smallest first."""
    return np.asarray(middle * GAMMA_STEP ** (np.arange(n_gammas) - 0.5 * (n_gammas - 1)))


def find_largest_alpha(matrix: AbstractMatrix, rows: Rows) -> float:
    """Return the alpha from which on the direction of the weights is the same: the difference of the class means.

    At weights ``q / alpha``, with q that difference, no margin exceeds one then, so that all pairs pull alike and the
    pull is q again. One where the class means are equal.
    """
    counts = np.ones(len(rows.positive)) if rows.weights is None else rows.weights
    means = [matrix.gather(np.where(own, counts, 0.0) / counts[own].sum()) for own in (rows.positive, ~rows.positive)]
    scores = matrix.score(means[0] - means[1])
    largest = float(scores[rows.positive].max() - scores[~rows.positive].min())
    return largest if np.isfinite(largest) and largest > 0.0 else 1.0
