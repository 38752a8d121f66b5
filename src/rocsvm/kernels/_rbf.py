"""The Gaussian kernel, the one worth a path of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

from rocsvm.kernels._base import AbstractColumns, AbstractKernel, Floats

# A squared norm of this many length scales squared leaves single precision four digits of a distance.
MAX_SINGLE_SPAN = 256.0


@dataclass(frozen=True)
class RBFKernel(AbstractKernel):
    """The similarity ``exp(-gamma * norm(a - b)**2)``."""

    gamma: float

    def compare(self, rows: Any, others: Any) -> Floats:
        """Return the similarity of each row to each other row."""
        if sparse.issparse(rows) or sparse.issparse(others):
            return np.asarray(rbf_kernel(rows, others, gamma=self.gamma), dtype=np.float64)
        return np.asarray(RBFColumns(others, self.gamma, np.float64)(rows), dtype=np.float64)

    def diagonal(self, rows: Any) -> Floats:
        """Return ones."""
        return np.ones(rows.shape[0])

    def against(self, landmarks: Any, dtype: DTypeLike) -> AbstractColumns:
        """Return the columns of these landmarks, one product and one exponential a block."""
        if sparse.issparse(landmarks):
            return super().against(landmarks, dtype)
        return RBFColumns(landmarks, self.gamma, dtype)


class RBFColumns(AbstractColumns):
    """Columns whose exponents come out of one product.

    With two more columns, rows ``(x, 1, -gamma x.x)`` times landmarks ``(2 gamma l, -gamma l.l, 1)`` are the
    exponents. All is measured from the landmarks' mean, lest an offset cost digits.
    """

    def __init__(self, landmarks: NDArray[np.floating[Any]], gamma: float, dtype: DTypeLike) -> None:
        wide = landmarks.astype(np.float64)
        self._origin = wide.mean(axis=0)
        wide -= self._origin
        norms = gamma * np.einsum("ij,ij->i", wide, wide)
        self._landmarks = landmarks
        self._gamma = gamma
        self._dtype = np.dtype(dtype)
        self._exact = np.float64 if norms.max(initial=0.0) > MAX_SINGLE_SPAN else self._dtype
        stacked = np.vstack([2.0 * gamma * wide.T, -norms, np.ones(len(wide))])
        self._right = stacked.astype(self._exact)

    def __call__(self, rows: Any) -> NDArray[np.floating[Any]]:
        """Return the similarity of each row to each landmark."""
        if sparse.issparse(rows):
            compared = rbf_kernel(rows, self._landmarks, gamma=self._gamma)
            return np.asarray(compared, dtype=self._dtype)
        left = np.empty((len(rows), len(self._right)), self._exact)
        moved = rows - self._origin
        left[:, :-2] = moved
        left[:, -2] = 1.0
        left[:, -1] = -self._gamma * np.einsum("ij,ij->i", moved, moved)
        exponents = left @ self._right
        np.minimum(exponents, 0.0, out=exponents)
        np.exp(exponents, out=exponents)
        return np.asarray(exponents, dtype=self._dtype)
