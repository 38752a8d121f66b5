"""More features than rows: the same problem in as many coordinates as there are rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from rocsvm.features import AbstractMatrix, wrap_matrix
from rocsvm.objective import Objective

Floats = NDArray[np.float64]

# Rows up to which, and entries of the dense copy with which, the rotation is worth its cost.
MAX_ROWS = 1500
MAX_ENTRIES = 40_000_000


def can_rotate(objective: Objective) -> bool:
    """Return whether features outnumber rows, and both allow a QR decomposition."""
    n_rows, n_features = objective.matrix.shape
    return n_rows < n_features and n_rows <= MAX_ROWS and n_rows * n_features <= MAX_ENTRIES


class Rotation:
    """An orthonormal basis of the differences of rows.

    The solution lies in their span, where it has the same norm and the same scores but for a constant,
    which no pair sees.
    """

    def __init__(self, matrix: AbstractMatrix) -> None:
        rows = matrix.centre()
        self._basis, coordinates = linalg.qr(rows.T, mode="economic", check_finite=False)
        self.matrix = wrap_matrix(np.ascontiguousarray(coordinates.T))

    def turn(self, w: Floats) -> Floats:
        """Return the coordinates of weights, less what no difference of rows sees."""
        return np.asarray(self._basis.T @ w)

    def turn_back(self, w: Floats) -> Floats:
        """Return the weights that have these coordinates."""
        return np.asarray(self._basis @ w)
